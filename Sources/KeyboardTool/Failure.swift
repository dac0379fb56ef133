// What went wrong, for a person and for a script: a sentence that says what to do, and a code of sysexits.h.

import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct Failure: Error {
  let message: String
  let exitCode: Int32

  /// - Parameter message: what to do; nil where the user knows, having pressed Esc.
  init(_ message: String, _ code: SystemExit) {
    self.message = message
    exitCode = code.rawValue
  }

  /// Nothing needs to be said: the user, or whoever sent the signal, knows.
  private init(silently code: Int32) {
    message = ""
    exitCode = code
  }

  /// As a shell reports a program that a signal ended.
  static func ended(bySignal number: Int32) -> Failure { Failure(silently: 128 + number) }

  init(_ error: KeyboardError) {
    let code: SystemExit =
      switch error {
      case .key, .tooLong, .argument, .undecryptable: .data
      case .memory, .random: .system
      case .operationDisabled, .spaceTooSmall: .software
      }
    self.init(error.description, code)
  }

  /// A system call's, by `errno`.
  static func system(_ what: String, _ code: SystemExit) -> Failure {
    Failure("\(what): \(String(cString: strerror(errno))).", code)
  }

  /// Says it and ends the program.
  func end() -> Never {
    if !message.isEmpty { writeMessage("keyboard: \(message)\n") }
    exit(exitCode)
  }
}

/// - Source: sysexits.h of 4.3BSD.
enum SystemExit: Int32 {
  case usage = 64
  case data = 65
  case noInput = 66
  case software = 70
  case system = 71
  case inputOutput = 74
}

/// To standard error; if that fails, nobody is there to be told.
func writeMessage(_ text: String) {
  var text = text
  text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}

/// To standard output, all of it.
func writeOutput(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
  var written = 0
  while written < bytes.count {
    let count = write(1, bytes.baseAddress! + written, bytes.count - written)
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { throw .system("Writing to standard output failed", .inputOutput) }
    written += count
  }
}

/// What is no secret, to standard output.
func writeOutput(_ text: String) throws(Failure) {
  let bytes = Array(text.utf8)
  let failure: Failure? = bytes.withUnsafeBytes { buffer in
    do throws(Failure) {
      try writeOutput(buffer)
      return nil
    } catch { return error }
  }
  if let failure { throw failure }
}
