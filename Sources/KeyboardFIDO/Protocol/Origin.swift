// Scheme, host and port of a URL: what tells one server from another.
// SPDX-License-Identifier: Apache-2.0

import KeyboardText

/// The origin of a URL, in small letters and without a default port: of two URLs of one server it is the same text.
///
/// - Source: RFC 6454 §4; RFC 3986 §3.2; FIDO AppID and Facet Specification 1.1 §3.1.2.
package struct Origin {
  package let text: UnsafeRawBufferPointer
  package let host: UnsafeRawBufferPointer
  /// Whether the URL has nothing more, but for one slash at the end.
  package let isAll: Bool

  private static var longestHost: Int { 255 }
  /// A scheme, a host, and a port with its colon.
  package static var capacity: Int { 8 + longestHost + 6 }

  /// - Parameter memory: `capacity` bytes, where `text` is then.
  /// - Returns: nil for what is not http or https; with a user; with a host that has other characters than letters,
  ///   digits, `-`, `.` and `_`, or in brackets an address; with a port that is not a number from 1 to 65535.
  package init?(of url: UnsafeRawBufferPointer, in memory: UnsafeMutableRawPointer) {
    var writer = ByteWriter(memory, capacity: Self.capacity)
    let isHTTPS = Facets.isHTTPS(url)
    guard isHTTPS || url.begins(with: "http://") else { return nil }
    writer.put(isHTTPS ? "https://" : "http://")
    let start = writer.count
    var place = start
    guard Self.putHost(of: url, at: &place, to: &writer) else { return nil }
    host = UnsafeRawBufferPointer(rebasing: writer.bytes[start...])
    guard let port = Self.port(of: url, at: &place, byDefault: isHTTPS ? 443 : 80) else { return nil }
    if port != (isHTTPS ? 443 : 80) {
      writer.put(":")
      writer.putDecimal(port)
    }
    guard writer.isWhole else { return nil }
    text = writer.bytes
    isAll = place == url.count || place == url.count - 1 && url[place] == UInt8(ascii: "/")
  }

  private static func putHost(
    of url: UnsafeRawBufferPointer, at place: inout Int, to writer: inout ByteWriter
  ) -> Bool {
    let start = place
    let isAddress = place < url.count && url[place] == UInt8(ascii: "[")
    while place < url.count {
      var byte = url[place]
      if byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") { byte |= 0x20 }
      if isEnd(byte) || byte == UInt8(ascii: ":") && !isAddress { break }
      guard isHostByte(byte, isAddress: isAddress, isFirst: place == start) else { return false }
      writer.put(byte)
      place += 1
      if byte == UInt8(ascii: "]") { break }
    }
    guard place > start, place - start <= longestHost else { return false }
    return !isAddress || url[place - 1] == UInt8(ascii: "]")
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func isHostByte(_ byte: UInt8, isAddress: Bool, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "."): true
    case UInt8(ascii: "["): isFirst
    case UInt8(ascii: ":"), UInt8(ascii: "]"): isAddress
    case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"): !isAddress
    default: false
    }
  }

  /// - Returns: the default for none, and for a colon alone; nil if something else follows the host, or 0.
  private static func port(of url: UnsafeRawBufferPointer, at place: inout Int, byDefault: UInt32) -> UInt32? {
    guard place < url.count, !isEnd(url[place]) else { return byDefault }
    guard url[place] == UInt8(ascii: ":") else { return nil }
    place += 1
    let start = place
    var port: UInt32 = 0
    while place < url.count, !isEnd(url[place]) {
      guard case UInt8(ascii: "0")...UInt8(ascii: "9") = url[place] else { return nil }
      port = port * 10 + UInt32(url[place] - UInt8(ascii: "0"))
      guard port <= UInt32(UInt16.max) else { return nil }
      place += 1
    }
    guard place > start else { return byDefault }
    return port == 0 ? nil : port
  }

  /// Whether a server may be there: over https, or on this machine.
  package var isAllowed: Bool {
    Facets.isHTTPS(text) || host.equals("localhost") || host.equals("127.0.0.1") || host.equals("[::1]")
  }
}
