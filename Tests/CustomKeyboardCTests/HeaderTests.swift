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

@Test func theVersionIsTheHeaders() {
  #expect(String(cString: CustomKeyboard_version()) == CUSTOM_KEYBOARD_VERSION)
}

@Test func messagesAreThoseOfTheErrors() {
  for code in UInt32(0)...9 {
    let message = String(cString: CustomKeyboard_message(CUSTOM_KEYBOARD_RV(code)))
    #expect(message == "\(KeyboardError.message(forCode: code))")
  }
}
