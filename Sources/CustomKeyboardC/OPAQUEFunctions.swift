// The C functions of OPAQUE. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments
import KeyboardOPAQUE

// MARK: - The server

@_cdecl("CustomKeyboard_opaqueSetup") @implementation
public func CustomKeyboard_opaqueSetup(
  _ setup: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ setupLength: UnsafeMutablePointer<Int>?,
  _ publicKey: UnsafeMutablePointer<UInt8>?, _ publicCapacity: Int, _ publicLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let spaces = try TwoSpaces(setup, capacity, setupLength, publicKey, publicCapacity, publicLength)
    let needed = (OPAQUE.setupSize, OPAQUE.elementSize)
    guard spaces.haveRoom(for: needed) else {
      spaces.report(needed)
      throw .spaceTooSmall(needed: needed.0)
    }
    try OPAQUE.makeSetup(into: spaces.first.baseAddress!, publicKey: spaces.second.baseAddress!)
    spaces.report(needed)
  }
}

@_cdecl("CustomKeyboard_opaqueRespond") @implementation
public func CustomKeyboard_opaqueRespond(
  _ setup: UnsafePointer<UInt8>?, _ setupLength: Int, _ account: UnsafePointer<UInt8>?, _ accountLength: Int,
  _ request: UnsafePointer<UInt8>?, _ requestLength: Int, _ response: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ responseLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(responseLength, in: response, capacity) { response throws(KeyboardError) in
    let inputs = Inputs(
      setup: try inMemory(setup, setupLength), account: try inMemory(account, accountLength),
      message: try inMemory(request, requestLength))
    try inputs.keepApart(response)
    try inputs.keepApart(place(responseLength))
    return try OPAQUE.respond(setup: inputs.setup, account: inputs.account, request: inputs.message, into: response)
  }
}

@_cdecl("CustomKeyboard_opaqueAnswer") @implementation
public func CustomKeyboard_opaqueAnswer(
  _ setup: UnsafePointer<UInt8>?, _ setupLength: Int, _ account: UnsafePointer<UInt8>?, _ accountLength: Int,
  _ record: UnsafePointer<UInt8>?, _ recordLength: Int, _ terms: UnsafePointer<CUSTOM_OPAQUE_TERMS>?,
  _ ke1: UnsafePointer<UInt8>?, _ ke1Length: Int, _ ke2: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ ke2Length: UnsafeMutablePointer<Int>?, _ state: UnsafeMutablePointer<UInt8>?, _ stateCapacity: Int,
  _ stateLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let spaces = try TwoSpaces(ke2, capacity, ke2Length, state, stateCapacity, stateLength)
    let inputs = Inputs(
      setup: try inMemory(setup, setupLength), account: try inMemory(account, accountLength),
      record: try inMemory(record, recordLength), message: try inMemory(ke1, ke1Length), terms: try GivenTerms(terms))
    try inputs.keepApart(spaces.first)
    try inputs.keepApart(spaces.second)
    try inputs.keepApart(place(ke2Length))
    try inputs.keepApart(place(stateLength))
    let needed = (OPAQUE.ke2Size, OPAQUE.stateSize)
    do throws(KeyboardError) {
      try OPAQUE.answer(
        setup: inputs.setup, account: inputs.account, record: inputs.record, terms: inputs.terms.terms,
        ke1: inputs.message, into: spaces.first, state: spaces.second)
    } catch {
      if case .spaceTooSmall = error { spaces.report(needed) }
      throw error
    }
    spaces.report(needed)
  }
}

@_cdecl("CustomKeyboard_opaqueCheck") @implementation
public func CustomKeyboard_opaqueCheck(
  _ state: UnsafePointer<UInt8>?, _ stateLength: Int, _ ke3: UnsafePointer<UInt8>?, _ ke3Length: Int,
  _ sessionKey: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ sessionKeyLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(sessionKeyLength, in: sessionKey, capacity) { key throws(KeyboardError) in
    let inputs = Inputs(setup: try inMemory(state, stateLength), message: try inMemory(ke3, ke3Length))
    try inputs.keepApart(key)
    try inputs.keepApart(place(sessionKeyLength))
    return try OPAQUE.check(inputs.message, state: inputs.setup, into: key)
  }
}

// MARK: - The client

@_cdecl("CustomKeyboard_opaqueRegister") @implementation
public func CustomKeyboard_opaqueRegister(
  _ handle: CUSTOM_KEYBOARD, _ request: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ requestLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(requestLength, in: request, capacity) { space throws(KeyboardError) in
    try keyboard(handle).begin(.registration, into: space)
    return OPAQUE.requestSize
  }
}

