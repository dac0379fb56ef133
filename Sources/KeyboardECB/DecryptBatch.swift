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
  public fileprivate(set) var clearLength = 0
  /// The job's result: 0 (`CUSTOM_KEYBOARD_OK`), or the `code` of a `KeyboardError`.
  public fileprivate(set) var code: UInt32 = 0

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
      jobs.answer(i, input.room, cipher.text, length: length)
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
  for i in 0..<jobs.count {
    let input = jobs.input(i)
    if input.isPlain(in: jobs) {
      short.put(i, input, in: shortCount)
      shortCount &+= 1
      if shortCount == laneCount {
        short.run(shortCount, jobs)
        shortCount = 0
      }
    } else {
      let room = input.room
      addLong(i, input.key, input.keyLength, input.text, input.textLength, room.clear, room.capacity, &long, jobs)
    }
  }
  short.run(shortCount, jobs)
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
    room: Input.Room(clear: clear, capacity: capacity))
  do throws(KeyboardError) {
    let (text, _) = try input.checked(.sm4, in: jobs)
    long.add(number, input, blockCount: text.count / SM4.blockSize)
    if long.isFull { long.run(jobs) }
  } catch {
    jobs.answer(number, error)
  }
}

// MARK: - The caller's jobs

/// What a job gives, copied once. Another thread may change the caller's memory at any time, so nothing is checked in
/// one copy and used in another.
private struct Input {
  let key: UnsafePointer<UInt8>?
  let keyLength: Int
  let text: UnsafePointer<UInt8>?
  let textLength: Int
  let room: Room

  /// Where the password goes.
  struct Room {
    let clear: UnsafeMutablePointer<UInt8>?
    let capacity: Int
  }

  /// Whether this is what nearly all jobs are: one block of SM4, and nothing wrong. The same checks as `checked`, in a
  /// few instructions and without an answer.
  @inline(__always)
  func isPlain(in jobs: Jobs) -> Bool {
    let (key, text, clear) = (UInt(bitPattern: key), UInt(bitPattern: text), UInt(bitPattern: room.clear))
    let (size, capacity) = (UInt(SM4.blockSize), UInt(bitPattern: room.capacity))
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
    guard key != nil || keyLength == 0, text != nil || textLength == 0, room.clear != nil || room.capacity == 0,
      room.capacity >= 0
    else { throw .argument }
    let text = UnsafeRawBufferPointer(start: text, count: textLength < 0 ? .max : textLength)
    let key = UnsafeRawBufferPointer(start: key, count: keyLength < 0 ? .max : keyLength)
    let target = UnsafeRawBufferPointer(start: room.clear, count: room.capacity)
    guard !target.overlaps(jobs.bytes) else { throw .argument(.overlap) }
    try checkDecryption(of: text, way: way, key: key, into: target)
    return (text, key)
  }
}

/// The caller's array of jobs.
private struct Jobs {
  let first: UnsafeMutablePointer<DecryptionJob>
  let count: Int

