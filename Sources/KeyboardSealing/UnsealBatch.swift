// The server's side of sealed texts: many texts, one private key.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
public import KeyboardCodes
import KeyboardMemory
import KeyboardRSA

/// One sealed text to open with `unsealBatch`: the input, and a place for the password.
///
/// The memory that it points to belongs to the caller, and must exist until `unsealBatch` returns. The caller wipes the
/// password. The layout in memory is that of the C structure.
///
/// - C: `CUSTOM_KEYBOARD_SEALED_JOB`.
public struct UnsealingJob {
  /// What the text was sealed for: `contextLength` bytes. Take it from your own record, never from the message.
  public var context: UnsafePointer<UInt8>?
  /// 0 … 256.
  public var contextLength: Int
  /// The sealed text: `textLength` bytes.
  public var text: UnsafePointer<UInt8>?
  /// One of the way's `textLengths`.
  public var textLength: Int
  /// Where the password is written: room for `clearCapacity` bytes, of which only the password's are changed.
  public var clear: UnsafeMutablePointer<UInt8>?
  /// Bytes at `clear`; 128 are enough for every password.
  public var clearCapacity: Int
  /// The password's length in bytes. For a job whose code is that of `.spaceTooSmall`, the capacity that is needed; for
  /// any other job that failed, 0.
  public fileprivate(set) var clearLength = 0
  /// The job's result: 0 (`CUSTOM_KEYBOARD_OK`), or the `code` of a `KeyboardError`.
  public fileprivate(set) var code: UInt32 = 0

  /// Makes a job. Nothing is checked, and no memory is read.
  ///
  /// - Parameters:
  ///   - text: a sealed text, whose length is one of the way's `textLengths`.
  ///   - context: what it was sealed for, 0 … 256 bytes.
  ///   - clear: room for the password, 0 … 128 bytes.
  public init(
    text: UnsafeBufferPointer<UInt8>, context: UnsafeBufferPointer<UInt8>, clear: UnsafeMutableBufferPointer<UInt8>
  ) {
    (self.context, contextLength) = (context.baseAddress, context.count)
    (self.text, textLength) = (text.baseAddress, text.count)
    (self.clear, clearCapacity) = (clear.baseAddress, clear.count)
  }
}

/// Opens many sealed texts with one private key.
///
/// Each job gets its own result in `code`, the one that `unseal` would give, and a bad job does not affect the others.
/// What depends on the key only is done once, and on processors with AVX-512 IFMA eight texts are opened side by side.
///
/// - Parameters:
///   - jobs: any number. A job's `clear` must not overlap its context, its text, the key or `jobs` (its result is then
///     `.argument`), nor any memory of another job.
///   - way: how all texts were sealed.
///   - key: the secret key, whose length is one of `way.secretKeyLengths`.
/// - Throws: `.argument` for a key past the end of memory, `.key` for its length or value, `.memory`; no job then has a
///   result. Where memory gets short later, the jobs that miss it have `.memory` as their result.
/// - Timing: as `unseal`, for each text. Which jobs failed may be seen.
/// - Source: as `unseal`.
/// - C: `CustomKeyboard_unsealBatch`.
public func unsealBatch(
  _ jobs: UnsafeMutableBufferPointer<UnsealingJob>, way: SealingWay, key: UnsafeRawBufferPointer
) throws(KeyboardError) {
  guard key.isInMemory else { throw .argument(.pastMemory) }
  guard way.secretKeyLengths.contains(key.count) else { throw .key(.length) }
  way.bind()
  try Residue.whole { () throws(KeyboardError) in
    try unsealEach(SealedJobs(first: jobs.baseAddress, count: jobs.count, key: key), way: way)
  }
}

/// - Returns: nil if a fork emptied the workspace in the middle: the child must start again.
@inline(never)
private func unsealEach(_ jobs: SealedJobs, way: SealingWay) throws(KeyboardError) -> Void? {
  guard way == .rsa, jobs.count >= RSA.fewestTogether(length: RSA.lengths.lowerBound), let size = RSA.togetherSize
  else { return try unsealEach(jobs, way: way, together: nil) }
  let large = try make { () throws(KeyboardError) in
    try LargeWorkspace(byteCount: size)
  } orCheck: { () throws(KeyboardError) in
    guard try way.mayBeSecretKey(jobs.key) else { throw .key(.value) }
  }
  let done = try unsealEach(jobs, way: way, together: large.memory)
  return large.wasEmptied ? nil : done
}

