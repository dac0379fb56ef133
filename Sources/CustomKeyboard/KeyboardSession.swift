// What a keyboard knows and does, in its slot of locked memory. All of it stands there, the harmless included: memory that
// a fork empties is then an idle keyboard with no key and nothing typed, and needs no code to be one.

import CKeyboardMbedTLS
import KeyboardCipher
import KeyboardCodes
import KeyboardLayout
import KeyboardMemory

/// A keyboard's slot while its lock is held.
///
/// What handles a secret is never inlined: its frame then lies below the caller's, who wipes it (`Traces`).
///
///     0        64                128                       384        512         576
///     ├─ state ┼─ key, masked ───┼─ password, masked ──────┼─ layout ─┼─ callbacks ┤
struct KeyboardSession {
  private let memory: UnsafeMutableRawPointer

  private struct State {
    var lock: pthread_mutex_t
    var isOpen: Bool
    var wayCode: UInt8
    var keyLength: UInt8
    var passwordLength: UInt8
    var characterCount: UInt8
  }

  init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var state: UnsafeMutablePointer<State> { memory.assumingMemoryBound(to: State.self) }
  private var key: MaskedBytes { MaskedBytes(at: memory + 64, capacity: maximumKeyLength) }
  private var password: MaskedBytes { MaskedBytes(at: memory + 128, capacity: maximumPasswordLength) }
  private var layout: LayoutState { LayoutState(at: memory + 384) }
  var callbacks: UnsafeMutablePointer<Callbacks> { (memory + 512).assumingMemoryBound(to: Callbacks.self) }

  var lock: UnsafeMutablePointer<pthread_mutex_t> {
    // The lock is the state's first member.
    memory.assumingMemoryBound(to: pthread_mutex_t.self)
  }

  var characterCount: Int { Int(state.pointee.characterCount) }

  // MARK: The key

  @inline(never)
  func setKey(_ bytes: UnsafeRawBufferPointer, way: EncryptionWay) throws(KeyboardError) {
    guard !state.pointee.isOpen else { throw .operationDisabled }
    guard way.acceptsKey(byteCount: bytes.count) else { throw .key }
    try key.reset()
    key.store(bytes, at: 0)
    state.pointee.keyLength = UInt8(bytes.count)
    state.pointee.wayCode = UInt8(way.code)
  }

  // MARK: Open and closed

  func open() throws(KeyboardError) {
    guard !state.pointee.isOpen else { throw .operationDisabled }
    let workspace = try Workspace()
    var stream = try workspace.randomStream(byteCount: 1024)
    password.reset(using: &stream)
    layout.open(using: &stream)
    state.pointee.isOpen = true
  }

  func close() throws(KeyboardError) {
    guard state.pointee.isOpen else { throw .operationDisabled }
    erase(from: 0)
    state.pointee.characterCount = 0
    layout.close()
    state.pointee.isOpen = false
  }

  // MARK: Typing

  @inline(never)
  func input(_ utf8: UnsafeRawBufferPointer) throws(KeyboardError) {
    guard state.pointee.isOpen else { throw .operationDisabled }
    let length = Int(state.pointee.passwordLength)
    guard utf8.count <= maximumPasswordLength - length else { throw .tooLong }
    password.store(utf8, at: length)
    // The characters are read from where they now stand: the caller's buffer may have changed since it was checked.
    guard let characters = characters(length + utf8.count) else {
      password.wipe(length..<length + utf8.count)
      throw .argument
    }
    state.pointee.passwordLength = UInt8(length + utf8.count)
    state.pointee.characterCount = UInt8(characters.count)
  }

  /// - Returns: whether there was a character to remove.
  @inline(never)
  func deleteBackward() throws(KeyboardError) -> Bool {
    guard state.pointee.isOpen else { throw .operationDisabled }
    guard let characters = characters(Int(state.pointee.passwordLength)), characters.count > 0 else { return false }
    erase(from: characters.lastOffset)
    // What joined several into one may be gone with it: count again.
    let rest = self.characters(characters.lastOffset)
    state.pointee.characterCount = UInt8(rest?.count ?? 0)
    return true
  }

  /// - Returns: whether there was anything to wipe.
  func clear() throws(KeyboardError) -> Bool {
    guard state.pointee.isOpen else { throw .operationDisabled }
    let wasEmpty = state.pointee.passwordLength == 0
    erase(from: 0)
    state.pointee.characterCount = 0
    return !wasEmpty
  }

  // MARK: Keys

