// What a caller says and knows of the tries of a passcode.
// SPDX-License-Identifier: Apache-2.0

/// How many wrong tries lock a passcode, how long a lock lasts, and after how many locks only a reset unlocks it.
package struct AttemptPolicy: Sendable {
  /// 1 to 1000.
  package var triesToLock: UInt32 = 5
  /// 1 to 2³¹ − 1.
  package var lockSeconds: UInt32 = 300
  /// 0 for no maximum.
  package var maximumLocks: UInt32 = 0

  package init() {}
}

/// What a caller may know of a passcode's tries.
package struct AttemptState: Sendable {
  /// 0 while it is locked.
  package var triesLeft: UInt32 = 0
  /// 0 if it is not locked; `UInt32.max` if it is locked until it is reset.
  package var secondsLeft: UInt32 = 0
  package var locks: UInt32 = 0
}
