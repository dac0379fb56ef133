// What a keyboard knows and does, in its slot of locked memory.
// SPDX-License-Identifier: Apache-2.0
//
// Everything is there, secret or not: memory that a fork has emptied is then an idle keyboard with no key and nothing
// typed, and needs no code to become one.

import CKeyboardPlatform
import KeyboardCipher
import KeyboardCodes
import KeyboardLayout
import KeyboardMemory
import KeyboardPIN

/// A keyboard's slot while its lock is held.
///
///     ├─ header ─┼─ key, masked ─┼─ password, masked ─┼─ layout ─┼─ callbacks ─┼─ recipient's key ─┼─ context ─┤
///
/// The places follow from the sizes, because the size of a lock differs from system to system.
struct KeyboardState {
  private let memory: UnsafeMutableRawPointer

  struct Header {
    var lock: keyboard_lock_t
    /// A `PlaceMark`: `taken` during a call. A fork empties the slot, so a call that finds 0 at its end is in the
    /// child.
    var mark: UInt64
    var isOpen = false
    var wayCode: UInt8 = 0
    var keyLength: UInt16 = 0
    var passwordLength: UInt8 = 0
    var characterCount: UInt8 = 0
    var contextLength: UInt16 = 0
    /// Whether a context is set; it may be empty.
    var hasContext = false
    /// Whether the key serves one text only.
    var isSingleUse = false
    /// The way of the PIN block that the keyboard was opened with; 0 for what was typed, or came otherwise.
    var originCode: UInt8 = 0
    /// The account number that this block was bound to; 0 for none.
    var originAccount: UInt128 = 0
    /// Memory for rules, while there are any. The child of a fork does not know it any more; it is empty there.
    var rules: UnsafeMutableRawPointer?
  }

  /// Where the parts are in the slot.
  enum Place {
    static var header: Range<Int> { 0..<MemoryLayout<Header>.size }
    static var key: Range<Int> { next(to: header, MaskedBytes.byteCount(capacity: longestSecretKey)) }
    static var password: Range<Int> { next(to: key, MaskedBytes.byteCount(capacity: maximumPasswordLength)) }
    static var layout: Range<Int> { next(to: password, LayoutState.byteCount) }
    static var callbacks: Range<Int> { next(to: layout, MemoryLayout<Callbacks>.size) }
    static var recipient: Range<Int> { next(to: callbacks, SealingWay.longestPublicKey) }
    static var context: Range<Int> { next(to: recipient, maximumContextLength) }
    static var all: [Range<Int>] { [header, key, password, layout, callbacks, recipient, context] }

    /// At the next multiple of 8.
    private static func next(to part: Range<Int>, _ byteCount: Int) -> Range<Int> {
      let start = (part.upperBound + 7) & ~7
      return start..<start + byteCount
    }
  }

  /// The slots of keyboards; a test compares their size with `Place`.
  static let slots = SecureSlots(byteCount: 2112)

  init(memory: UnsafeMutableRawPointer) {
    precondition(Place.context.upperBound <= Self.slots.byteCount, "A slot is too small for a keyboard.")
    self.memory = memory
  }

  var header: UnsafeMutablePointer<Header> { memory.assumingMemoryBound(to: Header.self) }
  var key: MaskedBytes { MaskedBytes(at: memory + Place.key.lowerBound, capacity: longestSecretKey) }
  var password: MaskedBytes {
    MaskedBytes(at: memory + Place.password.lowerBound, capacity: maximumPasswordLength)
  }
  private var layout: LayoutState { LayoutState(at: memory + Place.layout.lowerBound) }
  var callbacks: UnsafeMutablePointer<Callbacks> {
    (memory + Place.callbacks.lowerBound).assumingMemoryBound(to: Callbacks.self)
  }

  /// A public key, which is no secret; it is here because a fork must take it away.
  private var recipient: UnsafeMutableRawPointer { memory + Place.recipient.lowerBound }
  var context: UnsafeMutableRawBufferPointer {
    let start = memory + Place.context.lowerBound
    return UnsafeMutableRawBufferPointer(start: start, count: Int(header.pointee.contextLength))
  }

