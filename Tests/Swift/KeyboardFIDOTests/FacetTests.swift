// Facets: the specification's rules, case by case.
// SPDX-License-Identifier: Apache-2.0

import KeyboardFIDO
import KeyboardText
import Testing

private let facet = "ios:bundle-id:com.example.bank"
private let appID = "https://bank.example/facets"

private func entry(_ minor: Int, _ ids: String...) -> String {
  #"{"version":{"major":1,"minor":\#(minor)},"ids":[\#(ids.map { "\"\($0)\"" }.joined(separator: ","))]}"#
}

private func list(_ entries: String...) -> String { #"{"trustedFacets":[\#(entries.joined(separator: ","))]}"# }

private func isTrusted(_ facet: String, _ appID: String, _ list: String?, minor: UInt32 = 1) -> Bool {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: JSONDocument.byteCount, alignment: 16)
  defer { memory.deallocate() }
  func judge(_ list: UnsafeRawBufferPointer?) -> Bool {
    Array(facet.utf8).withUnsafeBytes { facet in
      Array(appID.utf8).withUnsafeBytes { appID in
        Facets.isTrusted(
          facet, by: appID, list: list.flatMap { JSONDocument(at: memory).parse(copying: $0) },
          version: ProtocolVersion(major: 1, minor: minor))
      }
    }
  }
  return list.map { Array($0.utf8).withUnsafeBytes { judge($0) } } ?? judge(nil)
}

@Suite struct FacetTests {
  @Test func anEmptyAppIDIsTheFacetItself() { #expect(isTrusted(facet, "", nil)) }

  @Test func anAppIDThatIsNoURLMustBeTheFacet() {
    #expect(isTrusted(facet, facet, nil))
    #expect(!isTrusted(facet, facet + "2", nil))
    #expect(!isTrusted(facet, "ios:bundle-id:com.example.ban", nil))
    #expect(!isTrusted(facet, "IOS:bundle-id:com.example.bank", nil))
    // Not https: it is compared, and a list for it does not count.
    #expect(!isTrusted(facet, "http://bank.example/facets", list(entry(1, facet))))
  }

  @Test(arguments: [
    list(entry(1, facet)), list(entry(0, "x:y"), entry(1, facet)), list(entry(1, facet), entry(2, "x:y")),
    list(entry(0, facet)), list(entry(1, "https://bank.example", "x:y", facet)), list(entry(2), entry(0, facet)),
  ])
  func aListNamesTheFacet(_ list: String) {
    #expect(isTrusted(facet, appID, list))
    #expect(isTrusted(facet, "HTTPS://bank.example/facets", list))
  }

  @Test(
    arguments: [
      nil, "", "{}", "[]", "null", list(), list(entry(1)), list(entry(1, "x:y")), list(entry(1, facet + "/")),
      list(entry(1, facet.uppercased())), list(entry(2, facet)), list(entry(0, facet), entry(1, "x:y")),
      list(#"{"version":{"major":2,"minor":0},"ids":["\#(facet)"]}"#),
      list(#"{"version":{"major":0,"minor":9},"ids":["\#(facet)"]}"#), list(#"{"ids":["\#(facet)"]}"#),
      list(#"{"version":"1.1","ids":["\#(facet)"]}"#), list(#"{"version":{"major":1,"minor":1},"ids":"\#(facet)"}"#),
      list(entry(1, facet)) + "x", #"{"trustedFacets":{}}"#, #"{"trustedfacets":[\#(entry(1, facet))]}"#,
    ] as [String?])
  func aListThatDoesNotNameTheFacet(_ list: String?) { #expect(!isTrusted(facet, appID, list)) }

  /// The list in the specification (FIDO AppID and Facets, 14 May 2015, page 5). Two of its hashes are cut off there,
  /// with dots in place of the rest; they are compared byte by byte as any other text.
  @Test func theSpecificationsList() {
    let google = list(
      entry(
        0, "https://accounts.google.com", "https://myaccount.google.com", "https://security.google.com",
        "android:apk-key-hash:FD18FA800DD00C0D9D7724328B6...", "android:apk-key-hash:Rj6gA3QDA2ddyQyi21JXly6gw9...",
        "ios:bundle-id:com.google.SecurityKey.dogfood"))
    for minor in [0, 1] as [UInt32] {
      #expect(isTrusted("ios:bundle-id:com.google.SecurityKey.dogfood", appID, google, minor: minor))
      #expect(isTrusted("android:apk-key-hash:Rj6gA3QDA2ddyQyi21JXly6gw9...", appID, google, minor: minor))
      #expect(!isTrusted("android:apk-key-hash:Rj6gA3QDA2ddyQyi21JXly6gw9", appID, google, minor: minor))
      #expect(!isTrusted("ios:bundle-id:com.google.SecurityKey", appID, google, minor: minor))
    }
  }

  @Test func aListForAnOlderVersionDoesNotUseALaterEntry() {
    let both = list(entry(0, facet), entry(1, "x:y"))
    #expect(isTrusted(facet, appID, both, minor: 0))
    #expect(!isTrusted(facet, appID, both, minor: 1))
  }

  @Test(arguments: [
    ("ios:bundle-id:com.example.bank", true), ("android:apk-key-hash:2jmj7l5rSw0yVb/vlWAYkK/YBwk", true), ("a:b", true),
    ("https://bank.example", false), ("HTTPS://bank.example", false), ("", false), ("bank", false), (":x", false),
    ("ios:", false), ("ios:a b", false), ("ios:é", false), ("ios:a\u{7f}", false),
    ("x:" + String(repeating: "a", count: 510), true), ("x:" + String(repeating: "a", count: 511), false),
  ])
  func nativeFacets(_ text: String, _ isFacet: Bool) {
    #expect(Array(text.utf8).withUnsafeBytes { Facets.isNativeFacet($0) } == isFacet)
  }
}
