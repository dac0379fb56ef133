// The program `bank`: puts the parts together, and runs until it is told to stop.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CBankSystem
import FoundationEssentials
import Glibc
import Logging

@main
struct BankCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bank",
    abstract: "An example bank: people register and log in with a PIN that it never sees.",
    discussion: """
      Serves a page on one port, and the keyboard's frame on another. Keys are made
      at the first start. Accounts are in a file of SQLite, or in PostgreSQL if the
      environment's DATABASE_URL says so: postgresql://user@host/name.

      SIGTERM and SIGINT end it when the requests that have begun are answered.

      Example:
        bank --page Page --keyboard Bindings/web --keyboard build/web
      """)

  @OptionGroup(title: "Addresses") var addresses: AddressOptions
  @OptionGroup(title: "Files") var folders: FolderOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Insecure") var insecure: InsecureOptions

  func run() async throws {
    do {
      try await serve()
    } catch let failure as Failure {
      tell("bank: \(failure)\n", STDERR_FILENO)
      throw ExitCode.failure
    }
  }

  private func serve() async throws {
    protectProcess()
    try allowFiles()
    let log = Logger(label: "bank") { label in StreamLogHandler.standardError(label: label) }
    if insecure.insecureImportedVerifiers { log.warning("Verifiers without Argon2id are taken: for tests only.") }
    let keys = try makeKeys(log)
    let files = try BankFiles(page: folders.page, keyboard: folders.keyboard)
    let database = try makeDatabase()
    let ledger = Ledger(
      database: database,
      limits: Ledger.Limits(
        challengeSeconds: limits.challengeSeconds, attempts: limits.attempts, lockSeconds: limits.lockSeconds,
        sessionSeconds: limits.sessionSeconds))
    let verifications = Verifications(
      threadCount: limits.verifications ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)), waiting: limits.waiting)
    let api = BankAPI(
      keys: keys, ledger: ledger,
      passcodes: try Passcodes(keys: keys, takesImports: insecure.insecureImportedVerifiers),
      verifications: verifications)
    let servers = Servers(api: api, files: files, addresses: addresses, limits: limits, log: log)
    try await servers.run(Sweeper(ledger: ledger, log: log))
    try await verifications.shutDown()
    try await database.shutDown()
  }

  /// New files are for this user only, and nothing of this process is read or dumped by others.
  private func protectProcess() {
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    guard !insecure.insecureDumpable else { return }
    _ = bank_forbid_dumps()
    // Swift's reports of crashes show registers and memory.
    for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }

  /// A server that cannot open another file stops accepting connections for good, so that is made impossible.
  private func allowFiles() throws {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(resource, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    // Both ports, the database, and some for everything else.
    let needed = 2 * limits.clients + limits.connections + 64
    guard limit.rlim_cur >= UInt(needed) else {
      throw Failure(
        """
        \(limits.clients) clients on each port need \(needed) open files, and \(limit.rlim_cur) are allowed: \
        raise `ulimit -n`, or lower --clients.
        """)
    }
  }

  private func makeKeys(_ log: Logger) throws -> BankKeys {
    if mkdir(folders.data, 0o700) != 0, errno != EEXIST {
      throw Failure("The folder \(folders.data) cannot be made: \(String(cString: strerror(errno))).")
    }
    let files = KeyFiles(
      privateKey: KeyFile(path: folders.recipientKey ?? folders.data + "/recipient.key"),
      publicKey: KeyFile(path: folders.publicKey ?? folders.data + "/recipient.pub"),
      masterKey: KeyFile(path: folders.masterKey ?? folders.data + "/master.key"))
    let keys = try withLock { try BankKeys(files) }
    let secrets = [KeyFile(path: folders.data), files.privateKey, files.masterKey]
    for warning in secrets.compactMap({ $0.exposure() }) { log.warning("\(warning)") }
    return keys
  }

  /// Two servers that start at once in one folder would each make keys.
  private func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    let path = folders.data + "/lock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, flock(file, LOCK_EX) == 0 else {
      throw Failure("\(path) cannot be locked: \(String(cString: strerror(errno))).")
    }
    defer { close(file) }
    return try body()
  }

  private func makeDatabase() throws -> any Database {
    guard let url = ProcessInfo.processInfo.environment["DATABASE_URL"], !url.isEmpty else {
      return try SQLiteDatabase(path: folders.database ?? folders.data + "/bank.sqlite")
    }
    guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
      throw Failure("DATABASE_URL begins with postgresql://.")
    }
    guard folders.database == nil else { throw Failure("Give --database or DATABASE_URL, not both.") }
    return try PostgreSQLDatabase(url: url, connectionCount: limits.connections)
  }
}

/// Writes at once, also if nobody flushes a buffer before the end.
func tell(_ text: String, _ file: Int32) {
  let bytes = Array(text.utf8)
  _ = write(file, bytes, bytes.count)
}
