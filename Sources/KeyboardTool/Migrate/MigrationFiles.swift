// The two files that a migration writes: what was done, and what was refused. They get their names when all is there.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal

/// Until the end, the files' names have `.part` behind them, and beside the first is a journal. Rows are committed when
/// the journal says so; what the files have beyond that is removed at the next start.
final class MigrationFiles {
  private let done: PartFile
  private let refused: PartFile
  private let journal: Journal
  private var current: Journal.Commit

  /// How many rows were committed by earlier runs.
  let earlierRows: Int

  /// - Parameters:
  ///   - settings, makeFingerprint: as the journal's.
  ///   - column: the name of the second column of what was done.
  ///   - table: the descriptor of the table, which must be another file.
  init(
    done donePath: String, refused refusedPath: String, column: String, settings: String, table: Int32,
    makeFingerprint: ([UInt8]) throws -> RowFingerprint
  ) throws {
    let journalPath = donePath + ".journal"
    let (doneNames, refusedNames) = (PartFile.names(donePath), PartFile.names(refusedPath))
    let taken = try (doneNames + [journalPath]).map(Place.init)
    guard try refusedNames.map(Place.init).allSatisfy({ !taken.contains($0) }) else {
      throw Failure("Give two files: --out and --refused, and the files beside them, have one name.", .usage)
    }
    // Without a journal, a file of this name is somebody's.
    if access(journalPath, F_OK) != 0 {
      for path in doneNames + refusedNames where access(path, F_OK) == 0 {
        throw Failure("Give the name of a new file: \(path) exists.", .data)
      }
    }
    journal = try Journal(journalPath, settings: settings, makeFingerprint: makeFingerprint)
    current = journal.last
    earlierRows = current.doneRows + current.refusedRows
    done = try PartFile(donePath, header: "id,\(column)\n", byteCount: current.doneBytes, isWhole: current.isLast)
    refused = try PartFile(
      refusedPath, header: "line,id,reason\n", byteCount: current.refusedBytes, isWhole: current.isLast)
    let openFiles = try [journal.descriptor, done.descriptor, refused.descriptor, table].map(OpenFile.init)
    guard Set(openFiles).count == openFiles.count else {
      throw Failure("Give different files: two of the table, --out, --refused and the journal are one file.", .data)
    }
    guard current.doneBytes == 0 || digest == current.digest else {
      throw Failure(
        "Remove \(journalPath) and the files with .part, and begin anew: one of the files was altered.", .data)
    }
    try done.truncate()
    try refused.truncate()
    // A file's name is on the disk only when its folder is.
    guard !isComplete else { return }
    try syncFolder(of: donePath)
    try syncFolder(of: refusedPath)
  }

  /// The digest of what is written.
  private var digest: String { journal.digest(done: done.hash, refused: refused.hash) }

  /// Makes the fingerprints of this migration's rows.
  var fingerprint: RowFingerprint { journal.fingerprint }

  /// Whether an earlier run has written everything, and was stopped before the files had their names.
  var isComplete: Bool { current.isLast }

  var doneRows: Int { current.doneRows }
  var refusedRows: Int { current.refusedRows }

  /// The ids of the rows that earlier runs have committed, and the fingerprints of those without an id.
  func forEachCommittedID(_ body: (UnsafeRawBufferPointer) -> Void) throws(Failure) {
    for (file, rows) in [(done, current.doneRows), (refused, current.refusedRows)] where file.byteCount > 0 {
      let reader = try TableReader(file.partPath)
      try reader.readHeader(id: "id", text: file === done ? nil : "reason")
      var count = 0
      while let row = try reader.next() {
        guard row.fault == nil || row.fault == .id else { throw isAltered(file) }
        if !row.id.isEmpty { body(row.id) }
        count += 1
      }
      guard count == rows else { throw isAltered(file) }
    }
    var rest = journal.earlierFingerprints
    while !rest.isEmpty {
      RowFingerprint.withID(of: rest.prefix(RowFingerprint.byteCount), body)
      rest = rest.dropFirst(RowFingerprint.byteCount)
    }
  }

  private func isAltered(_ file: PartFile) -> Failure {
    Failure("Remove \(journal.path) and the files with .part, and begin anew: \(file.partPath) was altered.", .data)
  }

  /// Writes a batch's lines. They count from the next commit on.
  func write(_ batch: RowBatch) throws(Failure) {
    try done.write(batch.done)
    try refused.write(batch.refused)
    try journal.add(fingerprints: batch.fingerprints, behind: current.fingerprintCount)
    current.fingerprintCount += batch.fingerprints.count / RowFingerprint.byteCount
    current.doneRows += batch.doneCount
    current.refusedRows += batch.refusedCount
  }

  /// Makes all that was written count, whatever happens to the machine.
  func commit(isLast: Bool) throws(Failure) {
    // A file without rows has its header too.
    try done.write([])
    try refused.write([])
    try done.sync()
    try refused.sync()
    (current.doneBytes, current.refusedBytes) = (done.byteCount, refused.byteCount)
    current.isLast = isLast
    current.digest = digest
    try journal.commit(current)
  }

  /// Gives the files their names, after the last commit.
  func finish() throws(Failure) {
    try refused.finish()
    try done.finish()
    journal.remove()
  }
}

/// A file that need not exist: its folder, whatever path leads there, and its name.
private struct Place: Equatable {
  let device: dev_t
  let folder: ino_t
  let name: String

  init(_ path: String) throws(Failure) {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    name = end.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    var status = stat()
    guard stat(folderName(of: path), &status) == 0 else {
      throw .system("The folder \(folderName(of: path)) cannot be opened", .inputOutput)
    }
    (device, folder) = (status.st_dev, status.st_ino)
  }
}

/// Equal for two descriptors of one file: a hard link has another name, and so may a file where case is ignored.
private struct OpenFile: Hashable {
  let device: dev_t
  let file: ino_t

  init(_ descriptor: Int32) throws(Failure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("An open file cannot be looked at", .inputOutput) }
    (device, file) = (status.st_dev, status.st_ino)
  }
}
