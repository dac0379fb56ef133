// Compares the header's constants with Swift's. C programs test what the functions do, on the library that C users get.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CustomKeyboard
import CustomKeyboardC
import Testing

@Test func theHeadersSizesAreSwifts() {
  #expect(CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE == maximumPasswordLength)
  #expect(CUSTOM_KEYBOARD_MAXTEXTSIZE == maximumTextLength)
  #expect(CUSTOM_KEYBOARD_ENCDATASPACESIZE == suggestedSpaceSize)
  #expect(MemoryLayout<CUSTOM_KEYBOARD_CIPHER>.size == CipherContext.byteCount)
  #expect(MemoryLayout<CUSTOM_KEYBOARD_CIPHER>.alignment == 8)
}

@Test func aJobIsLaidOutAsTheHeadersIs() {
  #expect(MemoryLayout<DecryptionJob>.stride == MemoryLayout<CUSTOM_KEYBOARD_JOB>.stride)
  #expect(MemoryLayout<DecryptionJob>.alignment == MemoryLayout<CUSTOM_KEYBOARD_JOB>.alignment)
  #expect(
    [
      MemoryLayout<DecryptionJob>.offset(of: \.key), MemoryLayout<DecryptionJob>.offset(of: \.keyLength),
      MemoryLayout<DecryptionJob>.offset(of: \.text), MemoryLayout<DecryptionJob>.offset(of: \.textLength),
      MemoryLayout<DecryptionJob>.offset(of: \.clear), MemoryLayout<DecryptionJob>.offset(of: \.clearCapacity),
      MemoryLayout<DecryptionJob>.offset(of: \.clearLength), MemoryLayout<DecryptionJob>.offset(of: \.code),
    ] == [
      MemoryLayout<CUSTOM_KEYBOARD_JOB>.offset(of: \.key), MemoryLayout<CUSTOM_KEYBOARD_JOB>.offset(of: \.keyLength),
      MemoryLayout<CUSTOM_KEYBOARD_JOB>.offset(of: \.text), MemoryLayout<CUSTOM_KEYBOARD_JOB>.offset(of: \.textLength),
      MemoryLayout<CUSTOM_KEYBOARD_JOB>.offset(of: \.clear),
      MemoryLayout<CUSTOM_KEYBOARD_JOB>.offset(of: \.clearCapacity),
      MemoryLayout<CUSTOM_KEYBOARD_JOB>.offset(of: \.clearLength), MemoryLayout<CUSTOM_KEYBOARD_JOB>.offset(of: \.rv),
    ])
}

@Test func aJobForASealedTextIsLaidOutAsTheHeadersIs() {
  typealias Job = UnsealingJob
  typealias CJob = CUSTOM_KEYBOARD_SEALED_JOB
  #expect(MemoryLayout<Job>.stride == MemoryLayout<CJob>.stride)
  #expect(MemoryLayout<Job>.alignment == MemoryLayout<CJob>.alignment)
  #expect(
    [
      MemoryLayout<Job>.offset(of: \.context), MemoryLayout<Job>.offset(of: \.contextLength),
      MemoryLayout<Job>.offset(of: \.text), MemoryLayout<Job>.offset(of: \.textLength),
      MemoryLayout<Job>.offset(of: \.clear), MemoryLayout<Job>.offset(of: \.clearCapacity),
      MemoryLayout<Job>.offset(of: \.clearLength), MemoryLayout<Job>.offset(of: \.code),
    ] == [
      MemoryLayout<CJob>.offset(of: \.context), MemoryLayout<CJob>.offset(of: \.contextLength),
      MemoryLayout<CJob>.offset(of: \.text), MemoryLayout<CJob>.offset(of: \.textLength),
      MemoryLayout<CJob>.offset(of: \.clear), MemoryLayout<CJob>.offset(of: \.clearCapacity),
      MemoryLayout<CJob>.offset(of: \.clearLength), MemoryLayout<CJob>.offset(of: \.rv),
    ])
}

