// Fingers: each is one press, when it leaves. In a pattern, one finger draws.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

/// A finger on the screen, and where it is.
struct Finger {
  let id: ObjectIdentifier
  var x: Double
  var y: Double
}

extension KeyboardScreen {
  /// A finger comes down. The one before it counts as lifted, so that fast typing loses nothing.
  ///
  /// - Parameters:
  ///   - id: names the finger until it leaves.
  ///   - x: points from the view's left edge.
  ///   - y: points from the view's upper edge.
  public func fingerDown(_ id: ObjectIdentifier, x: Double, y: Double) -> Reaction {
    guard cover.isEmpty, !keys.isEmpty, !fingers.contains(where: { $0.id == id }) else { return .nothing }
    let finger = Finger(id: id, x: x, y: y)
    if isPattern {
      guard fingers.isEmpty else { return .nothing }
      fingers = [finger]
      return draw(finger)
    }
    let earlier = fingers.popLast()
    fingers.append(finger)
    // If the keys change places by that, this finger was aimed at another key: it is forgotten, too.
    return earlier.map { press($0) } ?? .nothing
  }

  /// A finger moves. Only a pattern follows it.
  public func fingerMoved(_ id: ObjectIdentifier, x: Double, y: Double) -> Reaction {
    guard let place = fingers.firstIndex(where: { $0.id == id }) else { return .nothing }
    (fingers[place].x, fingers[place].y) = (x, y)
    return isPattern ? draw(fingers[place]) : .nothing
  }

  /// A finger leaves: the key under it is pressed. Outside the view nothing is.
  public func fingerUp(_ id: ObjectIdentifier, x: Double, y: Double) -> Reaction {
    guard let place = fingers.firstIndex(where: { $0.id == id }) else { return .nothing }
    fingers.remove(at: place)
    return isPattern ? .finished : press(Finger(id: id, x: x, y: y))
  }

  /// The system takes a touch away, for a call or a gesture of its own: nothing is pressed, and what was drawn of a
  /// pattern is wiped.
  public func fingerCancelled(_ id: ObjectIdentifier) -> Reaction {
    guard let place = fingers.firstIndex(where: { $0.id == id }) else { return .nothing }
    fingers.remove(at: place)
    return isPattern ? react { keyboard throws(KeyboardError) in try keyboard.clear() } : .nothing
  }

  func forgetFingers() {
    for finger in fingers { _ = fingerCancelled(finger.id) }
  }

  private func contains(_ finger: Finger) -> Bool { 0...width ~= finger.x && 0...height ~= finger.y }

  private func draw(_ finger: Finger) -> Reaction {
    guard contains(finger) else { return .nothing }
    return react { keyboard throws(KeyboardError) in try keyboard.touch(x: finger.x, y: finger.y) }
  }

  private func press(_ finger: Finger) -> Reaction {
    guard contains(finger), !keys.isEmpty else { return .nothing }
    return pressing { keyboard throws(KeyboardError) in try keyboard.touch(x: finger.x, y: finger.y) }
  }

  /// Presses a key, and forgets the other fingers if the keys are other ones now.
  func pressing(_ call: (Keyboard) throws(KeyboardError) -> Void) -> Reaction {
    let before = keys.map(Self.place)
    let reaction = react(call)
    if keys.map(Self.place) != before { fingers = [] }
    return reaction
  }

  /// What a finger aims at: a key's frame and character, in either case.
  private static func place(_ key: KeyboardKey) -> String { "\(key.x) \(key.y) \(key.width) \(key.label.lowercased())" }
}
