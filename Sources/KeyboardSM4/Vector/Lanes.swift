// Many short texts, each under a key of its own: a lane of the registers for each, key schedule and decryption side by
// side in all of them.
//
// The round keys are equivalent ones (see Blocks.swift), and come as cheaply as plain ones. Three κ on end sum up to a
// round key, so three e on end sum up to two round keys four apart, and those differ by what T' gave: once four round
// keys are there, e[i-1] = e[i-2] ^ e[i-3] ^ T'. Before that κ = 0 stands in the place of the older round key, and the
// new round key in the place of T'.

/// One text to be decrypted: where its next block is, and where it goes.
public struct LaneJob {
  /// 16 bytes.
  public var key: UnsafeRawPointer
  /// `blockCount` blocks.
  public var text: UnsafeRawPointer
  /// As much memory, in which the blocks come out; `text` itself, or not overlapping any job's.
  public var output: UnsafeMutableRawPointer
  /// At least one.
  public var blockCount: Int

  @export(implementation) @inline(__always)
  public init(
    key: UnsafeRawPointer, text: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    self.key = key
    self.text = text
    self.output = output
    self.blockCount = blockCount
  }

  /// Goes on to the next block. Where there is none the last one will be decrypted once more, to no effect.
  ///
  /// - Returns: whether there is one.
  @export(implementation) @inline(__always)
  public mutating func advance(discarding discarded: UnsafeMutableRawPointer) -> Bool {
    guard blockCount > 1 else {
      output = discarded
      return false
    }
    text += 16
    output += 16
    blockCount &-= 1
    return true
  }
}

/// The jobs of some lanes.
public struct LaneJobs {
  public let jobs: UnsafeMutablePointer<LaneJob>
  public let count: Int
  /// Where a block goes that is not wanted.
  public let discarded: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - jobs: room for `laneCount`, of which the first `jobCount` are there. Lanes without a job do the last one's, to
  ///     no effect.
  @export(implementation) @inline(__always)
  public init(
    _ jobs: UnsafeMutablePointer<LaneJob>, jobCount: Int, laneCount: Int, discarded: UnsafeMutableRawPointer
  ) {
    self.jobs = jobs
    count = laneCount
    self.discarded = discarded
    var lane = jobCount
    while lane < laneCount {
      let last = jobs[jobCount &- 1]
      jobs[lane] = LaneJob(key: last.key, text: last.text, output: discarded, blockCount: 1)
      lane &+= 1
    }
  }

  @export(implementation) @inline(__always)
  public subscript(lane: Int) -> LaneJob { jobs[lane] }

  /// Every job goes on to its next block. Returns whether any has one.
  @export(implementation) @inline(__always)
  public func advance() -> Bool {
    var any = false
    var lane = 0
    while lane < count {
      if jobs[lane].advance(discarding: discarded) { any = true }
      lane &+= 1
    }
    return any
  }
}

/// The key schedules of a group: as many keys as a register has words.
public struct LaneKeys<Set: InstructionSet> {
  public var k0, k1, k2, k3: Set.Word
  /// e[i-2] and e[i-3] in round i.
  public var e1, e2: Set.Word

  @export(implementation) @inline(__always)
  public init(_ jobs: LaneJobs, group: Int) {
    let first = group &* Set.Word.byteCount / 4
    k0 = Set.Word { jobs[first &+ 4 &* $0].key }
    k1 = Set.Word { jobs[first &+ 1 &+ 4 &* $0].key }
    k2 = Set.Word { jobs[first &+ 2 &+ 4 &* $0].key }
    k3 = Set.Word { jobs[first &+ 3 &+ 4 &* $0].key }
    Set.Word.transpose(&k0, &k1, &k2, &k3)
    let constant = Set.Word(repeating: inputConstant)
    k0 = Set.entered(k0 ^ Set.Word(repeating: 0xc6ba_b1a3)) ^ constant
    k1 = Set.entered(k1 ^ Set.Word(repeating: 0x5033_aa56)) ^ constant
    k2 = Set.entered(k2 ^ Set.Word(repeating: 0x9791_7d67)) ^ constant
    k3 = Set.entered(k3 ^ Set.Word(repeating: 0xdc22_70b2)) ^ constant
    e1 = Set.Word(repeating: 0)
    e2 = e1
  }

