// Whether an app may use the keys of an appID.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardText

/// The rules for facets of native apps. An app names its own facet: nothing here guards against an app that lies.
///
/// - Source: FIDO AppID and Facet Specification 1.1 §3.1.2.
package enum Facets {
  /// What a request's appID means.
  package enum Kind: Equatable {
    /// It becomes the facet's.
    case empty
    /// An https URL, which names a list of trusted facets.
    case list
    /// Anything else: it must be the facet's.
    case facet
  }

  package static var longestID: Int { 512 }

  /// A malformed URL is not a facet either, so it is never trusted.
  package static func kind(of appID: UnsafeRawBufferPointer) -> Kind {
    if appID.isEmpty { return .empty }
    return isURL(appID) ? .list : .facet
  }

  /// Whether a text is an https URL that can be handed to the app: visible ASCII, with a host and without a user. If
  /// the text had a NUL, a space or a line break, the app would fetch something else.
  package static func isURL(_ text: UnsafeRawBufferPointer) -> Bool {
    guard isHTTPS(text) else { return false }
    var (hostCount, isHost, isAuthority) = (0, true, true)
    for byte in text[8...] {
      guard byte > 0x20, byte < 0x7f else { return false }
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): (isHost, isAuthority) = (false, false)
      case UInt8(ascii: ":") where hostCount == 0 || text[8] != UInt8(ascii: "["): isHost = false
      case UInt8(ascii: "@") where isAuthority: return false
      default: break
      }
      if isHost { hostCount += 1 }
    }
    return hostCount > 0
  }

  /// Schemes are the same in either case. (RFC 3986 §3.1)
  package static func isHTTPS(_ url: UnsafeRawBufferPointer) -> Bool {
    let scheme: StaticString = "https://"
    guard url.count >= scheme.utf8CodeUnitCount else { return false }
    for i in 0..<scheme.utf8CodeUnitCount {
      let byte = url[i]
      let small = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
      guard small == scheme.utf8Start[i] else { return false }
    }
    return true
  }

  /// Whether a text can be the facet of a native app: visible ASCII, with a scheme that is not https.
  package static func isNativeFacet(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count <= longestID, let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon < text.count - 1
    else { return false }
    for byte in text where byte <= 0x20 || byte >= 0x7f { return false }
    return !isHTTPS(text)
  }

  /// Whether the facet may use keys of the appID.
  ///
  /// - Parameters:
  ///   - list: what was fetched from the appID; nil if nothing was, or no JSON.
  ///   - version: of the message.
  package static func isTrusted(
    _ facetID: UnsafeRawBufferPointer, by appID: UnsafeRawBufferPointer, list: JSON?, version: ProtocolVersion
  ) -> Bool {
    switch kind(of: appID) {
    case .empty: return true
    case .facet: return appID.equals(facetID)
    case .list: return names(list, version) { $0.equals(facetID) }
    }
  }

  /// Whether an appID lets a server use all its keys, also those that were made with another server: its URL is on the
  /// server's host, or its list of facets has the server's origin.
  ///
  /// - Parameters:
  ///   - list, version: as above.
  ///   - origin: the server's; empty for none.
  package static func vouches(
    _ appID: UnsafeRawBufferPointer, list: JSON?, version: ProtocolVersion, for origin: UnsafeRawBufferPointer
  ) -> Bool {
    guard kind(of: appID) == .list else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 2 * Origin.capacity, alignment: 1) { memory in
      let place = memory.baseAddress!
      guard let server = Origin(of: origin, in: place) else { return false }
      if let own = Origin(of: appID, in: place + Origin.capacity), own.host.equals(server.host) { return true }
      return names(list, version) { id in
        Origin(of: id, in: place + Origin.capacity)?.text.equals(server.text) ?? false
      }
    }
  }

  /// Whether a list has an entry of this version with such an ID.
  private static func names(
    _ list: JSON?, _ version: ProtocolVersion, _ isMeant: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    guard let ids = entry(of: list, for: version)?.member("ids"), ids.kind == .array else { return false }
    var all = ids.elements
    while let id = all.next() {
      if let id = id.string, isMeant(id) { return true }
    }
    return false
  }

  /// The entry of the message's version, else of the highest below it.
  private static func entry(of list: JSON?, for version: ProtocolVersion) -> JSON? {
    guard let facets = list?.member("trustedFacets"), facets.kind == .array else { return nil }
    var best: (version: ProtocolVersion, entry: JSON)?
    var all = facets.elements
    while let entry = all.next() {
      guard let its = ProtocolVersion(entry.member("version")) else { return nil }
      guard !version.isBelow(its), its.major == version.major else { continue }
      if let best, !best.version.isBelow(its) { continue }
      best = (its, entry)
    }
    return best?.entry
  }
}
