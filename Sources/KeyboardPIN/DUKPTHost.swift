// The host's side of DUKPT: it has the base key, and makes any terminal's keys from it.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
import KeyboardMemory

/// What is derived from a base key or an initial key.
@nonexhaustive
public enum DUKPTProduct: Sendable {
  /// The initial key that a terminal is loaded with, of the base key; as long as that.
  case initialKey
  /// The PIN encryption key of one transaction, of the base key; `scheme.workingKeySize` bytes.
  case transactionKey
  /// A terminal's device, of the initial key; `DUKPTDevice.byteCount` bytes.
  case device
}

/// Makes a key or a terminal's device.
///
/// - Parameters:
///   - product: what to make.
///   - scheme: of both ends.
///   - key: the base derivation key (BDK), or for a device the initial key; of a length that the scheme accepts.
///   - serialNumber: the key serial number (KSN). For an initial key, its counter does not matter; for a transaction,
///     it is the number that came with the PIN block; for a device, the counter is 0.
///   - output: gets the product at its beginning; it overlaps no other argument. The caller wipes it.
/// - Returns: how many bytes the product has.
/// - Throws: `.argument` for an overlap, `.key` for a wrong length of key or number, and for a counter that no
///   transaction has: 0, or with more than 10 (3DES) or 16 (AES) bits set; `.spaceTooSmall`, `.memory`, in this order.
///   Nothing is then written.
/// - Timing: depends on the scheme, the lengths and the counter; 3DES looks up tables.
/// - Source: ANSI X9.24-1:2009 annex A; ANSI X9.24-3:2017 §6.
/// - C: `CustomKeyboard_dukptInitialKey`, `CustomKeyboard_dukptKey`, `CustomKeyboard_dukptLoad`.
@inline(never)
public func makeDUKPT(
  _ product: DUKPTProduct, _ scheme: DUKPTScheme, of key: UnsafeRawBufferPointer,
  for serialNumber: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Int {
  let target = UnsafeRawBufferPointer(output)
  guard target.isInMemory, key.isInMemory, serialNumber.isInMemory else { throw .argument(.pastMemory) }
  // A key or number that is too long is refused later. Only these first bytes of it are read.
  guard !key.limited(to: DUKPTKeys.longestKey).overlaps(target), !serialNumber.limited(to: 12).overlaps(target)
  else { throw .argument(.overlap) }
  guard scheme.acceptsKey(byteCount: key.count) else { throw .key(.dukptKeyLength) }
  guard serialNumber.count == scheme.serialNumberSize else { throw .key(.serialNumber) }
  return try Residue.whole { () throws(KeyboardError) in
    try makeOnce(product, scheme, of: key, for: serialNumber, into: output)
  }
}

/// - Returns: nil if a fork emptied the workspace in the middle: the child must start again.
@inline(never)
private func makeOnce(
  _ product: DUKPTProduct, _ scheme: DUKPTScheme, of key: UnsafeRawBufferPointer,
  for serialNumber: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
) throws(KeyboardError) -> Int? {
  let number = KeySerialNumber(serialNumber.baseAddress!, scheme)
  let length: Int
  let isCounter: Bool
  switch product {
  case .initialKey: (length, isCounter) = (key.count, true)
  case .transactionKey: (length, isCounter) = (scheme.workingKeySize, scheme.hasTransaction(number.counter))
  case .device: (length, isCounter) = (DUKPTDevice.byteCount, number.counter == 0)
  }
  guard isCounter else { throw .key(.counter) }
  guard output.count >= length else { throw .spaceTooSmall(needed: length) }
  let registers = try DUKPTRegisters()
  registers.key.copyMemory(from: key.baseAddress!, byteCount: key.count)
  try Residue.wipedOnce(.ownStack) {
    switch product {
    case .initialKey: registers.makeInitialKey(scheme, keyLength: key.count, number)
    case .transactionKey: registers.makeTransactionKey(scheme, keyLength: key.count, number)
    case .device: registers.load(scheme, keyLength: key.count, number)
    }
  }
  guard !registers.workspace.wasEmptied else { return nil }
  guard product != .device else {
    return try DUKPTDevice.locks.holding(output.baseAddress!) { () throws(KeyboardError) in
      registers.write(to: output.baseAddress!) ? length : nil
    }
  }
  output.baseAddress!.copyMemory(from: registers.key, byteCount: length)
  return registers.workspace.wasEmptied ? nil : length
}
