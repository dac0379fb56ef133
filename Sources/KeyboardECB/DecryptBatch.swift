// The server's side: many passwords, each under its own key.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
public import KeyboardCodes
import KeyboardMemory
import KeyboardSM4

/// One password to decrypt with `decryptBatch`: the input, and a place for the result.
///
/// The memory that it points to belongs to the caller, and must exist until `decryptBatch` returns. The caller wipes
/// the password. The layout in memory is that of the C structure.
///
/// - C: `CUSTOM_KEYBOARD_JOB`.
public struct DecryptionJob {
  /// The key: `keyLength` bytes.
  public var key: UnsafePointer<UInt8>?
  /// 8 (DES), 16 or 24 (3DES), 16 (SM4).
  public var keyLength: Int
  /// The ciphertext: `textLength` bytes.
  public var text: UnsafePointer<UInt8>?
  /// n · block size bytes, n ≥ 1; at most 144.
  public var textLength: Int
  /// Where the password is written: room for `clearCapacity` bytes, of which only the password's are changed.
  public var clear: UnsafeMutablePointer<UInt8>?
  /// Bytes at `clear`. With room for the text's whole length, the time does not depend on the password's length.
  public var clearCapacity: Int
  /// The password's length in bytes. For a job whose code is that of `.spaceTooSmall`, the capacity that is needed; for
  /// any other job that failed, 0.
  public internal(set) var clearLength = 0
  /// The job's result: 0 (`CUSTOM_KEYBOARD_OK`), or the `code` of a `KeyboardError`.
  public internal(set) var code: UInt32 = 0

  /// Makes a job. Nothing is checked, and no memory is read.
  ///
  /// - Parameters:
  ///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes.
  ///   - text: the ciphertext, n · block size bytes, n ≥ 1; at most 144.
  ///   - clear: room for the password; as many bytes as `text` are always enough.
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
/// Each job gets its own result in `code`, the one that `decrypt` would give, and a bad job does not affect the others.
///
/// - Parameters:
///   - jobs: any number. A job's `clear` must not overlap its key, its text or `jobs` (its result is then `.argument`),
///     nor any memory of another job.
///   - way: the algorithm of all jobs.
/// - Throws: `.memory`; no job then has a result.
/// - Timing: depends on the number of jobs, the lengths of their texts and their outcomes (SM4); DES and 3DES look up
///   tables.
/// - Source: GB/T 32907-2016 §7, FIPS 46-3; RFC 5652 §6.3.
/// - C: `CustomKeyboard_decryptBatch`.
public func decryptBatch(
  _ jobs: UnsafeMutableBufferPointer<DecryptionJob>, way: EncryptionWay
) throws(KeyboardError) {
  guard let first = jobs.baseAddress, !jobs.isEmpty else { return }
  let jobs = Jobs(first: first, count: jobs.count)
  try Residue.whole { () throws(KeyboardError) in
    try Residue.wiped { () throws(KeyboardError) in
      // A single password is faster alone than in a lane.
      if way == .sm4 && jobs.count > 1 { try decryptSideBySide(jobs) } else { try decryptEach(jobs, way: way) }
    }
  }
}

/// One after the other, as mbedTLS does it.
///
/// - Returns: nil if a fork emptied the workspace in the middle: the child must start again.
@inline(never)
private func decryptEach(_ jobs: Jobs, way: EncryptionWay) throws(KeyboardError) -> Void? {
  let cipher = try PasswordCipher(way, for: .decryption, textLength: maximumTextLength)
  for i in 0..<jobs.count {
    let input = jobs.input(i)
    do throws(KeyboardError) {
      let (text, key) = try input.checked(way, in: jobs)
      guard let length = cipher.decrypt(text, key: key) else { throw .undecryptable }
      jobs.answer(i, input.place, cipher.text, length: length)
    } catch {
      jobs.answer(i, error)
    }
  }
  return cipher.workspace.wasEmptied ? nil : ()
}

/// As many at once as the processor has lanes.
///
/// - Returns: as `decryptEach`.
@inline(never) @_optimize(speed)
private func decryptSideBySide(_ jobs: Jobs) throws(KeyboardError) -> Void? {
  let workspace = try Workspace(.batch, using: Workspace.wipedByUser)
  // All lanes work as long as the longest text among them, so texts of one block, as most passwords are, go by
  // themselves.
  let short = ShortLanes(at: workspace.memory, notes: workspace.notes, jobCount: jobs.count)
  var shortCount = 0
  var long = Lanes(at: short.end, notes: short.endOfNotes, blockLimit: maximumTextLength / SM4.blockSize)
  assert(long.end <= workspace.memory + Workspace.Size.batch.byteCount)
  assert(long.endOfNotes <= workspace.notes + Workspace.Size.batch.notesByteCount)
  var number = 0
  while true {
    let taken = short.take(jobs, from: number, into: shortCount)
    number &+= taken
    shortCount &+= taken
    if shortCount == laneCount {
      short.run(shortCount)
      shortCount = 0
    }
    guard number < jobs.count else { break }
    let input = jobs.input(number)
    if input.isPlain(in: jobs) {
      short.put(jobs.first + number, input, in: shortCount)
      shortCount &+= 1
    } else {
      let place = input.place
      addLong(
        number, input.key, input.keyLength, input.text, input.textLength, place.clear, place.capacity, &long, jobs)
    }
    number &+= 1
  }
  short.run(shortCount)
  long.run(jobs)
  short.wipe()
  long.wipe()
  return workspace.wasEmptied ? nil : ()
}

/// Takes single values and no `Input`: that would be written to memory for every job, and most jobs have one block.
@inline(never)
private func addLong(
  _ number: Int, _ key: UnsafePointer<UInt8>?, _ keyLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ clear: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ long: inout Lanes, _ jobs: Jobs
) {
  let input = Input(
    key: key, keyLength: keyLength, text: text, textLength: textLength,
    place: Input.Place(clear: clear, capacity: capacity))
  do throws(KeyboardError) {
    let (text, _) = try input.checked(.sm4, in: jobs)
    long.add(number, input, blockCount: text.count / SM4.blockSize)
    if long.isFull { long.run(jobs) }
  } catch {
    jobs.answer(number, error)
  }
}
