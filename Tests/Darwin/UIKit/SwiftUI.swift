// Names of SwiftUI that KeyboardPad.swift and the page's example use, in our own words; iOS 13, task(_:) iOS 15.
// https://developer.apple.com/documentation/swiftui/uiviewcontrollerrepresentable
// https://developer.apple.com/documentation/swiftui/view
// https://developer.apple.com/documentation/swiftui/state
// SPDX-License-Identifier: Apache-2.0

@_exported public import UIKit

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError() }
}

extension View {
  public nonisolated func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View {
    self
  }
}

@propertyWrapper
public struct State<Value> {
  fileprivate final class Place {
    var value: Value
    init(_ value: Value) { self.value = value }
  }
  private let place: Place

  public init(wrappedValue: Value) { place = Place(wrappedValue) }
  public var wrappedValue: Value {
    get { place.value }
    nonmutating set { place.value = newValue }
  }
}

extension State: Sendable where Value: Sendable {}
extension State.Place: @unchecked Sendable where Value: Sendable {}

@MainActor @preconcurrency
public protocol UIViewControllerRepresentable: View where Body == Never {
  associatedtype UIViewControllerType: UIViewController
  typealias Context = UIViewControllerRepresentableContext<Self>
  func makeUIViewController(context: Context) -> UIViewControllerType
  func updateUIViewController(_ controller: UIViewControllerType, context: Context)
}

extension UIViewControllerRepresentable {
  public var body: Never { fatalError() }
}

public struct UIViewControllerRepresentableContext<Representable: UIViewControllerRepresentable> {}
