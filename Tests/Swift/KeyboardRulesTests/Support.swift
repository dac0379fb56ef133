// Rules and patterns in memory of the tests' own, with guards around it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardCodes
import Testing

@testable import KeyboardRules

/// Memory with 64 bytes on each side that must not change.
final class GuardedMemory {
  private static let filler: UInt8 = 0xa5
  private let all: UnsafeMutableRawBufferPointer
  let byteCount: Int

  init(byteCount: Int, filledWith byte: UInt8 = 0) {
    self.byteCount = byteCount
    all = .allocate(byteCount: byteCount + 128, alignment: 64)
    all.initializeMemory(as: UInt8.self, repeating: Self.filler)
    UnsafeMutableRawBufferPointer(rebasing: all[64..<64 + byteCount]).initializeMemory(as: UInt8.self, repeating: byte)
  }

  deinit { all.deallocate() }

  var start: UnsafeMutableRawPointer { all.baseAddress! + 64 }
  var bytes: [UInt8] { Array(all[64..<64 + byteCount]) }

  var isConfined: Bool {
    all.prefix(64).allSatisfy { $0 == Self.filler } && all.suffix(64).allSatisfy { $0 == Self.filler }
  }
}

/// A list of rules, and the memory that checking takes, full of other bytes at first.
final class Rules {
  let memory = GuardedMemory(byteCount: RuleList.byteCount)
  let scratch = GuardedMemory(byteCount: RuleList.scratchByteCount, filledWith: 0xee)
  var list: RuleList { RuleList(at: memory.start) }

  init() {}

  convenience init(_ kind: PasscodeRule, _ number: Int = 0, _ text: String = "") throws {
    self.init()
    try add(kind, number, text)
  }

  func add(_ kind: PasscodeRule, _ number: Int = 0, _ text: String = "") throws(KeyboardError) {
    try add(kind, number, Array(text.utf8))
  }

  func add(_ kind: PasscodeRule, _ number: Int, _ text: [UInt8]) throws(KeyboardError) {
    let result: Result<Void, KeyboardError> = text.withUnsafeBytes { bytes in
      do throws(KeyboardError) {
        return .success(try list.add(kind, number: number, text: bytes, scratch: scratch.start))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  func firstBroken(_ passcode: [UInt8], characterCount: Int) -> Int? {
    passcode.withUnsafeBytes { list.firstBroken(by: $0, characterCount: characterCount, scratch: scratch.start) }
  }

  func firstBroken(_ passcode: String) -> Int? { firstBroken(Array(passcode.utf8), characterCount: passcode.count) }

  func refuse(_ passcode: String) -> Bool { firstBroken(passcode) != nil }

  var isConfined: Bool { memory.isConfined && scratch.isConfined }
}

/// Where the pattern has a fault, or nil.
func fault(_ pattern: [UInt8]) throws(KeyboardError) -> Int? {
  let scratch = GuardedMemory(byteCount: RuleList.scratchByteCount, filledWith: 0xee)
  let result: Result<Int?, KeyboardError> = pattern.withUnsafeBytes { bytes in
    do throws(KeyboardError) {
      return .success(try Pattern.fault(in: bytes, scratch: scratch.start))
    } catch {
      return .failure(error)
    }
  }
  #expect(scratch.isConfined)
  return try result.get()
}

func fault(_ pattern: String) throws(KeyboardError) -> Int? { try fault(Array(pattern.utf8)) }

/// What a search for the pattern says.
func search(_ pattern: [UInt8], in text: [UInt8], _ scratch: GuardedMemory) -> PatternResult {
  pattern.withUnsafeBytes { pattern in
    text.withUnsafeBytes { text in
      Pattern.search(
        pattern, in: Scalars(text, at: scratch.start), memory: PatternMemory(at: scratch.start + Scalars.byteCount))
    }
  }
}

func search(_ pattern: String, in text: String) -> PatternResult {
  let scratch = GuardedMemory(byteCount: RuleList.scratchByteCount, filledWith: 0xee)
  let result = search(Array(pattern.utf8), in: Array(text.utf8), scratch)
  #expect(scratch.isConfined)
  return result
}

/// A file of the project, by its path from the project's folder.
func projectFile(_ path: String) -> URL {
  (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }.appending(path: path)
}

/// What a Python program of Tests/Rules prints, line by line.
func output(of script: String, _ arguments: String...) throws -> [Substring] {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["python3", projectFile("Tests/Rules/" + script).path] + arguments
  process.standardOutput = pipe
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0, "\(script) fails")
  return String(decoding: data, as: UTF8.self).split(separator: "\n")
}
