// What a server might say, and how the fuzzer changes it.
// SPDX-License-Identifier: Apache-2.0

import Harness

enum Template {
  static func request(_ op: String, appID: String, minor: Int = 1, more: String = "") -> String {
    let authenticators = #""authenticators":[{"aaid":"C0DE#0001","keyID":""}]"#
    let asked = """
      "challenge":"bm90IHJhbmRvbSwgYnV0IGxvbmcgZW5vdWdo","username":"kim",\
      "policy":{"accepted":[[{"aaid":["C0DE#0001"]}]]}\(more)
      """
    return #"[{"header":{"upv":{"major":1,"minor":\#(minor)},"op":"\#(op)","appID":"\#(appID)"},"#
      + (op == "Dereg" ? authenticators : asked) + "}]"
  }

  static let requests =
    ["", Client.facet, Client.list].flatMap { appID in ["Reg", "Auth", "Dereg"].map { request($0, appID: appID) } }
    + [
      request("Auth", appID: "", minor: 0),
      request(
        "Auth", appID: "", more: #","transaction":[{"contentType":"text/plain","content":"UGF5IDEwIHRvIEJvYg"}]"#),
      request("Auth", appID: "", more: #","exts":[{"id":"x","data":"","fail_if_unknown":false}]"#),
      #"""
      [{"header":{"upv":{"major":1,"minor":1},"op":"Reg","serverData":"AAAA"},"challenge":"AAECAwQFBgcICQ",
      "username":"김\uD83D\uDE00","policy":{"accepted":[[{"userVerification":1023,"authenticationAlgorithms":[1,2],
      "assertionSchemes":["UAFV1TLV"],"keyProtection":1,"attachmentHint":1}],[{"aaid":["C0DE#0002"]}]],
      "disallowed":[{"aaid":["1234#5678"],"keyIDs":["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]}]}},null]
      """#,
    ]

  static let lists = [
    Client.facets,
    #"{"trustedFacets":[{"version":{"major":1,"minor":1},"ids":["\#(Client.facet)"]},"#
      + #"{"version":{"major":1,"minor":0},"ids":[]}]}"#,
    #"{"trustedFacets":[{"version":{"major":2,"minor":0},"ids":["\#(Client.facet)"]}],"more":null}"#,
  ]

  static let answers =
    requests.map { #"{"statusCode":1200,"op":"Reg","lifetimeMillis":60000,"uafRequest":\#($0)}"# }
    + [#"{"statusCode":1481}"#, #"{"statusCode":1200,"uafRequest":"[]"}"#]

  static let verdicts = [
    #"{"statusCode":1200,"additionalTokens":[{"type":"JWT","value":"\u00e9token"}],"newUAFRequest":null}"#,
    #"{"statusCode":1202}"#, #"{"statusCode":1408}"#, #"{"statusCode":1498}"#, #"{"statusCode":1481,"description":""}"#,
  ]

  /// What matters to a parser of JSON, or of UAF.
  private static let words = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "0", "-1", "1e9", "4294967296", "\\u0000", "\\ud800",
    "\u{7f}", "é", "[[[[[[[[", "]]]]]]]]", "{\"\":", "\"aaid\"", "\"keyIDs\"", "\"appID\"", "\"exts\"", "\"header\"",
    "\"transaction\"", "\"fail_if_unknown\":true", "\"disallowed\":[{}]", "=", "\"https://x/\"", "1200", "1481", " ",
    "\"ids\"", "\"version\"", "\"minor\":2", "\"op\":\"Dereg\"", "\"lifetimeMillis\":0", "\"uafRequest\"",
  ]

  /// One of several texts, changed as often as the fuzzer says; or whatever it says.
  static func text(_ reader: Reader, _ all: [String]) -> [UInt8] {
    let choice = reader.number(below: all.count + 1)
    guard choice > 0 else { return reader.take(4096) }
    var bytes = Array(all[choice - 1].utf8)
    var left = reader.number(below: 8)
    while left > 0 && !reader.isAtEnd && !bytes.isEmpty {
      left -= 1
      let place = reader.number(below: bytes.count)
      let end = min(bytes.count, place + reader.number(below: 32))
      switch reader.number(below: 6) {
      case 0: bytes[place] = reader.byte()
      case 1: bytes[place] ^= 1 << UInt8(reader.number(below: 8))
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: reader.number(below: bytes.count))
      case 4: bytes.removeSubrange(place...)
      default: bytes.replaceSubrange(place..<end, with: Array(reader.one(of: words).utf8))
      }
    }
    return bytes
  }
}
