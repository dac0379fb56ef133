// What Swift adds to Foundation on Apple's systems, as far as KeyboardView.swift needs it: which types of Objective-C
// become which of Swift. Nothing of it runs.
// SPDX-License-Identifier: Apache-2.0

@_exported public import Foundation
@_exported public import ObjectiveC

public protocol Bridged: _ObjectiveCBridgeable where _ObjectiveCType: AnyObject {}

extension Bridged {
  public func _bridgeToObjectiveC() -> _ObjectiveCType { fatalError("only type-checked") }
  public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) -> Bool {
    false
  }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self {
    fatalError("only type-checked")
  }
}

extension String: Bridged { public typealias _ObjectiveCType = NSString }
extension Array: Bridged { public typealias _ObjectiveCType = NSArray }
extension Set: Bridged { public typealias _ObjectiveCType = NSSet }
extension Dictionary: Bridged { public typealias _ObjectiveCType = NSDictionary }

/// Both: iOS 6.0.
extension NSAttributedString.Key {
  public static var font: NSAttributedString.Key { fatalError("only type-checked") }
  public static var foregroundColor: NSAttributedString.Key { fatalError("only type-checked") }
}