  var byteCount: Int { count &* MemoryLayout<DecryptionJob>.stride }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: first, count: byteCount) }

  /// The only place that reads a job.
  @inline(__always)
  func input(_ number: Int) -> Input {
    let job = UnsafeRawPointer(first + number)
    func word(_ index: Int) -> UInt { UInt(bitPattern: keyboard_read_once(job + index &* MemoryLayout<UInt>.size)) }
    return Input(
      key: UnsafePointer(bitPattern: word(0)), keyLength: Int(bitPattern: word(1)),
      text: UnsafePointer(bitPattern: word(2)), textLength: Int(bitPattern: word(3)),
      room: Input.Room(clear: UnsafeMutablePointer(bitPattern: word(4)), capacity: Int(bitPattern: word(5))))
  }

  func answer(_ number: Int, _ error: KeyboardError) {
    if case .spaceTooSmall(let needed) = error {
      answer(number, code: error.code, length: needed)
    } else {
      answer(number, code: error.code, length: 0)
    }
  }

  @inline(__always)
  private func answer(_ number: Int, code: UInt32, length: Int) {
    first[number].clearLength = length
    first[number].code = code
  }

  /// Answers with a password, if there is room for it.
  func answer(_ number: Int, _ room: Input.Room, _ decrypted: UnsafeRawPointer, length: Int) {
    guard room.capacity >= length else { return answer(number, .spaceTooSmall(needed: length)) }
    answer(number, code: 0, length: length)
    if length > 0 { UnsafeMutableRawPointer(room.clear!).copyMemory(from: decrypted, byteCount: length) }
  }

  /// Answers with a block that SM4 decrypted, without its padding.
  ///
  /// - Parameter clear: room for the whole block.
  @inline(__always)
  func answer(_ number: Int, _ clear: UnsafeMutableRawPointer, block: UnsafeRawPointer) {
    let last = PaddedBlock(endingAt: block + SM4.blockSize, blockSize: SM4.blockSize)
    guard last.isPadded else { return answer(number, .undecryptable) }
    answer(number, code: 0, length: SM4.blockSize &- last.paddingCount)
    last.store(to: clear)
  }

  /// Answers with what SM4 decrypted, without its padding. Where there is room for the padding too, its length does not
  /// show in the time.
  ///
  /// - Parameter byteCount: whole blocks.
  @inline(__always)
  func answer(_ number: Int, _ room: Input.Room, padded decrypted: UnsafeRawPointer, byteCount: Int) {
    let last = PaddedBlock(endingAt: decrypted + byteCount, blockSize: SM4.blockSize)
    guard last.isPadded else { return answer(number, .undecryptable) }
    let length = byteCount &- last.paddingCount
    guard room.capacity >= byteCount else { return answer(number, room, decrypted, length: length) }
    answer(number, code: 0, length: length)
    let target = UnsafeMutableRawPointer(room.clear.unsafelyUnwrapped)
    let others = byteCount &- SM4.blockSize
    if others > 0 { target.copyMemory(from: decrypted, byteCount: others) }
    last.store(to: target + others)
  }
}

// MARK: - Lanes

/// How many texts are in SM4's lanes at a time.
private let laneCount = 64

/// Up to 64 texts of one block in SM4's lanes, each under its own key. What is the same for all of them is written
/// once.
///
///     memory  ├─ blocks, as they come out ─┼─ SM4's scratch ─┤
///     notes   ├─ jobs of SM4's ─┼─ which jobs of the caller's they are ─┤
private struct ShortLanes {
  /// Which job a block belongs to, and where its password goes.
  private struct Origin {
    let number: Int
    let clear: UnsafeMutablePointer<UInt8>
  }

  private let jobs: UnsafeMutablePointer<SM4.Job>
  private let origins: UnsafeMutablePointer<Origin>
  private let blocks: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer
  let end: UnsafeMutableRawPointer
  let endOfNotes: UnsafeMutableRawPointer
  /// How many lanes may be used, and are wiped.
  private let usedCount: Int

  /// - Parameter jobCount: how many jobs the caller gave. So many lanes are wiped, and never more than 64.
  @inline(__always)
  init(at memory: UnsafeMutableRawPointer, notes: UnsafeMutableRawPointer, jobCount: Int) {
    usedCount = min(jobCount, laneCount)
    jobs = notes.bindMemory(to: SM4.Job.self, capacity: laneCount)
    origins = UnsafeMutableRawPointer(jobs + laneCount).bindMemory(to: Origin.self, capacity: laneCount)
    endOfNotes = UnsafeMutableRawPointer(origins + laneCount)
    blocks = memory
    scratch = blocks + laneCount * SM4.blockSize
    end = scratch + SM4.scratchSize(count: laneCount)
    for lane in 0..<usedCount {
      jobs[lane].output = blocks + lane &* SM4.blockSize
      jobs[lane].blockCount = 1
    }
  }

  /// - Parameter input: of one block; see `isPlain`.
  @inline(__always)
  func put(_ number: Int, _ input: Input, in lane: Int) {
    jobs[lane].key = UnsafeRawPointer(input.key.unsafelyUnwrapped)
    jobs[lane].text = UnsafeRawPointer(input.text.unsafelyUnwrapped)
    (origins + lane).initialize(to: Origin(number: number, clear: input.room.clear.unsafelyUnwrapped))
  }

