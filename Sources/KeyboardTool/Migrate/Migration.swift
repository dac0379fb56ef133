// Moves a table through the workers and into the files.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal

/// Batches are read, worked on and written in the order of the table, so the files are the same for every number of
/// threads, but for what is drawn at random.
struct Migration {
  let work: RowWork
  let jobs: Int
  /// Rows a second at most; nil for no limit.
  let rate: Int?

  /// A commit takes three `fsync`s.
  private static var secondsBetweenCommits: Double { 0.25 }

  /// Runs until the end of the table.
  ///
  /// - Returns: the reason why nearly all rows of this run were refused; nil if there is none.
  func run(from table: TableReader, into files: MigrationFiles) throws(Failure) -> RefusalReason? {
    var ids = IdentifierTable()
    try files.forEachCommittedID { ids.addCommitted($0) }
    let workers = try Workers(work, count: jobs)
    let begin = Progress.now
    var (progress, lastCommit, isAtEnd) = (Progress(), begin, false)
    /// Rows that were given to the workers, and rows that were written.
    var (given, written) = (0, 0)
    var reasons: [RefusalReason: Int] = [:]
    while true {
      while !isAtEnd, !workers.isFull, wait(afterRows: given, since: begin) <= 0 {
        guard let batch = try nextBatch(of: table, &ids, isAtEnd: &isAtEnd) else { break }
        given += batch.rows.count
        workers.give(batch)
      }
      if isAtEnd, workers.isEmpty { break }
      let pause = isAtEnd || workers.isFull ? nil : max(wait(afterRows: given, since: begin), 0.001)
      // A thread of its own does nothing while no row may be taken.
      if workers.isEmpty, let pause { usleep(UInt32(min(pause, 0.25) * 1e6)) }
      if let batch = workers.isEmpty ? nil : workers.next(waiting: pause.map { min($0, 0.25) }) {
        if let failure = batch.failure {
          progress.end()
          try files.commit(isLast: false)
          throw failure
        }
        try files.write(batch)
        written += batch.rows.count
        reasons.merge(batch.reasons, uniquingKeysWith: +)
      }
      if Progress.now - lastCommit >= Self.secondsBetweenCommits {
        try files.commit(isLast: false)
        lastCommit = Progress.now
      }
      progress.tell(rows: written, refused: files.refusedRows, part: table.partRead)
    }
    progress.end()
    if table.mayBeCutOff {
      writeMessage("keyboard: warning: the table does not end with a newline. Check that its end was not cut off.\n")
    }
    if ids.notMet > 0 {
      writeMessage("keyboard: warning: \(ids.notMet) rows of earlier runs are not in the table any more.\n")
    }
    workers.end()
    try files.commit(isLast: true)
    return reasons.first { $0.value * 10 >= written * 9 }?.key
  }

  /// How many seconds must pass before the next batch; at most 0 if none.
  private func wait(afterRows rows: Int, since begin: Double) -> Double {
    guard let rate else { return 0 }
    return begin + Double(rows) / Double(rate) - Progress.now
  }

  /// Reads rows that no earlier run has committed. With a limit, a batch is at most a quarter of a second's rows.
  ///
  /// - Returns: nil at the end of the table.
  private func nextBatch(
    of table: TableReader, _ ids: inout IdentifierTable, isAtEnd: inout Bool
  ) throws(Failure) -> RowBatch? {
    let size = min(work.batchSize, rate.map { max($0 / 4, 1) } ?? .max)
    let batch = RowBatch()
    while batch.rows.count < size {
      guard let row = try table.next() else {
        isAtEnd = true
        break
      }
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      if let fault = row.fault {
        let admission = RowFingerprint.withID(of: row.fingerprint[...]) { ids.admit($0) }
        if case .done = admission { continue }
        batch.add(line: row.line, id: none, text: none, refusal: fault, fingerprint: row.fingerprint)
        continue
      }
      switch ids.admit(row.id) {
      case .done: continue
      case .first: batch.add(line: row.line, id: row.id, text: row.text)
      case .duplicate: batch.add(line: row.line, id: row.id, text: none, refusal: .duplicate)
      }
    }
    return batch.rows.isEmpty ? nil : batch
  }
}
