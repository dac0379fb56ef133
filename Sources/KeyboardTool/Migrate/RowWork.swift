// What is done with one row: its text becomes a verifier, or a sealed text, or is passed on.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardMemory
import KeyboardSHA2
import KeyboardTerminal
import KeyboardText

/// The same for all rows and all threads.
final class RowWork: Sendable {
  enum Kind: Sendable {
    /// The text is a verifier.
    case check
    /// The text is ECB's.
    case makeVerifier(EncryptionWay)
    case seal(EncryptionWay, Recipient, context: [UInt8])
  }

  enum Encoding: String, CaseIterable { case hex, base64 }

  let kind: Kind
  let encoding: Encoding
  private let key: SecretBytes
  private let pepper: SecretBytes
  /// Whether a row's pepper is HMAC-SHA-256 of its id under the pepper.
  private let hasPepperPerID: Bool

  init(
    _ kind: Kind, encoding: Encoding, key: consuming SecretBytes, pepper: consuming SecretBytes, hasPepperPerID: Bool
  ) {
    (self.kind, self.encoding, self.hasPepperPerID) = (kind, encoding, hasPepperPerID)
    self.key = key
    self.pepper = pepper
  }

  /// How many rows go through a worker together: each batch takes some tenths of a second at most.
  var batchSize: Int {
    switch kind {
    case .check: 4096
    case .makeVerifier: 8
    case .seal: 256
    }
  }

  /// The name of the column that is written.
  var column: String {
    if case .seal = kind { return "sealed" }
    return "verifier"
  }

  /// Its key comes from the key and the pepper, at the cost of a verifier for each guess of them.
  func fingerprint(salt: [UInt8]) throws -> RowFingerprint {
    var digits = try SecretBytes(holding: 128)
    try digits.add(key.bytes)
    digits.encodeHexadecimal()
    let keyboard = try Keyboard()
    try keyboard.open()
    defer { try? keyboard.close() }
    try keyboard.input(digits.span)
    let value = try pepper.withSpan { pepper in try keyboard.deriveKey(salt: salt.span, pepper: pepper) }
    return RowFingerprint(key: value)
  }

  // MARK: One thread

  /// What a thread needs for its rows.
  final class Bench {
    private let work: RowWork
    private let keyboard: Keyboard
    private let text = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumTextLength + 16, alignment: 16)
    private let result = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 16)
    /// The memory of HMAC, and behind it the row's pepper.
    private var mac: SecretBytes

    init(_ work: RowWork) throws(KeyboardError) {
      self.work = work
      keyboard = try Keyboard()
      mac = try SecretBytes(capacity: HMAC.byteCount + SHA256.digestSize)
    }

    deinit {
      text.deallocate()
      result.deallocate()
    }

    /// Fills the batch's lines.
    ///
    /// - Throws: a failure that does not come from a row, such as no memory.
    func run(_ batch: RowBatch) throws(Failure) {
      try batch.forEachRow { row, id, text throws(Failure) in
        if let refusal = row.refusal { return batch.addRefused(row, id, refusal) }
        do throws(KeyboardError) {
          if let refusal = try take(id: id, text: text, batch) { batch.addRefused(row, id, refusal) }
        } catch { throw Failure("Row \(row.line): \(error)", .system) }
      }
    }

    /// - Returns: why the row is refused; nil if its line was added.
    private func take(
      id: UnsafeRawBufferPointer, text given: UnsafeRawBufferPointer, _ batch: RowBatch
    ) throws(KeyboardError) -> RefusalReason? {
      switch work.kind {
      case .check:
        guard try isVerifier(given) else { return .verifier }
        batch.addDone(id, given)
        return nil
      case .makeVerifier(let way):
        if let refusal = try receive(given, way) { return refusal }
        defer { try? keyboard.close() }
        guard keyboard.count > 0 else { return .empty }
        let length = try withPepper(of: id) { pepper throws(KeyboardError) in
          try keyboard.keyboardHandle.makeVerifier(pepper: pepper, into: result)
        }
        batch.addDone(id, result[..<length])
        return nil
      case .seal(let way, let recipient, let context):
        if let refusal = try receive(given, way) { return refusal }
        defer { try? keyboard.close() }
        guard keyboard.count > 0 else { return .empty }
        guard context.count + id.count <= maximumContextLength else { return .id }
        let sealed = try keyboard.seal(for: recipient, context: (context + Array(id)).span)
        batch.addDone(id, sealed.hexadecimal.utf8)
        return nil
      }
    }

    /// Opens the keyboard with the password of a text.
    private func receive(_ given: UnsafeRawBufferPointer, _ way: EncryptionWay) throws(KeyboardError) -> RefusalReason?
    {
      guard let count = decode(given) else { return .encoding }
      guard (1...maximumTextLength).contains(count), count % (way == .sm4 ? 16 : 8) == 0 else { return .length }
      do throws(KeyboardError) {
        try keyboard.keyboardHandle.receive(
          UnsafeRawBufferPointer(rebasing: text[..<count]), way: .ecb(way), key: work.key.bytes,
          context: UnsafeRawBufferPointer(start: nil, count: 0))
        return nil
      } catch .undecryptable {
        return .undecryptable
      } catch .tooLong {
        return .tooLong
      }
    }

    /// Whether the library can check passcodes against it. Nothing is computed: the keyboard is not open.
    private func isVerifier(_ given: UnsafeRawBufferPointer) throws(KeyboardError) -> Bool {
      do throws(KeyboardError) {
        return try keyboard.keyboardHandle.checkVerifier(given, pepper: UnsafeRawBufferPointer(start: nil, count: 0))
      } catch .operationDisabled {
        return true
      } catch .argument {
        return false
      }
    }

    private func withPepper<Result>(
      of id: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(KeyboardError) -> Result
    ) throws(KeyboardError) -> Result {
      guard work.hasPepperPerID else { return try body(work.pepper.bytes) }
      var range = 0..<0
      mac.fill { memory in
        let hmac = HMAC(key: work.pepper.bytes, at: memory.baseAddress!)
        hmac.absorb(id)
        hmac.finish(into: memory.baseAddress! + HMAC.byteCount)
        range = HMAC.byteCount..<HMAC.byteCount + SHA256.digestSize
        return range
      }
      return try body(mac.bytes)
    }

    // MARK: Decoding

    /// Writes the bytes of a text to `text`, as many as there is room for.
    ///
    /// - Returns: how many bytes it has; nil if it is not in the encoding.
    private func decode(_ given: UnsafeRawBufferPointer) -> Int? {
      switch work.encoding {
      case .hex: decodeHexadecimal(given)
      case .base64: decodeBase64(given)
      }
    }

    private func decodeHexadecimal(_ given: UnsafeRawBufferPointer) -> Int? {
      let count = given.count / 2
      let isRight =
        count <= text.count
        ? Hexadecimal.decode(given, into: text.baseAddress!)
        : given.count % 2 == 0 && given.allSatisfy(Hexadecimal.isDigit)
      return isRight ? count : nil
    }

    /// The standard alphabet, with its padding or without.
    private func decodeBase64(_ given: UnsafeRawBufferPointer) -> Int? {
      guard let digits = Base64.unpadded(given), Base64.standard.isText(digits, of: 0...Int.max) else { return nil }
      return Base64.standard.decode(digits, into: text) ?? Base64.byteCount(characterCount: digits.count)
    }
  }
}
