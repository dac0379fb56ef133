// How a fuzzer reports that the library is wrong, and how a test shows that the fuzzer notices.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Ends the process, so that libFuzzer keeps the bytes that led here.
public func complain(_ what: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) -> Never {
  say("==> \(file):\(line): \(what())")
  abort()
}

private func say(_ what: String) {
  let line = Array((what + "\n").utf8)
  _ = write(STDERR_FILENO, line, line.count)
}

/// Complains unless `condition` holds.
@inline(__always)
public func expect(
  _ condition: Bool, _ what: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { complain(what(), file: file, line: line) }
}

/// A fault of the harness itself, chosen by the environment, of which a fuzzer must die.
public enum Plant {
  /// The values of `FUZZ_PLANT`.
  enum Kind: String {
    /// The model is wrong in one case, which the fuzzer has to find.
    case answer
    /// The library is told one byte, or one key, more than there is: the address sanitizer has to report it in the
    /// library's code.
    case overrun
    /// The model takes one private key of SM2 too many: n − 1, which other curves take.
    case key
    /// The model takes private keys of RSA whose numbers do not belong together.
    case numbers
  }

  private static let kind: Kind? = {
    guard let name = getenv("FUZZ_PLANT") else { return nil }
    guard let kind = Kind(rawValue: String(cString: name)) else {
      say("FUZZ_PLANT is \"answer\", \"overrun\", \"key\" or \"numbers\"")
      exit(2)
    }
    return kind
  }()

  public static let answer = kind == .answer
  public static let overrun = kind == .overrun
  static let key = kind == .key
  static let numbers = kind == .numbers
}

/// Whether every call is printed, to understand a complaint.
private let isTracing = getenv("FUZZ_TRACE") != nil

func trace(_ what: @autoclosure () -> String) {
  if isTracing { say(what()) }
}