  var characterCount: Int { Int(header.pointee.characterCount) }

  /// What there is to tell after a call that changed the text, or completed it.
  func notice(isTextChanged: Bool, isComplete: Bool = false) -> Notice {
    Notice(isTextChanged: isTextChanged, isComplete: isComplete, characterCount: characterCount)
  }

  // MARK: The lock

  func enter() {
    keyboard_lock(&header.pointee.lock)
    if header.pointee.mark == PlaceMark.untouched { keyboard_lock_pages(memory, Self.slots.byteCount) }
    header.pointee.mark = UInt64(PlaceMark.taken)
  }

  /// Whether a fork has emptied the slot since `enter`: this is then the child.
  private var wasEmptied: Bool { keyboard_read_again(&header.pointee.mark) == PlaceMark.untouched }

  /// - Returns: false if a fork has emptied the slot since `enter`, and this is the child: what the call has written
  ///   since then is wiped, and the keyboard is idle like all keyboards in a child.
  func leave() -> Bool {
    guard !wasEmptied else {
      keyboard_wipe(memory, Self.slots.byteCount)
      return false
    }
    header.pointee.mark = UInt64(PlaceMark.free)
    keyboard_unlock(&header.pointee.lock)
    return true
  }

  // MARK: The end

  /// A keyboard that nobody has begun to destroy. (In a build without wiping, which some tests compare with, the slot
  /// may still say that its last keyboard has ended.)
  func begin() { callbacks.pointee = Callbacks() }

  /// Wipes everything but the lock. Threads that wait for it find that the keyboard has ended.
  func end() {
    clearRules()
    let kept = Place.header.upperBound
    keyboard_wipe(memory + kept, Self.slots.byteCount - kept)
    let (lock, mark) = (header.pointee.lock, header.pointee.mark)
    header.pointee = Header(lock: lock, mark: mark)
    callbacks.pointee = .ended
  }

  /// Whether another thread has begun to destroy the keyboard.
  var hasEnded: Bool { callbacks.pointee.hasEnded }

  // MARK: The key

  func setKey(_ bytes: UnsafeRawBufferPointer, way: Way) throws(KeyboardError) {
    #if !arch(wasm32)  // A page has no PIN blocks.
      if case .pin(let format) = way { return try setKey(bytes, for: format) }
    #endif
    guard !header.pointee.isOpen else { throw .operationDisabled(.open) }
    guard way.acceptsKey(byteCount: bytes.count) else { throw .noKey(bytes, because: .length) }
    way.bind()
    if way.hasSecretKey {
      try key.reset()
      key.store(bytes, at: 0)
    } else {
      // The copy is checked: the caller's bytes may change meanwhile.
      try withCopy(of: bytes) { copy throws(KeyboardError) in
        guard way.isPublicKey(copy) else { throw .noKey(copy, because: .value) }
        key.wipe(0..<longestSecretKey)
        recipient.copyMemory(from: copy.baseAddress!, byteCount: copy.count)
      }
    }
    noteKey(byteCount: bytes.count, wayCode: way.code)
  }

  func noteKey(byteCount: Int, wayCode: UInt32) {
    header.pointee.keyLength = UInt16(byteCount)
    header.pointee.wayCode = UInt8(wayCode)
    header.pointee.isSingleUse = false
  }

  /// - Throws: `.tooLong`; the old context then stays.
  func setContext(_ bytes: UnsafeRawBufferPointer) throws(KeyboardError) {
    guard bytes.count <= maximumContextLength else { throw .tooLong(.context) }
    forgetContext()
    header.pointee.contextLength = UInt16(bytes.count)
    header.pointee.hasContext = true
    context.copyMemory(from: bytes)
  }

  private func forgetContext() {
    wipe(memory + Place.context.lowerBound, byteCount: maximumContextLength)
    header.pointee.contextLength = 0
    header.pointee.hasContext = false
  }

