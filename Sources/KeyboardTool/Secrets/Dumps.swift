// Keeps the program's memory out of core dumps, crash reports and other programs.
// SPDX-License-Identifier: Apache-2.0

/// Call this before any secret is read.
package func forbidDumps() {
  // Does not stop a core_pattern that is a pipe: the kernel ignores the limit there.
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  setrlimit(CoreLimit.resource, &none)
  #if os(Linux)
    // Stops every dump, and other programs of this user from reading the memory.
    if !setNotDumpable() { writeMessage("keyboard: warning: this system may write what is typed to a core dump.\n") }
  #endif
  Signals.removeCrashReports()
}

#if os(Linux)
  /// `prctl` is variadic, so Swift does not import it. On Linux, such arguments are passed as those of other functions.
  private func setNotDumpable() -> Bool {
    typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    let setDumpable: Int32 = 4  // PR_SET_DUMPABLE of <linux/prctl.h>
    guard let symbol = dlsym(nil, "prctl") else { return false }
    return unsafeBitCast(symbol, to: Control.self)(setDumpable, 0, 0, 0, 0) == 0
  }
#endif

/// Glibc's C names it as a value of an enumeration, Darwin's as a number.
private enum CoreLimit {
  #if canImport(Darwin)
    package static var resource: Int32 { RLIMIT_CORE }
  #else
    package static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_CORE.rawValue) }
  #endif
}
