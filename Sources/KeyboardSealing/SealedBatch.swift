// Up to eight sealed texts at a time under one private key, in a workspace.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardCurves
import KeyboardLattice
import KeyboardMemory
import KeyboardRSA
import KeyboardSHA2

/// Opens sealed texts in groups. The texts and the key are copied; all computations on them run where `unseal` runs
/// them.
///
///     ├ key ┼ what follows from it ┼ lanes ┼ memory for computations ┤
///     lane:   password ┼ text ┼ context ┼ key agreement
///
/// In the key agreement of a group, curves compute all points together, and RSA computes all powers. The rest is done
/// text by text.
struct SealedBatch: ~Copyable {
  let workspace: Workspace
  private let way: SealingWay
  private let keyLength: Int
  private let key: UnsafeMutableRawPointer
  /// The public key; X-Wing's expanded key.
  private let expanded: UnsafeMutableRawPointer
  private let lanes: UnsafeMutableRawPointer
  private let work: UnsafeMutableRawPointer
  private let workSize: Int
  private let lanePlaces: LanePlaces
  /// Where RSA computes the powers of a group.
  private let together: UnsafeMutableRawPointer?
  private let capacity: Int
  private var count = 0
  /// How many bytes a text for this key has; known after `prepare`.
  private var textLength = 0

  /// Which job a text belongs to, where its password goes, and how long the password is.
  private struct Note {
    let number: Int
    let place: SealedInput.Place
    let contextLength: Int
    /// -1 if the text cannot be opened.
    var length = -1
    /// What is wrong with this text alone. If a prime of RSA's key is no prime, some texts can be opened, and others
    /// not.
    var failure: KeyboardError?
  }

  /// Ordinary memory, which a fork does not empty.
  private var notes: UnsafeMutablePointer<Note> { workspace.notes.assumingMemoryBound(to: Note.self) }

  /// Where the parts of a lane are.
  private struct LanePlaces {
    let text, context, agreed, byteCount: Int

    init(textSize: Int, agreedSize: Int) {
      text = Pieces.size(SealedText.blockSize + SHA256.digestSize)
      context = text + Pieces.size(textSize)
      agreed = context + maximumContextLength
      byteCount = agreed + agreedSize
    }
  }

  /// - Parameter together: `RSA.togetherSize` bytes aligned to 64, for many texts of RSA.
  /// - Throws: `.memory`.
  init(_ way: SealingWay, keyLength: Int, together: UnsafeMutableRawPointer?) throws(KeyboardError) {
    self.way = way
    self.keyLength = keyLength
    let row = way.row
    let isRSA = way == .rsa
    let places = LanePlaces(
      textSize: row.texts.upperBound, agreedSize: isRSA ? row.texts.upperBound : 2 * SM2.scalarSize)
    let fixedSize = Pieces.size(keyLength) + Pieces.size(way.expandedSize) + way.batchWorkSize
    self.together = together
    // Signals wait for a group. One text of RSA takes 1.5 milliseconds with 4096 bits, and eight together take 8.
    let limit = !isRSA || together != nil ? 8 : 1
    capacity = min(limit, (Workspace.Size.batch.byteCount - fixedSize - Self.alignment) / places.byteCount)
    let byteCount = fixedSize + capacity * places.byteCount + Self.alignment
    workspace = try Workspace(.batch, using: byteCount)
    workspace.notes.bindMemory(to: Note.self, capacity: capacity)
    var pieces = Pieces(workspace.memory, byteCount: byteCount)
    expanded = pieces.take(way.expandedSize)
    key = pieces.take(keyLength)
    lanes = pieces.take(capacity * places.byteCount)
    let gap = -Int(bitPattern: pieces.take(0)) & (Self.alignment - 1)
    work = pieces.take(gap) + gap
    workSize = way.batchWorkSize
    lanePlaces = places
  }

  /// What is computed on points begins at a multiple of this.
  private static var alignment: Int { 64 }

  private func lane(_ index: Int) -> UnsafeMutableRawPointer { lanes + index &* lanePlaces.byteCount }

  var isFull: Bool { count == capacity }

