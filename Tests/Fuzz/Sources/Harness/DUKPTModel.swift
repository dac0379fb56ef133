// DUKPT as a host has it: each key is made from the initial key, and a whole device from nothing else. Here arrays may
// hold keys.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A scheme, with the derivations that lead to any of its keys.
///
/// - Source: ANSI X9.24-1:2009 annex A; ANSI X9.24-3:2017 §6.
struct DUKPTWay: Sendable {
  let scheme: CUSTOM_DUKPT
  let keyLengths: [Int]
  let workingLength: Int

  static let all = [
    DUKPTWay(scheme: CUSTOM_DUKPT_TDES, keyLengths: [16], workingLength: 16),
    DUKPTWay(scheme: CUSTOM_DUKPT_AES128, keyLengths: [16, 24, 32], workingLength: 16),
    DUKPTWay(scheme: CUSTOM_DUKPT_AES192, keyLengths: [24, 32], workingLength: 24),
    DUKPTWay(scheme: CUSTOM_DUKPT_AES256, keyLengths: [32], workingLength: 32),
    DUKPTWay(scheme: CUSTOM_DUKPT_AES_2TDEA, keyLengths: [16, 24, 32], workingLength: 16),
    DUKPTWay(scheme: CUSTOM_DUKPT_AES_3TDEA, keyLengths: [16, 24, 32], workingLength: 24),
  ]

  static func of(_ scheme: CUSTOM_DUKPT) -> DUKPTWay? { all.first { $0.scheme == scheme } }

  private var isTDES: Bool { scheme == CUSTOM_DUKPT_TDES }
  var numberLength: Int { isTDES ? 10 : 12 }
  var counterBits: Int { isTDES ? 21 : 32 }
  /// The most bits that a transaction's counter has set.
  var mostBits: Int { isTDES ? 10 : 16 }
  private var hasAESKey: Bool {
    [CUSTOM_DUKPT_AES128, CUSTOM_DUKPT_AES192, CUSTOM_DUKPT_AES256].contains(scheme)
  }

  /// Whether its working key is one for these blocks.
  func serves(_ pin: PINWay) -> Bool { pin.isAES == hasAESKey }

  // MARK: Numbers

  private var counterMask: UInt128 { 1 << UInt128(counterBits) - 1 }

  private static func value(_ bytes: some Sequence<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }

  private func bytes(_ number: UInt128) -> [UInt8] {
    (0..<numberLength).map { UInt8(truncatingIfNeeded: number >> UInt128(8 * (numberLength - 1 - $0))) }
  }

  func counter(of number: [UInt8]) -> UInt32 { UInt32(Self.value(number) & counterMask) }

  /// A serial number with another counter.
  func number(_ number: [UInt8], _ counter: UInt32) -> [UInt8] {
    bytes(Self.value(number) & ~counterMask | UInt128(counter))
  }

  func hasTransaction(_ counter: UInt32) -> Bool { counter != 0 && counter.nonzeroBitCount <= mostBits }

  /// The next counter that has a transaction; 0 after the last one.
  func counter(after last: UInt32) -> UInt32 {
    var next = last
    repeat { next = (next &+ 1) & UInt32(counterMask) } while next != 0 && !hasTransaction(next)
    return next
  }

  // MARK: Keys

  func initialKey(_ baseKey: [UInt8], _ number: [UInt8]) -> [UInt8] {
    let identifier = Array(self.number(number, 0).prefix(8))
    guard isTDES else { return expand(baseKey, use: 0x8001, algorithm(baseKey.count), identifier, baseKey.count) }
    return [baseKey, Self.masked(baseKey)].flatMap {
      Reference.crypt(CUSTOM_ENCWAY_3DES, $0, identifier, decrypting: false)
    }
  }

  /// What the working key of a counter, and the keys of counters with one more bit, are made from.
  func key(_ initialKey: [UInt8], _ number: [UInt8], _ counter: UInt32) -> [UInt8] {
    var (key, reached) = (initialKey, UInt32(0))
    for bit in (0..<UInt32(counterBits)).reversed() where counter >> bit & 1 == 1 {
      reached |= 1 << bit
      let register = Array(self.number(number, reached).suffix(8))
      if isTDES {
        key = [Self.masked(key), key].flatMap { Self.half($0, register) }
      } else {
        key = expand(key, use: 0x8000, algorithm(key.count), register, key.count)
      }
    }
    return key
  }

  /// The PIN encryption key of a transaction.
  func workingKey(_ initialKey: [UInt8], _ number: [UInt8], _ counter: UInt32) -> [UInt8] {
    var key = key(initialKey, number, counter)
    guard isTDES else {
      let kind = hasAESKey ? algorithm(workingLength) : workingLength == 16 ? 0 : 1
      return expand(key, use: 0x1000, kind, Array(self.number(number, counter).suffix(8)), workingLength)
    }
    for last in [7, 15] { key[last] ^= 0xff }
    return key
  }

