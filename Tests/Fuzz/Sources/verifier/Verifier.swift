// Verifier strings of any kind: which are verifiers at all, and that the same question has the same answer twice.
// SPDX-License-Identifier: Apache-2.0

import Harness
import KeyboardCipher
import KeyboardCodes

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVerifier(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    while !world.reader.isAtEnd { checkAnything(world) }
  }
}

/// In KiB: what is bigger would take too long, and is not computed but only known to be a verifier.
private let mostWork = 1 << 10

private func checkAnything(_ world: World) {
  let text = world.verifierText()
  let piece = world.piece(text)
  let password = world.memory.copy(world.reader.take(world.reader.number(below: 9)))
  let pepper = world.memory.copy([UInt8](repeating: 7, count: world.reader.one(of: [0, 0, 0, 1, 64, 65])))
  let model = VerifierModel(text)
  let first = answer(piece, password, pepper, model)
  if let first {
    expect(answer(piece, password, pepper, model) == first, "two verdicts on \(String(decoding: text, as: UTF8.self))")
  }
  expect(piece.bytes == Array(text.prefix(piece.count)), "the text has changed")
}

/// - Returns: the verdict; nil if there is none.
private func answer(_ text: Piece, _ password: Piece, _ pepper: Piece, _ model: VerifierModel) -> Bool? {
  if case .argon2id(let work) = model, work > mostWork, pepper.count <= 64 { return nil }
  var string: String { String(decoding: text.bytes, as: UTF8.self) }
  let due: KeyboardError? =
    switch model {
    case .none: .argument
    case .argon2id: pepper.count > 64 ? .tooLong : nil
    case .digest: pepper.count > 0 ? .argument : nil
    }
  do throws(KeyboardError) {
    let verdict = try Verifier.check(
      bytes(text), password: { take in take(bytes(password)) }, pepper: bytes(pepper))
    expect(due == nil, "\(string) is taken for a verifier")
    expect(verdict != nil, "there was no fork")
    return verdict
  } catch {
    expect(due?.code == error.code, "\(string): \(error.code), expected \(due?.code ?? 0)")
    return nil
  }
}

private func bytes(_ piece: Piece) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(start: piece.start, count: piece.claimed)
}
