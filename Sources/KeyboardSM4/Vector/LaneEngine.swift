// The lane engine: several groups in flight, one after the other within each round.

/// As many of something as there are groups in flight.
public protocol Row {
  associatedtype Element
  static var count: Int { get }
  init(_ make: (Int) -> Element)
  mutating func forEach(_ body: (Int, inout Element) -> Void)
}

public struct One<Element>: Row {
  public var element: Element

  @export(implementation) @inline(__always)
  public static var count: Int { 1 }

  @export(implementation) @inline(__always)
  public init(_ make: (Int) -> Element) { element = make(0) }

  @export(implementation) @inline(__always)
  public mutating func forEach(_ body: (Int, inout Element) -> Void) { body(0, &element) }
}

public struct Two<Element>: Row {
  public var element0, element1: Element

  @export(implementation) @inline(__always)
  public static var count: Int { 2 }

  @export(implementation) @inline(__always)
  public init(_ make: (Int) -> Element) {
    element0 = make(0)
    element1 = make(1)
  }

  @export(implementation) @inline(__always)
  public mutating func forEach(_ body: (Int, inout Element) -> Void) {
    body(0, &element0)
    body(1, &element1)
  }
}

public struct Four<Element>: Row {
  public var element0, element1, element2, element3: Element

  @export(implementation) @inline(__always)
  public static var count: Int { 4 }

  @export(implementation) @inline(__always)
  public init(_ make: (Int) -> Element) {
    element0 = make(0)
    element1 = make(1)
    element2 = make(2)
    element3 = make(3)
  }

  @export(implementation) @inline(__always)
  public mutating func forEach(_ body: (Int, inout Element) -> Void) {
    body(0, &element0)
    body(1, &element1)
    body(2, &element2)
    body(3, &element3)
  }
}

/// Bytes of round keys in a group: what decryption reads of a schedule, words 1…36, a register each.
@export(implementation) @inline(__always)
public func laneScheduleSize<Set: InstructionSet>(_: Set.Type) -> Int { 37 &* Set.Word.byteCount }

/// The key schedules of a row of groups, for decryption.
@export(implementation) @inline(__always)
public func expandLanes<Set: InstructionSet, Keys: Row>(
  _: Keys.Type, _ jobs: LaneJobs, into schedules: UnsafeMutableRawPointer
) where Keys.Element == LaneKeys<Set> {
  let step = Set.Word.byteCount
  let size = laneScheduleSize(Set.self)
  var keys = Keys { LaneKeys(jobs, group: $0) }
  var constant: UInt32 = 0x150e_0700
  // Round i writes e[i-1]: word 36 - i of a schedule that runs backwards.
  var destination = schedules + 36 &* step

  @inline(__always)
  func round(_ number: Int, first: Bool) {
    let entered = Set.entered(Set.Word(repeating: constant))
    keys.forEach { group, lanes in
      lanes.round(number, constant: entered, first: first)
      lanes.e1.store(to: destination + (group &* size &- number &* step))
    }
    constant = nextKeyConstant(constant)
  }

  round(0, first: true)
  round(1, first: true)
  round(2, first: true)
  round(3, first: true)
  destination -= 4 &* step
  var turns = 7
  repeat {
    round(0, first: false)
    round(1, first: false)
    round(2, first: false)
    round(3, first: false)
    destination -= 4 &* step
    turns &-= 1
  } while turns != 0

  keys.forEach { group, lanes in
    let (kappa31, kappa32, kappa33, kappa34) = lanes.lastKappas
    let schedule = schedules + group &* size
    kappa31.store(to: schedule + 4 &* step)
    kappa32.store(to: schedule + 3 &* step)
    kappa33.store(to: schedule + 2 &* step)
    kappa34.store(to: schedule + step)
  }
}

/// The next block of every job of a row of groups.
@export(implementation) @inline(__always)
public func decryptLanes<Set: InstructionSet, Blocks: Row>(
  _: Blocks.Type, _ jobs: LaneJobs, schedules: UnsafeRawPointer
) where Blocks.Element == LaneBlocks<Set> {
  let step = Set.Word.byteCount
  let size = laneScheduleSize(Set.self)
  let alone = Blocks.count == 1
  var blocks = Blocks { LaneBlocks(jobs, group: $0, schedule: schedules + $0 &* size) }
  var key = schedules + 4 &* step

  @inline(__always)
  func round(_ number: Int) {
    blocks.forEach { group, lanes in
      let word = Set.Word(loadingFrom: key + (group &* size &+ number &* step))
      lanes.quad.round(number, key: word, alone: alone)
    }
  }

  var turns = 8
  repeat {
    round(0)
    round(1)
    round(2)
    round(3)
    key += 4 &* step
    turns &-= 1
  } while turns != 0
  blocks.forEach { group, lanes in
    lanes.scatter(jobs, group: group, schedule: schedules + group &* size)
  }
}

/// Jobs on their way through the engine.
public struct LaneQueue {
  public var jobs: UnsafeMutablePointer<LaneJob>
  /// Jobs that are still to be done.
  public var count: Int
  public let scratch: UnsafeMutableRawPointer

  @export(implementation) @inline(__always)
  public init(_ jobs: UnsafeMutablePointer<LaneJob>, count: Int, scratch: UnsafeMutableRawPointer) {
    self.jobs = jobs
    self.count = count
    self.scratch = scratch
  }

  /// As many jobs as the row of groups has lanes, or all that are left.
  @export(implementation) @inline(__always)
  public mutating func decrypt<Set: InstructionSet, Keys: Row, Blocks: Row>(_ keys: Keys.Type, _ blocks: Blocks.Type)
  where Keys.Element == LaneKeys<Set>, Blocks.Element == LaneBlocks<Set> {
    let laneCount = Keys.count &* Set.Word.byteCount / 4
    let jobCount = min(count, laneCount)
    let taken = LaneJobs(jobs, jobCount: jobCount, laneCount: laneCount, discarded: scratch)
    let schedules = scratch + 16
    expandLanes(keys, taken, into: schedules)
    repeat {
      decryptLanes(blocks, taken, schedules: schedules)
    } while taken.advance()
    jobs += jobCount
    count &-= jobCount
  }
}

/// CK of the next round: each byte 28 more. Bit 7 apart, that no carry crosses from byte to byte.
@export(implementation) @inline(__always)
public func nextKeyConstant(_ constant: UInt32) -> UInt32 {
  ((constant & 0x7f7f_7f7f) &+ 0x1c1c_1c1c) ^ (constant & 0x8080_8080)
}
