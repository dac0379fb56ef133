// How a message that comes in parts fills blocks, and how a block goes into the state.
// SPDX-License-Identifier: Apache-2.0

/// Appends a part of a message to a block, and lets each block that is full be compressed.
///
/// - Parameters:
///   - block: `size` bytes, of which `started` are filled.
///   - part: `count` bytes at any address outside the block.
@inline(__always)
func fill(
  _ block: UnsafeMutableRawPointer, size: Int, from started: Int, with part: UnsafeRawPointer, count: Int,
  _ compress: () -> Void
) {
  var (place, rest, started) = (part, count, started)
  while rest > 0 {
    let taken = min(rest, size &- started)
    (block + started).copyMemory(from: place, byteCount: taken)
    started &+= taken
    if started == size {
      compress()
      started = 0
    }
    place += taken
    rest &-= taken
  }
}

/// Adds the eight working variables to the state.
@inline(__always)
func add<Word: FixedWidthInteger>(
  _ words: (Word, Word, Word, Word, Word, Word, Word, Word), to state: UnsafeMutablePointer<Word>
) {
  state[0] &+= words.0
  state[1] &+= words.1
  state[2] &+= words.2
  state[3] &+= words.3
  state[4] &+= words.4
  state[5] &+= words.5
  state[6] &+= words.6
  state[7] &+= words.7
}
