// The Swift face of layout and touch: keys as values to draw, touches in, closures out.

// Closures and arrays want Swift's runtime, which the C library does without.
#if !hasFeature(Embedded)
  @_exported public import KeyboardLayout

  extension Keyboard {
    /// Chooses which keys there are and when they change places; for a keyboard that is not up.
    ///
    /// - Parameter maximumCount: so many characters complete the input, as return does, and further keys are ignored; 0 for
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

    /// Binds what shows the input: it is told the number of characters after every call that changed them, on the thread
    /// that called, with no lock held.
    ///
    /// - C: `CustomKeyboard_setTextField`.
    public func setTextField(_ changed: (@Sendable (_ characterCount: Int) -> Void)?) {
      closures.withLock { $0.textField = changed }
      let callback: TextFieldCallback = { context, _, count in
        Keyboard.at(context)?.closures.withLock(\.textField)?(count)
      }
      try? slot.setTextField(changed == nil ? nil : callback, context: context)
    }

    /// Sets what happens when the input is complete: return was pressed, or a key brought the maximum. The place to call
    /// `getText`, on the thread that called, with no lock held.
    ///
    /// - C: `CustomKeyboard_setOKAction`.
    public func setOKAction(_ action: (@Sendable (_ keyboard: Keyboard) -> Void)?) {
      closures.withLock { $0.ok = action }
      let callback: OKCallback = { context, _ in
        guard let keyboard = Keyboard.at(context) else { return }
        keyboard.closures.withLock(\.ok)?(keyboard)
      }
      try? slot.setOKAction(action == nil ? nil : callback, context: context)
    }

    /// Calls back only from within calls on this keyboard, which keep it alive.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Keyboard? {
      context.map { Unmanaged<Keyboard>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  /// What a keyboard of Swift's calls back.
  struct Closures {
    var textField: (@Sendable (Int) -> Void)?
    var ok: (@Sendable (Keyboard) -> Void)?
  }
#endif
