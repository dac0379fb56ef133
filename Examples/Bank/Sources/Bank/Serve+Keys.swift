// How a bank that starts finds the keys that its database was made with, and goes on with no others.
// SPDX-License-Identifier: Apache-2.0

import Logging

extension Serve {
  func makeKeys(_ ledger: Ledger, _ log: Logger) async throws -> BankKeys {
    let folder = data.data
    func file(_ path: String?, _ name: String) -> KeyFile { KeyFile(path: path ?? folder + "/" + name) }
    let files = KeyFiles(
      recipient: RecipientFiles(
        privateKey: file(folders.recipientKey, "recipient.key"), publicKey: file(folders.publicKey, "recipient.pub")),
      second: RecipientFiles(
        privateKey: file(folders.secondKey, "second.key"), publicKey: file(folders.secondPublicKey, "second.pub")),
      masterKey: file(folders.masterKey, "master.key"),
      secondMasterKey: file(folders.secondMasterKey, "second-master.key"))
    let noted = try await ledger.masterInUse()
    // Accounts of a bank that has noted no master key yet count as well.
    let hasAccounts = try await ledger.hasAccounts()
    let keys = try withLock {
      try BankKeys(files, way: folders.way) { second in
        noted == nil ? !hasAccounts : noted == second?.id
      }
    }
    guard noted != nil || !hasAccounts || keys.secondMaster == nil else {
      throw Failure("Start the bank once with its old master key alone: the database does not know it yet.")
    }
    try await use(keys, files, ledger, log)
    let secrets = [
      KeyFile(path: folder), files.recipient.privateKey, files.second.privateKey, files.masterKey,
      files.secondMasterKey,
    ]
    for warning in secrets.compactMap({ $0.exposure() }) { log.warning("\(warning)") }
    return keys
  }

  /// Notes the master key, if the one in use before is here as well, or was this one.
  private func use(_ keys: BankKeys, _ files: KeyFiles, _ ledger: Ledger, _ log: Logger) async throws {
    let first = try await ledger.firstMaster(keys.master.id)
    let inUse = try await ledger.masterInUse() ?? first
    let ours = [keys.master.id, keys.secondMaster?.id].compactMap(\.self)
    let other = Failure(
      """
      \(files.masterKey.path) is not the master key of this database. With it, every right passcode would be wrong, \
      and would lock its owner. Put the right file there.
      """)
    guard ours.contains(inUse) else { throw other }
    let lost = try await ledger.countVerifiers(underOtherMastersThan: ours)
    guard lost == 0 else {
      throw Failure(
        """
        \(lost) accounts have a passcode that was stored with an older master key. Put that key back, as \
        \(files.secondMasterKey.path), until these people have logged in; or forget their passcodes, with \
        `bank passcodes --forget-older`.
        """)
    }
    guard inUse != keys.master.id else { return }
    let now = try await ledger.replaceMaster(inUse, with: keys.master.id)
    if now == keys.master.id { return }
    // Another server may have begun to use a third key just now.
    guard let now, ours.contains(now) else { throw other }
    log.warning(
      """
      \(files.masterKey.path) has been replaced by \(files.secondMasterKey.path). Exchange the two files and start \
      again: passcodes that are stored until then count as older ones.
      """)
  }
}
