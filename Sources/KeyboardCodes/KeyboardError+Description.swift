// What an error says to people: in an alert, in a log, in a debugger.
// SPDX-License-Identifier: Apache-2.0
//
// The C library makes no strings. It has one sentence for each code instead: `KeyboardError.message(forCode:)`.

#if !hasFeature(Embedded)
  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #elseif canImport(Foundation)
    public import Foundation
  #endif

  extension KeyboardError: CustomStringConvertible {
    /// One sentence in English: what is wrong, as exactly as the function knew it, and what to do.
    ///
    /// - C: `CustomKeyboard_message`, which knows the code only.
    public var description: String {
      switch self {
      case .spaceTooSmall(let needed): "The space is too small: \(needed) bytes are needed."
      case .key(let cause): cause.sentence ?? general
      case .operationDisabled(let cause): cause.sentence ?? general
      case .tooLong(let cause): cause.sentence ?? general
      case .argument(let cause): cause.sentence ?? general
      case .undecryptable, .memory, .random, .mismatch, .refused: general
      case .exists, .notFound, .locked, .damaged, .storage, .busy: general
      }
    }

    /// The sentence for every cause.
    private var general: String { "\(Self.message(forCode: code))" }
  }

  extension KeyboardError: CustomDebugStringConvertible {
    /// The case as it is written in Swift, then the description.
    public var debugDescription: String { "KeyboardError.\(name): \(description)" }

    private var name: String {
      switch self {
      case .key(.unspecified): "key"
      case .key(let cause): "key(.\(cause))"
      case .operationDisabled(.unspecified): "operationDisabled"
      case .operationDisabled(let cause): "operationDisabled(.\(cause))"
      case .tooLong(.unspecified): "tooLong"
      case .tooLong(let cause): "tooLong(.\(cause))"
      case .spaceTooSmall(let needed): "spaceTooSmall(needed: \(needed))"
      case .argument(.unspecified): "argument"
      case .argument(let cause): "argument(.\(cause))"
      case .undecryptable: "undecryptable"
      case .memory: "memory"
      case .random: "random"
      case .mismatch: "mismatch"
      case .refused: "refused"
      case .exists: "exists"
      case .notFound: "notFound"
      case .locked: "locked"
      case .damaged: "damaged"
      case .storage: "storage"
      case .busy: "busy"
      }
    }
  }

  #if canImport(FoundationEssentials) || canImport(Foundation)
    extension KeyboardError: LocalizedError {
      /// The description, which `localizedDescription` then shows; in English.
      public var errorDescription: String? { description }
    }
  #endif

  // MARK: - One sentence for each cause

  extension KeyboardError.KeyCause {
    fileprivate var sentence: String? {
      switch self {
      case .unspecified: nil
      case .missing: "No key is set: set one before the keyboard is opened."
      case .length:
        "The key has a wrong length: DES takes 8 bytes, 3DES 16 or 24, SM4 16, X25519 32, P-256 and SM2 65, X-Wing "
          + "1216, to open 32; RSA takes DER, of 2048 to 4096 bits."
      case .value:
        "These bytes are not a key: not a point of the curve, a number out of range, or not a key of RSA in DER."
      case .context: "A context is set, and an ECB text cannot be bound to one: set a key that seals, or no context."
      case .noContext:
        "No context is set: pass the server's challenge to `setContext` after each `close`, or no bytes on purpose."
      case .pem:
        "The key is text, in PEM: pass its bytes, of RSA the DER. `keyboard key --to raw` or `--to der` makes them."
      case .accountNumber:
        "A PIN block takes the card's number, 10 to 19 digits, as its context; format 1 takes none."
      case .serialNumber:
        "The key serial number is wrong: it has 10 bytes with 3DES, 12 with AES; its counter is 0 when it is loaded, "
          + "and afterwards has 1 to 10 bits set with 3DES, 1 to 16 with AES."
      }
    }
  }

  extension KeyboardError.StateCause {
    fileprivate var sentence: String? {
      switch self {
      case .unspecified: nil
      case .open: "The keyboard is open: close it first."
      case .notOpen: "The keyboard is not open: open it first."
      }
    }
  }

  extension KeyboardError.LengthCause {
    fileprivate var sentence: String? {
      switch self {
      case .unspecified: nil
      case .password: "The password is too long: it may have 128 bytes."
      case .ciphertext: "The ciphertext is too long: it may have 144 bytes. Pass it without the bytes around it."
      case .context: "The context is too long: it may have 256 bytes."
      case .pepper: "The pepper is too long: it may have 64 bytes."
      case .ruleText: "The rule's text is too long: it may have 256 bytes."
      case .rules: "There are too many rules: a keyboard may have 16."
      }
    }
  }

  extension KeyboardError.ArgumentCause {
    fileprivate var sentence: String? {
      switch self {
      case .unspecified: nil
      case .noKeyboard: "The keyboard does not exist any more: create a new one."
      case .notUTF8: "The characters are not UTF-8: pass whole characters."
      case .outsideView: "The point is outside the view: compare it with the size that the keyboard was given."
      case .noSuchKey: "The page has no key with this index: ask for the keys again, they change with the page."
      case .maximumCount: "The maximum count is negative: pass 0 for no maximum."
      case .patternLayout: "A pattern is not shuffled and has 9 nodes: pass no shuffle, and a maximum of 0 to 9."
      case .nodes: "A pattern takes the digits 1 to 9, each once: pass nodes that are not drawn yet."
      case .viewSize: "The view's size cannot be used: give each key a point in both directions, and gaps from 0."
      case .overlap: "The buffers overlap: pass buffers that do not."
      case .blocks: "The lengths do not fit: pass whole blocks, and an output as long as the input."
      case .noCipher: "The cipher context has no key: set it up first."
      case .pastMemory: "A buffer runs past the end of memory: check its length."
      case .verifier: "This is not a verifier within the library's bounds, or one that takes no pepper."
      case .ruleNumber: "The rule's number is wrong: lengths are 0 to 128, counts 2 to 128, and other rules have none."
      case .ruleText: "The rule's text is wrong: a date is yyyy-mm-dd, and a number has the digits that are counted."
      case .pattern: "The pattern is not well-formed: check it, and see where it is wrong."
      case .notGenerated: "Keys of RSA are not made here: take `openssl genpkey`, or what made your other keys."
      case .salt: "The salt has a wrong length: it may have 8 to 64 bytes."
      case .keyLength: "A derived key has 16 to 64 bytes: pass a buffer of that length."
      case .costs: "The costs are out of range: 8 to 1048576 KiB, at least one pass, 2097152 KiB in all; or 0 for both."
      case .noDevice: "The device is empty: load it with an initial key first."
      case .deviceKey: "The device's keys are not for this format: AES is for format 4, 3DES for the others."
      case .noPublicKey: "A public key is made for X25519, P-256 and SM2; for RSA, take `openssl pkey -pubout`."
      }
    }
  }
#endif
