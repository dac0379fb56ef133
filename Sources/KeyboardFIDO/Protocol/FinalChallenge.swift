// What ties a signature to this server, this app, this connection and this request.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardText

/// FinalChallengeParams: what a server finds again behind the hash that is signed.
///
/// - Source: FIDO UAF Protocol 1.1 §3.1.9, §3.4.6.
package enum FinalChallenge {
  /// An appID, a challenge, a facet and a channel binding, as JSON.
  package static var capacity: Int { 16 * 1024 }

  /// Writes the JSON.
  ///
  /// - Parameters:
  ///   - challenge: in base64url, as it came.
  ///   - channelBinding: one that was checked; nil for none.
  package static func write(
    appID: UnsafeRawBufferPointer, challenge: UnsafeRawBufferPointer, facetID: UnsafeRawBufferPointer,
    channelBinding: ChannelBinding?, to writer: inout ByteWriter
  ) {
    writer.put("{")
    writer.putMember("appID", appID, isFirst: true)
    writer.putMember("challenge", challenge)
    writer.putMember("facetID", facetID)
    writer.putName("channelBinding")
    writer.put("{")
    channelBinding?.write(to: &writer)
    writer.put("}}")
  }
}

/// What an app knows of its TLS connection.
///
/// - Source: FIDO UAF Protocol 1.1 §3.1.10.
package struct ChannelBinding {
  private let json: JSON

  /// - Returns: nil unless it is an object whose known members are strings.
  package init?(_ json: JSON?) {
    guard let json, json.kind == .object else { return nil }
    self.json = json
    var isRight = true
    forEachName { name in isRight = isRight && (json.member(name) == nil || json.member(name)?.string != nil) }
    guard isRight else { return nil }
  }

  fileprivate func write(to writer: inout ByteWriter) {
    var isFirst = true
    forEachName { name in
      guard let text = json.member(name)?.string else { return }
      writer.putMember(name, text, isFirst: isFirst)
      isFirst = false
    }
  }

  private func forEachName(_ body: (StaticString) -> Void) {
    body("serverEndPoint")
    body("tlsServerCertificate")
    body("tlsUnique")
    body("cid_pubkey")
  }
}