@_cdecl("CustomKeyboard_opaqueRecord") @implementation
public func CustomKeyboard_opaqueRecord(
  _ handle: CUSTOM_KEYBOARD, _ response: UnsafePointer<UInt8>?, _ responseLength: Int,
  _ terms: UnsafePointer<CUSTOM_OPAQUE_TERMS>?, _ record: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ recordLength: UnsafeMutablePointer<Int>?, _ exportKey: UnsafeMutablePointer<UInt8>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(recordLength, in: record, capacity) { record throws(KeyboardError) in
    let inputs = Inputs(message: try inMemory(response, responseLength), terms: try GivenTerms(terms))
    let export = try key(exportKey)
    try inputs.keepApart(record, export, place(recordLength))
    let keyboard = keyboard(handle)
    return try keyboard.endRegistration(
      try keyboard.number(of: .registration), inputs.message, terms: inputs.terms.terms, into: record,
      exportKey: export.baseAddress)
  }
}

@_cdecl("CustomKeyboard_opaqueLogin") @implementation
public func CustomKeyboard_opaqueLogin(
  _ handle: CUSTOM_KEYBOARD, _ ke1: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ ke1Length: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(ke1Length, in: ke1, capacity) { space throws(KeyboardError) in
    try keyboard(handle).begin(.login, into: space)
    return OPAQUE.ke1Size
  }
}

@_cdecl("CustomKeyboard_opaqueFinish") @implementation
public func CustomKeyboard_opaqueFinish(
  _ handle: CUSTOM_KEYBOARD, _ ke2: UnsafePointer<UInt8>?, _ ke2Length: Int,
  _ terms: UnsafePointer<CUSTOM_OPAQUE_TERMS>?, _ ke3: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ ke3Length: UnsafeMutablePointer<Int>?, _ sessionKey: UnsafeMutablePointer<UInt8>?,
  _ exportKey: UnsafeMutablePointer<UInt8>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(ke3Length, in: ke3, capacity) { ke3 throws(KeyboardError) in
    let inputs = Inputs(message: try inMemory(ke2, ke2Length), terms: try GivenTerms(terms))
    let (session, export) = (try key(sessionKey), try key(exportKey))
    try inputs.keepApart(ke3, session, place(ke3Length))
    try inputs.keepApart(ke3, export, place(ke3Length))
    try keepApart(UnsafeRawBufferPointer(session), export)
    let keyboard = keyboard(handle)
    return try keyboard.endLogin(
      try keyboard.number(of: .login), inputs.message, terms: inputs.terms.terms, into: ke3,
      sessionKey: session.baseAddress, exportKey: export.baseAddress)
  }
}

// MARK: - Arguments

/// A place for a key, or for none.
private func key(_ pointer: UnsafeMutablePointer<UInt8>?) throws(KeyboardError) -> UnsafeMutableRawBufferPointer {
  try writable(pointer, pointer == nil ? 0 : OPAQUE.keySize)
}

/// The place for a length.
private func place(_ length: UnsafeMutablePointer<Int>?) -> UnsafeMutableRawBufferPointer {
  UnsafeMutableRawBufferPointer(start: length, count: MemoryLayout<Int>.size)
}

/// The terms of a call: the structure is read once.
private struct GivenTerms {
  var terms = LentTerms()
  var structure = UnsafeRawBufferPointer(start: nil, count: 0)

  init() {}

  /// - Throws: `.argument` for another size, NULL with a length, costs out of bounds.
  init(_ given: UnsafePointer<CUSTOM_OPAQUE_TERMS>?) throws(KeyboardError) {
    guard let given else { return }
    structure = try inMemory(given, MemoryLayout<CUSTOM_OPAQUE_TERMS>.size)
    guard given.pointee.size == structure.count else { throw .argument(.structureSize) }
    let copy = given.pointee
    terms = try LentTerms(
      context: try inMemory(copy.context, copy.contextLength), client: try inMemory(copy.client, copy.clientLength),
      server: try inMemory(copy.server, copy.serverLength), memorySize: copy.memoryKiB, passCount: copy.passes,
      laneCount: copy.lanes)
  }
}

/// What a call reads, to be kept apart from what it writes.
private struct Inputs {
  var setup = UnsafeRawBufferPointer(start: nil, count: 0)
  var account = UnsafeRawBufferPointer(start: nil, count: 0)
  var record = UnsafeRawBufferPointer(start: nil, count: 0)
  var message = UnsafeRawBufferPointer(start: nil, count: 0)
  var terms = GivenTerms()

  @inline(never)
  func keepApart(_ space: UnsafeMutableRawBufferPointer) throws(KeyboardError) {
    func check(_ input: UnsafeRawBufferPointer) throws(KeyboardError) {
      try KeyboardArguments.keepApart(input, space)
    }
    try check(setup)
    try check(account)
    try check(record)
    try check(message)
    try check(terms.structure)
    try check(terms.terms.context)
    try check(terms.terms.client)
    try check(terms.terms.server)
  }

  /// The same for a space, a key and the place for a length, which are also apart from one another.
  func keepApart(
    _ space: UnsafeMutableRawBufferPointer, _ key: UnsafeMutableRawBufferPointer,
    _ length: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) {
    try keepApart(space)
    try keepApart(key)
    try keepApart(length)
    try KeyboardArguments.keepApart(UnsafeRawBufferPointer(key), space)
    try KeyboardArguments.keepApart(UnsafeRawBufferPointer(length), key)
  }
}
