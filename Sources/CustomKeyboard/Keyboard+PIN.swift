// PIN blocks and keys of DUKPT, for Swift.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardCipher
import KeyboardMemory
@_exported public import KeyboardPIN

extension Keyboard {
  /// Sets the key that PIN blocks are encrypted with by `getText`. It is kept when the keyboard is closed, until
  /// another key is set. The context of a block is the account number: 10…19 ASCII digits; of format 1 there is none.
  ///
  /// - Parameters:
  ///   - key: 16 or 24 bytes (3DES); of format 4 16, 24 or 32 (AES).
  ///   - format: the format.
  /// - Throws: `.operationDisabled` while the keyboard is open; `.key` for a wrong length, and for a key of 3DES that
  ///   is one of DES (K1 = K2 or K2 = K3); `.memory`, `.random`. The old key then stays.
  /// - Timing: depends on `key.count` and the verdict only.
  /// - Source: ISO 9564-1:2017.
  /// - C: `CustomKeyboard_setEncKey`.
  public func setEncKey(_ key: Span<UInt8>, pinBlock format: PINBlockFormat) throws(KeyboardError) {
    try key.withUnsafeBytes { key throws(KeyboardError) in try keyboardHandle.setEncKey(key, way: .pin(format)) }
  }

  /// Opens an idle keyboard with the PIN of a block, as if it had been typed there. Until `close`, `getText` then makes
  /// only PIN blocks, and of a PIN that was bound to an account number only blocks that are bound to the same.
  ///
  /// - Parameters:
  ///   - block: an encrypted PIN block.
  ///   - format: the format, from your own record, never from the message: an attacker who chooses it can find out
  ///     PINs.
  ///   - key: of a length that the format takes.
  ///   - accountNumber: 10…19 ASCII digits, from your own record; empty for format 1.
  /// - Throws: `.operationDisabled` while the keyboard is open; `.key` for the key or the account number;
  ///   `.undecryptable` for every fault of the block, its length included; `.memory`, `.random`. The keyboard is then
  ///   idle.
  /// - Timing: 3DES looks up tables, and AES does if the processor has no AES instructions. Nothing else depends on key
  ///   or PIN, up to the verdict.
  /// - Source: ISO 9564-1:2017.
  /// - C: `CustomKeyboard_receive`.
  public func receive(
    _ block: Span<UInt8>, pinBlock format: PINBlockFormat, key: Span<UInt8>, accountNumber: Span<UInt8>
  ) throws(KeyboardError) {
    try block.withUnsafeBytes { block throws(KeyboardError) in
      try key.withUnsafeBytes { key throws(KeyboardError) in
        try accountNumber.withUnsafeBytes { context throws(KeyboardError) in
          try keyboardHandle.receive(block, way: .pin(format), key: key, context: context)
        }
      }
    }
  }

  /// Sets the idle keyboard's key to the next one of a terminal, which erases it. The first `getText` that succeeds
  /// wipes it, and so does `close`.
  ///
  /// Write the terminal's bytes to where they are kept, and sync them, before you open the keyboard. Threads that share
  /// a terminal hold a lock of their own until they are written.
  ///
  /// - Parameters:
  ///   - terminal: the terminal's registers.
  ///   - format: 4 for working keys of AES, 0, 1 or 3 for those of 3DES.
  /// - Returns: the key serial number, which goes to the host with the block.
  /// - Throws: `.argument` if the working keys are not for this format; `.operationDisabled` while the keyboard is
  ///   open; `.damaged`; `.refused` if all keys were used; `.memory`, `.random`. Nothing has then changed.
  /// - Timing: depends on the scheme and the counter; 3DES looks up tables.
  /// - Source: ANSI X9.24-1:2009, X9.24-3:2017.
  /// - C: `CustomKeyboard_dukptNext`.
  public func setNextKey(
    of terminal: borrowing DUKPTTerminal, pinBlock format: PINBlockFormat
  ) throws(KeyboardError) -> [UInt8] {
    var number = [UInt8](repeating: 0, count: 12)
    var span = number.mutableSpan
    let count = try span.withUnsafeMutableBytes { number throws(KeyboardError) in
      try terminal.withDevice { device throws(KeyboardError) in
        try keyboardHandle.setNextKey(of: device, for: format, number: number)
      }
    }
    return Array(number[..<count])
  }
}

extension DUKPTDevice {
  /// A slot holds a terminal's registers, or one key.
  fileprivate static let slots = SecureSlots(byteCount: DUKPTDevice.byteCount)
}

/// A terminal's registers of DUKPT, in locked memory that is wiped when this value ends.
///
/// The value is not copied on purpose: a copy would use keys twice.
///
/// - C: `CUSTOM_DUKPT_DEVICE`, whose bytes these are.
public struct DUKPTTerminal: ~Copyable, Sendable {
  private let slot: SecureSlot

