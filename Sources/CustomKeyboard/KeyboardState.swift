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
///     ├ header ┼ key, masked ┼ password, masked ┼ layout ┼ callbacks ┼ recipient's key ┼ context ┼ step of OPAQUE ┤
///
/// The places follow from the sizes, because the size of a lock differs from system to system.
struct KeyboardState {
  let memory: UnsafeMutableRawPointer

  struct Header {
    var lock: keyboard_lock_t
    /// A `UseMark`: `taken` during a call. A fork empties the slot, so a call that finds 0 at its end is in the
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
    /// What was begun of OPAQUE, a `BegunStep`; 0 for nothing.
    var stepCode: UInt8 = 0
    /// Counts each beginning and each end of a step.
    var stepNumber: UInt32 = 0
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
    static var step: Range<Int> { next(to: context, stepByteCount) }
    static var all: [Range<Int>] { [header, key, password, layout, callbacks, recipient, context, step] }

    /// At the next multiple of 8.
    private static func next(to part: Range<Int>, _ byteCount: Int) -> Range<Int> {
      let start = (part.upperBound + 7) & ~7
      return start..<start + byteCount
    }
  }

  /// The slots of keyboards; a test compares their size with `Place`.
  static let slots = SecureSlots(byteCount: 2368)

  init(memory: UnsafeMutableRawPointer) {
    precondition(Place.step.upperBound <= Self.slots.byteCount, "A slot is too small for a keyboard.")
    self.memory = memory
  }

  var header: UnsafeMutablePointer<Header> { memory.assumingMemoryBound(to: Header.self) }
  var key: MaskedBytes { MaskedBytes(at: memory + Place.key.lowerBound, capacity: longestSecretKey) }
  var password: MaskedBytes {
    MaskedBytes(at: memory + Place.password.lowerBound, capacity: maximumPasswordLength)
  }
  var layout: LayoutState { LayoutState(at: memory + Place.layout.lowerBound) }
  var callbacks: UnsafeMutablePointer<Callbacks> {
    (memory + Place.callbacks.lowerBound).assumingMemoryBound(to: Callbacks.self)
  }

  /// A public key, which is not secret; it is here because a fork must take it away.
  var recipient: UnsafeMutableRawPointer { memory + Place.recipient.lowerBound }
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
    if header.pointee.mark == UseMark.untouched { keyboard_lock_pages(memory, Self.slots.byteCount) }
    header.pointee.mark = UInt64(UseMark.taken)
  }

  /// Whether a fork has emptied the slot since `enter`: this is then the child.
  var wasEmptied: Bool { keyboard_read_again(&header.pointee.mark) == UseMark.untouched }

  /// - Returns: false if a fork has emptied the slot since `enter`, and this is the child: what the call has written
  ///   since then is wiped, and the keyboard is idle like all keyboards in a child.
  func leave() -> Bool {
    guard !wasEmptied else {
      keyboard_wipe(memory, Self.slots.byteCount)
      return false
    }
    header.pointee.mark = UInt64(UseMark.free)
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
    _ bytes: UnsafeRawBufferPointer, originCode: UInt32, account: AccountNumber?, using stream: inout RandomStream
  ) throws(KeyboardError) {
    try checkIdle()
    guard let characters = Characters(bytes, byteCount: bytes.count) else { throw .undecryptable }
    guard bytes.count <= maximumPasswordLength else { throw .tooLong(.password) }
    open(using: &stream)
    password.store(bytes, at: 0)
    header.pointee.passwordLength = UInt8(bytes.count)
    header.pointee.characterCount = UInt8(characters.count)
    header.pointee.originCode = UInt8(originCode)
    header.pointee.originAccount = account?.bits ?? 0
  }

  func open() throws(KeyboardError) {
    guard !header.pointee.isOpen else { throw .operationDisabled(.open) }
    let workspace = try Workspace()
    var stream = try workspace.randomStream(byteCount: Self.drawnByOpen)
    open(using: &stream)
  }

  /// About how many random bytes `open` draws.
  static var drawnByOpen: Int { 1024 }

  private func open(using stream: inout RandomStream) {
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
}
