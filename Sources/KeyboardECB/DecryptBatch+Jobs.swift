// The jobs of `decryptBatch`, which are in the caller's memory: each is read once, checked, and answered.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import KeyboardCodes
import KeyboardMemory
import KeyboardSM4

/// What a job gives, copied once. Another thread may change the caller's memory at any time, so nothing is checked in
/// one copy and used in another.
struct Input {
  let key: UnsafePointer<UInt8>?
  let keyLength: Int
  let text: UnsafePointer<UInt8>?
  let textLength: Int
  let place: Place

  /// Where the password goes.
  struct Place {
    let clear: UnsafeMutablePointer<UInt8>?
    let capacity: Int
  }

  /// Whether this is what nearly all jobs are: one block of SM4, and nothing wrong. The same checks as `checked`, in a
  /// few instructions and without an answer.
  @inline(__always)
  func isPlain(in jobs: Jobs) -> Bool {
    let (key, text, clear) = (UInt(bitPattern: key), UInt(bitPattern: text), UInt(bitPattern: place.clear))
    let (size, capacity) = (UInt(SM4.blockSize), UInt(bitPattern: place.capacity))
    // `last` is the last byte of `clear`. It is in another range, or that range's first byte is in `clear`, if their
    // distance is less than both lengths together. Neither wraps: addresses are in the lower half of the address space.
    let last = clear &+ capacity &- 1
    let (reach, reachOfJobs) = (capacity &+ size &- 1, capacity &+ UInt(bitPattern: jobs.byteCount) &- 1)
    return (keyLength ^ SM4.keySize) | (textLength ^ SM4.blockSize) == 0
      && Int(bitPattern: (key &- 1) | (text &- 1) | (clear &- 1)) >= 0  // neither NULL nor in the upper half
      && capacity &- size <= UInt(Int32.max / 2)
      && last &- text >= reach && last &- key >= reach && last &- UInt(bitPattern: jobs.first) >= reachOfJobs
  }

  /// The text and the key, if the job can be done. Sizes of C that are negative as signed integers are too large.
  ///
  /// - Throws: what `checkDecryption` throws.
  func checked(
    _ way: EncryptionWay, in jobs: Jobs
  ) throws(KeyboardError) -> (text: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) {
    guard key != nil || keyLength == 0, text != nil || textLength == 0, place.clear != nil || place.capacity == 0,
      place.capacity >= 0
    else { throw .argument(.null) }
    let text = UnsafeRawBufferPointer(start: text, count: textLength < 0 ? .max : textLength)
    let key = UnsafeRawBufferPointer(start: key, count: keyLength < 0 ? .max : keyLength)
    let target = UnsafeRawBufferPointer(start: place.clear, count: place.capacity)
    guard !target.overlaps(jobs.bytes) else { throw .argument(.overlap) }
    try checkDecryption(of: text, way: way, key: key, into: target)
    return (text, key)
  }
}

/// The caller's array of jobs.
struct Jobs {
  let first: UnsafeMutablePointer<DecryptionJob>
  let count: Int

  var byteCount: Int { count &* MemoryLayout<DecryptionJob>.stride }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: first, count: byteCount) }
  var memory: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: first, count: byteCount) }

  /// The only place that reads a job, besides `SM4.take`.
  @inline(__always)
  func input(_ number: Int) -> Input {
    let job = UnsafeRawPointer(first + number)
    func word(_ index: Int) -> UInt { UInt(bitPattern: keyboard_read_once(job + index &* MemoryLayout<UInt>.size)) }
    return Input(
      key: UnsafePointer(bitPattern: word(0)), keyLength: Int(bitPattern: word(1)),
      text: UnsafePointer(bitPattern: word(2)), textLength: Int(bitPattern: word(3)),
      place: Input.Place(clear: UnsafeMutablePointer(bitPattern: word(4)), capacity: Int(bitPattern: word(5))))
  }

  func answer(_ number: Int, _ error: KeyboardError) { (first + number).answer(error) }

  /// Answers with a password, if there is room for it.
  func answer(_ number: Int, _ place: Input.Place, _ decrypted: UnsafeRawPointer, length: Int) {
    guard place.capacity >= length else { return answer(number, .spaceTooSmall(needed: length)) }
    (first + number).answer(code: 0, length: length)
    if length > 0 { UnsafeMutableRawPointer(place.clear!).copyMemory(from: decrypted, byteCount: length) }
  }

  /// Answers with what SM4 decrypted, without its padding. Where there is room for the padding too, its length does not
  /// show in the time.
  ///
  /// - Parameter byteCount: whole blocks.
  @inline(__always)
  func answer(_ number: Int, _ place: Input.Place, padded decrypted: UnsafeRawPointer, byteCount: Int) {
    let last = PaddedBlock(endingAt: decrypted + byteCount, blockSize: SM4.blockSize)
    guard last.isPadded else { return answer(number, .undecryptable) }
    let length = byteCount &- last.paddingCount
    guard place.capacity >= byteCount else { return answer(number, place, decrypted, length: length) }
    (first + number).answer(code: 0, length: length)
    let target = UnsafeMutableRawPointer(place.clear.unsafelyUnwrapped)
    let others = byteCount &- SM4.blockSize
    if others > 0 { target.copyMemory(from: decrypted, byteCount: others) }
    last.store(to: target + others)
  }
}

extension UnsafeMutablePointer<DecryptionJob> {
  func answer(_ error: KeyboardError) {
    if case .spaceTooSmall(let needed) = error {
      answer(code: error.code, length: needed)
    } else {
      answer(code: error.code, length: 0)
    }
  }

  @inline(__always)
  fileprivate func answer(code: UInt32, length: Int) {
    pointee.clearLength = length
    pointee.code = code
  }

  /// Answers with a block that SM4 decrypted, without its padding.
  ///
  /// - Parameter clear: room for the whole block.
  @inline(__always)
  func answer(_ clear: UnsafeMutableRawPointer, block: UnsafeRawPointer) {
    let last = PaddedBlock(endingAt: block + SM4.blockSize, blockSize: SM4.blockSize)
    guard last.isPadded else { return answer(.undecryptable) }
    answer(code: 0, length: SM4.blockSize &- last.paddingCount)
    last.store(to: clear)
  }
}
