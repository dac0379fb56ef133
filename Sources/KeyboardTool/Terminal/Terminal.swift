// The user's terminal: /dev/tty, so that standard input and output are free for pipes. All changes to it are undone
// when the program ends or stops, unless SIGKILL or SIGSTOP does that.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

package final class Terminal {
  private let descriptor: Int32
  private var rawMode: RawMode?

  private struct RawMode {
    /// The terminal's settings before it was raw.
    package let original: termios
    /// What is written when raw mode begins, and again after a stop.
    package let greeting: String
  }

  /// nil if this process has none.
  package init?() {
    // Never blocks: a terminal that takes no output must not keep the program from ending.
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    leaveRawMode()
    close(descriptor)
  }

  package var size: TerminalSize {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return .standard
    }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  // MARK: Raw mode

  /// Runs `body` while the terminal passes on every key as it is pressed and shows none, and while signals are events.
  ///
  /// - Parameters:
  ///   - greeting: written first, and again when the program continues after a stop.
  ///   - farewell: written last, however the program ends or stops.
  package func inRawMode<Result: ~Copyable>(
    greeting: String, farewell: StaticString, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try enterRawMode(greeting: greeting, farewell: farewell)
    defer { leaveRawMode() }
    return try body()
  }

  private func enterRawMode(greeting: String, farewell: StaticString) throws(Failure) {
    var original = termios()
    guard tcgetattr(descriptor, &original) == 0 else { throw .system("The terminal does not answer", .inputOutput) }
    Restoration.keep(descriptor: descriptor, mode: original, farewell: farewell)
    try Signals.catchAll()
    rawMode = RawMode(original: original, greeting: greeting)
    makeRaw()
  }

  /// Also after a stop, when a shell may have changed the terminal's settings.
  private func makeRaw() {
    guard let rawMode else { return }
    var mode = rawMode.original
    mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT)
    mode.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    Restoration.willBeRaw()
    // In the background, this stops the program until it is in the foreground.
    while tcsetattr(descriptor, TCSANOW, &mode) < 0 && errno == EINTR {}
    tcflush(descriptor, TCIFLUSH)
    Restoration.willBeShown()
    write(rawMode.greeting)
  }

  private func leaveRawMode() {
    guard rawMode != nil else { return }
    Signals.whileBlocked {
      Restoration.restore()
      Restoration.forget()
    }
    rawMode = nil
    Signals.release()
  }

  /// Leaves the terminal to the shell until the program continues.
  private func stop() {
    Signals.whileBlocked { Restoration.restore() }
    Signals.stop()
    makeRaw()
  }

  // MARK: In and out

  /// Writes all of it, unless a signal ends the program meanwhile. A terminal that is gone is not an error here: the
  /// next event is a hang-up.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    var written = 0
    while written < bytes.count {
      #if canImport(Darwin)
        let count = Darwin.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
      #else
        let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
      #endif
      if count > 0 {
        written += count
      } else if errno == EAGAIN || errno == EINTR {
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // A signal that arrives just before this is noticed a second later.
        _ = poll(&place, 1, 1000)
        if Signals.isEnding { return }
      } else {
        return
      }
    }
  }

  package func write(_ text: String) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  package enum Input {
    case byte(UInt8)
    /// SIGCONT, also after a stop, means that everything must be drawn again. SIGPIPE means that nobody reads standard
    /// output any more.
    case signal(Int32)
    case timeout
  }

  /// Waits for the next byte or signal.
  ///
  /// - Parameter milliseconds: how long at most; nil for no limit.
  package func next(within milliseconds: Int32? = nil) -> Input {
    var sources = [
      pollfd(fd: Signals.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      // Errors are always reported: nobody should type what cannot be written.
      pollfd(fd: 1, events: 0, revents: 0),
    ]
    while true {
      let ready = poll(&sources, 3, milliseconds ?? -1)
      if ready == 0 { return .timeout }
      if ready < 0 { continue }
      var byte: UInt8 = 0
      if sources[0].revents != 0, read(Signals.descriptor, &byte, 1) == 1 { return arrived(Int32(byte)) }
      if sources[1].revents != 0 {
        let count = read(descriptor, &byte, 1)
        if count == 1 { return .byte(byte) }
        if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
        return .signal(SIGHUP)
      }
      if sources[2].revents & Int16(POLLERR) != 0 { return .signal(SIGPIPE) }
    }
  }

  private func arrived(_ number: Int32) -> Input {
    switch number {
    case SIGTSTP:
      stop()
      return .signal(SIGCONT)
    case SIGCONT: makeRaw()
    default: break
    }
    return .signal(number)
  }
}

package struct TerminalSize: Equatable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }

  /// For a terminal that does not say.
  package static let standard = TerminalSize(columns: 80, rows: 24)
}

extension Terminal {
  /// Asks for a line that is not shown.
  ///
  /// - Throws: a silent failure after Ctrl-C, Esc or a signal.
  package func ask(_ prompt: String, into secret: inout SecretBytes) throws(Failure) {
    try enterRawMode(greeting: prompt, farewell: "\r\n")
    defer { leaveRawMode() }
    var keys = TerminalKeys(self)
    while true {
      switch keys.next() {
      case .enter: return
      case .text(let byte):
        do throws(KeyboardError) { try secret.append(byte) } catch {
          throw Failure("Keep it shorter: \(secret.count) bytes are the most that is read.", .data)
        }
      case .backspace: secret.removeLastCharacter()
      case .interrupt, .escape: throw .cancelled
      case .signal(let number) where Signals.ending.contains(number): throw .ended(bySignal: number)
      case .signal(SIGPIPE): throw .outputClosed
      default: break
      }
    }
  }
}
