// A buffer of output that is wiped once it is written: labels of keys and passwords pass through it.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory

package struct WipedOutput: ~Copyable {
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
  private var count = 0
  private let sink: (UnsafeRawBufferPointer) -> Void

  package init(to sink: @escaping (UnsafeRawBufferPointer) -> Void) { self.sink = sink }

  deinit {
    wipe(memory.baseAddress!, byteCount: memory.count)
    memory.deallocate()
  }

  package mutating func append(_ byte: UInt8) {
    if count == memory.count { flush() }
    memory[count] = byte
    count += 1
  }

  package mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  package mutating func append(_ scalar: Unicode.Scalar) {
    for byte in UTF8.encode(scalar)! { append(byte) }
  }

  package mutating func flush() {
    sink(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    wipe(memory.baseAddress!, byteCount: count)
    count = 0
  }

  /// Appends a canvas as a terminal draws it, from the upper left corner.
  package mutating func append(_ canvas: borrowing Canvas, inColour: Bool) {
    canvas.forEachRow { row, cells in
      append("\u{1b}[\(row + 1);1H")
      var style = CellStyle.plain
      while let cell = cells.next() {
        if cell.style != style {
          style = cell.style
          append("\u{1b}[0;\(style.codes(inColour: inColour))m")
        }
        append(cell.scalar)
      }
      append(style == .plain ? "\u{1b}[K" : "\u{1b}[0m\u{1b}[K")
    }
  }
}
