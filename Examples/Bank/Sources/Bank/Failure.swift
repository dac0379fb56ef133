// What keeps the bank from starting, in a sentence for the person who starts it.
// SPDX-License-Identifier: Apache-2.0

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
