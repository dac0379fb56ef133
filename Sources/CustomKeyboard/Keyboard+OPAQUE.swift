// OPAQUE's client for Swift: two steps, the second of which consumes the first.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import KeyboardMemory
  public import KeyboardOPAQUE

  extension Keyboard {
    /// Begins a registration of what is typed.
    ///
    ///     let registration = try keyboard.beginRegistration()
    ///     let response = try await send(registration.request)
    ///     let new = try await registration.finish(with: response.span)
    ///     _ = try await send(new.record)
    ///
    /// The keyboard has one step: another one, a change of what is typed, `clear` and `close` end it.
    ///
    /// - Throws: `.operationDisabled` while the keyboard is not open; `.refused` for a PIN that was received in a PIN
    ///   block; `.memory`, `.random`. A step that was begun before then stays.
    /// - Timing: depends on the length of what is typed only.
    /// - Source: RFC 9807 §5.2.1.
    /// - C: `CustomKeyboard_opaqueRegister`.
    public func beginRegistration() throws(KeyboardError) -> OPAQUE.Registration {
      OPAQUE.Registration(step: try OPAQUE.Step(.registration, of: self))
    }

    /// Begins a login with what is typed.
    ///
    ///     let login = try keyboard.beginLogin()
    ///     let ke2 = try await send(login.ke1)
    ///     let session = try await login.finish(with: ke2.span)
    ///     _ = try await send(session.ke3)
    ///
    /// The keyboard has one step: another one, a change of what is typed, `clear` and `close` end it.
    ///
    /// - Throws: as `beginRegistration`.
    /// - Timing: depends on the length of what is typed only.
    /// - Source: RFC 9807 §6.2.1, §6.4.3.
    /// - C: `CustomKeyboard_opaqueLogin`.
    public func beginLogin() throws(KeyboardError) -> OPAQUE.Login {
      OPAQUE.Login(step: try OPAQUE.Step(.login, of: self))
    }
  }

  extension OPAQUE {
    /// A begun registration. What it keeps is in the keyboard's locked memory, and is wiped when this value ends.
    public struct Registration: ~Copyable, Sendable {
      fileprivate let step: Step

      /// 32 bytes, for the server.
      public var request: [UInt8] { step.message }

      /// Ends the registration. It takes Argon2id's time and memory, so do not call this on the thread that draws.
      ///
      /// The registration is over, whatever this throws: begin another one.
      ///
      /// - Parameters:
      ///   - response: 64 bytes, from the server. The last 32 are its public key, which an app that knows it compares.
      ///   - terms: as at a login.
      /// - Returns: the record for the server, and a key.
      /// - Throws: `.operationDisabled` if the keyboard is not open, or if something else was typed or begun meanwhile;
      ///   `.undecryptable` for every fault of the response; `.memory`, `.random`.
      /// - Timing: about 20 ms with the usual costs; depends on the password only where Argon2id does.
      /// - Source: RFC 9807 §5.2.3; RFC 9106.
      /// - C: `CustomKeyboard_opaqueRecord`.
      public consuming func finish(
        with response: Span<UInt8>, terms: Terms = Terms()
      ) throws(KeyboardError) -> NewRecord { try end(with: response, terms) }

      /// As the other `finish`, without holding up the caller's executor.
      @concurrent public consuming func finish(
        with response: Span<UInt8>, terms: Terms = Terms()
      ) async throws(KeyboardError) -> NewRecord { try end(with: response, terms) }

      private borrowing func end(with response: Span<UInt8>, _ terms: Terms) throws(KeyboardError) -> NewRecord {
        var exportKey = try SecretBytes(capacity: OPAQUE.keySize)
        let record = try OPAQUE.message(of: OPAQUE.recordSize) { record throws(KeyboardError) in
          try exportKey.extend { exportKey throws(KeyboardError) in
            try response.withUnsafeBytes { response throws(KeyboardError) in
              try terms.lend { terms throws(KeyboardError) in
                _ = try step.keyboard.keyboardHandle.endRegistration(
                  step.number, response, terms: terms, into: record, exportKey: exportKey.baseAddress!)
              }
            }
            return exportKey.count
          }
        }
        return NewRecord(record: record, exportKey: exportKey)
      }
    }

    /// What a registration ends with. Frozen, so that a program can take the two apart.
    @frozen public struct NewRecord: ~Copyable, Sendable {
      /// 192 bytes, for the server.
      public let record: [UInt8]
      /// 64 bytes, which only the client ever has: the same at each login until the next registration.
      public let exportKey: SecretBytes
    }

    /// A begun login. What it keeps is in the keyboard's locked memory, and is wiped when this value ends.
    public struct Login: ~Copyable, Sendable {
      fileprivate let step: Step

      /// 96 bytes, for the server.
      public var ke1: [UInt8] { step.message }

      /// Ends the login. It takes Argon2id's time and memory, so do not call this on the thread that draws.
      ///
      /// The login is over, whatever this throws. Never begin another one by yourself: a server, or who plays it, tries
      /// one password each time.
      ///
      /// - Parameters:
      ///   - ke2: 320 bytes, from the server.
      ///   - terms: as the server has them, and as at the registration.
      /// - Returns: KE3 for the server, and two keys.
      /// - Throws: `.operationDisabled` if the keyboard is not open, or if something else was typed or begun meanwhile;
      ///   `.mismatch` for another password, other terms, another server, and every fault of KE2; `.memory`.
      /// - Timing: about 20 ms with the usual costs, the same for every fault of 320 bytes; depends on the password
      ///   only where Argon2id does.
      /// - Source: RFC 9807 §6.2.3, §6.3.2.3, §6.4.3; RFC 9106.
      /// - C: `CustomKeyboard_opaqueFinish`.
      public consuming func finish(
        with ke2: Span<UInt8>, terms: Terms = Terms()
      ) throws(KeyboardError) -> ClientSession { try end(with: ke2, terms) }

      /// As the other `finish`, without holding up the caller's executor.
      @concurrent public consuming func finish(
        with ke2: Span<UInt8>, terms: Terms = Terms()
      ) async throws(KeyboardError) -> ClientSession { try end(with: ke2, terms) }

      private borrowing func end(with ke2: Span<UInt8>, _ terms: Terms) throws(KeyboardError) -> ClientSession {
        var sessionKey = try SecretBytes(capacity: OPAQUE.keySize)
        var exportKey = try SecretBytes(capacity: OPAQUE.keySize)
        let ke3 = try OPAQUE.message(of: OPAQUE.ke3Size) { ke3 throws(KeyboardError) in
          try sessionKey.extend { sessionKey throws(KeyboardError) in
            try exportKey.extend { exportKey throws(KeyboardError) in
              try ke2.withUnsafeBytes { ke2 throws(KeyboardError) in
                try terms.lend { terms throws(KeyboardError) in
                  _ = try step.keyboard.keyboardHandle.endLogin(
                    step.number, ke2, terms: terms, into: ke3, sessionKey: sessionKey.baseAddress!,
                    exportKey: exportKey.baseAddress!)
                }
              }
              return exportKey.count
            }
            return sessionKey.count
          }
        }
        return ClientSession(ke3: ke3, sessionKey: sessionKey, exportKey: exportKey)
      }
    }

    /// What a login ends with. Frozen, so that a program can take the three apart.
    @frozen public struct ClientSession: ~Copyable, Sendable {
      /// 64 bytes, for the server.
      public let ke3: [UInt8]
      /// 64 bytes, which the server has, too, once it has checked KE3.
      public let sessionKey: SecretBytes
      /// 64 bytes, which only the client ever has: the same as at the registration.
      public let exportKey: SecretBytes
    }

    /// A step of a keyboard, which is wiped there when this ends.
    struct Step: ~Copyable, Sendable {
      let keyboard: Keyboard
      let number: UInt32
      let message: [UInt8]

      init(_ step: BegunStep, of keyboard: Keyboard) throws(KeyboardError) {
        var number: UInt32 = 0
        message = try OPAQUE.message(of: step.messageSize) { message throws(KeyboardError) in
          number = try keyboard.keyboardHandle.begin(step, into: message)
        }
        (self.keyboard, self.number) = (keyboard, number)
      }

      deinit { keyboard.keyboardHandle.forgetStep(number) }
    }
  }
#endif
