// How often a passcode may be tried: a policy, what was counted, and how long a lock still lasts.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import KeyboardCodes

extension AttemptPolicy {
  var isValid: Bool { 1...1000 ~= triesToLock && 1...0x7fff_ffff ~= lockSeconds }
}

/// The counters of a passcode: a view of memory. All numbers are little-endian.
///
///     settings    0             4             8              12           16       20     52
///                 ├ triesToLock ┼ lockSeconds ┼ maximumLocks ┼ memory KiB ┼ passes ┼ salt ┤
///     counts      0       4       8          16     32        40     48
///                 ├ tries ┼ locks ┼ lockLeft ┼ boot ┼ running ┼ wall ┤
///
/// `lockLeft` is how much of a lock was left, in milliseconds, at the moment that the last three give; 0 without a
/// lock.
struct Attempts {
  let settings: UnsafeMutableRawPointer
  let counts: UnsafeMutableRawPointer

  static var settingsSize: Int { 52 }
  static var countsSize: Int { 48 }
  static var saltSize: Int { 32 }

  private func number(_ place: UnsafeMutableRawPointer, _ offset: Int) -> UInt32 {
    UInt32(littleEndian: place.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
  private func set(_ number: UInt32, _ place: UnsafeMutableRawPointer, _ offset: Int) {
    place.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
  }
  private func time(_ offset: Int) -> Int64 {
    Int64(littleEndian: counts.loadUnaligned(fromByteOffset: offset, as: Int64.self))
  }
  private func set(_ time: Int64, _ offset: Int) {
    counts.storeBytes(of: time.littleEndian, toByteOffset: offset, as: Int64.self)
  }

  // MARK: Settings

  var policy: AttemptPolicy {
    get {
      var policy = AttemptPolicy()
      policy.triesToLock = number(settings, 0)
      policy.lockSeconds = number(settings, 4)
      policy.maximumLocks = number(settings, 8)
      return policy
    }
    nonmutating set {
      set(newValue.triesToLock, settings, 0)
      set(newValue.lockSeconds, settings, 4)
      set(newValue.maximumLocks, settings, 8)
    }
  }

  /// What a key costs: what `CustomKeyboard_deriveKey` takes for 0 and 0.
  func setCosts() {
    set(19456, settings, 12)
    set(2, settings, 16)
  }
  /// Takes over costs and salt.
  func takeKeySettings(of other: Attempts) {
    (settings + 12).copyMemory(from: other.settings + 12, byteCount: Self.settingsSize - 12)
  }
  var memoryKiB: UInt32 { number(settings, 12) }
  var passes: UInt32 { number(settings, 16) }
  var salt: UnsafeMutableRawPointer { settings + 20 }

  /// Whether the numbers can be those of a passcode.
  var isPossible: Bool {
    policy.isValid && tries < policy.triesToLock && lockLeft >= 0 && lockLeft <= Int64(policy.lockSeconds) * 1000
      && 8...1 << 20 ~= memoryKiB && passes > 0 && UInt64(memoryKiB) * UInt64(passes) <= 1 << 21
  }

  // MARK: Counts

  private var tries: UInt32 { number(counts, 0) }
  private var locks: UInt32 { number(counts, 4) }
  private var lockLeft: Int64 { time(8) }

  /// Nothing is counted, and nothing is locked.
  func clear() { counts.initializeMemory(as: UInt8.self, repeating: 0, count: Self.countsSize) }

  var isAnythingCounted: Bool { tries > 0 || locks > 0 }

  private var isLockedForGood: Bool { policy.maximumLocks > 0 && locks >= policy.maximumLocks }

  private func beginLock(_ left: Int64, at now: keyboard_moment) {
    set(left, 8)
    counts.storeBytes(of: now.boot.0.littleEndian, toByteOffset: 16, as: UInt64.self)
    counts.storeBytes(of: now.boot.1.littleEndian, toByteOffset: 24, as: UInt64.self)
    set(now.running, 32)
    set(now.wall, 40)
  }

  private func isBoot(of now: keyboard_moment) -> Bool {
    let one = UInt64(littleEndian: counts.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    let other = UInt64(littleEndian: counts.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    return one == now.boot.0 && other == now.boot.1 && (one | other) != 0
  }

  /// Brings a lock up to date. Within one start of the machine, its running clock measures the lock; after a restart,
  /// the wall clock does. If that was set back, the lock begins again, so that it never ends early.
  ///
  /// - Returns: whether the counts must be stored: the running clock of this start measures a lock only from counts
  ///   that it stored.
  func update(_ now: keyboard_moment) -> Bool {
    guard lockLeft > 0 else { return false }
    let isSameBoot = isBoot(of: now)
    let (elapsed, overflow) =
      isSameBoot ? now.running.subtractingReportingOverflow(time(32)) : now.wall.subtractingReportingOverflow(time(40))
    guard !overflow && elapsed >= 0 else {
      beginLock(Int64(policy.lockSeconds) * 1000, at: now)
      return true
    }
    guard elapsed < lockLeft else {
      set(0, 8)
      return false
    }
    if !isSameBoot { beginLock(lockLeft - elapsed, at: now) }
    return !isSameBoot
  }

  /// After `update`: whether nothing may be tried.
  var isLocked: Bool { isLockedForGood || lockLeft > 0 }

  /// After `update`: what may be known.
  func state(at now: keyboard_moment) -> AttemptState {
    var state = AttemptState()
    state.locks = locks
    if isLockedForGood {
      state.secondsLeft = .max
    } else if lockLeft > 0 {
      // Within one start, `update` leaves the moment at which the lock began.
      let elapsed = isBoot(of: now) ? now.running - time(32) : 0
      state.secondsLeft = UInt32(truncatingIfNeeded: (lockLeft - elapsed + 999) / 1000)
    } else {
      state.triesLeft = policy.triesToLock - tries
    }
    return state
  }

  /// Counts a try before it is made. The last try that the policy allows locks at once, so that nobody gets a free try
  /// by ending the process during the check.
  func count(_ now: keyboard_moment) {
    guard tries + 1 >= policy.triesToLock else { return set(tries + 1, counts, 0) }
    set(0, counts, 0)
    set(locks == .max ? locks : locks + 1, counts, 4)
    beginLock(Int64(policy.lockSeconds) * 1000, at: now)
  }
}
