// The server's side: many passwords, each under a key of its own.

public import KeyboardCodes
import KeyboardMemory
import SM4
import SM4Vector  // of SM4.Job

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
  defer { Traces.wipe(.deep) }
  switch way {
  case .sm4: try decryptSideBySide(jobs)
  case .des, .tripleDES: try decryptEach(jobs, way: way)
  }
}

/// One after the other, as mbedTLS does it.
@inline(never)
private func decryptEach(
  _ jobs: UnsafeMutableBufferPointer<DecryptionJob>, way: EncryptionWay
) throws(KeyboardError) {
  let ecb = try ECB()
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
  let scratch = workspace.memory
  // Lanes work as long as the longest text among them: those of one block, most passwords, go by themselves.
  var short = Lanes(at: scratch + SM4.scratchSize, blockLimit: 1)
  var long = Lanes(at: short.end, blockLimit: maximumTextLength / SM4.blockSize)
  assert(long.end <= scratch + Workspace.Size.batch.byteCount)
  for i in jobs.indices {
    guard let (text, key) = jobs[i].inputs(.sm4) else { continue }
    if text.count == SM4.blockSize {
      short.add(i, text, key)
      if short.isFull { short.run(jobs, scratch: scratch) }
    } else {
      long.add(i, text, key)
      if long.isFull { long.run(jobs, scratch: scratch) }
    }
  }
  short.run(jobs, scratch: scratch)
  long.run(jobs, scratch: scratch)
}

extension DecryptionJob {
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

  /// Answers with a password of `length` bytes, if there is room for it.
  @inline(__always)
  fileprivate mutating func answer(_ password: UnsafeRawPointer, length: Int) {
    guard clearCapacity >= length else { return answer(.spaceTooSmall(needed: length)) }
    if length > 0 { UnsafeMutableRawPointer(clear)?.copyMemory(from: password, byteCount: length) }
    clearLength = length
    code = 0
  }
}

/// Up to 64 texts on their way through the lanes, each under its own key.
///
///     ├─ jobs of SM4's ─┼─ numbers of ours ─┼─ blocks, as they come out ─┤
private struct Lanes {
  private static var capacity: Int { 64 }

  private let jobs: UnsafeMutablePointer<SM4.Job>
  private let numbers: UnsafeMutablePointer<Int>
  private let blocks: UnsafeMutableRawPointer
  let end: UnsafeMutableRawPointer
  private var count = 0
  private var blockCount = 0

  /// - Parameter blockLimit: no text has more blocks.
  init(at memory: UnsafeMutableRawPointer, blockLimit: Int) {
    jobs = memory.bindMemory(to: SM4.Job.self, capacity: Self.capacity)
    numbers = UnsafeMutableRawPointer(jobs + Self.capacity).bindMemory(to: Int.self, capacity: Self.capacity)
    blocks = UnsafeMutableRawPointer(numbers + Self.capacity)
    end = blocks + Self.capacity * blockLimit * SM4.blockSize
  }

  var isFull: Bool { count == Self.capacity }

  @inline(__always)
  mutating func add(_ number: Int, _ text: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) {
    let job = SM4.Job(
      key: key.baseAddress!, text: text.baseAddress!, output: blocks + blockCount * SM4.blockSize,
      blockCount: text.count / SM4.blockSize)
    (jobs + count).initialize(to: job)
    numbers[count] = number
    count += 1
    blockCount += job.blockCount
  }

  /// Decrypts what was added, answers it, and is empty again.
  mutating func run(_ answered: UnsafeMutableBufferPointer<DecryptionJob>, scratch: UnsafeMutableRawPointer) {
    guard count > 0 else { return }
    SM4.decrypt(jobs, count: count, scratch: scratch)
    for i in 0..<count {
      let job = jobs[i]
      let length = PKCS7.unpaddedLength(
        job.output, byteCount: job.blockCount * SM4.blockSize, blockSize: SM4.blockSize)
      if let length {
        answered[numbers[i]].answer(job.output, length: length)
      } else {
        answered[numbers[i]].answer(.undecryptable)
      }
    }
    wipe(blocks, byteCount: blockCount * SM4.blockSize)
    (count, blockCount) = (0, 0)
  }
}
