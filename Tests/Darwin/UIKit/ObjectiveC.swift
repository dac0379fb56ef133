// What Swift adds to Objective-C on Apple's systems, as far as KeyboardView.swift needs it. Nothing of it runs.
// SPDX-License-Identifier: Apache-2.0

@_exported public import ObjectiveC

public struct Selector: ExpressibleByStringLiteral {
  public init(stringLiteral name: String) {}
  public init(_ name: String) {}
}

extension NSObject: Hashable {
  public static func == (one: NSObject, other: NSObject) -> Bool { one === other }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