@Test func theLayoutsNumbersAreTheHeaders() throws {
  let kinds: [(LayoutKind, CUSTOM_KEYBOARD_LAYOUT)] = [
    (.letters, CUSTOM_KEYBOARD_LAYOUT_LETTERS), (.digits, CUSTOM_KEYBOARD_LAYOUT_DIGITS),
    (.symbols, CUSTOM_KEYBOARD_LAYOUT_SYMBOLS), (.mixed, CUSTOM_KEYBOARD_LAYOUT_MIXED),
    (.pin, CUSTOM_KEYBOARD_LAYOUT_PIN), (.pinDecoys, CUSTOM_KEYBOARD_LAYOUT_PIN_DECOYS),
    (.pattern, CUSTOM_KEYBOARD_LAYOUT_PATTERN),
  ]
  for (swift, c) in kinds { try #require(UInt32(swift.rawValue) == c.rawValue) }
  let shuffles: [(ShuffleKind, CUSTOM_KEYBOARD_SHUFFLE)] = [
    (.none, CUSTOM_KEYBOARD_SHUFFLE_NONE), (.eachOpening, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING),
    (.eachKey, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY),
  ]
  for (swift, c) in shuffles { try #require(UInt32(swift.rawValue) == c.rawValue) }
  let roles: [(KeyRole, CUSTOM_KEYBOARD_ROLE)] = [
    (.character, CUSTOM_KEYBOARD_ROLE_CHARACTER), (.space, CUSTOM_KEYBOARD_ROLE_SPACE),
    (.delete, CUSTOM_KEYBOARD_ROLE_DELETE), (.clear, CUSTOM_KEYBOARD_ROLE_CLEAR),
    (.shift, CUSTOM_KEYBOARD_ROLE_SHIFT), (.toLetters, CUSTOM_KEYBOARD_ROLE_TO_LETTERS),
    (.toDigits, CUSTOM_KEYBOARD_ROLE_TO_DIGITS), (.toSymbols, CUSTOM_KEYBOARD_ROLE_TO_SYMBOLS),
    (.return, CUSTOM_KEYBOARD_ROLE_RETURN), (.blank, CUSTOM_KEYBOARD_ROLE_BLANK),
    (.node, CUSTOM_KEYBOARD_ROLE_NODE),
  ]
  for (swift, c) in roles { try #require(UInt32(swift.rawValue) == c.rawValue) }
}

@Test func theVersionIsTheHeaders() {
  #expect(String(cString: CustomKeyboard_version()) == CUSTOM_KEYBOARD_VERSION)
}

@Test func messagesAreThoseOfTheErrors() throws {
  for code in UInt32(0)...9 {
    let message = String(cString: CustomKeyboard_message(CUSTOM_KEYBOARD_RV(code)))
    try #require(message == "\(KeyboardError.message(forCode: code))")
  }
}

/// A module of C that is given a keyboard's handle uses the same keyboard.
@Test func aKeyboardOfSwiftIsUsedInC() throws {
  let keyboard = try Keyboard()
  try keyboard.open()
  #expect(CustomKeyboard_input(keyboard.handle, Array("483725".utf8), 6) == CUSTOM_KEYBOARD_OK)
  #expect(keyboard.count == 6)
  var (inC, inSwift) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
  let (salt, pepper) = (Array("saltsalt".utf8), [UInt8]())
  #expect(CustomKeyboard_deriveKey(keyboard.handle, salt, 8, nil, 0, 8, 1, &inC, 32) == CUSTOM_KEYBOARD_OK)
  var span = inSwift.mutableSpan
  try keyboard.deriveKey(salt: salt.span, pepper: pepper.span, memoryKiB: 8, passes: 1, into: &span)
  #expect(inC == inSwift && inC.contains { $0 != 0 })
  let other = try Keyboard()
  #expect(keyboard.handle != other.handle && keyboard.handle != 0)
}

@Test func aHandleEndsWithItsKeyboard() throws {
  var keyboard: Keyboard? = try Keyboard()
  let handle = keyboard!.handle
  #expect(CustomKeyboard_open(handle) == CUSTOM_KEYBOARD_OK)
  keyboard = nil
  #expect(CustomKeyboard_open(handle) == CUSTOM_KEYBOARD_ARGUMENT)
}
