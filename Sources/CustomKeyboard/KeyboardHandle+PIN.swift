// PIN blocks and keys of DUKPT, by a keyboard's number.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardMemory
package import KeyboardPIN

extension KeyboardHandle {
  /// Opens the keyboard, which was idle, with the PIN of a block. The block is decrypted before the keyboard is locked.
  @inline(never)
  func receive(
    _ text: UnsafeRawBufferPointer, format: PINBlockFormat, key: UnsafeRawBufferPointer,
    context: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    guard context.count <= maximumContextLength else { throw .tooLong(.context) }
    try Residue.whole { () throws(KeyboardError) in
      // In the child of a fork in the middle there is no PIN, and no keyboard that is open.
      guard let opened = try decryptToWorkspace(text, format: format, key: key, context: context)
      else { throw .operationDisabled(.notOpen) }
      try receive(
        opened.block.pin, byteCount: opened.count, from: opened.block.workspace, originCode: format.code,
        account: opened.account)
    }
  }

  /// Sets the idle keyboard's key to the next one of a terminal's device, and moves the device on. Calls on one device
  /// wait for each other.
  ///
  /// - Parameters:
  ///   - device: `DUKPTDevice.byteCount` bytes.
  ///   - number: gets the key serial number.
  /// - Returns: the serial number's length.
  /// - Throws: `.argument` for a device of zeros, or one whose keys are not for this format; `.operationDisabled`,
  ///   `.damaged`, `.refused` if all keys were used, `.spaceTooSmall`, `.memory`, `.random`, in this order.
  package func setNextKey(
    of device: UnsafeMutableRawPointer, for format: PINBlockFormat, number: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    try Residue.whole { () throws(KeyboardError) in
      do throws(KeyboardError) {
        let registers = try DUKPTRegisters()
        return try DUKPTDevice.locks.holding(device) { () throws(KeyboardError) in
          try setNextKey(of: device, in: registers, for: format, number: number)
        }
      } catch {
        // Without memory, what the keyboard says comes first all the same.
        if case .memory = error { try checkIdle() }
        throw error
      }
    }
  }

  private func setNextKey(
    of device: UnsafeMutableRawPointer, in registers: borrowing DUKPTRegisters, for format: PINBlockFormat,
    number: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    registers.copy(device: device)
    var (isBlank, isUsedUp, found) = (false, false, DUKPTScheme?.none)
    try Residue.wipedOnce(.ownStack) {
      isBlank = registers.isBlank
      found = registers.scheme
      if let found { isUsedUp = registers.isUsedUp(found) }
    }
    // In the child of a fork in the middle, the copy is gone, and no keyboard has a key.
    guard !registers.workspace.wasEmptied else { throw .operationDisabled(.notOpen) }
    guard !isBlank else { throw .argument(.noDevice) }
    let scheme = found
    if let scheme, scheme.hasAESWorkingKey != (format == .format4) { throw .argument(.deviceKey) }
    try checkIdle()
    guard let scheme else { throw .damaged }
    guard !isUsedUp else { throw .refused(.usedUp) }
    let count = scheme.serialNumberSize
    guard number.count >= count else { throw .spaceTooSmall(needed: count) }
    try Residue.wipedOnce(.ownStack) {
      // Without its key's length, an emptied copy has no schedule for mbedTLS. Here no signal handler can fork.
      if !registers.workspace.wasEmptied { registers.advance(scheme) }
    }
    let used = registers.usedNumber.load(as: (UInt64, UInt64).self)
    try Residue.wiped { () throws(KeyboardError) in
      let key = UnsafeRawBufferPointer(start: registers.key, count: scheme.workingKeySize)
      try withLock { state throws(KeyboardError) in
        guard !registers.workspace.wasEmptied else { throw .operationDisabled(.notOpen) }
        try state.setSingleUseKey(key, for: format)
      }
    }
    // The child of a fork in the middle has no key.
    guard registers.write(to: device) else { throw .operationDisabled(.notOpen) }
    withUnsafeBytes(of: used) { number.baseAddress!.copyMemory(from: $0.baseAddress!, byteCount: count) }
    return count
  }
}
