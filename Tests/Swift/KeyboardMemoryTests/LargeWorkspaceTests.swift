// Megabytes of memory for one call: zero at first, guarded, not in dumps, and gone afterwards.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KeyboardMemory

/// What /proc says about the mapping that has this address; nil if there is none.
private func mapping(_ address: UnsafeMutableRawPointer) throws -> [String]? {
  // Foundation reads only the beginning of a file whose size is said to be 0.
  let file = try #require(fopen("/proc/self/smaps", "r"))
  defer { fclose(file) }
  var isHere = false
  var lines: [String] = []
  var buffer = [CChar](repeating: 0, count: 1024)
  while fgets(&buffer, 1024, file) != nil {
    let line = String(decoding: buffer.prefix { $0 != 10 && $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
    if bounds.count == 2 { isHere = bounds[0] <= UInt(bitPattern: address) && UInt(bitPattern: address) < bounds[1] }
    if isHere { lines.append(line) }
  }
  return lines.isEmpty ? nil : lines
}

@Suite struct LargeWorkspaceTests {
  @Test func isZeroAlignedAndNotInDumps() throws {
    for byteCount in [1, 4096, 19_456 * 1024] {
      let workspace = try LargeWorkspace(byteCount: byteCount)
      #expect(UInt(bitPattern: workspace.memory) % 64 == 0)
      let bytes = UnsafeMutableRawBufferPointer(start: workspace.memory, count: byteCount)
      #expect(memcmp(bytes.baseAddress!, bytes.baseAddress! + 1, byteCount - 1) == 0 && bytes[0] == 0)
      memset(bytes.baseAddress!, 0xa5, byteCount)
      let flags = try #require(try mapping(workspace.memory)?.last { $0.hasPrefix("VmFlags") })
      #expect(flags.contains(" dd") && flags.contains(" wf"), "\(flags)")
      // The workspace ends with its last use.
      let wasEmptied = workspace.wasEmptied
      #expect(!wasEmptied)
    }
  }

  @Test func aPageWithoutAccessIsAtBothEnds() throws {
    let workspace = try LargeWorkspace(byteCount: 1 << 20)
    let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
    for place in [-pageSize, (1 << 20) + pageSize] {
      let first = try #require(try mapping(workspace.memory + place)?.first)
      #expect(first.contains(" ---p "), "\(first)")
    }
    _ = workspace.wasEmptied
  }

  @Test func knowsWhetherItWasEmptied() throws {
    let workspace = try LargeWorkspace(byteCount: 4096)
    memset(workspace.memory, 0xa5, 4096)
    let before = workspace.wasEmptied
    memset(workspace.memory - 64, 0, 4096 + 64)
    let after = workspace.wasEmptied
    #expect(!before && after)
  }

  @Test func thereIsNoMemoryForTooMuch() {
    #expect(throws: (any Error).self) { _ = try LargeWorkspace(byteCount: 1 << 52) }
  }
}
