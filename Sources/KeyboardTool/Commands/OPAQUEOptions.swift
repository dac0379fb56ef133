// What the two ends of OPAQUE are told, and the lines that they send each other.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal
import KeyboardText

struct OPAQUEServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The server's setup, in hexadecimal digits. Without it this is the client.", valueName: "file"),
    completion: .file())
  var setupFile: String?

  @Option(help: ArgumentHelp("The server's name of the record, 1 to 255 bytes.", valueName: "name"))
  var account: String?

  var isServer: Bool { setupFile != nil }
  var accountBytes: [UInt8] { Array((account ?? "").utf8) }

  func validate(with client: OPAQUEClientOptions) throws {
    guard isServer == (account != nil) else { throw ValidationError("Give --setup-file and --account to the server.") }
    guard !isServer || client.passcodeFile == nil && client.exportKeyOut == nil else {
      throw ValidationError("Give --passcode-file and --export-key-out to the client only.")
    }
  }

  /// For the server.
  func readSetup() throws -> OPAQUE.Setup {
    var setup = try SecretBytes()
    try setup.read(file: setupFile!, kind: "setup file")
    try setup.decodeHexadecimal(name: "the setup in \(setupFile!)")
    return try OPAQUE.Setup(bytes: setup.span)
  }
}

struct OPAQUEClientOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A file with the client's passcode, which nobody else may read.", valueName: "file"),
    completion: .file())
  var passcodeFile: String?

  @Option(help: ArgumentHelp("The client's file for the export key.", valueName: "file"), completion: .file())
  var exportKeyOut: String?

  func exportFile(replacing force: Bool) throws(Failure) -> NewFile? {
    try exportKeyOut.map { path throws(Failure) in try NewFile(path, mode: 0o600, replacing: force) }
  }

  func withPasscode(_ padOptions: PadOptions, _ body: (Keyboard) throws -> Void) throws {
    let source = passcodeFile.map { PasscodeSource.file($0) } ?? .pad
    try source.withPasscode("to log in", padOptions, body)
  }

  func withNewPasscode(_ padOptions: PadOptions, _ body: (Keyboard) throws -> Void) throws {
    let purpose = "to be registered"
    if let passcodeFile { return try PasscodeSource.file(passcodeFile).withPasscode(purpose, padOptions, body) }
    try PasscodeSource.withChoice(purpose, rules: [], padOptions, body)
  }
}

/// A message as a line of hexadecimal digits. No message is secret.
enum Line {
  static func send(_ message: [UInt8]) throws(Failure) {
    try writeOutput(Hexadecimal.string(of: message[...]) + "\n")
  }

  /// - Parameter what: what the other end sends now: "KE2".
  static func receive(_ what: String) throws(Failure) -> [UInt8] {
    guard let message = try receiveUnlessEnded(what) else {
      throw Failure("Give \(what) on standard input: the other end has ended before it.", .noInput)
    }
    return message
  }

  /// - Returns: nil if there is no line.
  static func receiveUnlessEnded(_ what: String) throws(Failure) -> [UInt8]? {
    guard let line = readLine() else { return nil }
    return try bytes(of: Array(line.utf8), what)
  }

  static func bytes(of text: [UInt8], _ what: String) throws(Failure) -> [UInt8] {
    let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 1, let bytes = Hexadecimal.bytes(of: words[0]) else {
      throw Failure("Give \(what) in pairs of hexadecimal digits, 0 to 9 and a to f, and nothing else.", .data)
    }
    return bytes
  }
}

extension NewFile {
  /// Writes hexadecimal digits and a newline, and gives the file its name.
  func finish(with bytes: borrowing SecretBytes) throws(Failure) {
    let line = try bytes.hexadecimalLine()
    try write(line.bytes)
    try finish()
  }
}
