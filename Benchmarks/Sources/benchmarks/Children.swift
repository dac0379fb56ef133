// Every path is measured in its own process, because the library chooses its path once per process. Open keyboards also
// have their own process, because nothing else may have used the memory. A child is this same program; it writes its
// figures to a pipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What one child measures, and on which path.
struct Assignment {
  let groups: [Group]
  let path: SM4Path?

  static func all(for wanted: [Group]) -> [Assignment] {
    let everywhere = Group.onEveryPath.filter(wanted.contains)
    let onTwo = Group.onTwoPaths.filter(wanted.contains)
    let once = [Group.onTheBestPath, [.library], [.memory]].map { $0.filter(wanted.contains) }
    let assignments =
      SM4Path.available.map { Assignment(groups: everywhere, path: $0) }
      + unique([SM4Path.available.first, SM4Path.available.last]).map { Assignment(groups: onTwo, path: $0) }
      + once.map { Assignment(groups: $0, path: nil) }
    return assignments.filter { !$0.groups.isEmpty }
  }

  /// Starts a child and waits for its figures. Its progress goes to our standard error.
  func measure(_ options: Options, position: Int, of total: Int) -> Figures {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      ["--child", groups.map(\.rawValue).joined(separator: ","), "--build", options.build.path]
      + ["--position", "\(position)/\(total)"] + (options.isQuick ? ["--quick"] : [])
    var environment = ProcessInfo.processInfo.environment
    environment[SM4Path.variable] = path?.rawValue
    process.environment = environment
    process.standardOutput = pipe
    do { try process.run() } catch { fail("cannot start itself: \(error)") }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0,
      let figures = try? JSONDecoder().decode(Figures.self, from: data)
    else { fail("the measurement of \(groups.map(\.rawValue)) failed") }
    return figures
  }
}

/// The work of a child.
func measureAsChild(_ groups: [Group], _ options: Options) throws {
  let path = ProcessInfo.processInfo.environment[SM4Path.variable].flatMap(SM4Path.init(rawValue:))
  let run = Run(effort: options.effort, path: path)
  if groups != [.memory] { pinToOneProcessor() }
  var figures = Figures()
  for (i, group) in groups.enumerated() {
    let position = "\(options.position.lowerBound + i)/\(options.position.upperBound)"
    progress("[\(position)] " + (path.map { "\($0.name): " } ?? "") + group.title, end: " … ")
    let time = elapsed { figures.add(measure(group, run, options)) }
    progress(String(format: "%.1f s", Double(time) / 1e9))
  }
  try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(figures))
}

func progress(_ line: String, end: String = "\n") {
  FileHandle.standardError.write(Data((line + end).utf8))
}

private func measure(_ group: Group, _ run: Run, _ options: Options) -> Figures {
  switch group {
  case .bulk: Figures(measurements: Bulk.measure(run))
  case .setup: Figures(measurements: KeySetup.measure(run))
  case .encrypt: Figures(measurements: OnePassword.encryption(run))
  case .decrypt: Figures(measurements: OnePassword.decryption(run))
  case .batch: Figures(measurements: Batch.measure(run))
  case .rows: Figures(measurements: PaperRows.measure(run))
  case .filling: Figures(measurements: Filling.measure(run))
  case .unseal: Figures(measurements: Sealing.unsealing(run) + RSA.unsealing(run))
  case .unsealBatch: Figures(measurements: SealedBatch.measure(run) + RSA.batch(run))
  case .seal: Figures(measurements: Sealing.sealing(run) + RSA.sealing(run))
  case .sign: Figures(measurements: Signatures.measure(run) + RSA.signatures(run))
  case .passcodes: Figures(measurements: Passcodes.measure(run))
  case .des: Figures(measurements: DES.measure(run))
  case .threads: Figures(measurements: Threads.measure(run))
  case .library:
    Figures(measurements: Footprint.start(run, build: options.build), facts: Footprint.facts(build: options.build))
  case .memory: Figures(facts: Footprint.memory())
  }
}
