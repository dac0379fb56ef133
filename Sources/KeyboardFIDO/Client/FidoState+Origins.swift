// Which keys of an appID the request that waits may use: a key belongs to the origin that it was made with.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import KeyboardText

extension FidoState {
  /// The most origins that an app vouches for.
  static var mostAddedOrigins: Int { 16 }

  /// The server's; empty while the app brings the requests itself.
  var origin: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: originBytes, count: fields.pointee.isLocal ? 0 : fields.pointee.originCount)
  }

  func setOrigin(_ origin: Origin) {
    originBytes.copyMemory(from: origin.text.baseAddress!, byteCount: origin.text.count)
    fields.pointee.originCount = origin.text.count
    fields.pointee.addedOriginCount = 0
  }

  /// - Throws: 1001 if there are too many.
  func addOrigin(_ origin: Origin) throws(FidoResult) {
    guard !isAdded(origin.text) else { return }
    let count = fields.pointee.addedOriginCount
    guard count < Self.mostAddedOrigins else {
      throw FidoResult(CUSTOM_FIDO_INVALID_PARAMETER, "An app vouches for at most 16 origins of a server.")
    }
    let place = addedOrigins + count * Self.addedOriginSize
    place.copyMemory(from: origin.text.baseAddress!, byteCount: origin.text.count)
    place.storeBytes(of: 0, toByteOffset: origin.text.count, as: UInt8.self)
    fields.pointee.addedOriginCount = count + 1
  }

  private func isAdded(_ origin: UnsafeRawBufferPointer) -> Bool {
    for i in 0..<fields.pointee.addedOriginCount
    where Self.cString(at: addedOrigins + i * Self.addedOriginSize).equals(origin) { return true }
    return false
  }

  /// Whether a request may use a key: of its appID, and made with its own origin, or with one that the app vouches for,
  /// or with any, if the appID vouches for the server, or the app brings the request itself.
  func mayUse(_ key: KeyRecord) -> Bool {
    guard key.appID.equals(appID) else { return false }
    return fields.pointee.isLocal || fields.pointee.isVouchedFor || isOwn(key.origin)
  }

  private func isOwn(_ origin: UnsafeRawBufferPointer) -> Bool { origin.equals(self.origin) || isAdded(origin) }

  /// Whether nobody could have made a key but the appID's own servers and this one. Others may make keys of the appID,
  /// too: a server that may use all keys uses those last, so that nobody else's new key gets between.
  func isTrusted(_ key: KeyRecord) -> Bool { key.isVouchedFor || isOwn(key.origin) }
}
