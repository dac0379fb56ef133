// The pieces of the OPRF against RFC 9497 and RFC 9380.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
import KeyboardMemory
import KeyboardOPAQUE
import KeyboardTestSupport
import Testing

/// The values of a file by vector and name: each line has both, and the bytes.
func named(_ file: String, count: Int) throws -> [Substring: [Substring: Bytes]] {
  var all: [Substring: [Substring: Bytes]] = [:]
  for fields in try vectors(file, count: count, fields: 3) {
    all[fields[0], default: [:]][fields[1]] = bytes(fields[2])
  }
  return all
}

@Suite struct OPRFVectors {
  private static func withOPRF<Result>(_ body: (OPRF) -> Result) -> Result {
    let memory = GuardedMemory(Pieces.byteCount { _ = OPRF(in: &$0) })
    var pieces = Pieces(memory.start, byteCount: memory.bytes.count)
    let result = body(OPRF(in: &pieces))
    #expect(memory.isIntact)
    return result
  }

  private static func output(_ byteCount: Int, _ body: (UnsafeMutableRawPointer) -> Void) -> Bytes {
    let memory = GuardedMemory(byteCount)
    body(memory.start)
    #expect(memory.isIntact)
    return memory.bytes
  }

  @Test func messagesAreExpanded() throws {
    let all = try named("oprf.txt", count: 23).filter { $0.key.hasPrefix("expand") }
    #expect(all.count == 5)
    for vector in all.values {
      let uniform = Self.withOPRF { oprf in
        oprf.expand(domain: "QUUX-V01-CS02-with-expander-SHA512-256", count: 32) { sha512 in
          vector["message"]!.withUnsafeBytes { sha512.absorb($0) }
        }
        return Bytes(UnsafeRawBufferPointer(start: oprf.uniform, count: 32))
      }
      #expect(uniform == vector["uniform"])
    }
  }

  @Test func aSeedGivesItsKey() throws {
    let vector = try #require(try named("oprf.txt", count: 23)["key1"])
    #expect(vector["info"] == Bytes("test key".utf8))
    let key = Self.output(32) { key in
      Self.withOPRF { $0.deriveKey(vector["seed"]!, info: "test key", into: key) }
    }
    #expect(key == vector["key"])
  }

  @Test func inputsAreBlindedEvaluatedAndFinalized() throws {
    let all = try named("oprf.txt", count: 23)
    let key = try #require(all["key1"]?["key"])
    for name in ["eval1", "eval2"] {
      let vector = try #require(all[name[...]])
      let (input, blind) = (vector["Input"]!, vector["Blind"]!)
      let blinded = Self.output(32) { element in
        input.withUnsafeBytes { input in Self.withOPRF { $0.blind(input, by: blind, into: element) } }
      }
      #expect(blinded == vector["BlindedElement"])
      let evaluated = Self.output(32) { #expect(Ristretto255.multiply(key, blinded, into: $0) == .max) }
      #expect(evaluated == vector["EvaluationElement"])
      let output = Self.output(64) { output in
        input.withUnsafeBytes { input in
          let mask = Self.withOPRF { $0.finalize(input, blind: blind, evaluated: evaluated, into: output) }
          #expect(mask == .max)
        }
      }
      #expect(output == vector["Output"])
    }
  }

  /// Not the identity, nor what is no element.
  @Test func finalizeRefusesWhatIsNoElement() throws {
    let vector = try #require(try named("oprf.txt", count: 23)["eval1"])
    let minusOne = [0xec] + Bytes(repeating: 0xff, count: 30) + [0x7f]
    for element in [Bytes(repeating: 0, count: 32), Bytes(repeating: 0xff, count: 32), minusOne] {
      _ = Self.output(64) { output in
        vector["Input"]!.withUnsafeBytes { input in
          let mask = Self.withOPRF { $0.finalize(input, blind: vector["Blind"]!, evaluated: element, into: output) }
          #expect(mask == 0)
        }
      }
    }
  }
}
