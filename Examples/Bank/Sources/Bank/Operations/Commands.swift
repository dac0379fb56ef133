// The commands of the bank's operator. They work on the database, while servers use it or not.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

struct Unlock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Opens an account that is locked; its next lock is a short one again.")

  @Argument(help: "The account's name.") var account: String
  @OptionGroup var data: DataOptions

  func run() async throws {
    try await withLedger(data) { ledger in
      let isUnlocked = try await ledger.unlock(account)
      print(isUnlocked ? "\(account): its wrong attempts are forgotten" : "\(account): has no wrong attempts")
    }
  }
}

struct Logout: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ends all sessions and challenges, of an account or of everybody.",
    discussion: "A database that comes from a backup needs it for everybody, before the bank starts again.")

  @Argument(help: "The account's name.") var account: String?
  @Flag(help: "Of everybody.") var everybody = false
  @OptionGroup var data: DataOptions

  func validate() throws {
    guard (account == nil) == everybody else { throw ValidationError("Name an account, or give --everybody.") }
  }

  func run() async throws {
    try await withLedger(data) { ledger in
      let count = try await ledger.endSessions(of: account)
      print("\(account ?? "everybody"): sessions ended: \(count)")
    }
  }
}

struct PasscodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passcodes",
    abstract: "Tells how many passcodes are stored with an older master key or setup than the one in use.",
    discussion: """
      A login that is right stores its passcode with the key or the setup in use.
      Forgotten passcodes log nobody in; their owners need another way to prove who they
      are.
      """)

  @Flag(help: "Forgets those passcodes.") var forgetOlder = false
  @Flag(help: "Forgets all passcodes, and ends all sessions and challenges.") var forgetAll = false
  @OptionGroup var data: DataOptions

  func validate() throws {
    guard !forgetOlder || !forgetAll else { throw ValidationError("Give --forget-older or --forget-all, not both.") }
  }

  func run() async throws {
    try await withLedger(data) { ledger in
      if forgetOlder || forgetAll {
        let setup = forgetAll ? nil : try await ledger.setupInUse()
        let records = try await ledger.forgetRecords(underOtherSetupsThan: setup)
        let count = try await forgetAll ? ledger.forgetAllVerifiers() : ledger.forgetOlderVerifiers()
        return print("passcodes that are forgotten: \(count + records)")
      }
      let id = try await ledger.masterInUse()
      let count = try await ledger.countVerifiers(underOtherMastersThan: [id].compactMap(\.self))
      print("passcodes stored with an older master key: \(count)")
      let setup = try await ledger.setupInUse()
      let records = try await ledger.countRecords(underOtherSetupsThan: [setup].compactMap(\.self))
      print("records of an older setup of OPAQUE: \(records)")
    }
  }
}

struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies SQLite's file, also while the bank runs. For PostgreSQL, use pg_dump.",
    discussion: "The keys are not in it. Keep them in another place.")

  @Argument(help: "The copy, which must not exist yet.") var file: String
  @OptionGroup var data: DataOptions

  func run() async throws {
    umask(0o077)
    try await withLedger(data) { ledger in
      guard let database = ledger.database as? SQLiteDatabase else { throw Failure("Use pg_dump for PostgreSQL.") }
      guard access(file, F_OK) != 0 else { throw Failure("\(file) is there already.") }
      try await database.copy(to: file)
      print("\(file) is a copy of the database")
    }
  }
}

private func withLedger(_ data: DataOptions, _ body: (Ledger) async throws -> Void) async throws {
  try await explaining {
    let database = try data.openDatabase(connectionCount: 1, mayMake: false)
    // Only what these commands do not need has limits.
    let limits = Ledger.Limits(
      challengeSeconds: 0, stateSeconds: 0, attempts: 1, lockSeconds: [1], sessionSeconds: 0)
    try await body(Ledger(database: database, limits: limits))
    try await database.shutDown()
  }
}
