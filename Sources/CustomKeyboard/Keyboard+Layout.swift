// The Swift face of layout and touch: keys as values to draw, touches in, closures out.

// Closures and arrays want Swift's runtime, which the C library does without.
#if !hasFeature(Embedded)
  @_exported public import KeyboardLayout

  extension Keyboard {
    /// Chooses which keys there are and when they change places; for a keyboard that is not up.
    ///
    /// - Parameter maximumCount: so many characters complete the input, as return does, and further keys are ignored; 0
    ///   for
    ///   no limit but 128 bytes. It limits keys, not `input`.
    /// - Throws: `.operationDisabled` while up; `.argument` for a negative maximum, or if the view is too small.
    /// - C: `CustomKeyboard_setLayout`.
    public func setLayout(
      _ kind: LayoutKind, shuffle: ShuffleKind = .eachOpening, maximumCount: Int = 0
    ) throws(KeyboardError) {
      try slot.setLayout(kind, shuffle: shuffle, maximumCount: maximumCount)
    }

    /// Chooses the view's size and gaps in points; at any time. 320 × 216 with gaps of 6 and 8 unless told otherwise.
    ///
    /// - Throws: `.argument` for what is no size, or has fewer points than keys; the view then stays as it was.
    /// - C: `CustomKeyboard_setSize`.
    public func setSize(_ size: ViewSize) throws(KeyboardError) { try slot.setSize(size) }

    /// The smallest key of the layout, to see whether it is too small for a finger (`KeySize.isSmallForFingers`).
    public var smallestKeySize: KeySize {
      (try? slot.smallestKeySize()) ?? KeySize(width: 0, height: 0)
    }

    /// The keys of the page that is up, from the upper left to the lower right.
    ///
    /// - Parameter spoken: whether a screen reader may say aloud what stands on a key. Whoever stands by hears it: off
    ///   unless you ask the person.
    /// - Throws: `.operationDisabled` while not up.
    /// - C: `CustomKeyboard_keys`.
    public func keys(spoken: Bool = false) throws(KeyboardError) -> [KeyboardKey] {
      try slot.withKeys { count, page throws(KeyboardError) in
        var keys: [KeyboardKey] = []
        keys.reserveCapacity(count)
        while let key = page.next() { keys.append(KeyboardKey(key, index: keys.count, mayBeSpoken: spoken)) }
        return keys
      }
    }

    /// Presses the key that holds the point, or else the nearest one. Look at `keys` again afterwards.
    ///
    /// - Throws: `.argument` outside the view, `.operationDisabled` while not up, `.tooLong`, `.memory`, `.random`.
    /// - C: `CustomKeyboard_touch`.
    public func touch(x: Double, y: Double) throws(KeyboardError) { try slot.touch(x: x, y: y) }

    /// Presses a key by its index on the page that is up.
    ///
    /// - Throws: `.argument` if there is none, `.operationDisabled` while not up, `.tooLong`, `.memory`, `.random`.
    /// - C: `CustomKeyboard_pressKey`.
    public func pressKey(at index: Int) throws(KeyboardError) { try slot.pressKey(index) }

    /// Sets the closure that is told the number of characters after every call that changed them.
    ///
    /// It runs on the thread that made the call, before the call returns, with no lock held: it may use the keyboard.
    /// Views are updated with `setTextField(on:_:)`.
    ///
    /// - Parameter changed: replaces the closure that was set before; nil for none.
    /// - C: `CustomKeyboard_setTextField`.
    public func setTextField(_ changed: (@Sendable (_ characterCount: Int) -> Void)?) {
      setTextField(callback: changed.map { changed in .anyThread { _, count in changed(count) } })
    }

    /// Sets the closure of the main actor that is told the number of characters: it may change views and what they
    /// observe.
    ///
    ///     keyboard.setTextField(on: MainActor.shared) { [weak self] count in self?.count = count }
    ///
    /// After a call that was made on the main actor it runs at once, before the call returns. After any other call it
    /// runs soon, in the order of the calls; several changes may then be told as one, always with the newest number,
    /// and none is told when the keyboard was closed meanwhile.
    ///
    /// When `setTextField` has returned, the closure that was set before does not run any more and will not start, even
    /// if it was queued to the main actor. Not on the main actor, `setTextField` therefore waits while that closure
    /// runs, unless it is called from one of the library's callbacks; the closure must not wait for a thread that may
    /// do this.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - changed: replaces the closure that was set before; `setTextField(nil)` removes it.
    public func setTextField(on actor: MainActor, _ changed: @escaping @MainActor (_ characterCount: Int) -> Void) {
      setTextField(callback: .mainActor(MainActorCallback { _, count in changed(count) }))
    }

    private func setTextField(callback: KeyboardCallback?) {
      // Released without the lock: what the closure holds may use the keyboard when it ends.
      let replaced = closures.withLock { closures in
        defer { closures.textField = callback }
        return closures.textField
      }
      replaced?.remove()
      let function: TextFieldCallback = { context, _, count in
        guard let keyboard = Keyboard.at(context) else { return }
        keyboard.closures.withLock(\.textField)?.call(keyboard, characterCount: count)
      }
      try? slot.setTextField(callback == nil ? nil : function, context: context)
    }

    /// Sets what happens when the input is complete: return was pressed, or a key brought the maximum. The place to
    /// call `getText`.
    ///
    /// It runs on the thread that made the call, before the call returns, with no lock held. Views are updated with
    /// `setOKAction(on:_:)`.
    ///
    /// - Parameter action: replaces the closure that was set before; nil for none.
    /// - C: `CustomKeyboard_setOKAction`.
    public func setOKAction(_ action: (@Sendable (_ keyboard: Keyboard) -> Void)?) {
      setOKAction(callback: action.map { action in .anyThread { keyboard, _ in action(keyboard) } })
    }

    /// Sets what the main actor does when the input is complete. It runs when and where the closure of
    /// `setTextField(on:_:)` does, after it, and is removed in the same way.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - action: replaces the closure that was set before; `setOKAction(nil)` removes it.
    public func setOKAction(on actor: MainActor, _ action: @escaping @MainActor (_ keyboard: Keyboard) -> Void) {
      setOKAction(callback: .mainActor(MainActorCallback { keyboard, _ in action(keyboard) }))
    }

    private func setOKAction(callback: KeyboardCallback?) {
      // Released without the lock: what the closure holds may use the keyboard when it ends.
      let replaced = closures.withLock { closures in
        defer { closures.ok = callback }
        return closures.ok
      }
      replaced?.remove()
      let function: OKCallback = { context, _ in
        guard let keyboard = Keyboard.at(context) else { return }
        keyboard.closures.withLock(\.ok)?.call(keyboard, characterCount: 0)
      }
      try? slot.setOKAction(callback == nil ? nil : function, context: context)
    }

    /// Calls back only from within calls on this keyboard, which keep it alive.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Keyboard? {
      context.map { Unmanaged<Keyboard>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  /// The closures that a keyboard calls.
  struct Closures {
    var textField: KeyboardCallback?
    var ok: KeyboardCallback?
    /// How often the keyboard was closed: a queued call belongs to one opening.
    var opening = 0
  }
#endif
