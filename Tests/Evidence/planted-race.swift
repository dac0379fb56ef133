// A fault that the thread sanitizer must find before its other results count: two threads increment a counter without a
// lock at the same time.
// SPDX-License-Identifier: Apache-2.0
import Foundation

nonisolated(unsafe) var counted = 0
let group = DispatchGroup()
for _ in 0..<2 {
  group.enter()
  Thread.detachNewThread {
    for _ in 0..<1000 {
      counted += 1
      usleep(100)
    }
    group.leave()
  }
}
group.wait()
print(counted)
