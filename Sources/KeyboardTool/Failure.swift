// What went wrong, for a person and for a script: a sentence that says what to do, and a code of sysexits.h.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

package struct Failure: Error {
  /// What to do; empty where nothing needs to be said.
  private let message: String
  private let ending: Ending

  private enum Ending {
    case code(Int32)
    case signal(Int32)
  }

  private init(_ message: String, _ ending: Ending) { (self.message, self.ending) = (message, ending) }

  package init(_ message: String, _ code: SystemExit) { self.init(message, .code(code.rawValue)) }

  /// Esc or Ctrl-C was pressed. The code is that of a program that SIGINT ended, as a shell reports it.
  package static var cancelled: Failure { Failure("", .code(128 + SIGINT)) }

  /// The program dies of the signal, so that its parent knows.
  package static func ended(bySignal number: Int32) -> Failure { Failure("", .signal(number)) }

  /// The other end of the pipe is closed.
  package static var outputClosed: Failure {
    Failure("Nothing more can be written: the program that reads standard output has ended.", .inputOutput)
  }

  /// - Parameter what: "the password".
  package static func emptyInput(_ what: String) -> Failure {
    Failure("Give \(what) on standard input: standard input was empty.", .noInput)
  }

  package init(_ error: KeyboardError) {
    let code: SystemExit =
      switch error {
      case .key, .tooLong, .argument, .undecryptable, .mismatch: .data
      case .exists, .notFound, .damaged: .data
      case .refused, .locked: .notAllowed
      case .memory, .random, .busy: .system
      case .storage: .inputOutput
      case .operationDisabled, .spaceTooSmall: .software
      }
    self.init(error.description, code)
  }

  /// A system call has failed, and `errno` says why.
  package static func system(_ what: String, _ code: SystemExit) -> Failure {
    Failure("\(what): \(String(cString: strerror(errno))).", code)
  }

  /// Prints the message and ends the program.
  package func end() -> Never {
    if !message.isEmpty { writeMessage("keyboard: \(message)\n") }
    switch ending {
    case .code(let code): exit(code)
    case .signal(let number): Signals.endProgram(by: number)
    }
  }
}

/// - Source: sysexits.h of 4.3BSD.
package enum SystemExit: Int32 {
  case usage = 64
  case data = 65
  case noInput = 66
  /// A server was not reached.
  case unavailable = 69
  case software = 70
  case system = 71
  case inputOutput = 74
  /// A rule refuses the passcode, or it is not the verifier's.
  case notAllowed = 77
}

/// Writes to standard error, with escapes: an argument that is quoted must not reach a terminal as it is. If that
/// fails, there is nobody to tell.
package func writeMessage(_ text: String) {
  var text = TerminalText.escaped(text)
  text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}

/// Writes all of it to standard output.
package func writeOutput(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
  try writeAll(bytes, to: 1, name: "standard output")
}

/// Writes all of it to a file or pipe.
///
/// - Parameter name: where it goes, for messages.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, name: String) throws(Failure) {
  var written = 0
  while written < bytes.count {
    let count = write(descriptor, bytes.baseAddress! + written, bytes.count - written)
    if count < 0 && errno == EINTR { continue }
    if count < 0 && errno == EPIPE { throw .outputClosed }
    guard count > 0 else { throw .system("Writing to \(name) failed", .inputOutput) }
    written += count
  }
}

/// Writes to standard output. Not for secrets: strings are not wiped.
package func writeOutput(_ text: String) throws(Failure) {
  let bytes = Array(text.utf8)
  let failure: Failure? = bytes.withUnsafeBytes { buffer in
    do throws(Failure) {
      try writeOutput(buffer)
      return nil
    } catch { return error }
  }
  if let failure { throw failure }
}
