// A constant-time test like dudect (Reparaz, Balasch, Verbauwhede 2017): two classes of inputs, one fixed and one
// random, in random order; Welch's t shows whether their timings differ. It can show a leak but never prove that there
// is none. To show that it would notice one, the control is SM4 with tables, which are removed from the cache before
// each call.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CMachine
import Glibc

/// The result of one test.
struct TimingTest: Codable {
  /// Above this value, dudect reports a leak.
  static let threshold = 4.5

  let path: SM4Path?
  let subject: String
  /// What was random in the second class.
  let varied: String
  /// The largest t over the crops, by magnitude.
  let t: Double
  let timings: Int
}

enum ConstantTime {
  static let control = "table SM4 (control, not to do)"
  /// The call returns a password's length, so the length is not secret; but it is useful to know that it affects the
  /// time.
  static let length = "length"
  /// Interrupts and page faults are in the highest percentiles; each crop leaves out more of them.
  private static let crops = [0.5, 0.75, 0.9, 0.95, 0.99]
  /// Inputs of each class, prepared before and used in turn; few enough to stay in the second-level cache.
  private static let pool = 1024

  static func measure(_ run: Run) -> [TimingTest] {
    var numbers = RepeatableNumbers(seed: 5)
    return Subject.all().flatMap { subject in
      subject.varied.map { varied in
        let inputs = [subject.inputs(nil, &numbers), subject.inputs(varied, &numbers)]
        let t = test(subject, inputs, run.effort.timings, &numbers)
        return TimingTest(
          path: run.path, subject: subject.name, varied: varied, t: t, timings: run.effort.timings)
      }
    }
  }

  private static func test(_ subject: Subject, _ inputs: [Bytes], _ count: Int, _ numbers: inout RepeatableNumbers)
    -> Double
  {
    let classes = (0..<count).map { _ in Int.random(in: 0...1, using: &numbers) }
    var ticks = [UInt64](repeating: 0, count: count)
    for i in -count / 100..<count {  // the first ones only warm the caches
      let input = inputs[classes[max(i, 0)]] + ((i + count) % pool) * subject.size
      memcpy(subject.input, input, subject.size)
      subject.before()
      let start = machine_ticks()
      subject.call()
      let end = machine_ticks()
      if i >= 0 { ticks[i] = end &- start }
    }
    let sorted = ticks.sorted()
    let values = crops.map { crop in
      let limit = sorted[Int(crop * Double(count - 1))]
      var moments = [Moments(), Moments()]
      for i in 0..<count where ticks[i] <= limit { moments[classes[i]].add(Double(ticks[i])) }
      return welch(moments[0], moments[1])
    }
    return values.max { abs($0) < abs($1) } ?? 0
  }

  /// The timed call, which reads all its secrets from `input`.
  struct Subject {
    let name: String
    var varied = ["key", "text"]
    let size: Int
    let input: Bytes
    let before: () -> Void
    /// Makes one input; only `varied` differs between inputs.
    let make: (_ varied: String?, _ numbers: inout RepeatableNumbers) -> [UInt8]
    let call: () -> Void

    func inputs(_ varied: String?, _ numbers: inout RepeatableNumbers) -> Bytes {
      allocate((0..<pool).flatMap { _ in make(varied, &numbers) })
    }

    static func all() -> [Subject] { [setup(), decrypt(), batch(), table()] }

    /// A key and a block.
    private static func keyAndBlock(_ varied: String?, _ numbers: inout RepeatableNumbers) -> [UInt8] {
      let fixed: [UInt8] = Array("8907654329807654kgcx879@kgcx879@".utf8)
      let key = varied == "key" ? numbers.bytes(16) : Array(fixed.prefix(16))
      return key + (varied == "text" ? numbers.bytes(16) : Array(fixed.suffix(16)))
    }

    private static func setup() -> Subject {
      let (input, output) = (allocate(32), allocate(16))
      let cipher = Library.cipher(CUSTOM_ENCWAY_SM4, [UInt8](repeating: 0, count: 16))
      return Subject(name: "setupCipher, cryptECB", size: 32, input: input, before: {}, make: keyAndBlock) {
        let codes =
          CustomKeyboard_setupCipher(cipher, CUSTOM_ENCWAY_SM4, input, 16, 0).rawValue
          | CustomKeyboard_cryptECB(cipher, input + 16, output, 16).rawValue
        Library.requireOK(codes, "setupCipher or cryptECB")
      }
    }

    /// A key and the ciphertext of a password, so that the padding is valid.
    private static func keyAndPassword(_ varied: String?, _ numbers: inout RepeatableNumbers) -> [UInt8] {
      let key = varied == "key" ? numbers.bytes(16) : Array("8907654329807654".utf8)
      let password: [UInt8] =
        switch varied {
        case "text": numbers.bytes(8)
        case length: numbers.bytes(Int.random(in: 0...15, using: &numbers))
        default: Array("kgcx879@".utf8)
        }
      return key + Library.encryptPassword(password, key: key)
    }

    private static func decrypt() -> Subject {
      let (input, clear) = (allocate(32), allocate(8))
      return Subject(name: "decrypt", size: 32, input: input, before: {}, make: keyAndPassword) {
        var (offset, length) = (0, 0)
        let code = CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, input, 16, input + 16, 16, clear, 8, &offset, &length)
        Library.requireOK(code.rawValue, "decrypt")
      }
    }

    private static func batch() -> Subject {
      let count = 16
      let (input, clear) = (allocate(32 * count), allocate(16 * count))
      let jobs = UnsafeMutablePointer<CUSTOM_KEYBOARD_JOB>.allocate(capacity: count)
      for i in 0..<count {
        (jobs + i).initialize(
          to: CUSTOM_KEYBOARD_JOB(
            key: input + 32 * i, keyLength: 16, text: input + 32 * i + 16, textLength: 16, clear: clear + 16 * i,
            clearCapacity: 16, clearLength: 0, rv: CUSTOM_KEYBOARD_OK))
      }
      let make: (String?, inout RepeatableNumbers) -> [UInt8] = { varied, numbers in
        (0..<count).flatMap { _ in keyAndPassword(varied, &numbers) }
      }
      let varied = ["key", "text", length]
      return Subject(
        name: "decryptBatch of 16", varied: varied, size: 32 * count, input: input, before: {}, make: make
      ) {
        Library.requireOK(CustomKeyboard_decryptBatch(CUSTOM_ENCWAY_SM4, jobs, count).rawValue, "decryptBatch")
      }
    }

    private static func table() -> Subject {
      let (input, output) = (allocate(32), allocate(16))
      let sm4 = TableSM4WhatNotToDo()
      input.update(from: Array("8907654329807654kgcx879@\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}".utf8), count: 32)
      sm4.encrypt(key: input, input + 16, output)
      let expected = Library.encryptPassword(Array("kgcx879@".utf8), key: input.array(16))
      require(output.array(16) == expected, "the control computes SM4")
      return Subject(name: control, size: 32, input: input, before: sm4.evict, make: keyAndBlock) {
        sm4.encrypt(key: input, input + 16, output)
      }
    }
  }
}
