// What a begun registration or login keeps in the keyboard's slot until its second step.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory
import KeyboardOPAQUE

extension KeyboardState {
  /// The blind and the private keyshare, masked; and KE1, which was sent.
  private var stepSecret: MaskedBytes {
    MaskedBytes(at: memory + Place.step.lowerBound, capacity: OPAQUEClient.secretSize)
  }
  private var stepMessage: UnsafeMutableRawPointer {
    memory + Place.step.lowerBound + MaskedBytes.byteCount(capacity: OPAQUEClient.secretSize)
  }

  /// Bytes of a slot.
  static var stepByteCount: Int { MaskedBytes.byteCount(capacity: OPAQUEClient.secretSize) + OPAQUE.ke1Size }

  /// Begins a registration or a login of what is typed. Wipes what it leaves by itself, up to the registers.
  ///
  /// - Returns: the step's number.
  /// - Throws: `.operationDisabled`, `.refused`, `.spaceTooSmall`, `.memory`, `.random`. A step that was begun before
  ///   then stays.
  func begin(_ step: BegunStep, into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> UInt32 {
    try checkOpen()
    #if !arch(wasm32)  // A page has no PIN blocks.
      try checkTranslation()
    #endif
    guard space.count >= step.messageSize else { throw .spaceTooSmall(needed: step.messageSize) }
    let client = try OPAQUEClient()
    try Residue.wiped(.ownStack) { () throws(KeyboardError) in
      try client.draw()
      let length = Int(header.pointee.passwordLength)
      password.unmask(count: length, into: client.password)
      client.begin(passwordLength: length)
      // The last that can fail.
      try stepSecret.reset()
      stepSecret.store(UnsafeRawBufferPointer(start: client.step, count: OPAQUEClient.secretSize), at: 0)
    }
    stepMessage.copyMemory(from: client.ke1, byteCount: OPAQUE.ke1Size)
    noteStep(step.rawValue)
    space.baseAddress!.copyMemory(from: client.ke1, byteCount: step.messageSize)
    guard !wasEmptied else {
      // The child of a fork in the middle: a part of the message is zero.
      wipe(space.baseAddress!, byteCount: step.messageSize)
      throw .operationDisabled(.notOpen)
    }
    return header.pointee.stepNumber
  }

  /// Which step this is, so that its end finds no other one.
  ///
  /// - Throws: `.operationDisabled` unless it was begun for what is typed now.
  func number(of step: BegunStep) throws(KeyboardError) -> UInt32 {
    try checkOpen()
    guard header.pointee.stepCode == step.rawValue else { throw .operationDisabled(.noStep) }
    return header.pointee.stepNumber
  }

  /// Takes the blind back from the server's answer. The keyboard's copies stay.
  ///
  /// - Returns: all ones if the answer's element is accepted; otherwise 0.
  func takeAnswer(_ client: borrowing OPAQUEClient) throws(KeyboardError) -> UInt64 {
    client.ke1.copyMemory(from: stepMessage, byteCount: OPAQUE.ke1Size)
    return try Residue.wiped(.ownStack) { () throws(KeyboardError) in
      let length = Int(header.pointee.passwordLength)
      password.unmask(count: length, into: client.password)
      stepSecret.unmask(count: OPAQUEClient.secretSize, into: client.step)
      return client.takeAnswer(passwordLength: length)
    }
  }

  /// Wipes what a step keeps, if one was begun: its end, and each change of what is typed.
  func forgetStep() {
    guard header.pointee.stepCode != 0 else { return }
    wipe(memory + Place.step.lowerBound, byteCount: Self.stepByteCount)
    noteStep(0)
  }

  #if !hasFeature(Embedded)
    /// The same for one step, unless it is over.
    func forgetStep(_ number: UInt32) {
      if header.pointee.stepNumber == number { forgetStep() }
    }
  #endif

  private func noteStep(_ code: UInt8) {
    header.pointee.stepCode = code
    header.pointee.stepNumber &+= 1
  }
}