  // MARK: Open and closed

  /// - Throws: `.operationDisabled` if the keyboard is open.
  func checkIdle() throws(KeyboardError) {
    guard !header.pointee.isOpen else { throw .operationDisabled(.open) }
  }

  /// Opens the keyboard with a password from elsewhere, as if it had been typed.
  ///
  /// - Parameters:
  ///   - originCode: the way of the PIN block that it came in; 0 for any other text.
  ///   - account: what this block was bound to.
  /// - Throws: `.undecryptable` for what is not UTF-8, `.tooLong` for more than 128 bytes; otherwise as `open`. The
  ///   keyboard is then idle.
  func receive(
    _ bytes: UnsafeRawBufferPointer, originCode: UInt32, account: AccountNumber?
  ) throws(KeyboardError) {
    try checkIdle()
    guard let characters = Characters(bytes, byteCount: bytes.count) else { throw .undecryptable }
    guard bytes.count <= maximumPasswordLength else { throw .tooLong(.password) }
    try open()
    password.store(bytes, at: 0)
    header.pointee.passwordLength = UInt8(bytes.count)
    header.pointee.characterCount = UInt8(characters.count)
    header.pointee.originCode = UInt8(originCode)
    header.pointee.originAccount = account?.bits ?? 0
  }

  func open() throws(KeyboardError) {
    guard !header.pointee.isOpen else { throw .operationDisabled(.open) }
    let workspace = try Workspace()
    var stream = try workspace.randomStream(byteCount: 1024)
    password.reset(using: &stream)
    layout.open(using: &stream)
    header.pointee.isOpen = true
  }

  func close() throws(KeyboardError) {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    erase(from: 0)
    header.pointee.characterCount = 0
    forgetContext()
    layout.close()
    forgetSingleUseKey()
    header.pointee.originCode = 0
    header.pointee.originAccount = 0
    header.pointee.isOpen = false
  }

  // MARK: Typing

  func input(_ utf8: UnsafeRawBufferPointer) throws(KeyboardError) {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    let length = Int(header.pointee.passwordLength)
    guard utf8.count <= maximumPasswordLength - length else { throw .tooLong(.password) }
    password.store(utf8, at: length)
    // Of the copy, too: each byte must be a node that was not used before.
    if layout.kind == .pattern, !path.isPath(from: length, to: length + utf8.count) {
      password.wipe(length..<length + utf8.count)
      throw .argument(.nodes)
    }
    // Read from the copy: the caller's buffer may have changed since it was checked.
    guard let characters = characters(length + utf8.count) else {
      password.wipe(length..<length + utf8.count)
      throw .argument
    }
    header.pointee.passwordLength = UInt8(length + utf8.count)
    header.pointee.characterCount = UInt8(characters.count)
  }

  /// - Returns: whether there was a character to remove.
  func deleteBackward() throws(KeyboardError) -> Bool {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    guard let characters = characters(Int(header.pointee.passwordLength)), characters.count > 0 else { return false }
    erase(from: characters.lastOffset)
    // The removed character may have joined others into one: count again.
    let rest = self.characters(characters.lastOffset)
    header.pointee.characterCount = UInt8(rest?.count ?? 0)
    return true
  }

  /// - Returns: whether there was anything to wipe.
  func clear() throws(KeyboardError) -> Bool {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    let wasEmpty = header.pointee.passwordLength == 0
    erase(from: 0)
    header.pointee.characterCount = 0
    return !wasEmpty
  }

  // MARK: Layout

  func setLayout(_ kind: LayoutKind, shuffle: ShuffleKind, maximumCount: Int) throws(KeyboardError) {
    try layout.check(kind, shuffle: shuffle, maximumCount: maximumCount)
    guard !header.pointee.isOpen else { throw .operationDisabled(.open) }
    try layout.setLayout(kind, shuffle: shuffle, maximumCount: maximumCount)
  }

  func setSize(_ size: ViewSize) throws(KeyboardError) { try layout.setSize(size) }

