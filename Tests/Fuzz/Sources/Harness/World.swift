// One run of a fuzzer: the bytes, the memory, the keyboards, and what is known of each.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// Keyboards beside their models. A call is first made on the model, which says what is due, and then on the keyboard.
public final class World {
  public let reader: Reader
  public let memory = Memory()
  /// What is known of the keyboards that there are.
  public var keyboards: [CUSTOM_KEYBOARD: KeyboardModel] = [:]
  /// In the order of their making: the fuzzer picks by number.
  public var handles: [CUSTOM_KEYBOARD] = []
  public var destroyed: [CUSTOM_KEYBOARD] = []
  var ciphers: [CipherModel] = []
  /// What a callback does before it returns.
  public var callBack: ((World) -> Void)?
  /// The calls that are under way, and whom they have yet to tell; a callback's calls stand above the one that called.
  var calls: [CallUnderWay] = []

  /// Whom callbacks find: they are C functions.
  nonisolated(unsafe) static var current: World?

  private init(_ reader: Reader) { self.reader = reader }

  /// Runs `body` on the fuzzer's bytes, and sees that what is left afterwards is as it should be.
  ///
  /// - Returns: what libFuzzer wants of its function.
  public static func run(_ start: UnsafePointer<UInt8>?, _ count: Int, _ body: (World) -> Void) -> CInt {
    let world = World(Reader(start, count))
    current = world
    body(world)
    world.callBack = nil
    for handle in world.handles {
      world.checkCount(handle)
      world.checkText(handle)
      world.destroy(handle)
    }
    world.memory.end()
    current = nil
    return 0
  }

  /// One of the keyboards that there are, or else 0.
  public func anyKeyboard() -> CUSTOM_KEYBOARD { handles.isEmpty ? 0 : reader.one(of: handles) }
}

/// A call and its callbacks.
struct CallUnderWay {
  let handle: CUSTOM_KEYBOARD
  let characterCount: Int
  /// Whether the field has yet to be told.
  var isFieldDue: Bool
  /// Whether the input is complete, so that the action has its turn after the field.
  let isComplete: Bool
  var isActionDue: Bool
}

extension World {
  /// Makes a call that may tell somebody, and holds its code and its callbacks to what is due. The model has made it
  /// before.
  func call(
    _ name: StaticString, _ handle: CUSTOM_KEYBOARD, due: CUSTOM_KEYBOARD_RV, tells: Bool = false,
    isComplete: Bool = false, _ body: () -> CUSTOM_KEYBOARD_RV
  ) {
    trace("\(name) of \(handle): \(due.rawValue) is due")
    let model = keyboards[handle]
    let isFieldDue = tells && model?.field != nil
    calls.append(
      CallUnderWay(
        handle: handle, characterCount: model?.characterCount ?? 0, isFieldDue: isFieldDue, isComplete: isComplete,
        isActionDue: !isFieldDue && isComplete && model?.action != nil))
    let got = body()
    let call = calls.removeLast()
    expect(got == due, "\(name) answers \(got.rawValue), and \(due.rawValue) is due")
    expect(!call.isFieldDue, "\(name) does not tell the field")
    expect(!call.isActionDue, "\(name) does not call the action")
  }

  func fieldWasTold(_ context: UnsafeMutableRawPointer?, _ handle: CUSTOM_KEYBOARD, _ characterCount: Int) {
    trace("the field of \(handle) is told \(characterCount)")
    guard let call = calls.last, call.isFieldDue, call.handle == handle, let field = keyboards[handle]?.field
    else { complain("the field is told, and nobody is to be") }
    expect(field.context == context, "the field is given another context")
    expect(call.characterCount == characterCount, "the field is told \(characterCount) of \(call.characterCount)")
    calls[calls.count - 1].isFieldDue = false
    callBack?(self)
    // It may have taken the action away, or ended the keyboard.
    calls[calls.count - 1].isActionDue = call.isComplete && keyboards[handle]?.action != nil
  }

  func actionWasCalled(_ context: UnsafeMutableRawPointer?, _ handle: CUSTOM_KEYBOARD) {
    trace("the action of \(handle) is called")
    guard let call = calls.last, call.isActionDue, call.handle == handle, let action = keyboards[handle]?.action
    else { complain("the action is called, and nobody is to be") }
    expect(action.context == context, "the action is given another context")
    calls[calls.count - 1].isActionDue = false
    callBack?(self)
  }
}
