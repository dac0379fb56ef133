// Reading and answering the jobs of a batch with SM4's registers.
//
// SPDX-License-Identifier: Apache-2.0

@_exported public import struct KeyboardSM4Vector.BlockOrigin
import KeyboardSM4Vector

#if arch(x86_64)
  import KeyboardSM4Jobs
#endif

extension SM4 {
  /// Whether `take` and `answer` may be called on this processor.
  public static var readsJobs: Bool {
    #if arch(x86_64)
      Path.current == .gfni512
    #else
      false
    #endif
  }

  /// Copies jobs of `decryptBatch` into lanes, up to the first that has not one block, or with which something is
  /// wrong.
  ///
  /// - Parameters:
  ///   - jobs: the caller's, all of them; see `BlockJob`. Another thread may change them: each is read once.
  ///   - first: the number of the first that is copied.
  ///   - count: how many at most.
  ///   - lanes: get the places of the keys and the texts.
  ///   - origins: get the jobs, and the places for the passwords.
  /// - Returns: how many were copied.
  /// - Precondition: `readsJobs`.
  /// - Timing: depends on places and lengths.
  public static func take(
    _ jobs: UnsafeMutableRawBufferPointer, from first: Int, count: Int, into lanes: UnsafeMutablePointer<Job>,
    origins: UnsafeMutablePointer<BlockOrigin>
  ) -> Int {
    #if arch(x86_64)
      assert(readsJobs)
      let start = jobs.baseAddress.unsafelyUnwrapped
      return WholeJobs.take(
        start, byteCount: jobs.count, from: start + first &* BlockJob.byteCount, count: count, into: lanes,
        origins: origins)
    #else
      return 0
    #endif
  }

  /// Answers jobs with blocks that were decrypted, without their padding; up to some of which one has a wrong padding.
  ///
  /// - Parameters:
  ///   - blocks: `count` blocks.
  ///   - origins: whose they are. Each has room for a whole block; its bytes behind the password stay as they are.
  /// - Returns: how many were answered.
  /// - Precondition: `readsJobs`.
  /// - Timing: depends on which blocks are padded rightly, and on nothing else of theirs.
  /// - Source: RFC 5652 §6.3.
  public static func answer(_ blocks: UnsafeRawPointer, _ origins: UnsafePointer<BlockOrigin>, count: Int) -> Int {
    #if arch(x86_64)
      assert(readsJobs)
      return WholeJobs.answer(blocks, origins, count: count)
    #else
      return 0
    #endif
  }
}
