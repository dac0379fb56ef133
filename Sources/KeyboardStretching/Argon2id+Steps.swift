// Argon2id in memory of its own: for verifiers, keys and OPAQUE alike.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardHashes
import KeyboardMemory

extension Argon2id {
  /// The steps that follow `take`. The two short ones run on a stack of their own. The one between them takes too long
  /// to hold signals back; it works on Argon2id's memory, which a fork empties. The thread cannot be cancelled already.
  ///
  /// - Returns: false if a fork emptied Argon2id's memory.
  /// - Throws: `.memory`.
  @inline(never) @export(interface)
  package func run(
    scratch: UnsafeMutableRawPointer, into tag: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    // 256 MiB take a tenth of a second and more, locked and zeroed; the password is gone by now.
    let large = try LargeWorkspace(byteCount: byteCount)
    let memory = large.memory
    try Residue.wiped(.ownStack) { () throws(KeyboardError) in begin(memory: memory, scratch: scratch) }
    try Residue.wiped(.deep) { () throws(KeyboardError) in fill(memory: memory, scratch: scratch) }
    try Residue.wiped(.ownStack) { () throws(KeyboardError) in finish(into: tag, memory: memory, scratch: scratch) }
    return !large.wasEmptied
  }
}
