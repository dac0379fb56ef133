// Keys of an app: what they hold, where they are, and what is left of them.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Foundation
import Testing

private func secret(_ text: String, capacity: Int = 40) throws -> SecretBytes {
  var secret = try SecretBytes(capacity: capacity)
  for byte in text.utf8 { try secret.append(byte) }
  return secret
}

private func text(_ secret: borrowing SecretBytes) -> String {
  secret.span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

/// All of the memory, used or not.
private func memory(_ secret: borrowing SecretBytes) -> [UInt8] {
  let capacity = secret.capacity
  return secret.span.withUnsafeBytes { Array(UnsafeRawBufferPointer(start: $0.baseAddress, count: capacity)) }
}

// A macro copies what it is given, so it is given what is read here.
private func isText(_ secret: borrowing SecretBytes, _ expected: String) -> Bool {
  secret.count == expected.utf8.count && secret.isEmpty == expected.isEmpty && text(secret) == expected
}

private func isWiped(_ secret: borrowing SecretBytes, from place: Int) -> Bool {
  memory(secret)[place...].allSatisfy { $0 == 0 }
}

@Test func aSecretHoldsWhatIsAppendedAndNoMore() throws {
  var secret = try secret("0123456789", capacity: 12)
  let first = isText(secret, "0123456789") && secret.capacity == 12
  try secret.append(65)
  try secret.append(66)
  var error: KeyboardError?
  do throws(KeyboardError) { try secret.append(67) } catch let thrown { error = thrown }
  let second = isText(secret, "0123456789AB")
  let copy = try SecretBytes(copying: secret.span)
  let third = isText(copy, "0123456789AB") && copy.capacity == 12
  #expect(first && second && third && error == .tooLong)
}

@Test func aSecretIsExtendedByWhatIsWrittenAndNoMore() throws {
  struct Refused: Error {}
  var secret = try secret("0123", capacity: 12)
  var wasZero = false
  secret.extend { room in
    wasZero = room.count == 8 && room.allSatisfy { $0 == 0 }
    room.copyBytes(from: "4567left".utf8)
    return 4
  }
  let isExtended = isText(secret, "01234567") && isWiped(secret, from: 8)
  var isThrown = false
  do {
    try secret.extend { room throws(Refused) in
      room.copyBytes(from: "part".utf8)
      throw Refused()
    }
  } catch { isThrown = isText(secret, "01234567") && isWiped(secret, from: 8) }
  try secret.append(contentsOf: Array("89AB".utf8).span)
  let isFull = isText(secret, "0123456789AB")
  var error: KeyboardError?
  do throws(KeyboardError) { try secret.append(contentsOf: [67].span) } catch let thrown { error = thrown }
  let isSame = isText(secret, "0123456789AB")
  #expect(wasZero && isExtended && isThrown && isFull && isSame && error == .tooLong)
}

@Test func aSecretIsChangedInPlace() throws {
  var secret = try secret("0123", capacity: 12)
  var span = secret.mutableSpan
  for place in 0..<span.count { span[place] += 4 }
  let isChanged = isText(secret, "4567")
  #expect(isChanged)
}

@Test func aCopyOfNothingIsEmpty() throws {
  let nothing = try SecretBytes(copying: Span())
  let isEmpty = isText(nothing, "") && nothing.capacity == 1
  #expect(isEmpty)
}

@Test func aSecretWipesWhatItDoesNotKeep() throws {
  for first in 0...10 {
    for last in first...10 {
      var secret = try secret("0123456789")
      let isThere = memory(secret)[9] == 57  // so that zeros are not zeros all the time
      secret.keep(first..<last)
      let isKept = isText(secret, String("0123456789".dropFirst(first).prefix(last - first)))
      let isRestWiped = isWiped(secret, from: last - first)
      secret.removeAll()
      let isEmpty = isText(secret, "") && isWiped(secret, from: 0)
      #expect(isThere && isKept && isRestWiped && isEmpty, "\(first)..<\(last)")
    }
  }
}

@Test func aSecretThatIsFilledKeepsOnlyTheAnswer() throws {
  struct Refused: Error {}
  var secret = try secret("what was there before")
  var wasZero = false
  secret.fill { room in
    wasZero = room.count == 40 && room.allSatisfy { $0 == 0 }
    room.copyBytes(from: "....key....".utf8)
    return 4..<7
  }
  let isFilled = isText(secret, "key") && isWiped(secret, from: 3)
  var isThrown = false
  do {
    try secret.fill { room throws(Refused) in
      room.copyBytes(from: "a part".utf8)
      throw Refused()
    }
  } catch { isThrown = true }
  let isEmpty = isText(secret, "") && isWiped(secret, from: 0)
  #expect(wasZero && isFilled && isThrown && isEmpty)
}

@Test func secretsAreEqualIfAllBytesAre() throws {
  let one = try secret("a key of sixteen")
  let isSame = one.isEqual(to: try secret("a key of sixteen", capacity: 16))
  let isShorter = one.isEqual(to: try secret("a key of sixtee"))
  let isEmpty = one.isEqual(to: try SecretBytes(capacity: 16))
  let isNothing = try SecretBytes(capacity: 1).isEqual(to: try SecretBytes(capacity: 9))
  #expect(isSame && isNothing && !isShorter && !isEmpty)
  for place in 0..<16 {
    for bit in 0..<8 {
      var bytes = Array("a key of sixteen".utf8)
      bytes[place] ^= 1 << bit
      let isEqual = one.isEqual(to: bytes.span)
      #expect(!isEqual, "bit \(bit) of byte \(place)")
    }
  }
}

/// Swift lends no span of a property of a class.
@Test func aSecretOfAClassLendsItsBytes() throws {
  final class Owner: Sendable {
    let key: SecretBytes
    init(_ key: consuming SecretBytes) { self.key = key }
  }
  struct Refused: Error {}
  let owner = Owner(try secret("a key"))
  let lent = owner.key.withSpan { key in key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
  #expect(lent == "a key")
  #expect(throws: Refused.self) { try owner.key.withSpan { _ throws(Refused) in throw Refused() } }
}

/// What takes a span of a key takes a secret's.
@Test func aSecretIsAKey() throws {
  let key = try secret("8907654329807654")
  let keyboard = try Keyboard()
  try keyboard.setEncKey(key.span, way: .sm4)
  try keyboard.open()
  try keyboard.input(Array("kgcx879@".utf8).span)
  let text = try keyboard.getText()
  let other = try Keyboard()
  try other.receive(Array(text.bytes).span, way: .sm4, key: key.span)
  let isSame = try keyboard.hasSamePassword(as: other)
  #expect(isSame)
}

/// A drawn key opens what its public key seals, and what is typed gives the key that C's function gives.
@Test func secretsAreDrawnAndDerived() throws {
  for way in [SealingWay.x25519, .p256, .sm2, .sm4GCM, .xwing] {
    let pair = try generateKey(way)
    let isLong = way.secretKeyLengths.contains(pair.secretKey.count)
    let typed = try Keyboard()
    try typed.setEncKey(way == .sm4GCM ? pair.secretKey.span : pair.publicKey.span, sealing: way)
    try typed.setContext(Span())
    try typed.open()
    try typed.input(Array("kgcx879@".utf8).span)
    let text = try typed.getText()
    let received = try Keyboard()
    try received.receive(Array(text.bytes).span, way: way, key: pair.secretKey.span, context: Span())
    let isSame = try received.hasSamePassword(as: typed)
    #expect(isLong && isSame && pair.publicKey.isEmpty == (way == .sm4GCM), "\(way)")
  }
  var error: KeyboardError?
  do throws(KeyboardError) { _ = try generateKey(.rsa) } catch let thrown { error = thrown }
  #expect(error == .argument)

  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(Array("kgcx879@".utf8).span)
  let salt = Array("salt of 16 bytes".utf8)
  for count in [16, 32, 64] {
    var expected = [UInt8](repeating: 0, count: count)
    var span = expected.mutableSpan
    try keyboard.deriveKey(salt: salt.span, pepper: Span(), memoryKiB: 8, passes: 1, into: &span)
    let key = try keyboard.deriveKey(salt: salt.span, pepper: Span(), memoryKiB: 8, passes: 1, byteCount: count)
    let isSame = key.isEqual(to: expected.span) && !expected.allSatisfy { $0 == 0 }
    #expect(isSame, "\(count)")
  }
  for count in [-1, 0, 15, 65, .max] {
    error = nil
    do throws(KeyboardError) {
      _ = try keyboard.deriveKey(salt: salt.span, pepper: Span(), memoryKiB: 8, passes: 1, byteCount: count)
    } catch let thrown { error = thrown }
    #expect(error == .argument, "\(count)")
  }
}

#if os(Linux)
  /// What the kernel says about the mappings, one after another: the range, and the flags.
  private func mappings() throws -> [(range: Range<UInt>, access: Substring, flags: Set<Substring>)] {
    var found: [(range: Range<UInt>, access: Substring, flags: Set<Substring>)] = []
    // Foundation reads only the beginning of a file whose size is said to be 0.
    let file = try #require(fopen("/proc/self/smaps", "r"))
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 4096)
    while fgets(&buffer, 4096, file) != nil {
      let line = String(decoding: buffer.prefix { $0 != 10 && $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let words = line.split(separator: " ")
      let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if bounds.count == 2 { found.append((bounds[0]..<bounds[1], words[1], [])) }
      if words[0] == "VmFlags:" { found[found.count - 1].flags = Set(words.dropFirst()) }
    }
    return found
  }

  /// Locked, left out of dumps, empty in a fork's child, and between pages without access.
  @Test func aSecretIsInMemoryOfItsOwn() throws {
    let key = try secret("a key of sixteen")
    let address = key.span.withUnsafeBytes { UInt(bitPattern: $0.baseAddress!) }
    let all = try mappings()
    let place = try #require(all.firstIndex { $0.range.contains(address) })
    // The address and the thread sanitizer make mlock do nothing.
    let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    let isLocked: Set<Substring> = isSanitized ? [] : ["lo"]
    #expect(all[place].range.count == 4096 && all[place].flags.isSuperset(of: isLocked.union(["dd", "wf"])))
    #expect(all[place - 1].access == "---p" && all[place - 1].range.upperBound == all[place].range.lowerBound)
    #expect(all[place + 1].access == "---p" && all[place + 1].range.lowerBound == all[place].range.upperBound)
    let ordinary = [UInt8](repeating: 1, count: 1 << 20)
    let elsewhere = ordinary.withUnsafeBytes { UInt(bitPattern: $0.baseAddress!) }
    let other = try #require(try mappings().first { $0.range.contains(elsewhere) })
    #expect(other.flags.isDisjoint(with: ["lo", "dd", "wf"]))
    let count = key.count  // it is there until here
    #expect(count == 16)
  }
#endif
