// The command-line tool: the keyboard in a terminal, both directions of the cipher, and pictures for designers.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CCustomKeyboard
import CustomKeyboard
import KeyboardKeys
import KeyboardTerminal

@main
struct KeyboardTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keyboard",
    abstract: "A password keyboard whose keys change places each time, and which encrypts.",
    discussion: """
      Examples:
        keyboard generate-key --way x25519 --out private.hex --public-out public.hex
        keyboard key public.hex --way x25519 --kind public --to base64url
        keyboard pad --key-file public.hex --context challenge-17 > sealed.hex
        keyboard encrypt --key-file public.hex --context challenge-17 < password
        keyboard decrypt --key-file private.hex --context challenge-17 < sealed.hex
        keyboard pad --way sm4 --layout letters --key-file key.hex > ciphertext.hex
        keyboard sign --way p256 --key-file private.pem --context challenge-17 < text
        keyboard dukpt key --scheme tdes --key-file bdk.hex --ksn ffff9876543210e00001 --out pin.hex
        keyboard encrypt --way pin0 --key-file pin.hex --context 4012345678909 < pin
        keyboard check-passcode --digits --minimum-length 6 --not-common
        keyboard verifier make --pepper-file pepper.hex > verifier
        keyboard opaque setup --out setup.hex
        keyboard migrate table.csv --key-file key.hex --out verifiers.csv --refused refused.csv
        keyboard vault add bank.example kim --vault vault < token
        keyboard fido authenticate --server https://bank.example --user kim --vault vault
        keyboard layout --layout mixed --format svg > mixed.svg

      A key file holds the key in hexadecimal digits: 16 for DES, 32 or 48 for
      3DES, 32 for SM4. This makes one:
        (umask 077; openssl rand -hex 16 > key.hex)
      Keys for sealed texts are made by generate-key, or by OpenSSL in PEM or DER.

      Exit codes are those of sysexits.h: 64 usage, 65 bad data, 66 no input or
      no terminal, 69 a server that does not answer, 70 an error of this program,
      71 of the system, 74 of input or output, 77 a passcode that is wrong or that
      a rule refuses; 130 after Esc or Ctrl-C. A signal that ends the program
      restores the terminal first, and then ends it as usual: a shell reports
      128 + n.
      """,
    version: CUSTOM_KEYBOARD_VERSION,
    subcommands: [
      PadCommand.self, EncryptCommand.self, DecryptCommand.self, GenerateKeyCommand.self, KeyCommand.self,
      SignCommand.self, VerifyCommand.self, PINCommand.self, DUKPTCommand.self, CheckPasscodeCommand.self,
      VerifierCommand.self, OPAQUECommand.self, MigrateCommand.self, VaultCommand.self, FidoCommand.self,
      LayoutCommand.self,
    ])

  static func main() {
    forbidDumps()
    openStandardDescriptors()
    // So that writing to a pipe that nobody reads is an error with a message.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      failure.end()
    } catch let error as KeyboardError {
      Failure(error).end()
    } catch {
      end(with: error)
    }
  }

  /// What ArgumentParser throws: the help, the version, or a fault in the arguments. Its own `exit` overlooks that
  /// standard output may fail.
  private static func end(with error: any Error) -> Never {
    let (text, code) = (fullMessage(for: error), exitCode(for: error))
    if !text.isEmpty {
      if code == .success {
        do throws(Failure) { try writeOutput(text + "\n") } catch { error.end() }
      } else {
        writeMessage(text + "\n")
      }
    }
    exit(withError: code)
  }

  /// A file that is opened later must not become standard output because there was none.
  private static func openStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // Reading what is open for writing fails, and the other way round, as on a closed descriptor.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}
