// The server's side: many passwords, each under a key of its own.

public import KeyboardCodes
import KeyboardMemory
import KeyboardSM4
import KeyboardSM4Vector  // of SM4.Job

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
  guard !jobs.isEmpty else { return }
  Traces.bind()
  // One password alone is faster by itself than in a lane.
  if way == .sm4 && jobs.count > 1 {
    defer { Traces.wipe(jobs.count <= 16 ? .shallow : .deep) }
    try decryptSideBySide(jobs)
  } else {
    defer { Traces.wipe(.deep) }
    try decryptEach(jobs, way: way)
  }
}

/// One after the other, as mbedTLS does it.
@inline(never)
private func decryptEach(
  _ jobs: UnsafeMutableBufferPointer<DecryptionJob>, way: EncryptionWay
) throws(KeyboardError) {
  let ecb = try ECB(way)
  for i in jobs.indices {
    guard let (text, key) = jobs[i].inputs(way) else { continue }
    do throws(KeyboardError) {
      let length = try ecb.decrypt(text, way: way, key: key)
      jobs[i].answer(ecb.text, length: length)
    } catch {
      jobs[i].answer(error)
    }
  }
}

/// As many as the processor has lanes at once.
@inline(never)
private func decryptSideBySide(_ jobs: UnsafeMutableBufferPointer<DecryptionJob>) throws(KeyboardError) {
  let workspace = try Workspace(.batch)
  // Lanes work as long as the longest text among them: those of one block, most passwords, go by themselves.
  var short = Lanes(at: workspace.memory, blockLimit: 1)
  var long = Lanes(at: short.end, blockLimit: maximumTextLength / SM4.blockSize)
  assert(long.end <= workspace.memory + Workspace.Size.batch.byteCount)
  let answered = jobs.baseAddress!
  for i in 0..<jobs.count {
    if answered[i].isPlain {
      short.add(i, answered[i].text.unsafelyUnwrapped, answered[i].key.unsafelyUnwrapped, blockCount: 1)
      if short.isFull { short.run(answered) }
    } else if let (text, key) = answered[i].inputs(.sm4) {
      let bytes = text.baseAddress!.assumingMemoryBound(to: UInt8.self)
      let keyBytes = key.baseAddress!.assumingMemoryBound(to: UInt8.self)
      long.add(i, bytes, keyBytes, blockCount: text.count / SM4.blockSize)
      if long.isFull { long.run(answered) }
    }
  }
  short.run(answered)
  long.run(answered)
  short.wipe()
  long.wipe()
}

extension DecryptionJob {
  /// Whether this is what nearly all are: one block of SM4 and nothing wrong. The same checks as `inputs`, in a few
  /// instructions and with nothing to answer.
  @inline(__always)
  fileprivate var isPlain: Bool {
    let (key, text, clear) = (UInt(bitPattern: key), UInt(bitPattern: text), UInt(bitPattern: clear))
    let (size, capacity) = (UInt(SM4.blockSize), UInt(bitPattern: clearCapacity))
    return keyLength == SM4.keySize && textLength == SM4.blockSize && clearCapacity >= SM4.blockSize
      && key != 0 && text != 0 && clear != 0 && Int(bitPattern: key | text | clear) > 0  // nor near memory's end
      && clear &- text >= size && text &- clear >= capacity && clear &- key >= size && key &- clear >= capacity
  }

  /// The text and the key, if they can be what they should; else the job is answered. Sizes of C that read as negative
  /// here are too large.
  @inline(__always)
  fileprivate mutating func inputs(
    _ way: EncryptionWay
  ) -> (text: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer)? {
    do throws(KeyboardError) {
      guard key != nil || keyLength == 0, text != nil || textLength == 0, clear != nil || clearCapacity == 0,
        clearCapacity >= 0
      else { throw .argument }
      let text = UnsafeRawBufferPointer(start: text, count: textLength < 0 ? .max : textLength)
      let key = UnsafeRawBufferPointer(start: key, count: keyLength < 0 ? .max : keyLength)
      let target = UnsafeRawBufferPointer(start: clear, count: clearCapacity)
      try checkDecryption(of: text, way: way, key: key, into: target)
      return (text, key)
    } catch {
      answer(error)
      return nil
    }
  }

