// What a person reads: browsers and the kiosk say it in each request.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import HTTPTypes
import Hummingbird

extension Request {
  /// The first language of `Accept-Language` that the library has, or English. Browsers send the best first, so the
  /// weights are not looked at.
  var language: MessageLanguage {
    let ranges = (headers[.acceptLanguage] ?? "").split(separator: ",")
    return MessageLanguage(preferring: ranges.map { $0.prefix { $0 != ";" }.drop { $0 == " " } })
  }
}

extension Refusal {
  /// With the library's sentence in a person's language, if it is a rule's. The bank's own sentences are in English.
  func said(in language: MessageLanguage) -> Refusal {
    var refusal = self
    if let rule { refusal.message = rule.message(in: language) }
    return refusal
  }
}