  func setLayout(_ kind: LayoutKind, shuffle: ShuffleKind, maximumCount: Int) throws(KeyboardError) {
    guard layout.accepts(kind, maximumCount: maximumCount) else { throw .argument }
    guard !state.pointee.isOpen else { throw .operationDisabled }
    try layout.setLayout(kind, shuffle: shuffle, maximumCount: maximumCount)
  }

  func setSize(_ size: ViewSize) throws(KeyboardError) { try layout.setSize(size) }

  /// The keys that are up, one by one.
  func withKeys<Result>(
    _ body: (_ count: Int, inout PageKeys) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    guard state.pointee.isOpen else { throw .operationDisabled }
    var keys = layout.keys
    return try body(layout.keyCount, &keys)
  }

  var smallestKeySize: KeySize { layout.smallestKeySize }

  /// The key under a point.
  ///
  /// - Throws: `.argument` outside the view.
  func keyIndex(x: Double, y: Double) throws(KeyboardError) -> Int {
    guard let index = layout.keyIndex(x: x, y: y) else { throw .argument }
    return index
  }

  /// What a key press has changed, for those who are to be told.
  struct Press {
    var isTextChanged = false
    var isComplete = false
  }

  /// Presses a key: the character goes from the layout to the masked password, and stands nowhere else.
  ///
  /// - Throws: `.argument` for a key that is not there, `.operationDisabled`, `.tooLong`, `.memory`, `.random`. Nothing is
  ///   then changed.
  @inline(never)
  func press(_ index: Int) throws(KeyboardError) -> Press {
    guard let effect = layout.effect(ofKey: index) else { throw .argument }
    guard state.pointee.isOpen else { throw .operationDisabled }
    let workspace = try Workspace()
    var stream = try workspace.randomStream(byteCount: 1024)

    // What can fail comes first; from here on the layout cannot.
    var press = Press()
    switch effect {
    case .character(let byte): press.isTextChanged = try type(byte)
    case .space: press.isTextChanged = try type(UInt8(ascii: " "))
    case .delete: press.isTextChanged = try deleteBackward()
    case .clear: press.isTextChanged = try clear()
    case .ok: press.isComplete = true
    case .pageChanged, .shiftChanged, .nothing: break
    }
    // A key past the maximum does nothing at all.
    guard press.isTextChanged || !effect.isTyping else { return press }
    _ = layout.press(index, using: &stream)
    if effect.isTyping && characterCount == layout.maximumCount { press.isComplete = true }
    return press
  }

  /// - Returns: false for a character past the maximum, which is ignored.
  private func type(_ byte: UInt8) throws(KeyboardError) -> Bool {
    let maximum = layout.maximumCount
    guard maximum == 0 || characterCount < maximum else { return false }
    try withUnsafeBytes(of: byte) { bytes throws(KeyboardError) in try input(bytes) }
    return true
  }

  private func characters(_ byteCount: Int) -> Characters? {
    Characters(password, byteCount: byteCount)
  }

  private func erase(from offset: Int) {
    password.wipe(offset..<Int(state.pointee.passwordLength))
    state.pointee.passwordLength = UInt8(offset)
  }

  // MARK: The text

  @inline(never)
  func getText(into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int> {
    guard state.pointee.isOpen else { throw .operationDisabled }
    let keyLength = Int(state.pointee.keyLength)
    guard keyLength > 0, let way = EncryptionWay(code: UInt32(state.pointee.wayCode)) else { throw .key }
    let length = Int(state.pointee.passwordLength)
    let needed = way.textLength(passwordLength: length)
    guard space.count >= needed else { throw .spaceTooSmall(needed: needed) }

    let ecb = try ECB(way)
    key.unmask(count: keyLength, into: ecb.key)
    password.unmask(count: length, into: ecb.text)
    let textLength = try ecb.encrypt(
      byteCount: length, way: way, key: UnsafeRawBufferPointer(start: ecb.key, count: keyLength))
    // Before the caller's memory is touched: if it is none, the process dies of it, and its stack goes into a core dump.
    Traces.wipe(traces)
    let text = UnsafeRawBufferPointer(start: ecb.text, count: textLength)
    let offset = try RandomPlacement.place(text, in: space, using: ecb.workspace)
    return offset..<offset + textLength
  }

  /// How much of the stack `getText` may have used.
  var traces: Traces.Depth {
    guard let way = EncryptionWay(code: UInt32(state.pointee.wayCode)) else { return .shallow }
    return way.traces(blockCount: way.blockCount(byteCount: Int(state.pointee.passwordLength)) + 1)
  }
}
