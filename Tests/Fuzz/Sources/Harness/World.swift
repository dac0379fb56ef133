// One run of a fuzzer: the bytes, the memory, the keyboards, and their models.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// Keyboards with their models. A call is first made on the model, which gives the expected code, then on the keyboard.
public final class World {
  public let reader: Reader
  public let memory = Memory()
  /// The models of the live keyboards.
  public var keyboards: [CUSTOM_KEYBOARD: KeyboardModel] = [:]
  /// In the order in which they were created: the fuzzer chooses by number.
  public var handles: [CUSTOM_KEYBOARD] = []
  public var destroyed: [CUSTOM_KEYBOARD] = []
  var ciphers: [CipherModel] = []
  var devices: [DeviceModel] = []
  /// What accounts of OPAQUE were registered in this run: the record, and what was typed.
  var records: [(record: [UInt8], typed: [UInt8], terms: OPAQUETerms)] = []
  /// What `generateKey` has made in this run.
  var generated: [(way: SealedWay, pair: KeyPair)] = []
  /// What a callback does before it returns.
  public var callBack: ((World) -> Void)?
  /// The calls that are running, with the callbacks that they must still call. A callback's own calls come after them.
  var calls: [CallUnderWay] = []

  /// The world that callbacks use, because they are C functions.
  nonisolated(unsafe) static var current: World?

  private init(_ reader: Reader) { self.reader = reader }

  /// Runs `body` on the fuzzer's bytes, and checks what is left afterwards.
  ///
  /// - Returns: what libFuzzer expects of its function.
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

  /// One of the live keyboards, or 0 if there is none.
  public func anyKeyboard() -> CUSTOM_KEYBOARD { handles.isEmpty ? 0 : reader.one(of: handles) }
}

/// A call and its callbacks.
struct CallUnderWay {
  let handle: CUSTOM_KEYBOARD
  let characterCount: Int
  /// Whether the field must still be called.
  var isFieldDue: Bool
  /// Whether the input is complete, so that the action must be called after the field.
  let isComplete: Bool
  var isActionDue: Bool
}

extension World {
  /// Makes a call that may call callbacks, and checks its code and its callbacks. The call was made on the model
  /// before.
  ///
  /// - Parameter other: another code that may come too.
  @discardableResult
  func call(
    _ name: StaticString, _ handle: CUSTOM_KEYBOARD, due: CUSTOM_KEYBOARD_RV, or other: CUSTOM_KEYBOARD_RV? = nil,
    tells: Bool = false, isComplete: Bool = false, _ body: () -> CUSTOM_KEYBOARD_RV
  ) -> CUSTOM_KEYBOARD_RV {
    trace("\(name) of \(handle): expected \(due.rawValue)")
    let model = keyboards[handle]
    let isFieldDue = tells && model?.field != nil
    calls.append(
      CallUnderWay(
        handle: handle, characterCount: model?.characterCount ?? 0, isFieldDue: isFieldDue, isComplete: isComplete,
        isActionDue: !isFieldDue && isComplete && model?.action != nil))
    let got = body()
    let call = calls.removeLast()
    expect(got == due || got == other, "\(name) answers \(got.rawValue), expected \(due.rawValue)")
    expect(!call.isFieldDue, "\(name) does not call the field")
    expect(!call.isActionDue, "\(name) does not call the action")
    return got
  }

  func fieldWasTold(_ context: UnsafeMutableRawPointer?, _ handle: CUSTOM_KEYBOARD, _ characterCount: Int) {
    trace("the field of \(handle) gets \(characterCount)")
    guard let call = calls.last, call.isFieldDue, call.handle == handle, let field = keyboards[handle]?.field
    else { complain("the field is called, but should not be") }
    expect(field.context == context, "the field gets another context")
    expect(call.characterCount == characterCount, "the field gets \(characterCount), expected \(call.characterCount)")
    calls[calls.count - 1].isFieldDue = false
    callBack?(self)
    // The field may have removed the action, or destroyed the keyboard.
    calls[calls.count - 1].isActionDue = call.isComplete && keyboards[handle]?.action != nil
  }

  func actionWasCalled(_ context: UnsafeMutableRawPointer?, _ handle: CUSTOM_KEYBOARD) {
    trace("the action of \(handle) is called")
    guard let call = calls.last, call.isActionDue, call.handle == handle, let action = keyboards[handle]?.action
    else { complain("the action is called, but should not be") }
    expect(action.context == context, "the action gets another context")
    calls[calls.count - 1].isActionDue = false
    callBack?(self)
  }
}
