// The library's values as words of the command line.

import ArgumentParser
import CustomKeyboard

extension EncryptionWay: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument.lowercased() {
    case "sm4": self = .sm4
    case "3des": self = .tripleDES
    case "des": self = .des
    default: return nil
    }
  }

  public static var allValueStrings: [String] { ["sm4", "3des", "des"] }

  public var defaultValueDescription: String { name.lowercased() }

  var name: String {
    switch self {
    case .sm4: "SM4"
    case .tripleDES: "3DES"
    case .des: "DES"
    }
  }

  var keyLengths: [Int] {
    switch self {
    case .sm4: [16]
    case .tripleDES: [16, 24]
    case .des: [8]
    }
  }
}