  /// Lends the keys of the page on the screen.
  func withKeys<Result>(
    _ body: (_ count: Int, inout KeyCaps) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    var keys = layout.keys
    return try body(layout.keyCount, &keys)
  }

  var smallestKeySize: KeySize { layout.smallestKeySize }

  // MARK: Key presses

  /// - Throws: `.argument` if the page has no key with this index; otherwise as `run`.
  func press(_ index: Int) throws(KeyboardError) -> Notice {
    guard let press = layout.press(at: index) else { throw .argument(.noSuchKey) }
    return try run(press)
  }

  /// - Throws: `.argument` outside the view; otherwise as `run`.
  func touch(x: Double, y: Double) throws(KeyboardError) -> Notice {
    guard let press = layout.press(x: x, y: y) else { throw .argument(.outsideView) }
    return try run(press)
  }

  /// Does what a press does. A character goes from the layout to the masked password, and to no other memory.
  ///
  /// - Throws: `.operationDisabled`, `.tooLong`, `.memory`, `.random`; nothing is then changed.
  private func run(_ press: Press) throws(KeyboardError) -> Notice {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    var notice = Notice()
    switch press.effect {
    case .type(let character):
      // A character past the maximum does nothing at all.
      let maximum = layout.maximumCount
      guard maximum == 0 || characterCount < maximum else { return notice }
      try type(character, press)
      notice.isTextChanged = true
      notice.isComplete = characterCount == maximum
    case .node(let node):
      return try draw(to: node)
    case .delete:
      notice.isTextChanged = try deleteBackward()
    case .complete:
      notice.isComplete = true
    case .nothing:
      layout.apply(press)
    }
    notice.characterCount = characterCount
    return notice
  }

  /// Appends a character, and changes the layout as the press says. Everything that can fail comes before the first
  /// change.
  private func type(_ character: UInt8, _ press: Press) throws(KeyboardError) {
    guard press.shuffles else {
      try append(character)
      return layout.apply(press)
    }
    let workspace = try Workspace()
    var stream = try workspace.randomStream(byteCount: 1024)
    try append(character)
    layout.apply(press, using: &stream)
  }

  /// Draws a pattern on to a node that is free: first to one that lies between, if that is free, too. Nothing is drawn
  /// past the maximum.
  private func draw(to node: UInt8) throws(KeyboardError) -> Notice {
    let before = characterCount
    let maximum = layout.maximumCount
    func take(_ node: UInt8?) throws(KeyboardError) {
      guard let node, !hasDrawn(node), maximum == 0 || characterCount < maximum else { return }
      try append(node)
    }
    if !hasDrawn(node) {
      try take(path.nodePassed(onTheWayTo: node, from: Int(header.pointee.passwordLength)))
      try take(node)
    }
    let isTextChanged = characterCount > before
    return notice(isTextChanged: isTextChanged, isComplete: isTextChanged && characterCount == maximum)
  }

  private func hasDrawn(_ node: UInt8) -> Bool { path.contains(node, before: Int(header.pointee.passwordLength)) }

  private var path: PatternPath { PatternPath(password: password) }

  private func append(_ character: UInt8) throws(KeyboardError) {
    try withUnsafeBytes(of: character) { bytes throws(KeyboardError) in try input(bytes) }
  }

  private func characters(_ byteCount: Int) -> Characters? {
    Characters(password, byteCount: byteCount)
  }

  private func erase(from offset: Int) {
    // In the child of a fork that came just now, the length is 0.
    password.wipe(offset..<max(offset, Int(header.pointee.passwordLength)))
    header.pointee.passwordLength = UInt8(offset)
  }

  // MARK: The text

