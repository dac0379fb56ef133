// Values that the command line gives by their names.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

package protocol NamedArgument: ExpressibleByArgument, CaseIterable, Equatable {
  /// The names as messages show them, in the order of the help. An argument may be in either case.
  static var names: KeyValuePairs<String, Self> { get }
}

extension NamedArgument {
  public init?(argument: String) {
    let argument = argument.lowercased()
    guard let (_, value) = Self.names.first(where: { $0.key.lowercased() == argument }) else { return nil }
    self = value
  }

  public static var allValueStrings: [String] { names.map { $0.key.lowercased() } }

  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  public var defaultValueDescription: String { name.lowercased() }

  package var name: String { Self.names.first { $0.value == self }?.key ?? "\(self)" }
}
