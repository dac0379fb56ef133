enum CommonPasscodes {
  static func contains(_ passcode: UnsafeRawBufferPointer) -> Bool { false }
}