  /// Copies the key, checks it, and computes what depends on it only.
  ///
  /// - Throws: `.key`, `.memory`.
  @inline(never)
  mutating func prepare(_ given: UnsafeRawBufferPointer) throws(KeyboardError) {
    key.copyMemory(from: given.baseAddress!, byteCount: keyLength)
    let (way, key, expanded) = (way, UnsafeRawBufferPointer(start: key, count: keyLength), expanded)
    let (work, workSize) = (work, workSize)
    guard try way.mayBeSecretKey(key) else { throw .key(.value) }
    textLength = try Residue.wiped(way.reach) { () throws(KeyboardError) in
      let textLength = try way.textLength(ofSecretKey: key, in: Pieces(work, byteCount: workSize))
      way.expandKey(key.baseAddress!, into: expanded)
      return textLength
    }
  }

  /// Copies what a job gives.
  ///
  /// - Throws: what is wrong with the job, before any secret of its is touched.
  @inline(never)
  mutating func add(_ number: Int, _ input: SealedInput, in jobs: SealedJobs) throws(KeyboardError) {
    let (text, context) = try input.checked(in: jobs)
    guard text.count == textLength else { throw .undecryptable }
    let lane = lane(count)
    (lane + lanePlaces.text).copyMemory(from: text.baseAddress!, byteCount: textLength)
    if let start = context.baseAddress {
      (lane + lanePlaces.context).copyMemory(from: start, byteCount: context.count)
    }
    (notes + count).initialize(to: Note(number: number, place: input.place, contextLength: context.count))
    count &+= 1
  }

  /// Opens what was added, answers it, and is empty again.
  ///
  /// - Returns: false if a fork has emptied the workspace. Nothing is then answered.
  @inline(never)
  mutating func run(_ jobs: SealedJobs) -> Bool {
    guard count > 0 else { return true }
    var failure: KeyboardError?
    do throws(KeyboardError) {
      try Residue.wiped(way.reach) { () throws(KeyboardError) in try open() }
    } catch {
      failure = error
    }
    guard !workspace.wasEmptied else { return false }
    for index in 0..<count {
      let note = notes[index]
      if let failure = failure ?? note.failure {
        jobs.answer(note.number, failure)
      } else if note.length < 0 {
        jobs.answer(note.number, .undecryptable)
      } else {
        jobs.answer(note.number, note.place, lane(index), length: note.length)
      }
    }
    count = 0
    return true
  }

  private var keyBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: key, count: keyLength) }

  /// Whether RSA computes the powers of what was added together.
  private var computesTogether: Bool { together != nil && count >= RSA.fewestTogether(length: textLength) }

  /// - Returns: a bit for each text, the first one's lowest: 0 if the text must be refused.
  private func agree() throws(KeyboardError) -> UInt64 {
    let (texts, agreed) = (lane(0) + lanePlaces.text, lane(0) + lanePlaces.agreed)
    if computesTogether, let memory = together {
      let (isBelow, isRight) = try RSA.powers(
        texts, privateKey: keyBytes, into: agreed, stride: lanePlaces.byteCount, count: count, at: memory,
        in: Pieces(work, byteCount: workSize))
      for index in 0..<count where (isBelow & ~isRight) &>> UInt64(truncatingIfNeeded: index) & 1 == 1 {
        notes[index].failure = .key(.value)
      }
      return isBelow
    }
    return way.agreeEach(
      key, expanded, texts, into: agreed, stride: lanePlaces.byteCount, count: count, scratch: work)
  }

  private func open() throws(KeyboardError) {
    let agreed = try agree()
    for index in 0..<count where notes[index].failure == nil {
      let isAgreed = agreed &>> UInt64(truncatingIfNeeded: index) & 1 == 1
      do throws(KeyboardError) {
        notes[index].length = try open(index, isAgreed: isAgreed)
      } catch {
        notes[index].failure = error
      }
    }
  }

  /// - Returns: the password's length; -1 if the text cannot be opened.
  private func open(_ index: Int, isAgreed: Bool) throws(KeyboardError) -> Int {
    let lane = lane(index)
    var pieces = Pieces(work, byteCount: workSize)
    let opened = SealedMemory(way: way, password: lane, text: lane + lanePlaces.text)
    let context = UnsafeRawBufferPointer(start: lane + lanePlaces.context, count: notes[index].contextLength)
    let agreed = lane + lanePlaces.agreed
    let isRight =
      if computesTogether {
        try opened.openByRSA(power: agreed, key: keyBytes, context: context, in: &pieces)
      } else {
        try opened.openBlock(key: keyBytes, expanded: expanded, agreed: agreed, context: context, in: &pieces)
      }
    return isRight && isAgreed ? opened.length ?? -1 : -1
  }
}
