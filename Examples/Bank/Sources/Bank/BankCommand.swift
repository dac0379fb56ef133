// The program `bank`: a server, and the commands of its operator.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

@main
struct BankCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bank",
    abstract: "An example bank: people register and log in with a PIN that it never sees.",
    discussion: """
      Accounts are in a file of SQLite, or in PostgreSQL if the environment's
      DATABASE_URL says so: postgresql://user@host/name.
      """,
    subcommands: [Serve.self, Unlock.self, Logout.self, PasscodesCommand.self, Backup.self],
    defaultSubcommand: Serve.self)
}

/// Writes at once, also if nobody flushes a buffer before the end.
func tell(_ text: String, _ file: Int32) {
  let bytes = Array(text.utf8)
  _ = write(file, bytes, bytes.count)
}

/// Runs a command, and says why it fails.
func explaining(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let failure as Failure {
    tell("bank: \(failure)\n", STDERR_FILENO)
    throw ExitCode.failure
  } catch let error as DatabaseError {
    tell("bank: \(error)\n", STDERR_FILENO)
    throw ExitCode.failure
  }
}
