// Signals while the terminal is raw. Those that ask for something become events, which are read as keys are. All
// others that would end the program put the terminal back first; SIGKILL and SIGSTOP allow no handler.
// SPDX-License-Identifier: Apache-2.0

package enum Signals {
  /// Events that ask the program to end: it wipes what was typed, restores the terminal and dies of the signal.
  package static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
  /// Events that make the program draw its screen again, or stop.
  private static let others = [SIGWINCH, SIGCONT, SIGTSTP]
  /// What the processor or the C library raises. The kernel does not ignore these, even if it was told to.
  private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT]

  #if canImport(Darwin)
    private static let harmless = [SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGIO, SIGINFO]
    private static let last: Int32 = 31
  #else
    /// Signals whose default action does not end a program.
    private static let harmless = [SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH]
    private static var last: Int32 { __libc_current_sigrtmax() }
  #endif

  /// The read end of a pipe of events, a byte each.
  package static var descriptor: Int32 { readEnd }

  /// Whether a signal of `ending` has arrived, read or not.
  package static var isEnding: Bool { endingFlag?.pointee ?? false }

  // MARK: Catching

  /// What signals did before `catchAll`.
  nonisolated(unsafe) private static var before: [(number: Int32, action: sigaction)] = []

  package static func catchAll() throws(Failure) {
    guard before.isEmpty else { return }
    try prepare()
    for number in 1...last where !harmless.contains(number) || others.contains(number) {
      var old = sigaction()
      // Fails for SIGKILL and SIGSTOP, and for the C library's own.
      guard sigaction(number, nil, &old) == 0, !staysIgnored(number, old) else { continue }
      let isEvent = ending.contains(number) || others.contains(number)
      var action = isEvent ? Self.action(note, flags: SA_RESTART) : Self.action(die, flags: SA_ONSTACK)
      guard sigaction(number, &action, nil) == 0 else { continue }
      before.append((number, old))
    }
    ReservedSignals.set(die)
  }

  package static func release() {
    for (number, action) in before {
      var action = action
      sigaction(number, &action, nil)
    }
    before = []
    ReservedSignals.set(nil)
  }

  /// As after `nohup`. SIGPIPE is ignored by this program only, to read the error of `write`.
  private static func staysIgnored(_ number: Int32, _ action: sigaction) -> Bool {
    isIgnored(action) && !faults.contains(number) && !others.contains(number) && number != SIGPIPE
  }

  private static func prepare() throws(Failure) {
    guard readEnd < 0 else { return }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("No pipe for signals", .system) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A handler must not wait for a full pipe, nor a reader for a signal that another has read.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
    endingFlag = .allocate(capacity: 1)
    endingFlag?.initialize(to: false)
    // A stack that overflows has no room for a handler.
    var stack = stack_t()
    stack.ss_size = numericCast(1 << 16)
    stack.ss_sp = .allocate(byteCount: 1 << 16, alignment: 16)
    guard sigaltstack(&stack, nil) == 0 else { throw .system("No stack for signals", .system) }
  }

  // MARK: Acting

  /// Runs `body` so that no signal interrupts it, but a fault of its own.
  package static func whileBlocked(_ body: () -> Void) {
    var all = sigset_t()
    var old = sigset_t()
    sigfillset(&all)
    sigprocmask(SIG_SETMASK, &all, &old)
    body()
    sigprocmask(SIG_SETMASK, &old, nil)
  }

  /// Stops as if SIGTSTP had not been caught, and returns when the program continues. That SIGCONT is not an event.
  package static func stop() {
    var action = Self.action(nil, flags: 0)
    var (stop, resume) = (sigaction(), sigaction())
    sigaction(SIGCONT, &action, &resume)
    sigaction(SIGTSTP, &action, &stop)
    kill(getpid(), SIGTSTP)
    sigaction(SIGTSTP, &stop, nil)
    sigaction(SIGCONT, &resume, nil)
  }

  /// Ends the program by the signal's default action. For handlers too.
  package static func endProgram(by number: Int32) -> Never {
    var action = Self.action(nil, flags: 0)
    sigaction(number, &action, nil)
    var this = sigset_t()
    sigemptyset(&this)
    sigaddset(&this, number)
    sigprocmask(SIG_UNBLOCK, &this, nil)
    kill(getpid(), number)
    _exit(128 + number)
  }

  /// Removes the handlers that Swift's runtime sets when a program starts: they report a crash with registers and
  /// memory.
  package static func removeCrashReports() {
    for number in 1...last {
      var old = sigaction()
      guard sigaction(number, nil, &old) == 0, !isIgnored(old) else { continue }
      var action = Self.action(nil, flags: 0)
      sigaction(number, &action, nil)
    }
  }

  // MARK: Handlers

  package typealias Handler = @convention(c) (Int32) -> Void

  /// An event. The second that asks for the end does not wait for the program to notice.
  private static let note: Handler = { number in
    let error = errno
    switch number {
    case SIGHUP, SIGINT, SIGQUIT, SIGTERM:
      if let endingFlag, endingFlag.pointee {
        Restoration.restore()
        Signals.endProgram(by: number)
      }
      endingFlag?.pointee = true
    default: break
    }
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writeEnd, &byte, 1)
    errno = error
  }

  private static let die: Handler = { number in
    Restoration.restore()
    Signals.endProgram(by: number)
  }

  /// - Parameter handler: nil for the default action. Other signals wait for its end.
  private static func action(_ handler: Handler?, flags: Int32) -> sigaction {
    var action = sigaction()
    sigfillset(&action.sa_mask)
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    action.sa_flags = flags
    return action
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

// Initialised statically, and written before the first handler is set, by the only thread.
nonisolated(unsafe) private var readEnd: Int32 = -1
nonisolated(unsafe) private var writeEnd: Int32 = -1
nonisolated(unsafe) private var endingFlag: UnsafeMutablePointer<Bool>? = nil
