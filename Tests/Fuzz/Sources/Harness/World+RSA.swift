// Keys, texts and signatures of RSA, chosen by the fuzzer: real ones with a number altered, or in another form.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  /// A private key in one of its two forms, often with numbers or bytes that are wrong.
  func anyPrivateKeyOfRSA() -> [UInt8] {
    var key = reader.one(of: RSAKeys.all)
    let isPKCS8 = reader.flag()
    switch reader.number(below: 8) {
    case 0: break
    case 1:
      let (place, other) = (reader.number(below: 8), reader.one(of: RSAKeys.all))
      key.numbers[place] = number(near: key.numbers[place], other.numbers[place])
    case 2:
      // The primes exchanged, and what belongs to them, but the last number.
      key.numbers.swapAt(3, 4)
      key.numbers.swapAt(5, 6)
    case 3...4:
      // The same key, with numbers that are larger than they should be.
      let (p, q, one) = (key.numbers[3], key.numbers[4], LongNumber(1))
      let times = LongNumber(UInt64(reader.byte()))
      switch reader.number(below: 4) {
      case 0: key.numbers[2] = key.numbers[2] + times * (p - one) * (q - one)
      case 1: key.numbers[5] = key.numbers[5] + times * (p - one)
      case 2: key.numbers[6] = key.numbers[6] + times * (q - one)
      default: key.numbers[7] = key.numbers[7] + times * p
      }
    case 5: key = anyKeyOfNoPrimes()
    case 6: return withOtherHead(isPKCS8 ? key.pkcs8 : key.pkcs1)
    default:
      var integers = key.numbers.map { DER.integer($0) }
      let place = reader.number(below: 8)
      integers[place] = otherForm(key.numbers[place])
      return isPKCS8 ? DER.pkcs8(DER.pkcs1(integers)) : DER.pkcs1(integers)
    }
    return isPKCS8 ? key.pkcs8 : key.pkcs1
  }

  /// A public key with any modulus and exponent, or in another form.
  func anyPublicKeyOfRSA() -> [UInt8] {
    let key = reader.one(of: RSAKeys.all).publicKey
    var (modulus, exponent) = (DER.integer(key.modulus), DER.integer(key.exponent))
    switch reader.number(below: 8) {
    case 0...1:
      let bits = reader.one(of: [2047, 2048, 2049, 2056, 3072, 4095, 4096, 4097, 1024, 8])
      var bytes = reader.scatteredBytes((bits + 7) / 8)
      bytes[0] = bytes[0] & (1 << UInt8((bits - 1) % 8) - 1) | 1 << UInt8((bits - 1) % 8)
      if reader.number(below: 4) < 3 { bytes[bytes.count - 1] |= 1 }
      modulus = DER.integer(LongNumber(bytes))
    case 2...3:
      let exponents: [UInt64] = [0, 1, 2, 3, 5, 128, 255, 256, 65536, 1 << 63 + 1, .max - 1, .max]
      let low = LongNumber(reader.one(of: exponents))
      exponent = DER.integer(reader.number(below: 4) == 3 ? low + LongNumber([1, 0, 0, 0, 0, 0, 0, 0, 0]) : low)
    case 4: modulus = DER.integer(number(near: key.modulus, LongNumber(reader.scatteredBytes(key.length))))
    case 5: if reader.flag() { modulus = otherForm(key.modulus) } else { exponent = otherForm(key.exponent) }
    case 6: return withOtherHead(key.der)
    default: return key.der + reader.scatteredBytes(reader.number(below: 4))
    }
    return DER.publicKey(modulus + exponent)
  }

  /// Replaces a text or a signature by a number near 0 or the modulus, or by another that is the same modulo it.
  func alterNumber(_ bytes: inout [UInt8], _ key: RSAPublicKey?) {
    let modulus = key?.modulus ?? RSAKeys.all[0].publicKey.modulus
    let (number, near) = (LongNumber(bytes), LongNumber(UInt64(reader.number(below: 3))))
    let altered: LongNumber =
      switch reader.number(below: 6) {
      case 0: near
      case 1: modulus - near
      case 2: modulus + near
      case 3: number < modulus ? modulus - number : number % modulus
      default: number + modulus
      }
    bytes = altered.bytes(count: reader.number(below: 8) == 7 ? 0 : bytes.count)
  }

  /// A text with any message, or with an encoding that is not quite OAEP's. It opens only if all of it is right.
  func anyOAEP() -> OpenRequest {
    let (way, pair, key) = (SealedWay.of(CUSTOM_ENCWAY_RSA)!, RSAKeys.all[1], RSAKeys.all[1].publicKey)
    var request = OpenRequest()
    request.way = way.way
    request.keyBytes = reader.flag() ? pair.pkcs1 : pair.pkcs8
    request.contextBytes = reader.scatteredBytes(reader.number(below: 257))
    let block = anyBlock()
    let whole = block + SHA256Reference.digest(request.contextBytes)
    var message = whole
    switch reader.number(below: 8) {
    case 5: message[message.count - 1 - reader.number(below: 32)] ^= 1 << (reader.byte() & 7)
    case 6: message = Array(message.prefix(reader.number(below: message.count)))
    case 7: message += [UInt8](repeating: 0, count: 1 + reader.number(below: 14))
    default: break
    }
    let dataBlock = OAEPReference.dataBlock(message, length: key.length)
    var (first, altered) = (UInt8(0), dataBlock)
    switch reader.number(below: 8) {
    case 5: altered[reader.number(below: altered.count - message.count)] ^= 1 << (reader.byte() & 7)
    case 6: altered = [UInt8](repeating: 0, count: altered.count)
    case 7: first = 1
    default: break
    }
    // The third power: that is this key's exponent.
    let number = LongNumber([first] + OAEPReference.masked(altered, seed: reader.scatteredBytes(32)))
    request.textBytes = (number * number % key.modulus * number % key.modulus).bytes(count: key.length)
    let isRight = message == whole && altered == dataBlock && first == 0
    if isRight, let password = GCMReference.unpad(block) {
      request.original = Original(
        way: way, secret: pair.pkcs1, context: request.contextBytes, password: password, text: request.textBytes)
    }
    return request
  }

  /// Numbers that belong together, although p and q are not primes: q is twice p, and 1 more.
  private func anyKeyOfNoPrimes() -> RSAPrivateKey {
    let (e, one) = (UInt64(65537), LongNumber(1))
    func odd(_ count: Int) -> [UInt8] {
      var bytes = reader.scatteredBytes(count)
      (bytes[0], bytes[count - 1]) = (bytes[0] | 0xf0, bytes[count - 1] | 1)
      return bytes
    }
    let p = LongNumber(odd(128 + reader.number(below: 128)))
    let q = p + p + one
    // d · e is 1 more than a multiple of this. Almost always there is such a d.
    let order = (p - one) * (q - one)
    let rest = (order % LongNumber(e)).bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let times = (1..<e).first(where: { ($0 * rest + 1) % e == 0 }) else { return RSAKeys.all[0] }
    let d = (LongNumber(times) * order + one) / LongNumber(e)
    return RSAPrivateKey(numbers: [p * q, LongNumber(e), d, p, q, d % (p - one), d % (q - one), one])
  }

  /// Zero, one, twice the number, its neighbours, or another one.
  private func number(near number: LongNumber, _ other: LongNumber) -> LongNumber {
    switch reader.number(below: 8) {
    case 0: LongNumber(0)
    case 1: LongNumber(1)
    case 2: number + number
    case 3: number + LongNumber(1)
    case 4: number - LongNumber(1)
    case 5: number + LongNumber(2)
    case 6: number + LongNumber([1] + [UInt8](repeating: 0, count: reader.number(below: 256)))
    default: other
    }
  }

  /// A number as DER does not write it: negative, with a zero too many, or with its length in too many bytes. For some
  /// numbers one of these is DER.
  private func otherForm(_ number: LongNumber) -> [UInt8] {
    let contents = [0] + number.bytes
    switch reader.number(below: 4) {
    case 0: return DER.element(0x02, number.bytes)
    case 1: return DER.element(0x02, [0] + contents)
    case 2: return [0x02, 0x81, UInt8(truncatingIfNeeded: contents.count)] + contents
    default: return [0x02, 0x82, UInt8(contents.count >> 8), UInt8(contents.count & 0xff)] + contents
    }
  }

  /// Alters the first bytes, which say what a key is: there are many more behind them.
  private func withOtherHead(_ bytes: [UInt8]) -> [UInt8] {
    let count = reader.flag() ? 8 : 40
    var head = Array(bytes.prefix(count))
    alterBytes(&head)
    return head + bytes.dropFirst(count)
  }
}
