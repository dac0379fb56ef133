// The library's values as words of the command line.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardLayout

extension LayoutKind: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument.lowercased() {
    case "letters": self = .letters
    case "digits": self = .digits
    case "symbols": self = .symbols
    case "mixed": self = .mixed
    case "pin": self = .pin
    case "pin-decoys": self = .pinDecoys
    default: return nil
    }
  }

  public static var allValueStrings: [String] { ["pin", "pin-decoys", "letters", "digits", "symbols", "mixed"] }

  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  public var defaultValueDescription: String { name }

  var name: String { self == .pinDecoys ? "pin-decoys" : "\(self)" }

  /// Whether it has digits only, on one page.
  var isPad: Bool { self == .pin || self == .pinDecoys }
}

extension ShuffleKind: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument.lowercased() {
    case "none": self = .none
    case "each-opening": self = .eachOpening
    case "each-key": self = .eachKey
    default: return nil
    }
  }

  public static var allValueStrings: [String] { ["each-opening", "each-key", "none"] }

  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  public var defaultValueDescription: String {
    switch self {
    case .none: "none"
    case .eachOpening: "each-opening"
    case .eachKey: "each-key"
    }
  }
}

extension ShiftState: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument.lowercased() {
    case "off": self = .off
    case "one": self = .oneLetter
    case "caps": self = .capsLock
    default: return nil
    }
  }

  public static var allValueStrings: [String] { ["off", "one", "caps"] }

  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  public var defaultValueDescription: String { name }
}
