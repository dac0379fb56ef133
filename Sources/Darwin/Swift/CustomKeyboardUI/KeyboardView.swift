// The keyboard as a view of UIKit: a thin layer on `KeyboardScreen`, which decides what is drawn, said and done.
// SPDX-License-Identifier: Apache-2.0
//
// All keys are in one layer. There is no view, no layer and no label for a key, because programs that test apps and
// those that record sessions read views. Nothing lights up, sounds or vibrates when a key is pressed: each of that
// would tell which.

#if canImport(UIKit)
  public import CustomKeyboard
  public import KeyboardScreen
  public import UIKit

  /// A keyboard on the screen.
  ///
  ///     let view = KeyboardView(keyboard)
  ///     view.onRefusal = { error in show(error.description) }
  ///
  /// It covers itself while the screen is captured, and while the app is not in front. The app opens and closes the
  /// keyboard, and calls `refresh` afterwards.
  @MainActor
  public final class KeyboardView: UIView {
    private let screen: KeyboardScreen
    private var elements: [KeyElement] = []

    /// Called when the keyboard refuses a press: what is typed is too long, for example.
    public var onRefusal: (KeyboardError) -> Void = { _ in }
    /// Called when a pattern is drawn, which no key completes.
    public var onPattern: () -> Void = {}

    /// The keyboard that is shown.
    public var keyboard: Keyboard { screen.keyboard }

    /// What a screen reader may say. Ask the person before you set `spoken`: everybody near hears it.
    public var speech: KeyboardScreen.Speech {
      get { screen.speech }
      set {
        screen.speech = newValue
        show()
      }
    }

    /// Whether a hardware keyboard types. Other programs may read what it types, so it does not, unless you ask for it;
    /// then make the view the first responder.
    public var takesHardwareKeys: Bool {
      get { screen.takesHardwareKeys }
      set { screen.takesHardwareKeys = newValue }
    }

    /// A view of a keyboard.
    public init(_ keyboard: Keyboard) {
      screen = KeyboardScreen(keyboard)
      super.init(frame: CGRect(origin: CGPoint(x: 0, y: 0), size: CGSize(width: 320, height: 216)))
      isMultipleTouchEnabled = true
      isOpaque = true
      contentMode = .redraw
      // The keys' places are the keyboard's, in every language.
      semanticContentAttribute = .forceLeftToRight
      isAccessibilityElement = false
      let center = NotificationCenter.default
      for (name, action) in [
        (UIApplication.willResignActiveNotification, #selector(hide)),
        (UIApplication.didBecomeActiveNotification, #selector(showAgain)),
      ] {
        center.addObserver(self, selector: action, name: name, object: nil)
      }
    }

    /// No storyboard has a keyboard to give.
    public required init?(coder: NSCoder) { nil }

    /// Looks at the keyboard anew: after `open`, `close` or `setLayout`.
    public func refresh() {
      screen.refresh()
      invalidateIntrinsicContentSize()
      show()
    }

    // MARK: Drawing

    private var style: ScreenStyle {
      var style = ScreenStyle()
      style.isDark = traitCollection.userInterfaceStyle == .dark
      style.isHighContrast = traitCollection.accessibilityContrast == .high
      style.textScale = UIFontMetrics.default.scaledValue(for: 100, compatibleWith: traitCollection) / 100
      style.isRightToLeft = UIApplication.shared.userInterfaceLayoutDirection == .rightToLeft
      return style
    }

    public override func draw(_ rect: CGRect) {
      let drawing = screen.drawing(style)
      UIColor(drawing.background).setFill()
      UIBezierPath(rect: bounds).fill()
      for key in drawing.keys {
        UIColor(key.fill).setFill()
        UIBezierPath(roundedRect: key.frame, cornerRadius: key.cornerRadius).fill()
        let text = NSAttributedString(
          string: key.text,
          attributes: [.font: UIFont.systemFont(ofSize: key.textSize), .foregroundColor: UIColor(key.ink)])
        let size = text.size()
        text.draw(
          at: CGPoint(x: key.x + (key.width - size.width) / 2, y: key.y + (key.height - size.height) / 2))
      }
    }

    public override var intrinsicContentSize: CGSize {
      CGSize(width: UIView.noIntrinsicMetric, height: screen.preferredHeight(textScale: style.textScale))
    }

    public override func layoutSubviews() {
      super.layoutSubviews()
      do throws(KeyboardError) {
        try screen.setSize(width: bounds.size.width, height: bounds.size.height)
      } catch {
        // A view of no size, before it is laid out, has no room for keys; the old ones stay.
      }
      show()
    }

    /// Dark or light, contrast, text size, capture: all of them are traits.
    public override func traitCollectionDidChange(_ previous: UITraitCollection?) {
      super.traitCollectionDidChange(previous)
      screen.setCover(.captured, traitCollection.sceneCaptureState == .active)
      invalidateIntrinsicContentSize()
      show()
    }

    public override func didMoveToWindow() {
      super.didMoveToWindow()
      screen.setCover(.captured, traitCollection.sceneCaptureState == .active)
      show()
    }

    @objc private func hide() {
      screen.setCover(.inactive, true)
      show()
    }

    @objc private func showAgain() {
      screen.setCover(.inactive, false)
      show()
    }

    private func show() {
      setNeedsDisplay()
      let keys = screen.spokenKeys
      accessibilityLabel = "Secure keyboard"
      accessibilityValue = screen.spokenValue
      guard keys != elements.map(\.key) else { return }
      elements = keys.map { KeyElement($0, in: self) }
      accessibilityElements = elements
      UIAccessibility.post(notification: .layoutChanged, argument: nil)
    }

    // MARK: Touches

    public override func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {
      each(touches) { id, x, y in screen.fingerDown(id, x: x, y: y) }
    }

    public override func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {
      each(touches) { id, x, y in screen.fingerMoved(id, x: x, y: y) }
    }

    public override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
      each(touches) { id, x, y in screen.fingerUp(id, x: x, y: y) }
    }

    public override func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {
      each(touches) { id, _, _ in screen.fingerCancelled(id) }
    }

    private func each(
      _ touches: Set<UITouch>,
      _ tell: (ObjectIdentifier, Double, Double) -> KeyboardScreen.Reaction
    ) {
      // In the order in which they came: a set has none.
      for touch in touches.sorted(by: { $0.timestamp < $1.timestamp }) {
        let place = touch.location(in: self)
        react(tell(ObjectIdentifier(touch), place.x, place.y))
      }
    }

    private func react(_ reaction: KeyboardScreen.Reaction) {
      switch reaction {
      case .nothing: break
      case .changed: show()
      case .finished: onPattern()
      case .failed(let error): onRefusal(error)
      }
    }

    // MARK: Other ways to press a key

    fileprivate func activate(_ index: Int) { react(screen.activate(index)) }

    public override var canBecomeFirstResponder: Bool { takesHardwareKeys }

    public override func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
      guard takesHardwareKeys else { return super.pressesBegan(presses, with: event) }
      for press in presses {
        if let characters = press.key?.characters, !characters.isEmpty { react(screen.type(hardware: characters)) }
      }
    }
  }

  /// A key for a screen reader. It has no identifier.
  @MainActor
  private final class KeyElement: UIAccessibilityElement {
    let key: SpokenKey
    private weak var view: KeyboardView?

    init(_ key: SpokenKey, in view: KeyboardView) {
      (self.key, self.view) = (key, view)
      super.init(accessibilityContainer: view)
      accessibilityLabel = key.label
      accessibilityTraits = key.isKeyboardKey ? .keyboardKey : .button
      accessibilityFrameInContainerSpace = key.frame
    }

    override func accessibilityActivate() -> Bool {
      MainActor.assumeIsolated {
        view?.activate(key.index)
        return view != nil
      }
    }
  }

  /// Holds a keyboard's view, and asks the system to wait with its gestures at the edges: a finger there types.
  @MainActor
  public final class KeyboardViewController: UIViewController {
    /// The view of the keyboard.
    public let keyboardView: KeyboardView

    /// A controller of a new view.
    public init(_ keyboard: Keyboard) {
      keyboardView = KeyboardView(keyboard)
      super.init(nibName: nil, bundle: nil)
    }

    /// No storyboard has a keyboard to give.
    public required init?(coder: NSCoder) { nil }

    public override func loadView() { view = keyboardView }

    public override var preferredScreenEdgesDeferringSystemGestures: UIRectEdge { .all }
  }

  extension UIColor {
    fileprivate convenience init(_ ink: Ink) { self.init(red: ink.red, green: ink.green, blue: ink.blue, alpha: 1) }
  }

  extension DrawnKey {
    fileprivate var frame: CGRect {
      CGRect(origin: CGPoint(x: x, y: y), size: CGSize(width: width, height: height))
    }
  }

  extension SpokenKey {
    fileprivate var frame: CGRect {
      CGRect(origin: CGPoint(x: x, y: y), size: CGSize(width: width, height: height))
    }
  }
#endif
