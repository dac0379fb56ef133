// `bank serve`: puts the parts together, and runs until it is told to stop.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CBankSystem
import Glibc
import Logging

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves the page and the keyboard's frame. This is what `bank` does without a command.",
    discussion: """
      Serves a page on one port, and the keyboard's frame on another. Keys are made
      at the first start. Accounts are in a file of SQLite, or in PostgreSQL if the
      environment's DATABASE_URL says so: postgresql://user@host/name.

      SIGTERM and SIGINT end it when the requests that have begun are answered.

      Example:
        bank --page Page --keyboard Bindings/web --keyboard build/web
      """)

  @OptionGroup(title: "Addresses") var addresses: AddressOptions
  @OptionGroup(title: "FIDO") var fido: FIDOOptions
  @OptionGroup(title: "Files") var folders: FolderOptions
  @OptionGroup(title: "Data") var data: DataOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Insecure") var insecure: InsecureOptions

  func run() async throws { try await explaining { try await serve() } }

  private func serve() async throws {
    protectProcess()
    try allowFiles()
    let log = Logger(label: "bank") { label in StreamLogHandler.standardError(label: label) }
    if insecure.insecureImportedVerifiers { log.warning("Verifiers without Argon2id are taken: for tests only.") }
    try data.makeFolder()
    let database = try data.openDatabase(connectionCount: limits.connections, mayMake: true)
    let ledger = Ledger(
      database: database,
      limits: Ledger.Limits(
        challengeSeconds: limits.challengeSeconds, stateSeconds: limits.stateSeconds, attempts: limits.attempts,
        lockSeconds: limits.lockSeconds.all, sessionSeconds: limits.sessionSeconds))
    let keys = try await makeKeys(ledger, log)
    let setups = try await makeSetups(ledger, log)
    let passcodes = try Passcodes(
      keys: keys, firstMaster: try await ledger.firstMaster(keys.master.id),
      takesImports: insecure.insecureImportedVerifiers)
    let files = try BankFiles(page: folders.page, keyboard: folders.keyboard)
    let verifications = Verifications(threadCount: limits.verifications ?? Verifications.processorCount)
    let metrics = Metrics()
    let api = BankAPI(
      keys: keys, setups: setups, ledger: ledger, passcodes: passcodes, verifications: verifications,
      admissions: Admissions(
        threads: verifications.threadCount, connections: database.connectionCount, waiting: limits.waiting),
      log: AttemptLog(metrics: metrics))
    let servers = Servers(
      api: api, files: files, addresses: addresses, fido: fido, certificate: try fido.certificate(),
      limits: limits, metrics: metrics, log: log)
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
    // All ports, the database, and some for everything else.
    let ports = addresses.operatorPort == nil ? 2 : 3
    let needed = ports * limits.clients + limits.connections + 64
    guard limit.rlim_cur >= UInt(needed) else {
      throw Failure(
        """
        \(limits.clients) clients on each port need \(needed) open files, and \(limit.rlim_cur) are allowed: \
        raise `ulimit -n`, or lower --clients.
        """)
    }
  }

  /// Two servers that start at once in one folder would each make keys.
  func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    let path = data.data + "/lock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, flock(file, LOCK_EX) == 0 else {
      throw Failure("\(path) cannot be locked: \(String(cString: strerror(errno))).")
    }
    defer { close(file) }
    return try body()
  }
}
