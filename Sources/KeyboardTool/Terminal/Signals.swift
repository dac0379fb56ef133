// Signals as events: a handler may do next to nothing, so it writes the signal's number to a pipe, which is read
// as keys are.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum Signals {
  /// After these the program ends, having put the terminal back.
  static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
  /// After these the screen is drawn anew.
  private static let redrawing = [SIGWINCH, SIGCONT]

  /// Where signals are read.
  static var descriptor: Int32 { readEnd }

  static func catchAll() throws(Failure) {
    if readEnd < 0 {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .system("No pipe for signals", .system) }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        // A handler must not wait for a full pipe, nor a reader for a signal that another has read.
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      (readEnd, writeEnd) = (ends[0], ends[1])
    }
    for number in ending + redrawing {
      signal(number) { number in
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(writeEnd, &byte, 1)
        errno = error
      }
    }
    // Stopped, the program would leave the terminal raw.
    signal(SIGTSTP, SIG_IGN)
  }

  static func release() {
    for number in ending + redrawing + [SIGTSTP] { signal(number, SIG_DFL) }
  }
}

// A handler has nothing but globals; these are written before the first handler is set, and by the only thread.
nonisolated(unsafe) private var readEnd: Int32 = -1
nonisolated(unsafe) private var writeEnd: Int32 = -1
