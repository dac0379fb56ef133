// OPAQUE's client on phones. In C a keyboard has one step without a name. Here each has a number, so that the end of a
// step that is over finds no other one.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
package import KeyboardCodes
package import KeyboardOPAQUE
import Synchronization

/// The number of the step that a keyboard has begun last, or of its end.
final class StepNumber: Sendable {
  fileprivate let current = Mutex<UInt32>(0)
}

extension KeyboardHandle {
  /// Begins a registration or a login: `space` gets the request or KE1.
  ///
  /// - Returns: the step's number, by which its end finds it.
  package func begin(_ step: BegunStep, into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> UInt32 {
    try steps.current.withLock { current throws(KeyboardError) in
      var length = 0
      let answer =
        switch step {
        case .registration: CustomKeyboard_opaqueRegister(number, space.bytes, space.count, &length)
        case .login: CustomKeyboard_opaqueLogin(number, space.bytes, space.count, &length)
        }
      try check(answer, needed: length)
      current &+= 1
      return current
    }
  }

  /// Wipes what a step keeps, unless it is over. C has no function for that, but a login is over when it gets an answer
  /// of another length. In place of a registration it gets a login, for that.
  func forgetStep(_ step: UInt32) {
    steps.current.withLock { current in
      guard current == step else { return }
      current &+= 1
      guard !endLoginUnanswered() else { return }
      let ke1 = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: OPAQUE.ke1Size)
      defer { ke1.deallocate() }
      var length = 0
      _ = CustomKeyboard_opaqueLogin(number, ke1.baseAddress, ke1.count, &length)
      _ = endLoginUnanswered()
    }
  }

  /// - Returns: whether there was a login.
  private func endLoginUnanswered() -> Bool {
    let ke3 = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: OPAQUE.ke3Size)
    defer { ke3.deallocate() }
    var length = 0
    return CustomKeyboard_opaqueFinish(number, nil, 0, nil, ke3.baseAddress, ke3.count, &length, nil, nil)
      == CUSTOM_KEYBOARD_MISMATCH
  }

  /// Ends a registration.
  package func endRegistration(
    _ step: UInt32, _ response: UnsafeRawBufferPointer, terms: LentTerms,
    into record: UnsafeMutableRawBufferPointer, exportKey: UnsafeMutableRawPointer
  ) throws(KeyboardError) -> Int {
    try end(step, terms) { terms, length in
      CustomKeyboard_opaqueRecord(
        number, response.bytes, response.count, &terms, record.bytes, record.count, &length,
        exportKey.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Ends a login.
  package func endLogin(
    _ step: UInt32, _ ke2: UnsafeRawBufferPointer, terms: LentTerms, into ke3: UnsafeMutableRawBufferPointer,
    sessionKey: UnsafeMutableRawPointer, exportKey: UnsafeMutableRawPointer
  ) throws(KeyboardError) -> Int {
    try end(step, terms) { terms, length in
      CustomKeyboard_opaqueFinish(
        number, ke2.bytes, ke2.count, &terms, ke3.bytes, ke3.count, &length,
        sessionKey.assumingMemoryBound(to: UInt8.self), exportKey.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Ends a step. C ends the keyboard's latest one, which is this if it is the latest before and afterwards: `begin`
  /// counts with the lock held, and Argon2id takes its time without.
  ///
  /// - Parameter body: calls C with the terms and a place for the length.
  private func end(
    _ step: UInt32, _ terms: LentTerms, _ body: (inout CUSTOM_OPAQUE_TERMS, inout Int) -> CUSTOM_KEYBOARD_RV
  ) throws(KeyboardError) -> Int {
    guard steps.current.withLock({ $0 == step }) else {
      _ = try characterCount()  // A keyboard that is not open says so.
      throw .operationDisabled(.noStep)
    }
    var (inC, length) = (CUSTOM_OPAQUE_TERMS(terms), 0)
    try check(body(&inC, &length), needed: length)
    try steps.current.withLock { current throws(KeyboardError) in
      guard current == step else { throw .operationDisabled(.noStep) }
      current &+= 1
    }
    return length
  }
}

extension CUSTOM_OPAQUE_TERMS {
  fileprivate init(_ terms: LentTerms) {
    self.init(
      size: MemoryLayout<Self>.size, context: terms.context.bytes, contextLength: terms.context.count,
      client: terms.client.bytes, clientLength: terms.client.count, server: terms.server.bytes,
      serverLength: terms.server.count, memoryKiB: UInt32(terms.costs.memorySize),
      passes: UInt32(terms.costs.passCount), lanes: UInt32(terms.costs.laneCount))
  }
}