  fileprivate mutating func answer(_ error: KeyboardError) {
    if case .spaceTooSmall(let needed) = error { clearLength = needed } else { clearLength = 0 }
    code = error.code
  }

  /// Answers with a password, if there is room for it.
  fileprivate mutating func answer(_ decrypted: UnsafeRawPointer, length: Int) {
    guard clearCapacity >= length else { return answer(.spaceTooSmall(needed: length)) }
    clearLength = length
    code = 0
    if length > 0 { UnsafeMutableRawPointer(clear!).copyMemory(from: decrypted, byteCount: length) }
  }

  /// Answers with what was decrypted by SM4, without its padding. Where there is room for that too, how much it is does not
  /// show in the time.
  ///
  /// - Parameter byteCount: whole blocks.
  @inline(__always)
  fileprivate mutating func answer(padded decrypted: UnsafeRawPointer, byteCount: Int) {
    let last = PaddedBlock(endingAt: decrypted + byteCount, blockSize: SM4.blockSize)
    guard last.isPadded else { return answer(.undecryptable) }
    let length = byteCount &- last.paddingCount
    guard clearCapacity >= byteCount else { return answer(decrypted, length: length) }
    clearLength = length
    code = 0
    let target = UnsafeMutableRawPointer(clear.unsafelyUnwrapped)
    let others = byteCount &- SM4.blockSize
    if others > 0 { target.copyMemory(from: decrypted, byteCount: others) }
    last.store(to: target + others)
  }
}

/// Up to 64 texts on their way through the lanes, each under its own key.
///
///     ├─ jobs of SM4's ─┼─ whose they are ─┼─ blocks, as they come out ─┼─ SM4's scratch ─┤
private struct Lanes {
  private static var capacity: Int { 64 }

  /// Whose text it is, and how long.
  private struct Origin {
    let number: Int
    let byteCount: Int
  }

  private let jobs: UnsafeMutablePointer<SM4.Job>
  private let origins: UnsafeMutablePointer<Origin>
  private let blocks: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer
  let end: UnsafeMutableRawPointer
  private var count = 0
  private var byteCount = 0
  /// The most that were there at a time, which is what there is to wipe.
  private var (mostCount, mostBytes) = (0, 0)

  /// - Parameter blockLimit: no text has more blocks.
  init(at memory: UnsafeMutableRawPointer, blockLimit: Int) {
    jobs = memory.bindMemory(to: SM4.Job.self, capacity: Self.capacity)
    origins = UnsafeMutableRawPointer(jobs + Self.capacity).bindMemory(to: Origin.self, capacity: Self.capacity)
    blocks = UnsafeMutableRawPointer(origins + Self.capacity)
    scratch = blocks + Self.capacity * blockLimit * SM4.blockSize
    end = scratch + SM4.scratchSize(count: Self.capacity)
  }

  var isFull: Bool { count == Self.capacity }

  @inline(__always)
  mutating func add(_ number: Int, _ text: UnsafePointer<UInt8>, _ key: UnsafePointer<UInt8>, blockCount: Int) {
    (jobs + count).initialize(to: SM4.Job(key: key, text: text, output: blocks + byteCount, blockCount: blockCount))
    (origins + count).initialize(to: Origin(number: number, byteCount: blockCount &* SM4.blockSize))
    count &+= 1
    byteCount &+= blockCount &* SM4.blockSize
  }

  /// Decrypts what was added, answers it, and is empty again.
  @inline(never)
  mutating func run(_ answered: UnsafeMutablePointer<DecryptionJob>) {
    guard count > 0 else { return }
    SM4.decrypt(jobs, count: count, scratch: scratch)
    var decrypted = UnsafeRawPointer(blocks)
    var origin = origins
    let end = origins + count
    while origin < end {
      answered[origin.pointee.number].answer(padded: decrypted, byteCount: origin.pointee.byteCount)
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