  private static func masked(_ key: [UInt8]) -> [UInt8] {
    key.enumerated().map { place, byte in place % 8 < 4 ? byte ^ 0xc0 : byte }
  }

  /// Half of the non-reversible key generation process.
  private static func half(_ key: [UInt8], _ register: [UInt8]) -> [UInt8] {
    let (left, right) = (Array(key.prefix(8)), key.suffix(8))
    let sum = zip(register, right).map { $0 ^ $1 }
    return zip(Reference.crypt(CUSTOM_ENCWAY_DES, left, sum, decrypting: false), right).map { $0 ^ $1 }
  }

  /// AES-128, AES-192 and AES-256 are 2, 3 and 4.
  private func algorithm(_ count: Int) -> Int { count / 8 }

  private func expand(_ key: [UInt8], use: Int, _ algorithm: Int, _ end: [UInt8], _ count: Int) -> [UInt8] {
    func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
    let blocks = (1...2).flatMap { index in
      let data = [1, UInt8(index)] + two(use) + two(algorithm) + two(8 * count) + end
      return 16 * (index - 1) < count ? AESReference.crypt(key, data, decrypting: false) : []
    }
    return Array(blocks.prefix(count))
  }

  // MARK: Devices

  /// A device whose next transaction has this counter, byte by byte; 0 for one whose keys were all used.
  func device(_ initialKey: [UInt8], _ number: [UInt8], _ counter: UInt32) -> [UInt8] {
    var bytes = Array("CKDUKPT\0".utf8) + [1, UInt8(scheme.rawValue), UInt8(initialKey.count), 0]
    bytes += self.number(number, counter)
    bytes += [UInt8](repeating: 0, count: 1120 - bytes.count)
    for register in 0..<counterBits {
      guard let next = self.counter(of: register, from: counter) else { continue }
      let key = key(initialKey, number, next)
      bytes.replaceSubrange(24 + 32 * register..<24 + 32 * register + key.count, with: key)
    }
    return bytes + SHA256Reference.digest(bytes)
  }

  /// The counter that a register has the key of: the next one whose lowest bit is the register's. Nil if the register
  /// is empty, until a counter with a higher lowest bit is used.
  func counter(of register: Int, from counter: UInt32) -> UInt32? {
    let bit = UInt32(1) << UInt32(register)
    let next = counter & ~(bit - 1) | bit
    return counter != 0 && register >= counter.trailingZeroBitCount && next >= counter ? next : nil
  }
}

/// A terminal's device in memory of its own, and what it was when it was last right.
public final class DeviceModel {
  let memory: UnsafeMutablePointer<CUSTOM_DUKPT_DEVICE>
  /// What it has if its bytes are `bytesWhenRight`.
  struct Loaded {
    let way: DUKPTWay
    let initialKey, number: [UInt8]
    /// Of the next transaction; 0 if there is none.
    var counter: UInt32
  }
  var loaded: Loaded?
  var bytesWhenRight: [UInt8] = []

  init() {
    memory = .allocate(capacity: 1)
    memory.initialize(to: CUSTOM_DUKPT_DEVICE())
  }

  deinit { memory.deallocate() }

  static var size: Int { MemoryLayout<CUSTOM_DUKPT_DEVICE>.size }

  var piece: Piece {
    let start = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: UInt8.self)
    return Piece(start: start, count: Self.size, claimed: Self.size)
  }

  var isBlank: Bool { piece.bytes.allSatisfy { $0 == 0 } }

  /// What it has now; nil if it was altered.
  var current: Loaded? { piece.bytes == bytesWhenRight ? loaded : nil }

  func write(_ bytes: [UInt8]) { piece.start!.update(from: bytes, count: bytes.count) }

  /// Takes what the library has written for right, if it is, as far as the model looks.
  ///
  /// - Parameter register: the one whose key is looked at. All others would take too long with AES.
  func accept(_ now: Loaded, register: Int) {
    (loaded, bytesWhenRight) = (now, piece.bytes)
    let bytes = bytesWhenRight
    let head = Array("CKDUKPT\0".utf8) + [1, UInt8(now.way.scheme.rawValue), UInt8(now.initialKey.count), 0]
    let number = now.way.number(now.number, now.counter)
    expect(Array(bytes.prefix(12)) == head, "a device begins in another way")
    expect(Array(bytes[12..<12 + number.count]) == number, "a device has another serial number")
    expect(Array(bytes.suffix(32)) == SHA256Reference.digest(Array(bytes.dropLast(32))), "a device has another sum")
    for index in 0..<32 {
      let own = Array(bytes[24 + 32 * index..<56 + 32 * index])
      guard index < now.way.counterBits, let next = now.way.counter(of: index, from: now.counter) else {
        expect(own.allSatisfy { $0 == 0 }, "register \(index) still has a key")
        continue
      }
      guard index == register else { continue }
      let key = now.way.key(now.initialKey, now.number, next)
      expect(Array(own.prefix(key.count)) == key, "register \(index) has another key")
    }
  }
}
