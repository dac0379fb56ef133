// What is typed: by the app, or by presses of keys on the screen.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardLayout
import KeyboardMemory

extension KeyboardState {
  // MARK: By the app

  /// - Throws: `.argument` for what is not UTF-8, or not nodes of a pattern, in every state; `.operationDisabled`,
  ///   `.tooLong`, in this order. `Int.max` bytes are not read: no memory has so many.
  func input(_ utf8: UnsafeRawBufferPointer) throws(KeyboardError) {
    do {
      try checkRoom(for: utf8.count)
    } catch {
      guard utf8.count == .max && layout.kind != .pattern || canBeTyped(utf8) else { throw wrongText }
      throw error
    }
    try append(utf8)
  }

  /// Types bytes for which there is room. Each is read once, and masked before it is judged: another thread may change
  /// the caller's bytes meanwhile, and a copy on the stack would be the password in the clear.
  private func append(_ bytes: UnsafeRawBufferPointer) throws(KeyboardError) {
    let start = Int(header.pointee.passwordLength)
    let end = start + bytes.count
    password.store(bytes, at: start)
    // Counted together with those before: a character may belong to the one before.
    guard layout.kind != .pattern || path.isPath(start..<end), let characters = characters(end) else {
      password.wipe(start..<end)
      throw wrongText
    }
    header.pointee.passwordLength = UInt8(end)
    header.pointee.characterCount = UInt8(characters.count)
    if !bytes.isEmpty { forgetStep() }
  }

  private func canBeTyped(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard layout.kind == .pattern else { return Characters(bytes, byteCount: bytes.count) != nil }
    return bytes.count <= PatternPath.nodeCount && path.isPath(bytes, after: Int(header.pointee.passwordLength))
  }

  private var wrongText: KeyboardError { .argument(layout.kind == .pattern ? .nodes : .notUTF8) }

  /// - Throws: `.operationDisabled`, `.tooLong`, in this order.
  private func checkRoom(for byteCount: Int) throws(KeyboardError) {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    guard byteCount <= maximumPasswordLength - Int(header.pointee.passwordLength) else { throw .tooLong(.password) }
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
    try checkRoom(for: 1)
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
  ///
  /// - Throws: `.tooLong` if there is no room for both, after a text that was received; nothing is then drawn.
  private func draw(to node: UInt8) throws(KeyboardError) -> Notice {
    guard !hasDrawn(node) else { return notice(isTextChanged: false) }
    let (before, length) = (characterCount, Int(header.pointee.passwordLength))
    let maximum = layout.maximumCount
    let passed = path.nodePassed(onTheWayTo: node, from: length)
    let between = passed.flatMap { hasDrawn($0) ? nil : $0 }
    let wanted = between == nil ? 1 : 2
    let count = maximum == 0 ? wanted : min(wanted, max(maximum - before, 0))
    guard maximumPasswordLength - length >= count else { throw .tooLong(.password) }
    if count > 0, let between { try append(between) }
    if count == wanted { try append(node) }
    return notice(isTextChanged: count > 0, isComplete: count > 0 && characterCount == maximum)
  }

  private func hasDrawn(_ node: UInt8) -> Bool { path.contains(node, before: Int(header.pointee.passwordLength)) }

  private var path: PatternPath { PatternPath(password: password) }

  private func append(_ character: UInt8) throws(KeyboardError) {
    try withUnsafeBytes(of: character) { bytes throws(KeyboardError) in try append(bytes) }
  }

  private func characters(_ byteCount: Int) -> Characters? {
    Characters(password, byteCount: byteCount)
  }

  func erase(from offset: Int) {
    // In the child of a fork that came just now, the length is 0.
    password.wipe(offset..<max(offset, Int(header.pointee.passwordLength)))
    header.pointee.passwordLength = UInt8(offset)
    forgetStep()
  }
}