  /// Loads a terminal with the future keys of an initial key, which is not kept.
  ///
  /// - Parameters:
  ///   - scheme: of both ends.
  ///   - initialKey: of a length that the scheme accepts.
  ///   - serialNumber: the key serial number, with a counter of 0.
  /// - Throws: `.key` for a wrong length of key or number, or another counter; `.memory`.
  /// - Timing: depends on the scheme and the lengths; 3DES looks up tables.
  /// - Source: ANSI X9.24-1:2009, X9.24-3:2017.
  /// - C: `CustomKeyboard_dukptLoad`.
  public init(
    _ scheme: DUKPTScheme, initialKey: Span<UInt8>, serialNumber: Span<UInt8>
  ) throws(KeyboardError) {
    try self.init { device throws(KeyboardError) in
      try initialKey.withUnsafeBytes { key throws(KeyboardError) in
        try serialNumber.withUnsafeBytes { number throws(KeyboardError) in
          _ = try makeDUKPT(.device, scheme, of: key, for: number, into: device)
        }
      }
    }
  }

  /// Takes the bytes of a terminal that were kept. Whether they are whole is seen when a key is taken.
  ///
  /// - Parameter bytes: `DUKPTDevice.byteCount` bytes.
  /// - Throws: `.argument` for another length; `.memory`.
  public init(bytes: Span<UInt8>) throws(KeyboardError) {
    guard bytes.count == DUKPTDevice.byteCount else { throw .argument(.noDevice) }
    try self.init { device throws(KeyboardError) in bytes.withUnsafeBytes { device.copyMemory(from: $0) } }
  }

  private init(_ fill: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Void) throws(KeyboardError) {
    let slot = try DUKPTDevice.slots.allocate()
    do throws(KeyboardError) {
      let memory = DUKPTDevice.slots.pin(slot)!
      defer { DUKPTDevice.slots.unpin(slot) }
      try fill(UnsafeMutableRawBufferPointer(start: memory, count: DUKPTDevice.byteCount))
    } catch {
      DUKPTDevice.slots.release(slot)
      throw error
    }
    self.slot = slot
  }

  deinit { DUKPTDevice.slots.release(slot) }

  /// Lends the bytes, which are secret: write them to a vault, for example, and copy them nowhere else.
  ///
  /// - Parameter body: gets `DUKPTDevice.byteCount` bytes, which exist until it returns.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let memory = DUKPTDevice.slots.pin(slot)!  // This is the only owner: the slot lives as long as it does.
    defer { DUKPTDevice.slots.unpin(slot) }
    let bytes = UnsafeRawBufferPointer(start: memory, count: DUKPTDevice.byteCount)
    return try body(bytes.bindMemory(to: UInt8.self).span)
  }

  func withDevice<Result>(
    _ body: (UnsafeMutableRawPointer) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    let memory = DUKPTDevice.slots.pin(slot)!
    defer { DUKPTDevice.slots.unpin(slot) }
    return try body(memory)
  }
}

/// Makes a key of DUKPT in locked memory, lends it, and wipes it.
///
/// - Parameters:
///   - product: `initialKey` or `transactionKey`.
///   - scheme: of both ends.
///   - baseKey: the base derivation key, of a length that the scheme accepts.
///   - serialNumber: the key serial number: the terminal's, or that of the transaction.
///   - body: gets the key, which exists until it returns.
/// - Returns: what `body` returns.
/// - Throws: `.key` for a wrong length of key or number, or a counter that no transaction has; `.memory`; what `body`
///   throws.
/// - Timing: depends on the scheme, the lengths and the counter; 3DES looks up tables.
/// - Source: ANSI X9.24-1:2009, X9.24-3:2017.
/// - C: `CustomKeyboard_dukptInitialKey`, `CustomKeyboard_dukptKey`.
public func withDUKPTKey<Result: ~Copyable>(
  _ product: DUKPTProduct, _ scheme: DUKPTScheme, of baseKey: Span<UInt8>, for serialNumber: Span<UInt8>,
  _ body: (Span<UInt8>) throws(KeyboardError) -> Result
) throws(KeyboardError) -> Result {
  guard product != .device else { throw .argument(.deviceKey) }
  let slot = try DUKPTDevice.slots.allocate()
  defer { DUKPTDevice.slots.release(slot) }
  let memory = DUKPTDevice.slots.pin(slot)!
  defer { DUKPTDevice.slots.unpin(slot) }
  let space = UnsafeMutableRawBufferPointer(start: memory, count: 32)
  let count = try baseKey.withUnsafeBytes { key throws(KeyboardError) in
    try serialNumber.withUnsafeBytes { number throws(KeyboardError) in
      try makeDUKPT(product, scheme, of: key, for: number, into: space)
    }
  }
  let key = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(space)[..<count])
  return try body(key.bindMemory(to: UInt8.self).span)
}
