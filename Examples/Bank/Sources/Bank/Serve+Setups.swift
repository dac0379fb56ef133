// How a bank that starts finds the setups of OPAQUE that its records were made with, and goes on with no others.
// SPDX-License-Identifier: Apache-2.0

import Logging

extension Serve {
  func makeSetups(_ ledger: Ledger, _ log: Logger) async throws -> LoginSetups {
    let file = KeyFile(path: folders.opaqueSetup ?? data.data + "/opaque.setup")
    let secondFile = KeyFile(path: folders.secondOpaqueSetup ?? data.data + "/second-opaque.setup")
    let noted = try await ledger.setupInUse()
    let second = secondFile.exists ? try LoginSetup(secondFile) : nil
    try withLock {
      guard !file.exists else { return }
      guard noted == nil || noted == second?.id else {
        throw Failure(
          """
          \(file.path) is missing, and records of OPAQUE need it. Put the file back, from the backup of the keys or \
          from another server.
          """)
      }
      try LoginSetup.make(file)
    }
    let first = try LoginSetup(file)
    guard first.id != second?.id else { throw Failure("\(secondFile.path) is the same setup as \(file.path).") }
    let ours = [first, second].compactMap(\.self)
    let other = Failure("\(file.path) is not the setup of this database. Put the right file there.")
    guard noted == nil || ours.contains(where: { $0.id == noted }) else { throw other }
    let lost = try await ledger.countRecords(underOtherSetupsThan: ours.map(\.id))
    guard lost == 0 else {
      throw Failure(
        """
        \(lost) accounts have a record of an older setup. Put that setup back, as \(secondFile.path), until these \
        people have logged in; or forget their records, with `bank passcodes --forget-older`.
        """)
    }
    let inUse = try await ledger.use(setup: first.id, insteadOf: noted ?? first.id)
    // If the first has been replaced by the second, the two files are in the old order.
    guard let current = ours.first(where: { $0.id == inUse }) else { throw other }
    for warning in [file, secondFile].compactMap({ $0.exposure() }) { log.warning("\(warning)") }
    var replaced: LoginSetup?
    for setup in ours where try await ledger.wasReplaced(setup: setup.id) { replaced = setup }
    return LoginSetups(ours, current: current, replaced: replaced)
  }
}
