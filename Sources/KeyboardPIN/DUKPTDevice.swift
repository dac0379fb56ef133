// The terminal's side of DUKPT: registers of keys that will be used later. A used key is erased.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardMemory

/// A terminal's registers, in memory of the caller, who keeps them (in a vault, for example) and wipes them.
///
/// The bytes mean the same in every process, on every machine and in later versions. Numbers are big-endian:
///
///     0       8         9        10           11   12     24          1048    1120      1152
///     ├ magic ┼ version ┼ scheme ┼ key length ┼ 0 ─┼ KSN ─┼ registers ─┼─ 0 ───┼ SHA-256 ┤
///
/// The key serial number is that of the next transaction; a counter of 0 says that all were used. Of the 32 registers
/// (21 with 3DES), number i has the key of the next counter whose lowest set bit is bit i; after that key was used it
/// has zeros, until the transaction that derives the next one. The sum is against accidents: whatever can write the
/// bytes can also make one.
///
/// - C: `CUSTOM_DUKPT_DEVICE`.
public enum DUKPTDevice {
  /// Bytes of memory that a device takes: 1152.
  public static var byteCount: Int { 1152 }

  /// A device's is held by each call that reads or writes it in the caller's memory. Several threads may share a
  /// device: two calls must not get one key, nor write half of it each, nor undo what another one has loaded.
  package static let locks = AddressLocks()

  static var magic: UInt64 { 0x434b_4455_4b50_5400 }  // "CKDUKPT" and 0
  static var version: UInt8 { 1 }

  /// Where the parts are.
  enum Place {
    static var version: Int { 8 }
    static var scheme: Int { 9 }
    static var keyLength: Int { 10 }
    static var number: Int { 12 }
    static var registers: Int { 24 }
    static var sum: Int { byteCount - 32 }
  }
}
