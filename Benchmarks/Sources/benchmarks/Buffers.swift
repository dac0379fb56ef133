// Memory for the measurements. It is never freed: the process measures and ends.
// SPDX-License-Identifier: Apache-2.0

import Glibc

typealias Bytes = UnsafeMutablePointer<UInt8>

/// Zeroed bytes that begin on a cache line.
func allocate(_ count: Int) -> Bytes {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 64)
  memset(memory, 0, count)
  return memory.bindMemory(to: UInt8.self, capacity: count)
}

func allocate(_ bytes: [UInt8]) -> Bytes {
  let memory = allocate(bytes.count)
  memory.update(from: bytes, count: bytes.count)
  return memory
}

extension Bytes {
  func array(_ count: Int) -> [UInt8] { Array(UnsafeBufferPointer(start: self, count: count)) }
}

/// Requires that all contenders leave the same result in `output`, before anything is timed: a wrong answer must not
/// win.
func requireEqualResults(_ contenders: [Contender], _ output: Bytes, _ count: Int) {
  var expected: [UInt8]?
  for contender in contenders {
    memset(output, 0xa5, count)
    contender.run(1)
    let result = output.array(count)
    require(result == expected ?? result, "\(contender.name) computes what \(contenders[0].name) does")
    expected = result
  }
}
