// A fault that the address sanitizer must find before its other results count: a read one byte past an array of eight.
// SPDX-License-Identifier: Apache-2.0
let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
bytes.initialize(repeating: 0, count: 8)
print(bytes[8 + CommandLine.arguments.count - 1])
bytes.deallocate()