  /// The text for the key that was set, ECB or sealed. Wipes what it leaves by itself, up to the registers.
  func getText(into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int> {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    let (keyLength, code) = (Int(header.pointee.keyLength), UInt32(header.pointee.wayCode))
    guard keyLength > 0 else { throw .key(.missing) }
    switch Way(code: code) {
    case .ecb(let way): return try makeECBText(way, keyLength: keyLength, into: space)
    case .sealed(let way):
      // A forgotten challenge would otherwise be noticed by the server only.
      guard header.pointee.hasContext else { throw .key(.noContext) }
      let key = way.origin == .shared ? nil : UnsafeRawBufferPointer(start: recipient, count: keyLength)
      return try seal(way, for: key, context: UnsafeRawBufferPointer(context), into: space)
    #if arch(wasm32)
      case .pin: throw .key(.missing)
    #else
      case .pin(let format): return try makePINBlock(format, keyLength: keyLength, into: space)
    #endif
    case nil: throw .key(.missing)
    }
  }

  @_optimize(speed)
  private func makeECBText(
    _ way: EncryptionWay, keyLength: Int, into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    guard header.pointee.contextLength == 0 else { throw .key(.context) }
    try checkTranslation()
    let length = Int(header.pointee.passwordLength)
    let textLength = way.textLength(passwordLength: length)
    guard space.count >= textLength else { throw .spaceTooSmall(needed: textLength) }
    let cipher = try PasswordCipher(way, for: .encryption, textLength: textLength)
    // Wiped before the caller's memory is touched: if it does not exist, the process dies, and its stack and registers
    // go into a core dump.
    Residue.begin()
    if Residue.runsOnOwnStack(.cipher) {
      try Residue.wiped(.ownStack) { () throws(KeyboardError) in encrypt(length, with: cipher, keyLength: keyLength) }
    } else {
      encrypt(length, with: cipher, keyLength: keyLength)
      Residue.wipe(.cipher)
    }
    return try put(cipher.text, byteCount: textLength, into: space, using: cipher.workspace)
  }

  /// Never inlined: its frame is not the caller's, which is not wiped.
  @inline(never)
  private func encrypt(_ length: Int, with cipher: borrowing PasswordCipher, keyLength: Int) {
    key.unmask(count: keyLength, into: cipher.key)
    // Whole blocks, as the cipher reads them: behind the password's end, the bytes are zero.
    password.unmask(count: min((length | 15) &+ 1, maximumPasswordLength), into: cipher.text)
    _ = cipher.encrypt(byteCount: length, keyLength: keyLength)
  }

  /// A sealed text of what is typed.
  ///
  /// - Parameter recipient: a public key that was checked; nil for the secret key that was set.
  func seal(
    _ way: SealingWay, for recipient: UnsafeRawBufferPointer?, context: UnsafeRawBufferPointer,
    into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    try checkTranslation()
    let textLength = try way.textLength(for: recipient)
    guard space.count >= textLength else { throw .spaceTooSmall(needed: textLength) }
    way.bind()
    let sealed = try SealedText(way)
    sealed.copy(recipient: recipient, context: context)
    let keyLength = recipient?.count ?? Int(header.pointee.keyLength)
    try Residue.wiped(way.reach) { () throws(KeyboardError) in
      let length = Int(header.pointee.passwordLength)
      password.unmask(count: length, into: sealed.password)
      if recipient == nil { key.unmask(count: keyLength, into: sealed.key) }
      try sealed.seal(byteCount: length, keyLength: keyLength, contextLength: context.count)
    }
    return try put(sealed.text, byteCount: textLength, into: space, using: sealed.workspace)
  }

  /// Puts a text at a random place in random bytes.
  func put(
    _ text: UnsafeRawPointer, byteCount: Int, into space: UnsafeMutableRawBufferPointer,
    using workspace: borrowing Workspace
  ) throws(KeyboardError) -> Range<Int> {
    let offset = try RandomPlacement.prepare(space, for: byteCount, using: workspace)
    copySecret(from: text, to: space.baseAddress! + offset, byteCount: byteCount)
    guard !wasEmptied else {
      // The child of a fork in the middle: there is no text any more, and zeros in its place would tell where it was.
      _ = try RandomPlacement.prepare(space, for: byteCount, using: workspace)
      throw .operationDisabled(.notOpen)
    }
    return offset..<offset + byteCount
  }
}
