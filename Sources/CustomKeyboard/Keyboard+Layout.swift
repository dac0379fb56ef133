// The Swift interface of layout and touch: keys to draw, touches, and the closures that a keyboard calls.
// SPDX-License-Identifier: Apache-2.0

// Closures and arrays need Swift's runtime, which the C library does without.
#if !hasFeature(Embedded)
  @_exported public import KeyboardLayout

  extension Keyboard {
    /// Chooses which keys there are and when they change places. The choice is kept until it is replaced.
    ///
    /// - Parameters:
    ///   - kind: which keys.
    ///   - shuffle: when they change places.
    ///   - maximumCount: this many characters complete the input, as the return key does, and further character keys do
    ///     nothing. 0, or more than 128, for no limit but a password's 128 bytes. It does not limit `input`.
    /// - Throws: `.argument` for a negative maximum, a view with fewer points than these keys, or a pattern that is
    ///   shuffled or has a maximum over 9; `.operationDisabled` while the keyboard is open. Nothing is then changed.
    /// - C: `CustomKeyboard_setLayout`.
    public func setLayout(
      _ kind: LayoutKind, shuffle: ShuffleKind = .eachOpening, maximumCount: Int = 0
    ) throws(KeyboardError) {
      try keyboardHandle.setLayout(kind, shuffle: shuffle, maximumCount: maximumCount)
    }

    /// Chooses the view's size and gaps, at any time. Nothing is shuffled. Without a call, the size is
    /// `ViewSize.standard`.
    ///
    /// - Parameter size: in points; at least one for each key of the layout in both directions. Gaps shrink if keys
    ///   would have less than a point.
    /// - Throws: `.argument` for NaN, a negative number, more than `ViewSize.limit`, or fewer points than keys; the old
    ///   size then stays.
    /// - C: `CustomKeyboard_setSize`.
    public func setSize(_ size: ViewSize) throws(KeyboardError) { try keyboardHandle.setSize(size) }

    /// The keys of the page on the screen, from the upper left to the lower right.
    ///
    /// - Parameter spoken: whether a screen reader may say the labels aloud. Everybody near hears them, so ask the
    ///   person before you pass true.
    /// - Returns: 9 … 37 keys; a key's index is its place in the array.
    /// - Throws: `.operationDisabled` while the keyboard is not open.
    /// - Timing: depends on the page; for a label, on the character's place in the source.
    /// - C: `CustomKeyboard_keys`.
    public func keys(spoken: Bool = false) throws(KeyboardError) -> [KeyboardKey] {
      try keyboardHandle.withKeys { count, page throws(KeyboardError) in
        var keys: [KeyboardKey] = []
        keys.reserveCapacity(count)
        while let cap = page.next() { keys.append(KeyboardKey(cap, index: keys.count, mayBeSpoken: spoken)) }
        return keys
      }
    }

    /// Presses the key that contains a point, or the nearest key. Ask for `keys` again afterwards: the page, the case
    /// or the places may have changed.
    ///
    /// - Parameters:
    ///   - x: points from the view's left edge, 0 … width.
    ///   - y: points from the view's upper edge, 0 … height.
    /// - Throws: `.argument` outside the view; `.operationDisabled` while the keyboard is not open; `.tooLong` for a
    ///   password of more than 128 bytes; `.memory`, `.random` if the press shuffles. Nothing is then changed.
    /// - Timing: depends on the page, the key and its character.
    /// - C: `CustomKeyboard_touch`.
    public func touch(x: Double, y: Double) throws(KeyboardError) { try keyboardHandle.touch(x: x, y: y) }

    /// Presses a key. Ask for `keys` again afterwards: the page, the case or the places may have changed.
    ///
    /// - Parameter index: the key's index on the page on the screen, from 0.
    /// - Throws: `.argument` if the page has no such key; `.operationDisabled` while the keyboard is not open;
    ///   `.tooLong` for a password of more than 128 bytes; `.memory`, `.random` if the press shuffles. Nothing is then
    ///   changed.
    /// - Timing: depends on the index, the key and its character.
    /// - C: `CustomKeyboard_pressKey`.
    public func pressKey(at index: Int) throws(KeyboardError) { try keyboardHandle.pressKey(index) }

    /// Sets the closure that gets the number of characters after every call that changed what is typed (`open` and
    /// `close` excepted).
    ///
    /// It runs on the thread that made the call, before the call returns, with no lock held: it may use the keyboard.
    /// To update views, use `setTextField(on:_:)`.
    ///
    /// When `setTextField` has returned, the old closure does not run any more and will not start. It therefore waits
    /// while the old closure runs on another thread, unless it is called from one of the library's closures.
    ///
    /// - Parameter changed: replaces the old closure; nil for none. It gets the number of characters, the same as
    ///   `count`.
    /// - C: `CustomKeyboard_setTextField`.
    public func setTextField(_ changed: (@Sendable (_ characterCount: Int) -> Void)?) {
      setTextField(callback: changed.map { changed in .anyThread { _, count in changed(count) } })
    }

    /// Sets a closure of the main actor that gets the number of characters. It may change views and what they observe.
    ///
    ///     keyboard.setTextField(on: MainActor.shared) { [weak view] count in view?.count = count }
    ///
    /// After a call on the main actor it runs at once, before the call returns. After any other call it is queued and
    /// runs soon, in the order of the calls. Several changes may then run it once, always with the newest number. It
    /// does not run for a keyboard that was closed in the meantime.
    ///
    /// When `setTextField` has returned, the old closure does not run any more and will not start, even if it was
    /// queued. Outside the main actor, `setTextField` therefore waits while the old closure runs, unless it is called
    /// from one of the library's closures. So a closure must not wait for a thread that may call `setTextField`.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - changed: replaces the old closure; `setTextField(nil)` removes it. It gets the number of characters.
    /// - C: `CustomKeyboard_setTextField`, which knows no main actor.
    public func setTextField(on actor: MainActor, _ changed: @escaping @MainActor (_ characterCount: Int) -> Void) {
      setTextField(callback: .mainActor(MainActorCallback { _, count in changed(count) }))
    }

    private func setTextField(callback: KeyboardCallback?) {
      replace(\.textField, with: callback)
      let function: TextFieldCallback = { context, _, count in
        guard let keyboard = Keyboard.at(context) else { return }
        keyboard.closures.withLock(\.textField)?.call(keyboard, characterCount: count)
      }
      try? keyboardHandle.setTextField(callback == nil ? nil : function, context: context)
    }

    /// Sets the closure that runs when the input is complete: return was pressed, or a key reached the maximum count.
    /// The place to call `getText`.
    ///
    /// It runs after the closure of `setTextField`, on the thread that made the call, before the call returns, with no
    /// lock held. It is replaced and removed as that closure is. To update views, use `setOKAction(on:_:)`.
    ///
    /// - Parameter action: replaces the old closure; nil for none. It gets this keyboard.
    /// - C: `CustomKeyboard_setOKAction`.
    public func setOKAction(_ action: (@Sendable (_ keyboard: Keyboard) -> Void)?) {
      setOKAction(callback: action.map { action in .anyThread { keyboard, _ in action(keyboard) } })
    }

    /// Sets a closure of the main actor that runs when the input is complete. It runs at the times of a closure of
    /// `setTextField(on:_:)`, after it, and is replaced in the same way.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - action: replaces the old closure; `setOKAction(nil)` removes it. It gets this keyboard.
    /// - C: `CustomKeyboard_setOKAction`, which knows no main actor.
    public func setOKAction(on actor: MainActor, _ action: @escaping @MainActor (_ keyboard: Keyboard) -> Void) {
      setOKAction(callback: .mainActor(MainActorCallback { keyboard, _ in action(keyboard) }))
    }

    private func setOKAction(callback: KeyboardCallback?) {
      replace(\.ok, with: callback)
      let function: OKCallback = { context, _ in
        guard let keyboard = Keyboard.at(context) else { return }
        keyboard.closures.withLock(\.ok)?.call(keyboard, characterCount: 0)
      }
      try? keyboardHandle.setOKAction(callback == nil ? nil : function, context: context)
    }

    /// The old one is released after the lock: an object that only a closure holds may use the keyboard when it is
    /// released.
    private func replace(_ place: WritableKeyPath<Closures, KeyboardCallback?> & Sendable, with new: KeyboardCallback?)
    {
      let old = closures.withLock { closures in
        defer { closures[keyPath: place] = new }
        return closures[keyPath: place]
      }
      old?.remove()
    }

    /// Not retained: callbacks run only inside calls on this keyboard, and those keep it alive.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Keyboard? {
      context.map { Unmanaged<Keyboard>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  /// The closures that a keyboard calls.
  struct Closures {
    var textField: KeyboardCallback?
    var ok: KeyboardCallback?
    /// How often the keyboard was closed. A queued call belongs to one opening.
    var opening = 0
  }
#endif
