// Names of SwiftUI that KeyboardPad.swift uses, in our own words; iOS 13.
// https://developer.apple.com/documentation/swiftui/uiviewcontrollerrepresentable
// SPDX-License-Identifier: Apache-2.0

@_exported public import UIKit

@MainActor @preconcurrency
public protocol UIViewControllerRepresentable {
  associatedtype UIViewControllerType: UIViewController
  typealias Context = UIViewControllerRepresentableContext<Self>
  func makeUIViewController(context: Context) -> UIViewControllerType
  func updateUIViewController(_ controller: UIViewControllerType, context: Context)
}

public struct UIViewControllerRepresentableContext<Representable: UIViewControllerRepresentable> {}
