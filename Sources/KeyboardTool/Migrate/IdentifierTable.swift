// Which ids were seen and which rows are done, for tables of more rows than strings have room in memory.
// SPDX-License-Identifier: Apache-2.0

/// A set of ids by fingerprints of 128 bits. The hash has a key that is drawn anew in each process, so nobody can
/// choose two ids that collide. A place takes 20 bytes, and there are at least 3 places for each 2 ids.
struct IdentifierTable {
  /// What to do with a row.
  enum Admission {
    /// It was committed by an earlier run.
    case done
    case first
    case duplicate
  }

  /// Zero where no id is.
  private var fingerprints: [SIMD2<UInt64>] = Array(repeating: .zero, count: 1 << 10)
  /// The highest bit: whether this run has seen the id. The others: how many rows with it an earlier run committed and
  /// this one has not met.
  private var states: [UInt32] = Array(repeating: 0, count: 1 << 10)
  private var used = 0
  private static let seen: UInt32 = 1 << 31

  /// How many committed rows this run has not met.
  private(set) var notMet = 0

  /// Counts a row that an earlier run committed.
  mutating func addCommitted(_ id: UnsafeRawBufferPointer) {
    states[place(of: id)] += 1
    notMet += 1
  }

  /// Meets a row. The first rows with an id are the committed ones, as many as were committed.
  mutating func admit(_ id: UnsafeRawBufferPointer) -> Admission {
    let place = place(of: id)
    let state = states[place]
    states[place] = state | Self.seen
    if state & ~Self.seen > 0 {
      states[place] -= 1
      notMet -= 1
      return .done
    }
    return state & Self.seen == 0 ? .first : .duplicate
  }

  /// Finds the place of an id, or makes one.
  private mutating func place(of id: UnsafeRawBufferPointer) -> Int {
    if 3 * used >= 2 * fingerprints.count { grow() }
    let fingerprint = Self.fingerprint(id)
    let place = Self.place(of: fingerprint, in: fingerprints)
    if fingerprints[place] == .zero {
      fingerprints[place] = fingerprint
      used += 1
    }
    return place
  }

  private static func place(of fingerprint: SIMD2<UInt64>, in fingerprints: [SIMD2<UInt64>]) -> Int {
    let mask = fingerprints.count - 1
    var place = Int(truncatingIfNeeded: fingerprint[0]) & mask
    while fingerprints[place] != .zero, fingerprints[place] != fingerprint { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    var wider: [SIMD2<UInt64>] = Array(repeating: .zero, count: 2 * fingerprints.count)
    var widerStates: [UInt32] = Array(repeating: 0, count: 2 * states.count)
    for old in fingerprints.indices where fingerprints[old] != .zero {
      let place = Self.place(of: fingerprints[old], in: wider)
      wider[place] = fingerprints[old]
      widerStates[place] = states[old]
    }
    (fingerprints, states) = (wider, widerStates)
  }

  /// Two values of SipHash for two messages, the id behind a byte 1 and behind a byte 2.
  private static func fingerprint(_ id: UnsafeRawBufferPointer) -> SIMD2<UInt64> {
    func hash(_ prefix: UInt8) -> UInt64 {
      var hasher = Hasher()
      hasher.combine(prefix)
      hasher.combine(bytes: id)
      return UInt64(truncatingIfNeeded: UInt(bitPattern: hasher.finalize()))
    }
    return SIMD2(hash(1) | 1, hash(2))
  }
}
