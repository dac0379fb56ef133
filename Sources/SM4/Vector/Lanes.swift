// Many short texts, each under a key of its own: a lane of the registers for each, key schedule and decryption side by
// side in all of them.
//
// The round keys are equivalent ones (see Blocks.swift), and come as cheaply as plain ones. Three κ on end sum up to a
// round key, so three e on end sum up to two round keys four apart, and those differ by what T' gave: once four round
// keys are there, e[i-1] = e[i-2] ^ e[i-3] ^ T'. Before that κ = 0 stands in the place of the older round key, and the
// new round key in the place of T'.

/// One text to be decrypted.
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
}

/// The jobs of some lanes. Lanes without a job do the last one's once more, to no effect.
public struct LaneJobs {
  public var jobs: UnsafePointer<LaneJob>
  public var count: Int
  /// Where a block goes that is not wanted.
  public var discarded: UnsafeMutableRawPointer

  @export(implementation) @inline(__always)
  public init(_ jobs: UnsafePointer<LaneJob>, count: Int, discarded: UnsafeMutableRawPointer) {
    self.jobs = jobs
    self.count = count
    self.discarded = discarded
  }

  @export(implementation) @inline(__always)
  public func key(_ lane: Int) -> UnsafeRawPointer { jobs[min(lane, count &- 1)].key }

  @export(implementation) @inline(__always)
  public func text(_ lane: Int, _ block: Int) -> UnsafeRawPointer {
    let job = jobs + min(lane, count &- 1)
    return job.pointee.text + 16 &* min(block, job.pointee.blockCount &- 1)
  }

  @export(implementation) @inline(__always)
  public func output(_ lane: Int, _ block: Int) -> UnsafeMutableRawPointer {
    let job = jobs + min(lane, count &- 1)
    return lane < count && block < job.pointee.blockCount ? job.pointee.output + 16 &* block : discarded
  }

  @export(implementation) @inline(__always)
  public var mostBlocks: Int {
    var most = 0
    for i in 0..<count { most = max(most, jobs[i].blockCount) }
    return most
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
    k0 = Set.Word { jobs.key(first &+ 4 &* $0) }
    k1 = Set.Word { jobs.key(first &+ 1 &+ 4 &* $0) }
    k2 = Set.Word { jobs.key(first &+ 2 &+ 4 &* $0) }
    k3 = Set.Word { jobs.key(first &+ 3 &+ 4 &* $0) }
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

/// One block of each job of a group.
public struct LaneBlocks<Set: InstructionSet> {
  public var quad: Quad<Set>

  @export(implementation) @inline(__always)
  public init(_ jobs: LaneJobs, group: Int, block: Int, schedule: UnsafeRawPointer) {
    let first = group &* Set.Word.byteCount / 4
    var a0 = Set.Word { jobs.text(first &+ 4 &* $0, block) }
    var a1 = Set.Word { jobs.text(first &+ 1 &+ 4 &* $0, block) }
    var a2 = Set.Word { jobs.text(first &+ 2 &+ 4 &* $0, block) }
    var a3 = Set.Word { jobs.text(first &+ 3 &+ 4 &* $0, block) }
    Set.Word.transpose(&a0, &a1, &a2, &a3)
    let step = Set.Word.byteCount
    quad = Quad(
      Set.entered(a0), Set.entered(a1) ^ Set.Word(loadingFrom: schedule + step),
      Set.entered(a2) ^ Set.Word(loadingFrom: schedule + 2 &* step),
      Set.entered(a3) ^ Set.Word(loadingFrom: schedule + 3 &* step))
  }

  @export(implementation) @inline(__always)
  public func scatter(_ jobs: LaneJobs, group: Int, block: Int, schedule: UnsafeRawPointer) {
    let first = group &* Set.Word.byteCount / 4
    var r0 = Set.left(quad.a3)
    var r1 = Set.left(quad.a2)
    var r2 = Set.left(quad.a1)
    var r3 = Set.left(quad.a0 ^ Set.Word(loadingFrom: schedule + 36 &* Set.Word.byteCount))
    Set.Word.transpose(&r0, &r1, &r2, &r3)
    r0.scatter { jobs.output(first &+ 4 &* $0, block) }
    r1.scatter { jobs.output(first &+ 1 &+ 4 &* $0, block) }
    r2.scatter { jobs.output(first &+ 2 &+ 4 &* $0, block) }
    r3.scatter { jobs.output(first &+ 3 &+ 4 &* $0, block) }
  }
}
