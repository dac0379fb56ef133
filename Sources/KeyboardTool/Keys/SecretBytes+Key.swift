// Finds a key in what was read, whatever form it has, and leaves it as the library takes it.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardMemory
import KeyboardTerminal

/// What was found in a file.
package struct FoundKey {
  /// PEM or DER; nil of digits and of bare bytes.
  package let encoded: EncodedKey?
  /// For people: "PEM", "hexadecimal digits".
  package let form: String
}

extension SecretBytes {
  /// Leaves the bytes of the key, of RSA its DER.
  ///
  /// - Parameters:
  ///   - byteCounts: how long keys can be that are bare bytes.
  ///   - serves: which of several keys in PEM is wanted.
  /// - Returns: the key that serves; if none does, the first one.
  package mutating func findKey(byteCounts: [Int], where serves: (EncodedKey) -> Bool) throws(KeyFault) -> FoundKey {
    if isPEM { return try findInPEM(where: serves) }
    let form = try decodeText(byteCounts)
    let isBare = byteCounts.contains(count) && !KeyFault.isBeginningOfDER(bytes)
    do throws(KeyFault) {
      let (key, isCertificate) = try keepDER()
      return FoundKey(encoded: key, form: form ?? (isCertificate ? "a certificate, DER" : "DER"))
    } catch {
      if form != nil || isBare { return FoundKey(encoded: nil, form: form ?? "bare bytes") }
      guard case .form = error else { throw error }
      throw KeyFault(ofText: bytes)
    }
  }

  /// Decodes hexadecimal digits and base64url.
  ///
  /// - Returns: the form's name; nil of what is neither.
  private mutating func decodeText(_ byteCounts: [Int]) throws(KeyFault) -> String? {
    if isHexadecimal {
      // Programs write long keys in several lines.
      removeSpaces()
      do throws(Failure) { try decodeHexadecimal(name: "the key") } catch { throw .digits }
      return "hexadecimal digits"
    }
    // Bare bytes may all be characters of base64url.
    guard isTextOfKey, !byteCounts.contains(count) else { return nil }
    // Some of these are characters of base64url, too.
    switch KeyFault(ofText: bytes) {
    case .form: break
    case let fault: throw fault
    }
    do throws(KeyFault) { try decodeBase64(.url) } catch { throw .base64url }
    return "base64url"
  }

  /// - Source: RFC 7468 §2: a file may have several objects, with text around them.
  private mutating func findInPEM(where serves: (EncodedKey) -> Bool) throws(KeyFault) -> FoundKey {
    var (position, first) = (0, Range(0...0))
    var (found, fault): (FoundKey?, KeyFault?)
    while let block = try nextBlock(from: position) {
      position = block.end
      if isText("PARAMETERS", endOf: block.label) { continue }
      do throws(KeyFault) {
        var decoded = try decode(block)
        let (key, isCertificate) = try decoded.keepDER()
        let here = FoundKey(encoded: key, form: isCertificate ? "a certificate, PEM" : "PEM")
        if serves(key) {
          swap(&self, &decoded)
          return here
        }
        if found == nil { (found, first) = (here, block.contents) }
      } catch { fault = fault ?? error }
    }
    // A key under a password says more than the certificate before it.
    if let fault { throw fault }
    guard let found else { throw .form }
    keep(first)
    try decodeBase64()
    _ = try keepDER()
    return found
  }

  /// The bytes of a block, in memory of their own.
  private func decode(_ block: Block) throws(KeyFault) -> SecretBytes {
    if let fault = fault(ofLabel: block.label) { throw fault }
    var decoded = try copy(block.contents)
    // The older way to encrypt a key has lines in front of the digits.
    guard decoded.find("Proc-Type:", from: 0) == nil else { throw .encrypted }
    try decoded.decodeBase64()
    return decoded
  }

  private func copy(_ part: Range<Int>) throws(KeyFault) -> SecretBytes {
    do throws(KeyboardError) {
      var copy = try SecretBytes(capacity: max(part.count, 1))
      for byte in bytes[part] { try copy.append(byte) }
      return copy
    } catch { throw .memory }
  }

  /// Leaves the key of DER, or of a certificate in DER.
  ///
  /// - Throws: `.otherPair` for a private key that has the public key of another one beside it.
  private mutating func keepDER() throws(KeyFault) -> (key: EncodedKey, isCertificate: Bool) {
    var isCertificate = false
    var key: EncodedKey
    do throws(KeyFault) { key = try EncodedKey(bytes) } catch {
      guard case .form = error else { throw error }
      let place: Range<Int>
      do throws(KeyFault) { place = try EncodedKey.placeInCertificate(bytes) } catch { throw KeyFault(ofDER: bytes) }
      keep(place)
      key = try EncodedKey(bytes)
      isCertificate = true
    }
    guard try key.isPair(in: bytes) else { throw .otherPair }
    keep(key.range)
    return (key, isCertificate)
  }
}
