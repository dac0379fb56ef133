// Where a request comes from: the address of a connection, or, behind a proxy, the one that the proxy names. It decides
// only whose turn it is, and is written into the log.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

struct ClientAddress: Sendable {
  /// As text, for the log.
  let text: String
  /// What counts as one client: the address, and of IPv6 the first 64 bits, which is what one customer has.
  let network: String

  /// - Parameter text: an address of IPv4 or IPv6. Anything else is one client, together with all other such.
  init(_ text: String) {
    self.init(try? SocketAddress(ipAddress: text, port: 0))
  }

  init(_ address: SocketAddress?) {
    guard let address, let text = address.ipAddress else {
      (self.text, network) = ("unknown", "unknown")
      return
    }
    self.text = text
    guard case .v6(let address) = address else {
      network = text
      return
    }
    let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
    // An address of IPv4 in the form of IPv6, as a socket for both reports it.
    let isOfIPv4 = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10..<12] == [255, 255]
    network = Base64URL.encode(isOfIPv4 ? bytes[12...] : bytes[..<8])
  }
}

/// What is known of a request besides its own fields.
struct BankContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let peer: ClientAddress

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    peer = ClientAddress(source.channel.remoteAddress)
  }

  /// A proxy that the bank was told of names its client in `X-Real-IP`. Nobody else is believed.
  func client(_ request: Request, proxies: [String]) -> ClientAddress {
    guard proxies.contains(peer.text), let named = request.headers[.realAddress] else { return peer }
    return ClientAddress(named)
  }
}

extension HTTPField.Name {
  fileprivate static let realAddress = HTTPField.Name("X-Real-IP")!
}
