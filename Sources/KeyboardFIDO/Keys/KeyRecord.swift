// What is kept of a key in the vault.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardSHA2
import KeyboardText

/// A key of one user at one server: a view of an item's data, in TLV.
///
///     info (authenticator, 1; state, 1) ┼ AAID ┼ key ID ┼ appID ┼ origin (vouched for, 1; text) ┼ user ┼ public key
///       ┼ counters (signatures, 4; number of the registration, 4) ┼ sealed key (48)
///
/// The vault seals the item; the private key inside is sealed once more, under what only the passcode gives.
struct KeyRecord {
  let bytes: UnsafeRawBufferPointer
  let authenticator: Authenticator
  let state: State
  let aaid: UnsafeRawBufferPointer
  let keyID: UnsafeRawBufferPointer
  let appID: UnsafeRawBufferPointer
  /// Of the server that the key was made with; empty if the app brought the request.
  let origin: UnsafeRawBufferPointer
  /// Whether the appID vouched for that server.
  let isVouchedFor: Bool
  let userName: UnsafeRawBufferPointer
  let publicKey: UnsafeRawBufferPointer
  let counter: UInt32
  /// Which registration of its authenticator made the key: of two keys of a user, the higher one is the newer.
  let registration: UInt32
  let sealedKey: UnsafeRawBufferPointer

  /// Whether the server is known to have the key.
  enum State: UInt8 {
    case pending = 0
    case accepted = 1
  }

  /// The longest record has 1,366 bytes: an appID of 512, an origin of 269 and a user name of 384.
  static var capacity: Int { 1536 }

  /// - Returns: nil for bytes that are not a whole record.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = TLVReader(bytes)
    guard let info = reader.next(.assertionInfo), info.count == 2,
      let authenticator = Authenticator(rawValue: Int32(info[0])), let state = State(rawValue: info[1]),
      let aaid = reader.next(.aaid), isAAID(aaid),
      let keyID = reader.next(.keyID), keyID.count == Assertion.keyIDSize,
      let appID = reader.next(.appID), let origin = reader.next(.origin), let vouched = origin.first, vouched <= 1,
      let userName = reader.next(.userName),
      let publicKey = reader.next(.publicKey), publicKey.count == Assertion.publicKeySize,
      let counters = reader.next(.counters), counters.count == 8,
      let sealedKey = reader.next(.keyHandle), sealedKey.count == KeySeal.sealedSize, reader.isAtEnd
    else { return nil }
    self.bytes = bytes
    self.authenticator = authenticator
    self.state = state
    self.aaid = aaid
    self.keyID = keyID
    self.appID = appID
    self.origin = UnsafeRawBufferPointer(rebasing: origin[1...])
    isVouchedFor = vouched == 1
    self.userName = userName
    self.publicKey = publicKey
    counter = UInt32(littleEndian: counters.loadUnaligned(as: UInt32.self))
    registration = UInt32(littleEndian: counters.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    self.sealedKey = sealedKey
  }

  /// Writes the record with another state and counter.
  func write(state: State, counter: UInt32, to writer: inout ByteWriter) {
    Self.write(
      owner, state: state, counter: counter, registration: registration, sealedKey: sealedKey, to: &writer)
  }

  /// Writes a record.
  static func write(
    _ owner: KeyOwner, state: State, counter: UInt32, registration: UInt32, sealedKey: UnsafeRawBufferPointer,
    to writer: inout ByteWriter
  ) {
    writer.put(.assertionInfo) {
      $0.put(UInt8(owner.authenticator.rawValue))
      $0.put(state.rawValue)
    }
    owner.write(to: &writer)
    writer.put(.counters) {
      $0.putLittleEndian(counter)
      $0.putLittleEndian(registration)
    }
    writer.put(.keyHandle, sealedKey)
  }

  var owner: KeyOwner {
    KeyOwner(
      authenticator: authenticator, aaid: aaid, keyID: keyID, appID: appID, origin: origin, isVouchedFor: isVouchedFor,
      userName: userName, publicKey: publicKey)
  }

  /// Whether two keys are of one user, app, server, model and authenticator: only the newer one is kept.
  func hasOwner(of other: KeyRecord) -> Bool {
    authenticator == other.authenticator && appID.equals(other.appID) && origin.equals(other.origin)
      && isSameAAID(aaid, other.aaid) && userName.equals(other.userName)
  }

  /// Whether a deregistration names the key.
  func isNamed(by request: Request) -> Bool {
    var all = request.json.member("authenticators")!.elements
    while let element = all.next() {
      let (aaid, keyID) = (element.member("aaid")!.string!, element.member("keyID")!.string!)
      if aaid.isEmpty || isSameAAID(aaid, self.aaid) && (keyID.isEmpty || hasKeyID(keyID)) { return true }
    }
    return false
  }

  /// Whether a key ID in base64url is this key's.
  func hasKeyID(_ text: UnsafeRawBufferPointer) -> Bool {
    Self.decodingKeyID(text) { $0.equals(keyID) }
  }

  /// Runs `body` with a key ID that is in base64url; false for a text that is not an ID of our length.
  static func decodingKeyID(_ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    guard text.count == Base64.characterCount(byteCount: Assertion.keyIDSize) else { return false }
    return withUnsafeTemporaryAllocation(byteCount: Assertion.keyIDSize, alignment: 8) { decoded in
      Base64.url.decode(text, into: decoded) != nil && body(UnsafeRawBufferPointer(decoded))
    }
  }
}

/// What a key belongs to, and is bound to: no record can be made from parts of two.
struct KeyOwner {
  let authenticator: Authenticator
  let aaid: UnsafeRawBufferPointer
  let keyID: UnsafeRawBufferPointer
  let appID: UnsafeRawBufferPointer
  let origin: UnsafeRawBufferPointer
  let isVouchedFor: Bool
  let userName: UnsafeRawBufferPointer
  let publicKey: UnsafeRawBufferPointer

  func write(to writer: inout ByteWriter) {
    writer.put(.aaid, aaid)
    writer.put(.keyID, keyID)
    writer.put(.appID, appID)
    writer.put(.origin) {
      $0.put(isVouchedFor ? 1 : 0 as UInt8)
      $0.put(origin)
    }
    writer.put(.userName, userName)
    writer.put(.publicKey, publicKey)
  }

  /// SHA-256 of all of it, with lengths.
  ///
  /// - Parameter scratch: `SHA256.byteCount` bytes aligned to 8, then `KeyRecord.capacity` bytes.
  func bind(into digest: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer) {
    let text = scratch + SHA256.byteCount
    var writer = ByteWriter(text, capacity: KeyRecord.capacity)
    writer.put(UInt8(authenticator.rawValue))
    write(to: &writer)
    let sha256 = SHA256(at: scratch)
    sha256.absorb(text, count: writer.count)
    sha256.finish(into: digest)
  }
}
