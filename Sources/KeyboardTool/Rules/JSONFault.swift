// What is wrong in a text of JSON that has a known form.
// SPDX-License-Identifier: Apache-2.0

import KeyboardText

struct JSONFault: Error {
  /// One sentence that says what to do.
  let advice: String

  init(_ advice: String) { self.advice = advice }

  init(_ fault: JSONReader.Fault) {
    advice =
      switch fault {
      case .noString: "Give a text in quotation marks."
      case .unended: "End the text with a quotation mark."
      case .control: "End the text in its line, and write control characters as \\u and four digits."
      case .escape: "Write a backslash in a text as \\\\."
      case .digits: "Give four digits after \\u."
      case .half: "Write both halves of a character above \\uffff."
      case .notUTF8: "Write UTF-8."
      }
  }
}