  /// Round `number` of four; `first` for the first four. Leaves e[i-1] in `e1`.
  @export(implementation) @inline(__always)
  public mutating func round(_ number: Int, constant: Set.Word, first: Bool) {
    let t: Set.Word
    switch number {
    case 0: t = Self.round(&k0, k1, k2, k3, constant, first)
    case 1: t = Self.round(&k1, k2, k3, k0, constant, first)
    case 2: t = Self.round(&k2, k3, k0, k1, constant, first)
    default: t = Self.round(&k3, k0, k1, k2, constant, first)
    }
    (e1, e2) = (Set.sum(t, e1, e2), e1)
  }

  @export(implementation) @inline(__always)
  public static func round(
    _ k: inout Set.Word, _ b: Set.Word, _ c: Set.Word, _ d: Set.Word, _ constant: Set.Word, _ first: Bool
  ) -> Set.Word {
    let t = Set.keyMixed(Set.sum(b ^ constant, c, d))
    k = k ^ t
    return first ? k : t
  }

  /// The last four e, which are κ[31]…κ[34], found from the last four round keys, e[29] and e[30]:
  /// each k is the sum of three κ, and e[i] = κ[i+4] ^ κ[i].
  @export(implementation) @inline(__always)
  public var lastKappas: (Set.Word, Set.Word, Set.Word, Set.Word) {
    let kappa31 = Set.sum(k0, k1, k2) ^ e2
    let kappa32 = Set.sum(k1, k2, k3) ^ e1
    let kappa33 = Set.sum(k2, kappa31, kappa32)
    let kappa34 = Set.sum(k3, kappa32, kappa33)
    return (kappa31, kappa32, kappa33, kappa34)
  }
}

/// The next block of each job of a group.
public struct LaneBlocks<Set: InstructionSet> {
  public var quad: Quad<Set>

  @export(implementation) @inline(__always)
  public init(_ jobs: LaneJobs, group: Int, schedule: UnsafeRawPointer) {
    let first = group &* Set.Word.byteCount / 4
    var a0 = Set.Word { jobs[first &+ 4 &* $0].text }
    var a1 = Set.Word { jobs[first &+ 1 &+ 4 &* $0].text }
    var a2 = Set.Word { jobs[first &+ 2 &+ 4 &* $0].text }
    var a3 = Set.Word { jobs[first &+ 3 &+ 4 &* $0].text }
    Set.Word.transpose(&a0, &a1, &a2, &a3)
    let step = Set.Word.byteCount
    quad = Quad(
      Set.entered(a0), Set.entered(a1) ^ Set.Word(loadingFrom: schedule + step),
      Set.entered(a2) ^ Set.Word(loadingFrom: schedule + 2 &* step),
      Set.entered(a3) ^ Set.Word(loadingFrom: schedule + 3 &* step))
  }

  @export(implementation) @inline(__always)
  public func scatter(_ jobs: LaneJobs, group: Int, schedule: UnsafeRawPointer) {
    let first = group &* Set.Word.byteCount / 4
    var r0 = Set.left(quad.a3)
    var r1 = Set.left(quad.a2)
    var r2 = Set.left(quad.a1)
    var r3 = Set.left(quad.a0 ^ Set.Word(loadingFrom: schedule + 36 &* Set.Word.byteCount))
    Set.Word.transpose(&r0, &r1, &r2, &r3)
    r0.scatter { jobs[first &+ 4 &* $0].output }
    r1.scatter { jobs[first &+ 1 &+ 4 &* $0].output }
    r2.scatter { jobs[first &+ 2 &+ 4 &* $0].output }
    r3.scatter { jobs[first &+ 3 &+ 4 &* $0].output }
  }
}
