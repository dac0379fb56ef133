// What the tests of OPAQUE need of a server, which the package for phones does not have: C's own functions.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CustomKeyboard

extension OPAQUE {
  struct Setup {
    private var secret = [UInt8](repeating: 0, count: Int(CUSTOM_OPAQUE_SETUPSIZE))

    init() throws(KeyboardError) {
      var (publicKey, lengths) = ([UInt8](repeating: 0, count: 32), (0, 0))
      try check(
        CustomKeyboard_opaqueSetup(&secret, secret.count, &lengths.0, &publicKey, publicKey.count, &lengths.1))
    }

    func respond(to request: Span<UInt8>, account: Span<UInt8>) throws(KeyboardError) -> [UInt8] {
      var (response, length) = ([UInt8](repeating: 0, count: Int(CUSTOM_OPAQUE_RESPONSESIZE)), 0)
      let answer = request.withUnsafeBufferPointer { request in
        account.withUnsafeBufferPointer { account in
          CustomKeyboard_opaqueRespond(
            secret, secret.count, account.baseAddress, account.count, request.baseAddress, request.count, &response,
            response.count, &length)
        }
      }
      try check(answer)
      return response
    }

    func answer(
      to ke1: Span<UInt8>, account: Span<UInt8>, record: [UInt8]?, terms: Terms = Terms()
    ) throws(KeyboardError) -> Answer {
      var (ke2, ke2Length) = ([UInt8](repeating: 0, count: Int(CUSTOM_OPAQUE_KE2SIZE)), 0)
      var (state, stateLength) = ([UInt8](repeating: 0, count: Int(CUSTOM_OPAQUE_STATESIZE)), 0)
      let (record, context, client, server) = (record ?? [], terms.context, terms.client, terms.server)
      let answer = ke1.withUnsafeBufferPointer { ke1 in
        account.withUnsafeBufferPointer { account in
          context.withUnsafeBufferPointer { context in
            client.withUnsafeBufferPointer { client in
              server.withUnsafeBufferPointer { server in
                var terms = CUSTOM_OPAQUE_TERMS(
                  size: MemoryLayout<CUSTOM_OPAQUE_TERMS>.size, context: context.baseAddress,
                  contextLength: context.count, client: client.baseAddress, clientLength: client.count,
                  server: server.baseAddress, serverLength: server.count, memoryKiB: 0, passes: 0, lanes: 0)
                return CustomKeyboard_opaqueAnswer(
                  secret, secret.count, account.baseAddress, account.count, record, record.count, &terms,
                  ke1.baseAddress, ke1.count, &ke2, ke2.count, &ke2Length, &state, state.count, &stateLength)
              }
            }
          }
        }
      }
      try check(answer)
      return Answer(ke2: ke2, state: State(secret: state))
    }
  }

  struct Answer {
    let ke2: [UInt8]
    let state: State
  }

  struct State {
    fileprivate let secret: [UInt8]

    func check(_ ke3: Span<UInt8>) throws(KeyboardError) -> SecretBytes {
      var (key, length) = ([UInt8](repeating: 0, count: Int(CUSTOM_OPAQUE_KEYSIZE)), 0)
      let answer = ke3.withUnsafeBufferPointer { ke3 in
        CustomKeyboard_opaqueCheck(secret, secret.count, ke3.baseAddress, ke3.count, &key, key.count, &length)
      }
      try CustomKeyboardTests.check(answer)
      return try SecretBytes(copying: key.span)
    }
  }
}

extension KeyboardHandle {
  /// Asks whether a step was begun for what is typed. It stays: there is no room for its answer, or there is none.
  ///
  /// - Throws: `.operationDisabled` unless it was.
  func number(of step: BegunStep) throws(KeyboardError) {
    var length = 0
    let answer =
      switch step {
      case .registration: CustomKeyboard_opaqueRecord(number, nil, 0, nil, nil, 0, &length, nil)
      case .login: CustomKeyboard_opaqueFinish(number, nil, 0, nil, nil, 0, &length, nil, nil)
      }
    guard answer != CUSTOM_KEYBOARD_UNDECRYPTABLE, answer != CUSTOM_KEYBOARD_SPACE else { return }
    try check(answer)
  }
}