  /// Decrypts what is in the first `count` lanes, and answers it.
  @inline(never) @_optimize(speed)
  func run(_ count: Int, _ answered: Jobs) {
    guard count > 0 else { return }
    SM4.decrypt(jobs, count: count, scratch: scratch)
    var block = UnsafeRawPointer(blocks)
    var origin = origins
    let end = origins + count
    while origin < end {
      answered.answer(origin.pointee.number, UnsafeMutableRawPointer(origin.pointee.clear), block: block)
      block += SM4.blockSize
      origin += 1
    }
  }

  func wipe() {
    KeyboardMemory.wipe(blocks, byteCount: usedCount &* SM4.blockSize)
    KeyboardMemory.wipe(scratch, byteCount: SM4.scratchSize(count: usedCount))
  }
}

/// Up to 64 texts of any length in SM4's lanes, each under its own key.
///
///     memory  ├─ blocks, as they come out ─┼─ SM4's scratch ─┤
///     notes   ├─ jobs of SM4's ─┼─ which jobs of the caller's they are ─┤
private struct Lanes {
  /// Which job a text belongs to, where its password goes, and how long the text is.
  private struct Origin {
    let number: Int
    let room: Input.Room
    let byteCount: Int
  }

  private let jobs: UnsafeMutablePointer<SM4.Job>
  private let origins: UnsafeMutablePointer<Origin>
  private let blocks: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer
  let end: UnsafeMutableRawPointer
  let endOfNotes: UnsafeMutableRawPointer
  private var count = 0
  private var byteCount = 0
  /// The most that were in use at a time: that much is wiped.
  private var (mostCount, mostBytes) = (0, 0)

  /// - Parameter blockLimit: no text has more blocks.
  init(at memory: UnsafeMutableRawPointer, notes: UnsafeMutableRawPointer, blockLimit: Int) {
    jobs = notes.bindMemory(to: SM4.Job.self, capacity: laneCount)
    origins = UnsafeMutableRawPointer(jobs + laneCount).bindMemory(to: Origin.self, capacity: laneCount)
    endOfNotes = UnsafeMutableRawPointer(origins + laneCount)
    blocks = memory
    scratch = blocks + laneCount * blockLimit * SM4.blockSize
    end = scratch + SM4.scratchSize(count: laneCount)
  }

  var isFull: Bool { count == laneCount }

  /// - Parameter input: one that has been checked.
  @inline(__always)
  mutating func add(_ number: Int, _ input: Input, blockCount: Int) {
    (jobs + count).initialize(
      to: SM4.Job(
        key: input.key.unsafelyUnwrapped, text: input.text.unsafelyUnwrapped, output: blocks + byteCount,
        blockCount: blockCount))
    (origins + count).initialize(
      to: Origin(number: number, room: input.room, byteCount: blockCount &* SM4.blockSize))
    count &+= 1
    byteCount &+= blockCount &* SM4.blockSize
  }

  /// Decrypts what was added, answers it, and is empty again.
  @inline(never)
  mutating func run(_ answered: Jobs) {
    guard count > 0 else { return }
    SM4.decrypt(jobs, count: count, scratch: scratch)
    var decrypted = UnsafeRawPointer(blocks)
    var origin = origins
    let end = origins + count
    while origin < end {
      answered.answer(
        origin.pointee.number, origin.pointee.room, padded: decrypted, byteCount: origin.pointee.byteCount)
      decrypted += origin.pointee.byteCount
      origin += 1
    }
    (mostCount, mostBytes) = (max(mostCount, count), max(mostBytes, byteCount))
    (count, byteCount) = (0, 0)
  }

  func wipe() {
    guard mostCount > 0 else { return }
    KeyboardMemory.wipe(blocks, byteCount: mostBytes)
    KeyboardMemory.wipe(scratch, byteCount: SM4.scratchSize(count: mostCount))
  }
}
