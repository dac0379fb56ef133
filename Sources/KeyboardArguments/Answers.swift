// What C gets: codes, lengths and places, and static strings.
// SPDX-License-Identifier: Apache-2.0

package import CCustomKeyboard
import CKeyboardStack
package import KeyboardCodes
import KeyboardMemory

/// How a library answers: it has one of these, `answering`, and runs the body of each of its functions in it.
package struct Answers: Sendable {
  private let library: Int32

  /// - Parameter library: which sentence of `keyboard_cause` is its.
  @inline(__always)
  package init(of library: Int32) { self.library = library }

  /// Runs `body` and answers its code. What was wrong is kept for the library's `cause`: every code but OK is answered
  /// here. What has judged the arguments leaves nothing of them in registers, either.
  @inline(never) @export(interface)
  package func callAsFunction(_ body: () throws(KeyboardError) -> Void) -> CUSTOM_KEYBOARD_RV {
    do throws(KeyboardError) {
      try body()
      return CUSTOM_KEYBOARD_OK
    } catch {
      keyboard_set_cause(library, text(error.sentence))
      Residue.wipePlainRegisters()
      return CUSTOM_KEYBOARD_RV(error.code)
    }
  }

  /// Runs `body`, which fills a space from its beginning, and reports how far; if the space is too small, what is
  /// needed.
  @inline(never) @export(interface)
  package func length(
    _ length: UnsafeMutablePointer<Int>?, in start: UnsafeMutablePointer<UInt8>?, _ size: Int,
    _ body: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Int
  ) -> CUSTOM_KEYBOARD_RV {
    self { () throws(KeyboardError) in
      let (length, space) = (try given(length), try writable(start, size))
      try keepApart(length, space)
      do throws(KeyboardError) {
        length.pointee = try body(space)
      } catch {
        if case .spaceTooSmall(let needed) = error { length.pointee = needed }
        throw error
      }
    }
  }

  /// Runs `body`, which fills a space, and reports where the result is; if the space is too small, what is needed.
  @inline(never) @export(interface)
  package func place(
    _ offset: UnsafeMutablePointer<Int>?, _ length: UnsafeMutablePointer<Int>?,
    in start: UnsafeMutablePointer<UInt8>?, _ size: Int,
    _ body: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int>
  ) -> CUSTOM_KEYBOARD_RV {
    guard let offset else { return self { () throws(KeyboardError) in throw .argument(.null) } }
    return self.length(length, in: start, size) { space throws(KeyboardError) in
      try keepApart(offset, space)
      let place = try body(space)
      offset.pointee = place.lowerBound
      return place.count
    }
  }

  /// The sentence of what this thread was last refused here.
  @inline(never) @export(interface)
  package var cause: UnsafePointer<CChar> {
    keyboard_cause(library) ?? text(KeyboardError.message(forCode: CUSTOM_KEYBOARD_OK.rawValue))
  }
}

/// A static string as C has it: the compiler ends it with a NUL, and it is never freed.
package func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}
