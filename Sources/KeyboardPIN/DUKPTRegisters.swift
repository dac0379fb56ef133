// What happens inside a terminal's device, in locked memory.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardMemory
import KeyboardSHA2

/// A copy of a device in a workspace, where the next transaction's key is made.
///
///     0          1152   1184      1200
///     ├ device ──┼ key ─┼ its KSN ┼─ what the derivations and SHA-256 work on ─┤
package struct DUKPTRegisters: ~Copyable {
  package let workspace: Workspace

  /// - Throws: `.memory`.
  package init() throws(KeyboardError) {
    bindPINBlocks()
    workspace = try Workspace(.sealedText, using: Own.end)
  }

  private typealias Place = DUKPTDevice.Place

  /// Where our own parts are.
  private enum Own {
    static var key: Int { DUKPTDevice.byteCount }
    static var usedNumber: Int { key + DUKPTKeys.longestKey }
    static var work: Int { usedNumber + 16 }
    static var end: Int {
      work + max(DUKPTKeys.byteCount, SHA256.digestSize + SHA256.byteCount)
    }
  }

  var device: UnsafeMutableRawPointer { workspace.memory }
  private var work: UnsafeMutableRawPointer { workspace.memory + Own.work }
  /// The base key or the initial key at first; then what is derived from it.
  package var key: UnsafeMutableRawPointer { workspace.memory + Own.key }
  /// The key serial number of a transaction's key, of `scheme.serialNumberSize` bytes.
  package var usedNumber: UnsafeMutableRawPointer { workspace.memory + Own.usedNumber }

  private func byte(_ place: Int) -> UInt8 { device.load(fromByteOffset: place, as: UInt8.self) }
  private func register(_ index: Int) -> UnsafeMutableRawPointer {
    device + Place.registers + DUKPTKeys.longestKey &* index
  }

  // MARK: In and out

  /// Copies a device of the caller's, which another thread may change. Its lock is held until it is written.
  package func copy(device given: UnsafeRawPointer) {
    device.copyMemory(from: given, byteCount: DUKPTDevice.byteCount)
  }

  /// Writes the device to the caller's memory. Its lock is held.
  ///
  /// - Returns: false if a fork emptied the copy before all of it was written. This is then the child, and its device
  ///   is as it was, or all zero if the writing had begun.
  package func write(to given: UnsafeMutableRawPointer) -> Bool {
    guard !workspace.wasEmptied else { return false }
    given.copyMemory(from: device, byteCount: DUKPTDevice.byteCount)
    guard workspace.wasEmptied else { return true }
    wipe(given, byteCount: DUKPTDevice.byteCount)
    return false
  }

  // MARK: What a device says

  /// Whether nothing was ever loaded.
  package var isBlank: Bool {
    var sum: UInt64 = 0
    for place in stride(from: 0, to: DUKPTDevice.byteCount, by: 8) {
      sum |= device.load(fromByteOffset: place, as: UInt64.self)
    }
    return ConstantTime.isZero(sum)
  }

  /// The scheme of the device; nil if it was damaged, or is of another version.
  ///
  /// - Timing: constant up to the answer.
  package var scheme: DUKPTScheme? {
    guard device.load(as: UInt64.self) == DUKPTDevice.magic.bigEndian, byte(Place.version) == DUKPTDevice.version,
      let scheme = DUKPTScheme(code: UInt32(byte(Place.scheme))),
      scheme.acceptsKey(byteCount: Int(byte(Place.keyLength)))
    else { return nil }
    makeSum()
    var difference: UInt64 = 0
    for place in stride(from: 0, to: SHA256.digestSize, by: 8) {
      difference |=
        work.load(fromByteOffset: place, as: UInt64.self)
        ^ device.load(fromByteOffset: Place.sum + place, as: UInt64.self)
    }
    return ConstantTime.isZero(difference) ? scheme : nil
  }

  /// Whether all transactions were used, of a device whose checksum is right.
  package func isUsedUp(_ scheme: DUKPTScheme) -> Bool { number(scheme).counter == 0 }

  private func number(_ scheme: DUKPTScheme) -> KeySerialNumber { KeySerialNumber(device + Place.number, scheme) }

  /// Leaves the sum of the device in `work`.
  private func makeSum() {
    let sum = SHA256(at: work + SHA256.digestSize)
    sum.absorb(device, count: Place.sum)
    sum.finish(into: work)
  }

  // MARK: The host's keys

  /// Replaces the base key in `key` with the initial key.
  func makeInitialKey(_ scheme: DUKPTScheme, keyLength: Int, _ number: KeySerialNumber) {
    DUKPTKeys(scheme, keyLength: keyLength, at: work).make(.initialKey, of: key, for: number.identifier, into: key)
  }

  /// Replaces the base key in `key` with the PIN encryption key of a transaction: one derivation for each bit of the
  /// counter, from the highest to the lowest.
  func makeTransactionKey(_ scheme: DUKPTScheme, keyLength: Int, _ number: KeySerialNumber) {
    makeInitialKey(scheme, keyLength: keyLength, number)
    let keys = DUKPTKeys(scheme, keyLength: keyLength, at: work)
    var (register, left) = (number.register, number.counter)
    while left != 0 {
      let bit = UInt32(1) &<< UInt32(truncatingIfNeeded: 31 &- left.leadingZeroBitCount)
      left ^= bit
      register |= UInt64(bit)
      keys.make(.nextKey, of: key, for: register, into: key)
    }
    keys.make(.pinKey, of: key, for: register, into: key)
  }

  // MARK: The terminal's keys

  /// Makes a new device of the initial key in `key`.
  func load(_ scheme: DUKPTScheme, keyLength: Int, _ number: KeySerialNumber) {
    device.storeBytes(of: DUKPTDevice.magic.bigEndian, as: UInt64.self)
    device.storeBytes(of: DUKPTDevice.version, toByteOffset: Place.version, as: UInt8.self)
    device.storeBytes(of: UInt8(truncatingIfNeeded: scheme.code), toByteOffset: Place.scheme, as: UInt8.self)
    device.storeBytes(of: UInt8(truncatingIfNeeded: keyLength), toByteOffset: Place.keyLength, as: UInt8.self)
    fillRegisters(scheme.counterBits, from: key, scheme, number)
    finish(scheme, number, counter: 1)
  }

  /// Leaves the next transaction's key and serial number in `key` and `usedNumber`, and erases the register that it was
  /// made from. The registers below get their keys from it, unless those would have too many bits.
  @inline(never)
  package func advance(_ scheme: DUKPTScheme) {
    let number = number(scheme)
    let lowest = number.counter.trailingZeroBitCount
    let used = register(lowest)
    usedNumber.copyMemory(from: device + Place.number, byteCount: 12)
    var step: UInt32 = 1
    if number.counter.nonzeroBitCount < scheme.mostBits {
      fillRegisters(lowest, from: used, scheme, number)
    } else {
      step &<<= UInt32(truncatingIfNeeded: lowest)
    }
    let keys = DUKPTKeys(scheme, keyLength: Int(byte(Place.keyLength)), at: work)
    keys.make(.pinKey, of: used, for: number.register | UInt64(number.counter), into: key)
    wipe(used, byteCount: DUKPTKeys.longestKey)
    finish(scheme, number, counter: number.counter &+ step)
  }

  @inline(never)
  private func fillRegisters(
    _ count: Int, from key: UnsafeRawPointer, _ scheme: DUKPTScheme, _ number: KeySerialNumber
  ) {
    let keys = DUKPTKeys(scheme, keyLength: Int(byte(Place.keyLength)), at: work)
    let register = number.register | UInt64(number.counter)
    for i in 0..<count {
      keys.make(
        .nextKey, of: key, for: register | 1 &<< UInt64(truncatingIfNeeded: i), into: self.register(i))
    }
  }

  /// Writes the serial number of the next transaction, and the sum. A counter that has overflowed becomes 0.
  @inline(never)
  private func finish(_ scheme: DUKPTScheme, _ number: KeySerialNumber, counter: UInt32) {
    let place = device + Place.number
    let end = number.register | UInt64(counter & scheme.counterMask)
    place.storeBytes(of: number.identifier.bigEndian, as: UInt64.self)
    place.storeBytes(of: end.bigEndian, toByteOffset: scheme.serialNumberSize &- 8, as: UInt64.self)
    makeSum()
    (device + Place.sum).copyMemory(from: work, byteCount: SHA256.digestSize)
  }
}
