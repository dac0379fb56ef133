// What an error says to people: in an alert, in a log, in a debugger.
// SPDX-License-Identifier: Apache-2.0
//
// The C library makes no strings: it has the same sentences, those of KeyboardError+Sentences.swift.

#if !hasFeature(Embedded)
  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #elseif canImport(Foundation)
    public import Foundation
  #endif

  extension KeyboardError: CustomStringConvertible {
    /// One sentence in English: what is wrong, as exactly as the function knew it, and what to do.
    ///
    /// - C: `CustomKeyboard_cause`; for a place that is too small, it does not name the number.
    public var description: String {
      if case .spaceTooSmall(let needed) = self { return "The space is too small: \(needed) bytes are needed." }
      return "\(sentence)"
    }
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
      case .refused(.unspecified): "refused"
      case .refused(let cause): "refused(.\(cause))"
      case .exists: "exists"
      case .notFound: "notFound"
      case .locked: "locked"
      case .damaged: "damaged"
      case .storage(.unspecified): "storage"
      case .storage(let cause): "storage(.\(cause))"
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
#endif
