// What the header says against what Swift says. What the functions do is tested by C programs, on the library C users get.

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

@Test func theVersionIsTheHeaders() {
  #expect(String(cString: CustomKeyboard_version()) == CUSTOM_KEYBOARD_VERSION)
}

@Test func messagesAreThoseOfTheErrors() {
  for code in UInt32(0)...9 {
    let message = String(cString: CustomKeyboard_message(CUSTOM_KEYBOARD_RV(code)))
    #expect(message == "\(KeyboardError.message(forCode: code))")
  }
}
