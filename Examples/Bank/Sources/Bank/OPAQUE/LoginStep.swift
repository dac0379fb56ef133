// What the bank keeps between two messages of OPAQUE. A client names the step, and nothing else: whose it is, and what
// for, is in the bank's own record.
//
//     login      account, KE1      ──►  step, KE2        log in
//     finish     step, KE3         ──►
//
//     register   account, request  ──►  step, response   open an account; with a session, a new PIN
//     record     step, record, KE1 ──►  step, KE2
//     finish     step, KE3         ──►
//
// A record is stored when a login with it has succeeded. So nobody is left with one that opens nothing, and a PIN that
// was typed twice is compared without leaving the keyboard.
// SPDX-License-Identifier: Apache-2.0

struct LoginStep: Sendable {
  enum Kind: String, Sendable {
    /// Waits for KE3.
    case login
    /// Waits for the record.
    case registration
    /// Waits for KE3 of a login with a new record.
    case confirmation
  }

  /// 16 random bytes.
  let name: [UInt8]
  let kind: Kind
  let account: String
  /// The id of the setup that answers.
  let setup: String
  /// Of a login what the account has; of a registration what the client has made.
  var record: [UInt8] = []
  /// Under a pad.
  var state: [UInt8] = []
  /// Of a registration, the name of the session whose owner asks; nil if it opens an account.
  var owner: String?

  /// Its record, as the database has one.
  var storedRecord: StoredRecord { StoredRecord(setup: setup, record: record) }
}
