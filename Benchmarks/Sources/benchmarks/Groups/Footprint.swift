// The size of the C library, the libraries that it needs, how much longer a program takes to start with it, and the
// memory of an open keyboard.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CMachine
import Foundation

enum Footprint {
  static let sizeName = "size of libcustomkeyboard.so, stripped"
  static let neededName = "libraries that it needs"
  static let emptyProgram = "start of an empty C program"
  static let libraryProgram = "start of one that calls the library"
  static let memoryName = "resident memory of an open keyboard"
  static let openName = "keyboards open at once"
  static let keyboards = 100_000

  // MARK: the library

  static func facts(build: URL) -> [Fact] {
    let library = build.appendingPathComponent("stage/lib/libcustomkeyboard.so")
    let sections = output(of: ["readelf", "-SW", library.path])
    require(!sections.contains(".symtab"), "the installed library is stripped")
    let needed = output(of: ["readelf", "-dW", library.path]).split(separator: "\n")
      .filter { $0.contains("(NEEDED)") }
      .compactMap { $0.split(separator: "[").last?.split(separator: "]").first.map(String.init) }
    let attributes = try? FileManager.default.attributesOfItem(atPath: library.resolvingSymlinksInPath().path)
    let size = (attributes?[.size] as? NSNumber)?.doubleValue ?? 0
    return [
      Fact(group: .library, name: sizeName, value: size, text: "\(Int((size / 1024).rounded())) KB"),
      Fact(
        group: .library, name: neededName, value: Double(needed.count), text: needed.joined(separator: ", ")),
    ]
  }

  /// Starts both programs in every round, and waits for them.
  static func start(_ run: Run, build: URL) -> [Measurement] {
    let programs = ["empty", "version"].map { build.appendingPathComponent("startup/\($0)").path }
    for program in programs {
      require(FileManager.default.isExecutableFile(atPath: program), "\(program) was built (`make bench` does)")
    }
    var times: [[Double]] = [[], []]
    for round in -5..<run.effort.starts {
      for turn in 0..<2 {
        let i = (turn + round + 5) % 2
        let time = start(programs[i])
        if round >= 0 { times[i].append(Double(time)) }
      }
    }
    return [emptyProgram, libraryProgram].enumerated().map { i, name in
      Measurement(
        group: .library, item: "start-up", contender: name, path: nil, nanoseconds: Summary(times[i]), bytes: 0,
        reference: emptyProgram, timeRatio: Summary(zip(times[i], times[0]).map { $0 / $1 }), rounds: run.effort.starts)
    }
  }

  /// The shortest of a few attempts, or the first that was not interrupted.
  private static func start(_ program: String) -> UInt64 {
    var shortest = UInt64.max
    for _ in 0..<5 {
      let interruptions = machine_interruptions(1)
      shortest = min(shortest, elapsed { spawn(program) })
      if machine_interruptions(1) == interruptions { break }
    }
    return shortest
  }

  private static func spawn(_ program: String) {
    var child: pid_t = 0
    var status: Int32 = 0
    let argument = strdup(program)
    defer { free(argument) }
    require(posix_spawn(&child, program, nil, nil, [argument, nil], environ) == 0, "\(program) starts")
    require(waitpid(child, &status, 0) == child && status == 0, "\(program) ends well")
  }

  private static func output(of command: [String]) -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = pipe
    do { try process.run() } catch { fail("\(command[0]) does not start: \(error)") }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    require(process.terminationStatus == 0, "`\(command.joined(separator: " "))` succeeds")
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: open keyboards

  /// Runs in its own process, where nothing else has used the memory.
  static func memory() -> [Fact] {
    let key = Array("8907654329807654".utf8)
    let password = Array("kgcx879@".utf8)
    var open: [CUSTOM_KEYBOARD] = []
    open.reserveCapacity(keyboards)
    for i in 0..<keyboards { open.append(CUSTOM_KEYBOARD(i)) }  // so that the pages of the list itself are resident
    let before = residentBytes()
    for i in 0..<keyboards { open[i] = Library.keyboard(CUSTOM_ENCWAY_SM4, key: key, password: password) }
    let each = Double(residentBytes() - before) / Double(keyboards)

    let expected = Library.encryptPassword(password, key: key)
    let space = allocate(1024)
    for keyboard in open {
      var (offset, length) = (0, 0)
      Library.requireOK(CustomKeyboard_getText(keyboard, space, 1024, &offset, &length).rawValue, "getText")
      require((space + offset).array(length) == expected, "each of \(keyboards) keyboards has its password")
      Library.requireOK(CustomKeyboard_destroy(keyboard).rawValue, "destroy")
    }
    return [
      Fact(group: .memory, name: memoryName, value: each, text: "\(Int(each.rounded())) bytes"),
      Fact(group: .memory, name: openName, value: Double(keyboards), text: "\(keyboards), all of them working"),
    ]
  }

  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { fail("/proc/self/statm cannot be read") }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
