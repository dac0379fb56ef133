// The rules on any text, slowly and with Swift's strings.
// SPDX-License-Identifier: Apache-2.0

@testable import KeyboardRules

/// A rule and whether it refuses, written down as its definition says it.
struct ReferenceRule {
  let kind: PasscodeRule
  var number = 0
  var text = ""

  func refuses(_ passcode: String) -> Bool {
    let scalars = passcode.unicodeScalars.map(String.init)
    let small = passcode.unicodeScalars.map { Self.small($0) }
    switch kind {
    case .minimumLength: return passcode.count < number
    case .maximumLength: return passcode.count > number
    case .digits: return scalars.contains { !Self.digits.contains($0) }
    case .alphanumeric: return small.contains { !Self.digits.contains($0) && !Self.letters.contains($0) }
    case .same: return windows(scalars, number).contains { Set($0).count == 1 }
    case .run:
      let orders = [Self.digits, Self.letters, Self.digits.reversed(), Self.letters.reversed()]
      let runs = orders.flatMap { windows($0, number) }
      return windows(small, number).contains { window in runs.contains(window) }
    case .pairs:
      return scalars.count >= 4 && scalars.count % 2 == 0
        && scalars == (0..<scalars.count / 2).flatMap { _ in scalars.prefix(2) }
    case .doubles:
      return scalars.count >= 4 && scalars.count % 2 == 0
        && stride(from: 0, to: scalars.count, by: 2).allSatisfy { Set(scalars[$0..<$0 + 2]).count == 1 }
    case .text:
      let part = text.unicodeScalars.map { Self.small($0) }
      return windows(small, part.count).contains(part)
    case .date:
      let fields = text.split(separator: "-").map(String.init)
      return writings(year: fields[0], month: fields[1], day: fields[2]).contains { writing in
        windows(scalars, writing.count).contains(writing.map(String.init))
      }
    case .phone:
      let number = text.unicodeScalars.map(String.init).filter { Self.digits.contains($0) }
      let parts = windows(number, self.number)
      return windows(scalars, self.number).contains { parts.contains($0) }
    case .common: return commonPasscodes.contains(small.joined())
    case .match, .notMatch: return false
    }
  }

  private static let digits = "0123456789".map(String.init)
  private static let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)

  private static func small(_ scalar: Unicode.Scalar) -> String {
    scalar.isASCII ? String(scalar).lowercased() : String(scalar)
  }

  private func windows(_ list: [String], _ length: Int) -> [[String]] {
    length > list.count ? [] : (0...list.count - length).map { Array(list[$0..<$0 + length]) }
  }
}
