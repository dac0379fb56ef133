// OPAQUE's two ends in pipes, for trying: a server, and a client that has the passcode.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal

struct OPAQUECommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "opaque",
    abstract: "Tries OPAQUE (RFC 9807): a login in which the passcode never leaves its end.",
    discussion: """
      register and login are two programs that talk in pipes, a message a line, in
      hexadecimal digits. With --setup-file a program is the server; without it,
      the client, which has the passcode. A server that is in use counts attempts;
      this one does not.

      Examples:
        keyboard opaque setup --out setup.hex
        mkfifo answers
        keyboard opaque register < answers |
          keyboard opaque register --setup-file setup.hex --account kim --record-out record.hex > answers
        keyboard opaque login < answers |
          keyboard opaque login --setup-file setup.hex --account kim --record-file record.hex > answers
      """,
    subcommands: [OPAQUESetupCommand.self, OPAQUERegisterCommand.self, OPAQUELoginCommand.self])
}

struct OPAQUESetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Draws a server's setup, in hexadecimal digits.",
    discussion: """
      It is as secret as a private key, and as old as the records: with another one,
      everybody registers anew.

      Examples:
        keyboard opaque setup --out setup.hex --public-out public.hex
      """)

  @Option(
    help: ArgumentHelp("The file that gets the setup; without it, it goes to standard output.", valueName: "file"),
    completion: .file())
  var out: String?

  @Option(help: ArgumentHelp("The file that gets the public key.", valueName: "file"), completion: .file())
  var publicOut: String?

  @Flag(help: "Replace files that exist.")
  var force = false

  func validate() throws {
    guard out == nil || out != publicOut else { throw ValidationError("Give two files: --out and --public-out.") }
  }

  mutating func run() throws {
    let secretFile = try out.map { path throws(Failure) in try NewFile(path, mode: 0o600, replacing: force) }
    let publicFile = try publicOut.map { path throws(Failure) in try NewFile(path, mode: 0o644, replacing: force) }
    let setup = try OPAQUE.Setup()
    let secret = try setup.withBytes { bytes in try SecretBytes(copying: bytes) }
    if let secretFile { try secretFile.finish(with: secret) } else { try secret.writeHexadecimal() }
    let publicKey = setup.publicKey
    let copy = try SecretBytes(copying: publicKey.span)
    try publicFile?.finish(with: copy)
  }
}

struct OPAQUERegisterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Registers a passcode: with --setup-file the server, without it the client.",
    discussion: """
      The client's passcode comes from --passcode-file or from the pad, where it is
      entered twice; see `keyboard pad --help`. The server gets a record that it
      cannot read.

      Examples:
        keyboard opaque register --passcode-file passcode < answers |
          keyboard opaque register --setup-file setup.hex --account kim --record-out record.hex > answers
      """)

  @OptionGroup var server: OPAQUEServerOptions

  @Option(
    help: ArgumentHelp("The server's file for the record, in hexadecimal digits.", valueName: "file"),
    completion: .file())
  var recordOut: String?

  @OptionGroup var client: OPAQUEClientOptions

  @OptionGroup var padOptions: PadOptions

  @Flag(help: "Replace files that exist.")
  var force = false

  func validate() throws {
    try server.validate(with: client)
    guard server.isServer == (recordOut != nil) else {
      throw ValidationError("Give --record-out to the server, and only to it.")
    }
  }

  mutating func run() throws {
    if server.isServer { try runServer() } else { try runClient() }
  }

  private func runServer() throws {
    let setup = try server.readSetup()
    let file = try NewFile(recordOut!, mode: 0o600, replacing: force)
    let (request, account) = (try Line.receive("a request"), server.accountBytes)
    let response = try setup.respond(to: request.span, account: account.span)
    try Line.send(response)
    let record = try Line.receive("a record")
    guard record.count == OPAQUE.recordSize else {
      throw Failure("Give a record of \(OPAQUE.recordSize) bytes: this one has \(record.count).", .data)
    }
    let copy = try SecretBytes(copying: record.span)
    try file.finish(with: copy)
  }

  private func runClient() throws {
    let exportFile = try client.exportFile(replacing: force)
    try client.withNewPasscode(padOptions) { keyboard in
      let registration = try keyboard.beginRegistration()
      try Line.send(registration.request)
      let response = try Line.receive("a response")
      let new = try registration.finish(with: response.span)
      try exportFile?.finish(with: new.exportKey)
      try Line.send(new.record)
    }
  }
}

