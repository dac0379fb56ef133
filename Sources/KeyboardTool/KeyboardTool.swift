// The command-line tool: the keyboard in a terminal, both directions of the cipher, and pictures for designers.

import ArgumentParser
import CCustomKeyboard
import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@main
struct KeyboardTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keyboard",
    abstract: "A password keyboard whose keys never stand twice in the same place, and which encrypts.",
    discussion: """
      Examples:
        keyboard pad --key-file key.hex
        keyboard pad --layout letters --key-file key.hex > ciphertext.hex
        keyboard encrypt --key-file key.hex < password
        keyboard decrypt --key-file key.hex < ciphertext.hex
        keyboard layout --layout mixed --format svg > mixed.svg

      A key file holds the key in hexadecimal digits: 16 for DES, 32 or 48 for
      3DES, 32 for SM4. This makes one:
        (umask 077; openssl rand -hex 16 > key.hex)

      Exit codes are those of sysexits.h: 64 usage, 65 bad data, 66 no input or
      no terminal, 70 an error of this program, 71 of the system, 74 of input or
      output; 130 after Esc or Ctrl-C, and 128 + n after signal n.
      """,
    version: CUSTOM_KEYBOARD_VERSION,
    subcommands: [PadCommand.self, EncryptCommand.self, DecryptCommand.self, LayoutCommand.self])

  static func main() {
    // A core dump would hold what is typed, and a pipe that closes is an error like any other.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(CoreLimit.resource, &none)
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      failure.end()
    } catch let error as KeyboardError {
      Failure(error).end()
    } catch {
      exit(withError: error)
    }
  }
}

/// Glibc's C names it as a value of an enumeration, Darwin's as a number.
private enum CoreLimit {
  #if canImport(Darwin)
    static var resource: Int32 { RLIMIT_CORE }
  #else
    static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_CORE.rawValue) }
  #endif
}
