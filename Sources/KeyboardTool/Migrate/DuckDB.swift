// The program `duckdb`, which reads and writes Parquet for this one. It is a process of its own and gets ids, texts and
// verifiers, but no key, no pepper and no password.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How DuckDB's program is run: without files of settings, on one processor, so that rows keep their order, and without
/// a folder for what has no room in memory. It has the descriptors 0, 1 and 2, and no other.
struct DuckDB {
  /// Its path, or its name in one of the folders of PATH.
  let program: String

  /// What a run reads and writes, in SQL. Not /dev/stdout: if writing fails, DuckDB removes the file by its name, and
  /// root could remove that.
  static let input = "'/dev/fd/0'"
  static let output = "'/dev/fd/1'"

  private static let settings = """
    SET threads = 1; SET temp_directory = ''; SET autoinstall_known_extensions = false; \
    SET autoload_known_extensions = false;
    """

  /// A name of a column in a statement.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// A statement that writes a line for each row of `query`, whose only column has texts.
  static func lines(of query: String) -> String {
    "COPY (\(query)) TO \(output) (FORMAT csv, HEADER false, DELIMITER E'\\x01', QUOTE '', ESCAPE '', "
      + "USE_TMP_FILE false);"
  }

  /// What a run is for, in messages: "cannot read table.parquet".
  struct Purpose {
    let verb: String
    let name: String
    let code: SystemExit

    /// Messages call the file by the path that a run has for it.
    func failure(_ reason: String) -> Failure {
      Failure("DuckDB cannot \(verb) \(name): \(reason.replacing(/\/dev\/fd\/[01]/, with: name)).", code)
    }
  }

  /// A process that runs statements.
  final class Run {
    let purpose: Purpose
    private let process: pid_t
    private let messages: Int32
    private var hasEnded = false

    /// - Parameters:
    ///   - input: a file to read, as `DuckDB.input`.
    ///   - output: what is written to, as `DuckDB.output`.
    init(
      _ duckDB: DuckDB, _ purpose: Purpose, _ statements: String, input: Int32, output: Int32
    ) throws(Failure) {
      self.purpose = purpose
      messages = try Self.temporaryFile()
      let status: Int32
      (status, process) = Self.spawn(
        [duckDB.program, "-init", "/dev/null", "-bail", "-c", DuckDB.settings, "-c", statements], input: input,
        output: output, messages: messages)
      guard status == 0 else {
        hasEnded = true
        errno = status
        guard [ENOENT, EACCES, ENOTDIR, ENOEXEC].contains(status) else {
          throw .system("\(duckDB.program) cannot be run", .system)
        }
        throw .system(
          "Install DuckDB's program, which reads and writes Parquet, or name it by --duckdb: \(duckDB.program) cannot "
            + "be run", .usage)
      }
    }

    deinit {
      if !hasEnded {
        kill(process, SIGKILL)
        _ = try? wait()
      }
      close(messages)
    }

    /// Waits until it ends.
    func end() throws(Failure) {
      guard !hasEnded else { return }
      hasEnded = true
      let status = try wait()
      guard status != 0 else { return }
      let signal = status & 0x7f
      guard signal == 0 else { throw purpose.failure("signal \(signal) has ended it") }
      throw purpose.failure(firstMessage ?? "it has ended with status \(status >> 8) and does not say why")
    }

    private func wait() throws(Failure) -> Int32 {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 {
        guard errno == EINTR else { throw .system("How DuckDB ended cannot be known", .system) }
      }
      return status
    }

    /// The first line of its messages, without a value of the table in it. The other lines show the statement.
    private var firstMessage: String? {
      var buffer = [UInt8](repeating: 0, count: 400)
      let count = max(pread(messages, &buffer, buffer.count, 0), 0)
      let line = String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      let parts = line.split(separator: "value \"", maxSplits: 1, omittingEmptySubsequences: false)
      return line.isEmpty ? nil : parts[0] + (parts.count > 1 ? "a value" : "")
    }

    /// A file without a name.
    private static func temporaryFile() throws(Failure) -> Int32 {
      var path = Array("/tmp/keyboard-XXXXXX".utf8CString)
      let descriptor = mkstemp(&path)
      guard descriptor >= 0 else { throw .system("A file in /tmp cannot be made", .inputOutput) }
      unlink(path)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return descriptor
    }

    /// Makes all descriptors but 0, 1 and 2 close in a new program. The shell may have given this one a pipe with a
    /// key: `--key-file <(…)`.
    ///
    /// - Returns: false if it cannot be known which there are; `errno` says why.
    private static func closeOthersInNewPrograms() -> Bool {
      guard let folder = opendir("/dev/fd") else { return false }
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      }
      return true
    }

    /// - Returns: an `errno` value or 0, and the process.
    private static func spawn(
      _ arguments: [String], input: Int32, output: Int32, messages: Int32
    ) -> (Int32, pid_t) {
      #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        let environment = _NSGetEnviron().pointee
      #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        let environment = environ
      #endif
      posix_spawn_file_actions_init(&actions)
      posix_spawnattr_init(&attributes)
      defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
      }
      // None of them is 0, 1 or 2: see openStandardDescriptors.
      for (descriptor, number) in zip([input, output, messages], [0, 1, 2] as [Int32]) {
        posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      }
      guard closeOthersInNewPrograms() else { return (errno, 0) }
      // If the parent of this program ignores it, nobody learns how a process ended.
      signal(SIGCHLD, SIG_DFL)
      // This program ignores SIGPIPE; that one is to end when nobody reads what it writes.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      posix_spawnattr_setsigdefault(&attributes, &signals)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
      let copies = arguments.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      var process = pid_t()
      let status = posix_spawnp(&process, arguments[0], &actions, &attributes, copies + [nil], environment)
      return (status, process)
    }
  }

  /// Runs it once, so that nobody learns after hours of work that Parquet cannot be written.
  func check() throws(Failure) {
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw .system("/dev/null cannot be opened", .system) }
    defer { close(input) }
    let output = try start(
      Purpose(verb: "use", name: "Parquet", code: .usage),
      Self.lines(of: "SELECT 'yes' FROM duckdb_extensions() WHERE extension_name = 'parquet' AND loaded"),
      input: input)
    let answer = try output.nextLine()
    guard answer?.elementsEqual("yes".utf8) == true, try output.nextLine() == nil else {
      throw Failure("Give another program by --duckdb: \(program) is not DuckDB with Parquet.", .usage)
    }
  }

  /// Runs statements whose output this program reads from a pipe.
  func start(_ purpose: Purpose, _ statements: String, input: Int32) throws(Failure) -> ChildOutput {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("A pipe cannot be made", .system) }
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    do throws(Failure) {
      return ChildOutput(try Run(self, purpose, statements, input: input, output: ends[1]), pipe: ends[0])
    } catch {
      close(ends[0])
      throw error
    }
  }
}
