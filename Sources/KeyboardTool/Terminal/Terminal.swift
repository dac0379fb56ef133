// The person's terminal: /dev/tty, so that standard input and output are free for pipes. Whatever is changed about it
// is put back, whichever way the program ends short of SIGKILL.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

final class Terminal {
  private let descriptor: Int32
  /// As it was found, while it is raw.
  private var original: termios?

  /// nil if this process has none.
  init?() {
    descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    leaveRawMode()
    close(descriptor)
  }

  var size: TerminalSize {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return .standard
    }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  // MARK: Raw mode

  /// Runs `body` while the terminal passes on every key as it is pressed and shows none, and while signals are events.
  func inRawMode<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try enterRawMode()
    defer { leaveRawMode() }
    return try body()
  }

  private func enterRawMode() throws(Failure) {
    try Signals.catchAll()
    var found = termios()
    guard tcgetattr(descriptor, &found) == 0 else { throw .system("The terminal does not answer", .inputOutput) }
    original = found
    makeRaw()
  }

  /// Also after a stop, when a shell may have set the terminal to its own liking.
  func makeRaw() {
    guard var mode = original else { return }
    mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP | BRKINT)
    mode.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    tcsetattr(descriptor, TCSAFLUSH, &mode)
  }

  /// Drops what has not been read: mouse reports must not land in the shell.
  private func leaveRawMode() {
    guard var mode = original else { return }
    tcsetattr(descriptor, TCSAFLUSH, &mode)
    original = nil
    Signals.release()
  }

  // MARK: In and out

  /// Writes all of it; when the terminal is gone there is nobody to tell, and the next event is a hang-up.
  func write(_ bytes: UnsafeRawBufferPointer) {
    var written = 0
    while written < bytes.count {
      #if canImport(Darwin)
        let count = Darwin.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
      #else
        let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
      #endif
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      written += count
    }
  }

  func write(_ text: String) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  enum Input {
    case byte(UInt8)
    case signal(Int32)
    case timeout
  }

  /// Waits for the next byte or signal.
  ///
  /// - Parameter milliseconds: how long at most; nil for ever.
  func next(within milliseconds: Int32? = nil) -> Input {
    var sources = [
      pollfd(fd: Signals.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let ready = poll(&sources, 2, milliseconds ?? -1)
      if ready == 0 { return .timeout }
      if ready < 0 { continue }
      var byte: UInt8 = 0
      if sources[0].revents != 0, read(Signals.descriptor, &byte, 1) == 1 { return .signal(Int32(byte)) }
      guard sources[1].revents != 0 else { continue }
      let count = read(descriptor, &byte, 1)
      if count == 1 { return .byte(byte) }
      if count < 0 && errno == EINTR { continue }
      return .signal(SIGHUP)
    }
  }
}

struct TerminalSize: Equatable {
  var columns: Int
  var rows: Int

  /// Where a terminal does not say.
  static let standard = TerminalSize(columns: 80, rows: 24)
}

extension Terminal {
  /// Asks for a line that is not shown.
  ///
  /// - Throws: a silent failure after Ctrl-C, Esc or a signal.
  func ask(_ prompt: String, into secret: inout SecretBytes) throws(Failure) {
    try enterRawMode()
    defer {
      leaveRawMode()
      write("\r\n")
    }
    write(prompt)
    var keys = TerminalKeys(self)
    while true {
      switch keys.next() {
      case .enter: return
      case .text(let byte):
        guard secret.append(byte) else {
          throw Failure("Keep it shorter: \(SecretBytes.capacity) bytes are the most that is read.", .data)
        }
      case .backspace: secret.removeLastCharacter()
      case .interrupt, .escape: throw .ended(bySignal: SIGINT)
      case .signal(let number) where Signals.ending.contains(number): throw .ended(bySignal: number)
      case .signal(SIGCONT): makeRaw()
      default: break
      }
    }
  }
}
