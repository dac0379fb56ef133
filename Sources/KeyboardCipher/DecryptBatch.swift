// The server's side: many passwords, each under a key of its own.

public import KeyboardCodes
import KeyboardMemory

/// One password to decrypt: what is given, and where the answer goes. Laid out as the C header's CUSTOM_KEYBOARD_JOB.
public struct DecryptionJob {
  public var key: UnsafePointer<UInt8>?
  public var keyLength: Int
  public var text: UnsafePointer<UInt8>?
  public var textLength: Int
  /// Where the password goes.
  public var clear: UnsafeMutablePointer<UInt8>?
  public var clearCapacity: Int
  /// The password's length; of a job that is `spaceTooSmall`, the capacity needed; of any other that failed, 0.
  public private(set) var clearLength = 0
  /// The `CUSTOM_KEYBOARD_RV` of this job; 0 for success.
  public private(set) var code: UInt32 = 0

  public init(
    key: UnsafeBufferPointer<UInt8>, text: UnsafeBufferPointer<UInt8>, clear: UnsafeMutableBufferPointer<UInt8>
  ) {
    (self.key, keyLength) = (key.baseAddress, key.count)
    (self.text, textLength) = (text.baseAddress, text.count)
    (self.clear, clearCapacity) = (clear.baseAddress, clear.count)
  }
}

/// Decrypts many passwords, each under its own key.
///
/// - Parameters:
///   - jobs: any number. Each is answered by itself, as `decrypt` would answer it; a bad one spoils no other. No job's
///     `clear` may overlap its own key or text (that job answers `.argument`), nor anything of another job's.
///   - way: the algorithm of all.
/// - Throws: `.memory`; no job is then answered.
/// - Timing: depends on the number of jobs, the lengths of their texts and their outcomes (SM4); DES and 3DES look up tables.
/// - Source: GB/T 32907-2016 §7, FIPS 46-3; RFC 5652 §6.3.
/// - C: `CustomKeyboard_decryptBatch`.
public func decryptBatch(
  _ jobs: UnsafeMutableBufferPointer<DecryptionJob>, way: EncryptionWay
) throws(KeyboardError) {
  Traces.bind()
  defer { Traces.wipe(.deep) }
  try decryptEach(jobs, way: way)
}

@inline(never)
private func decryptEach(
  _ jobs: UnsafeMutableBufferPointer<DecryptionJob>, way: EncryptionWay
) throws(KeyboardError) {
  let ecb = try ECB()
  for i in jobs.indices { jobs[i].run(way, ecb) }
}

extension DecryptionJob {
  fileprivate mutating func run(_ way: EncryptionWay, _ ecb: borrowing ECB) {
    do throws(KeyboardError) {
      let (text, key) = try checked(way)
      let length = try ecb.decrypt(text, way: way, key: key)
      guard clearCapacity >= length else { throw .spaceTooSmall(needed: length) }
      clear?.update(from: ecb.text.assumingMemoryBound(to: UInt8.self), count: length)
      (clearLength, code) = (length, 0)
    } catch {
      if case .spaceTooSmall(let needed) = error { clearLength = needed } else { clearLength = 0 }
      code = error.code
    }
  }

  /// The text and the key, if they can be what they should. Sizes of C that read as negative here are too large.
  private func checked(
    _ way: EncryptionWay
  ) throws(KeyboardError) -> (text: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) {
    guard key != nil || keyLength == 0, text != nil || textLength == 0, clear != nil || clearCapacity == 0,
      clearCapacity >= 0
    else { throw .argument }
    let text = UnsafeRawBufferPointer(start: text, count: textLength < 0 ? .max : textLength)
    let key = UnsafeRawBufferPointer(start: key, count: keyLength < 0 ? .max : keyLength)
    let target = UnsafeRawBufferPointer(start: clear, count: clearCapacity)
    try checkDecryption(of: text, way: way, key: key, into: target)
    return (text, key)
  }
}
