// One message to the server: memory that no other call uses, because no lock is held while the app sends it.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CKeyboardPlatform
import KeyboardCodes
import KeyboardText

/// An exchange, with its URL, body and answer.
struct ServerCall: ~Copyable {
  private let memory: UnsafeMutableRawPointer

  static var urlCapacity: Int { 1024 }
  /// An answer has a request of at most 64 KiB in it.
  static var answerCapacity: Int { JSONDocument.maximumSize }
  static var bodyCapacity: Int { 2 * FidoState.responseCapacity + 4 * FidoState.contextCapacity }
  static var mostRedirects: Int { 5 }

  private static var exchangeSize: Int { (MemoryLayout<CUSTOM_FIDO_EXCHANGE>.stride + 63) & ~63 }
  private static var byteCount: Int { exchangeSize + urlCapacity + bodyCapacity + answerCapacity }

  init() throws(FidoResult) {
    guard let memory = keyboard_map(Self.byteCount) else { throw FidoResult(CUSTOM_KEYBOARD_MEMORY) }
    self.memory = memory
  }

  deinit { keyboard_unmap(memory, Self.byteCount) }

  private var exchange: UnsafeMutablePointer<CUSTOM_FIDO_EXCHANGE> {
    memory.assumingMemoryBound(to: CUSTOM_FIDO_EXCHANGE.self)
  }
  var url: UnsafeMutableRawPointer { memory + Self.exchangeSize }
  var body: UnsafeMutableRawPointer { url + Self.urlCapacity }
  private var answerPlace: UnsafeMutableRawPointer { body + Self.bodyCapacity }

  /// What the server has answered.
  var answer: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: answerPlace, count: exchange.pointee.answerLength)
  }

  /// The channel binding of the connection; nil if the app knows none.
  var channelBinding: UnsafeRawBufferPointer? {
    // Swift does not see an array of this length. It follows another array of bytes.
    let text = Self.text(location.baseAddress! + 1024, 8192)
    return text.isEmpty ? nil : text
  }

  private static func text(_ start: UnsafeRawPointer, _ capacity: Int) -> UnsafeRawBufferPointer {
    var count = 0
    while count < capacity, start.load(fromByteOffset: count, as: UInt8.self) != 0 { count += 1 }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  private var contentType: UnsafeRawBufferPointer {
    Self.text(withUnsafeMutablePointer(to: &exchange.pointee.contentType) { UnsafeRawPointer($0) }, 64)
  }

  private var location: UnsafeRawBufferPointer {
    Self.text(withUnsafeMutablePointer(to: &exchange.pointee.location) { UnsafeRawPointer($0) }, 1024)
  }

  func setURL(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let start = text.baseAddress, text.count < Self.urlCapacity else { return false }
    url.copyMemory(from: start, byteCount: text.count)
    url.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
    return true
  }

  /// - Parameter bodyCount: nil for a GET.
  /// - Returns: whether there is an answer that fits.
  private func send(
    bodyCount: Int?, seconds: UInt32, by send: CUSTOM_FIDO_SEND, _ context: UnsafeMutableRawPointer?
  ) -> Bool {
    keyboard_wipe(memory, Self.exchangeSize)
    let method: StaticString = bodyCount == nil ? "GET" : "POST"
    exchange.pointee.size = MemoryLayout<CUSTOM_FIDO_EXCHANGE>.size
    exchange.pointee.method = UnsafeRawPointer(method.utf8Start).assumingMemoryBound(to: CChar.self)
    exchange.pointee.url = UnsafePointer(url.assumingMemoryBound(to: CChar.self))
    exchange.pointee.body = bodyCount == nil ? nil : UnsafePointer(body.assumingMemoryBound(to: CChar.self))
    exchange.pointee.bodyLength = bodyCount ?? 0
    exchange.pointee.seconds = seconds
    exchange.pointee.answer = answerPlace.assumingMemoryBound(to: CChar.self)
    exchange.pointee.capacity = Self.answerCapacity
    guard send(context, exchange) == 0 else { return false }
    let count = exchange.pointee.answerLength
    return count >= 0 && count <= Self.answerCapacity
  }

  /// Posts what is in `body`.
  ///
  /// - Throws: 4001 for everything but an answer of UAF.
  func post(
    bodyCount: Int, seconds: UInt32, by send: CUSTOM_FIDO_SEND, _ context: UnsafeMutableRawPointer?
  ) throws(FidoResult) {
    guard self.send(bodyCount: bodyCount, seconds: seconds, by: send, context), exchange.pointee.status == 200,
      contentType.isMediaType("application/fido+uaf") || contentType.isMediaType("application/json")
    else { throw FidoResult(CUSTOM_FIDO_NETWORK_STATE) }
  }

  /// Fetches a list of trusted facets from the URL.
  ///
  /// - Throws: 2001 if there is none: every redirect must be to https, and authorized.
  func getFacets(
    seconds: UInt32, by send: CUSTOM_FIDO_SEND, _ context: UnsafeMutableRawPointer?
  ) throws(FidoResult) {
    for _ in 0...Self.mostRedirects {
      guard self.send(bodyCount: nil, seconds: seconds, by: send, context) else { break }
      if exchange.pointee.status == 200 {
        guard contentType.isMediaType("application/fido.trusted-apps+json") else { break }
        return
      }
      guard 300...399 ~= exchange.pointee.status, exchange.pointee.redirectAuthorized == 1,
        Facets.isURL(location), setURL(location)
      else { break }
    }
    throw FidoResult(CUSTOM_FIDO_UNTRUSTED_FACET_ID)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a Content-Type names this type, with any parameters.
  fileprivate func isMediaType(_ type: StaticString) -> Bool {
    guard count >= type.utf8CodeUnitCount else { return false }
    for i in 0..<type.utf8CodeUnitCount {
      let byte = self[i] >= UInt8(ascii: "A") && self[i] <= UInt8(ascii: "Z") ? self[i] | 0x20 : self[i]
      guard byte == type.utf8Start[i] else { return false }
    }
    guard count > type.utf8CodeUnitCount else { return true }
    return self[type.utf8CodeUnitCount] == UInt8(ascii: ";") || self[type.utf8CodeUnitCount] == 0x20
  }
}
