// A raw key made from a password: for what must be unreadable without the person who knows it.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardHashes
import KeyboardMemory
import KeyboardStretching

/// What it costs to make a key of a password.
///
/// The associated data of Argon2id is a name of its own, so that no key equals the hash of a verifier, whatever salt
/// and costs the two have.
package struct KeyDerivation {
  private let costs: Argon2id

  /// The lengths of salts, in bytes.
  package static var saltCounts: ClosedRange<Int> { VerifierForm.saltCounts }
  /// The lengths of keys, in bytes.
  package static var keyCounts: ClosedRange<Int> { VerifierForm.hashCounts }

  private static var associatedData: StaticString { "CustomKeyboard key" }

  /// - Parameters:
  ///   - memorySize: in KiB.
  ///   - passCount: with a memory of 0 also 0: the costs of a new verifier.
  /// - Throws: `.argument` for costs that no verifier may have.
  package init(memorySize: UInt32, passCount: UInt32) throws(KeyboardError) {
    let isDefault = memorySize == 0 && passCount == 0
    costs = try Argon2id(memorySize: memorySize, passCount: passCount, laneCount: isDefault ? 0 : 1)
  }

  /// Writes the key. Runs inside `Residue.whole`, and wipes the stack.
  ///
  /// - Parameters:
  ///   - password: lends any number of bytes.
  ///   - salt: of a length in `saltCounts`.
  ///   - pepper: 0 … 64 bytes.
  ///   - key: of a length in `keyCounts`.
  /// - Returns: nil if a fork emptied the workspace in the middle. The child, which this is, has no key.
  /// - Throws: `.memory`, what the lender throws; nothing is then written.
  /// - Timing: as Argon2id's.
  /// - Source: RFC 9106.
  @inline(never)
  package func derive(
    from password: PasswordLender, salt: UnsafeRawBufferPointer, pepper: UnsafeRawBufferPointer,
    into key: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Void? {
    let work = try Verifier()
    work.salt.copyMemory(from: salt.baseAddress!, byteCount: salt.count)
    let hash = Verifier.Hash(
      costs: costs, saltCount: salt.count, hashCount: key.count, associatedData: Self.associatedData)
    guard try work.make(hash, of: password, pepper: pepper), !work.workspace.wasEmptied else { return nil }
    key.baseAddress!.copyMemory(from: work.hash, byteCount: key.count)
    guard work.workspace.wasEmptied else { return () }
    // A fork has come while the key was copied, and a part of it is zero.
    wipe(key.baseAddress!, byteCount: key.count)
    return nil
  }
}