struct OPAQUELoginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Logs in with a passcode: with --setup-file the server, without it the client.",
    discussion: """
      The client's passcode comes from --passcode-file or from the pad; see
      `keyboard pad --help`. Both ends get one session key. The exit code of both is
      0 if the passcode is right, and 77 if it is not, if the context is another
      one, or if there is no --record-file, which is an account that does not exist.

      Examples:
        keyboard opaque login --context shop-1 --passcode-file passcode < answers |
          keyboard opaque login --context shop-1 --setup-file setup.hex --account kim \\
            --record-file record.hex --session-key-out server.hex > answers
      """)

  @OptionGroup var server: OPAQUEServerOptions

  @Option(
    help: ArgumentHelp("The server's file with the record, in hexadecimal digits.", valueName: "file"),
    completion: .file())
  var recordFile: String?

  @OptionGroup var client: OPAQUEClientOptions

  @Option(
    help: ArgumentHelp("What both ends have alike: the application and its version.", valueName: "text"))
  var context: String?

  @Option(help: ArgumentHelp("The file that gets the session key.", valueName: "file"), completion: .file())
  var sessionKeyOut: String?

  @OptionGroup var padOptions: PadOptions

  @Flag(help: "Replace files that exist.")
  var force = false

  func validate() throws {
    try server.validate(with: client)
    guard server.isServer || recordFile == nil else { throw ValidationError("Give --record-file to the server only.") }
  }

  mutating func run() throws {
    let terms = try OPAQUE.Terms(context: Array((context ?? "").utf8))
    let sessionFile = try sessionKeyOut.map { path throws(Failure) in
      try NewFile(path, mode: 0o600, replacing: force)
    }
    if server.isServer { try runServer(terms, sessionFile) } else { try runClient(terms, sessionFile) }
  }

  private func runServer(_ terms: OPAQUE.Terms, _ sessionFile: NewFile?) throws {
    let setup = try server.readSetup()
    let record = try recordFile.map { path in try Line.bytes(of: readFile(path), "a record in \(path)") }
    let (ke1, account) = (try Line.receive("KE1"), server.accountBytes)
    let answer = try setup.answer(to: ke1.span, account: account.span, record: record, terms: terms)
    try Line.send(answer.ke2)
    let key = try Self.check(answer.state)
    try sessionFile?.finish(with: key)
    writeMessage("The passcode is right.\n")
  }

  private func runClient(_ terms: OPAQUE.Terms, _ sessionFile: NewFile?) throws {
    let exportFile = try client.exportFile(replacing: force)
    try client.withPasscode(padOptions) { keyboard in
      let login = try keyboard.beginLogin()
      try Line.send(login.ke1)
      let session = try Self.finish(login, terms)
      try sessionFile?.finish(with: session.sessionKey)
      try exportFile?.finish(with: session.exportKey)
      try Line.send(session.ke3)
    }
  }

  private static func finish(
    _ login: consuming OPAQUE.Login, _ terms: OPAQUE.Terms
  ) throws -> OPAQUE.ClientSession {
    let ke2 = try Line.receive("KE2")
    do throws(KeyboardError) { return try login.finish(with: ke2.span, terms: terms) } catch .mismatch {
      throw Failure("The passcode is wrong, or the context, or this is not the server.", .notAllowed)
    }
  }

  /// A client with another passcode has nothing to send: it ends before KE3.
  private static func check(_ state: consuming OPAQUE.State) throws -> SecretBytes {
    let wrong = Failure("The client has not shown that its passcode is right.", .notAllowed)
    guard let ke3 = try Line.receiveUnlessEnded("KE3") else { throw wrong }
    do throws(KeyboardError) { return try state.check(ke3.span) } catch .mismatch { throw wrong }
  }
}
