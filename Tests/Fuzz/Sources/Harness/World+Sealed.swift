// Calls for sealed texts, chosen by the fuzzer: real texts and altered ones, keys, contexts, spaces.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  public func unsealAnything() {
    var request = anyOpening()
    if reader.number(below: 8) == 7 { return unsealOverlapping(request) }
    give(&request)
    var space = memory.space(anySpaceSize())
    var (offset, length): (UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Int>?) = (memory.answer(), memory.answer())
    switch reader.number(below: 32) {
    case 26: space = Piece(start: nil, claimed: space.claimed)
    case 27: space.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })  // others would be filled
    case 28: offset = nil
    case 29: length = nil
    case 30: offset = place(in: space)
    case 31: length = place(in: space)
    default: spoil(&request)
    }
    request.checkUnseal(into: space, offset: offset, length: length)
  }

  public func receiveAnything(_ handle: CUSTOM_KEYBOARD) {
    var request = anyOpening()
    give(&request)
    spoil(&request)
    checkReceive(handle, request)
  }

  /// Sizes around those of passwords, and a good one.
  private func anySpaceSize() -> Int {
    reader.flag() ? reader.number(below: 144) : reader.one(of: [0, 1, 4, 8, 128, 144, 160, 1024])
  }

  /// A place for an answer inside of a space, if there is room.
  private func place(in space: Piece) -> UnsafeMutablePointer<Int> {
    guard space.count >= 8 else { return memory.answer() }
    let place = UnsafeMutableRawPointer(space.start!) + 8 * reader.number(below: space.count / 8)
    return place.assumingMemoryBound(to: Int.self)
  }

  /// Gives the contents of a request their memory.
  private func give(_ request: inout OpenRequest) {
    request.key = memory.copy(request.keyBytes)
    request.context = memory.copy(request.contextBytes)
    request.text =
      Reference.isWay(request.way) ? memory.copy(request.textBytes) : memory.copyThatMayBeOverrun(request.textBytes)
  }

  /// Arguments that no caller should pass: NULL, and impossible sizes.
  private func spoil(_ request: inout OpenRequest) {
    let size = { [reader] in reader.one(of: impossibleSizes) }
    switch reader.number(below: 32) {
    case 20: request.key = Piece(start: nil, claimed: request.key.claimed)
    case 21: request.context = Piece(start: nil, claimed: request.context.claimed)
    case 22: request.text = Piece(start: nil, claimed: request.text.claimed)
    case 23: request.key.claimed = size()
    case 24: request.context.claimed = size()
    case 25: request.text.claimed = size()
    case 26: request.key = .pastTheEnd(request.key.claimed)
    case 27: request.context = .pastTheEnd(request.context.claimed)
    case 28: request.text = .pastTheEnd(request.text.claimed)
    case 29: request.context.claimed = 257 + reader.number(below: 256)
    default: break
    }
  }

  /// Everything somewhere in one piece, where it may overlap.
  private func unsealOverlapping(_ request: OpenRequest) {
    var request = request
    let room = max(1024, 512 + [request.keyBytes, request.contextBytes, request.textBytes].map(\.count).max()!)
    let whole = memory.space(room)
    func place(_ bytes: [UInt8]) -> Piece {
      let start = whole.start! + reader.number(below: room - bytes.count)
      start.update(from: bytes, count: bytes.count)
      return Piece(start: start, count: bytes.count, claimed: bytes.count)
    }
    request.key = place(request.keyBytes)
    request.context = place(request.contextBytes)
    request.text = place(request.textBytes)
    let size = reader.number(below: 160)
    let space = Piece(start: whole.start! + reader.number(below: room - size), count: size, claimed: size)
    // They may overlap now.
    (request.keyBytes, request.contextBytes, request.textBytes) =
      (request.key.bytes, request.context.bytes, request.text.bytes)
    request.checkUnseal(into: space, offset: memory.answer(), length: memory.answer())
  }

  // MARK: What is opened

  /// A text to open, mostly one that a keyboard has made, with nothing, one thing or a few things altered.
  private func anyOpening() -> OpenRequest {
    var request = OpenRequest()
    switch reader.number(below: 32) {
    case 30: return anyOAEP()
    case let kind where kind % 8 == 6: return anyECB()
    case let kind where kind % 8 == 7: return anyGCM()
    default: break
    }
    let original = Originals.anyText(reader)
    request.original = original
    (request.way, request.keyBytes) = (original.way.way, original.secret)
    (request.contextBytes, request.textBytes) = (original.context, original.text)
    if reader.number(below: 4) > 0 {
      repeat { alter(&request, original.way) } while reader.number(below: 4) == 3
    }
    return request
  }

  private func alter(_ request: inout OpenRequest, _ way: SealedWay) {
    switch reader.number(below: 12) {
    case 0...1: alterBytes(&request.textBytes)
    case 2:
      guard case .rsa = way.keys, reader.flag() else {
        request.textBytes = reader.scatteredBytes(way.textLength)
        break
      }
      alterNumber(&request.textBytes, RSAPrivateKey(request.keyBytes)?.publicKey)
    case 3:
      // A part of another text of the same way.
      let (other, start) = (Originals.anyText(reader).text, reader.number(below: 300))
      for i in request.textBytes.indices.dropFirst(start).prefix(16) where i < other.count {
        request.textBytes[i] = other[i]
      }
    case 4: alterBytes(&request.contextBytes)
    case 5: request.contextBytes = reader.scatteredBytes(reader.number(below: 300))
    case 6: request.keyBytes = reader.one(of: way.pairs).secret
    case 7: alterBytes(&request.keyBytes)
    case 8...9: request.keyBytes = anySecret(way)
    case 10: request.way = encryptionWay()
    default:
      // Another way of sealing, with a text of its length.
      let other = reader.oneButSeldomTheLast(of: SealedWay.all)
      request.way = other.way
      let filler = [UInt8](repeating: 4, count: max(0, other.textLength - request.textBytes.count))
      request.textBytes = request.textBytes.prefix(other.textLength) + filler
    }
  }

  /// Flips a bit, replaces a byte or some, cuts the end off, or adds to it.
  func alterBytes(_ bytes: inout [UInt8]) {
    let kind = reader.number(below: 8)
    let place = reader.number(below: max(1, bytes.count))
    switch kind {
    case 0...3: if !bytes.isEmpty { bytes[place] ^= 1 << (reader.byte() & 7) }
    case 4: if !bytes.isEmpty { bytes[place] = reader.byte() }
    case 5:
      let filler: UInt8 = reader.flag() ? 0xff : 0
      for i in bytes.indices.dropFirst(place).prefix(16) { bytes[i] = filler }
    case 6: bytes = Array(bytes.prefix(place))
    default: bytes += reader.scatteredBytes(1 + reader.number(below: 400))
    }
  }

  /// Any bytes of the right length, a number near zero or near the order, or bytes of another length.
  func anySecret(_ way: SealedWay) -> [UInt8] {
    let kind = reader.number(below: 8)
    if case .rsa = way.keys, kind < 6 { return anyPrivateKeyOfRSA() }
    guard case .curve(let curve) = way.keys, kind < 6 else {
      return reader.scatteredBytes(kind == 7 ? reader.number(below: 80) : way.secretLength)
    }
    let near = Number(UInt128(reader.number(below: 4)))
    switch kind {
    case 0: return near.bytes
    case 1: return (curve.order.adding(near).sum).bytes
    case 2: return (curve.prime &- near).bytes
    default: return (curve.order &- near).bytes
    }
  }

  /// Ways of ECB and of sealing, and some that do not exist.
  func encryptionWay() -> CUSTOM_ENCWAY {
    let code = reader.number(below: 14)
    return CUSTOM_ENCWAY(rawValue: code < 13 ? UInt32(code) : UInt32(truncatingIfNeeded: reader.word()))
  }

  /// For `receive`; `unseal` refuses it.
  private func anyECB() -> OpenRequest {
    var request = OpenRequest()
    request.way = way()
    request.keyBytes = key(for: request.way)
    request.textBytes = text(request.way, request.keyBytes)
    // Longer passwords than a keyboard holds, in UTF-8 and not.
    if Reference.isWay(request.way), Reference.accepts(request.way, keyLength: request.keyBytes.count), reader.flag() {
      let count = reader.flag() ? reader.number(below: 129) : 126 + reader.number(below: 18)
      var password = [UInt8](repeating: 0x61, count: count)
      if count > 0, reader.flag() { password[count - 1] = reader.byte() }
      request.textBytes = Reference.encrypt(request.way, request.keyBytes, password)
    }
    if reader.number(below: 8) == 7 { request.contextBytes = reader.scatteredBytes(reader.number(below: 300)) }
    return request
  }

  /// A text of SM4_GCM with any block.
  private func anyGCM() -> OpenRequest {
    var request = OpenRequest()
    request.way = CUSTOM_ENCWAY_SM4_GCM
    request.keyBytes = reader.scatteredBytes(16)
    request.contextBytes = reader.scatteredBytes(reader.number(below: 257))
    let block = anyBlock()
    request.textBytes = GCMReference.seal(
      block, key: request.keyBytes, nonce: reader.scatteredBytes(12), context: request.contextBytes)
    if reader.number(below: 8) == 7 { alter(&request, SealedWay.all[0]) }
    return request
  }

  /// What is sealed: a password in UTF-8 or not, and padding that may be wrong.
  func anyBlock() -> [UInt8] {
    let password =
      reader.flag()
      ? reader.take(reader.number(below: 129)) : [UInt8](repeating: 0x62, count: reader.number(below: 144))
    var block = GCMReference.pad(password)
    if reader.number(below: 4) == 3 { block[reader.number(below: block.count)] = reader.byte() }
    if reader.number(below: 4) == 3 { block[block.count - 1] = reader.byte() }
    return block
  }
}

extension Reader {
  /// Many different bytes, from two of the fuzzer's.
  func scatteredBytes(_ count: Int) -> [UInt8] {
    var source = scattered()
    return source.bytes(count)
  }
}