/// - Parameter together: see `SealedBatch`.
@inline(never)
private func unsealEach(
  _ jobs: SealedJobs, way: SealingWay, together: UnsafeMutableRawPointer?
) throws(KeyboardError) -> Void? {
  var batch = try make { () throws(KeyboardError) in
    try SealedBatch(way, keyLength: jobs.key.count, together: together)
  } orCheck: { () throws(KeyboardError) in
    guard try way.mayBeSecretKey(jobs.key) else { throw .key(.value) }
  }
  do throws(KeyboardError) {
    try batch.prepare(jobs.key)
  } catch {
    guard !batch.workspace.wasEmptied else { return nil }
    throw error
  }
  var number = 0
  while number < jobs.count {
    while number < jobs.count, !batch.isFull {
      do throws(KeyboardError) {
        try batch.add(number, jobs.input(number), in: jobs)
      } catch {
        jobs.answer(number, error)
      }
      number &+= 1
    }
    guard batch.run(jobs) else { return nil }
  }
  return batch.workspace.wasEmptied ? nil : ()
}

// MARK: - The caller's jobs

/// What a job gives, copied once. Another thread may change the caller's memory at any time, so nothing is checked in
/// one copy and used in another.
struct SealedInput {
  let context: UnsafePointer<UInt8>?
  let contextLength: Int
  let text: UnsafePointer<UInt8>?
  let textLength: Int
  let place: Place

  /// Where the password goes.
  struct Place {
    let clear: UnsafeMutablePointer<UInt8>?
    let capacity: Int
  }

  /// The text and the context, if they can be read. Sizes of C that are negative as signed integers are too large.
  ///
  /// - Throws: `.argument`; `.tooLong` for the context.
  @inline(never)
  func checked(
    in jobs: SealedJobs
  ) throws(KeyboardError) -> (text: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer) {
    guard context != nil || contextLength == 0, text != nil || textLength == 0,
      place.clear != nil || place.capacity == 0,
      place.capacity >= 0
    else { throw .argument(.null) }
    let text = UnsafeRawBufferPointer(start: text, count: textLength < 0 ? .max : textLength)
    let context = UnsafeRawBufferPointer(start: context, count: contextLength < 0 ? .max : contextLength)
    let target = UnsafeRawBufferPointer(start: place.clear, count: place.capacity)
    guard target.isInMemory, text.isInMemory, context.isInMemory else { throw .argument(.pastMemory) }
    // An argument that is too long is refused later. Only these first bytes of it are read.
    guard !text.limited(to: maximumSealedLength).overlaps(target), !jobs.key.overlaps(target),
      !context.limited(to: maximumContextLength).overlaps(target), !jobs.bytes.overlaps(target)
    else { throw .argument(.overlap) }
    guard context.count <= maximumContextLength else { throw .tooLong(.context) }
    return (text, context)
  }
}

/// The caller's array of jobs, and the caller's key.
struct SealedJobs {
  fileprivate let first: UnsafeMutablePointer<UnsealingJob>?
  let count: Int
  fileprivate let key: UnsafeRawBufferPointer

  fileprivate var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: first, count: count &* MemoryLayout<UnsealingJob>.stride)
  }

  /// The only place that reads a job.
  @inline(never)
  fileprivate func input(_ number: Int) -> SealedInput {
    let job = UnsafeRawPointer(first.unsafelyUnwrapped + number)
    func word(_ index: Int) -> UInt { UInt(bitPattern: keyboard_read_once(job + index &* MemoryLayout<UInt>.size)) }
    return SealedInput(
      context: UnsafePointer(bitPattern: word(0)), contextLength: Int(bitPattern: word(1)),
      text: UnsafePointer(bitPattern: word(2)), textLength: Int(bitPattern: word(3)),
      place: SealedInput.Place(
        clear: UnsafeMutablePointer(bitPattern: word(4)), capacity: Int(bitPattern: word(5))))
  }

  func answer(_ number: Int, _ error: KeyboardError) {
    var needed = 0
    if case .spaceTooSmall(let length) = error { needed = length }
    answer(number, code: error.code, length: needed)
  }

  /// Answers with a password, if there is room for it.
  func answer(_ number: Int, _ place: SealedInput.Place, _ password: UnsafeRawPointer, length: Int) {
    guard place.capacity >= length else { return answer(number, .spaceTooSmall(needed: length)) }
    answer(number, code: 0, length: length)
    guard length > 0 else { return }
    placePassword(password, at: place.clear.unsafelyUnwrapped, byteCount: length)
  }

  private func answer(_ number: Int, code: UInt32, length: Int) {
    let first = first.unsafelyUnwrapped
    first[number].clearLength = length
    first[number].code = code
  }
}
