// The jobs of a batch as they lie in the caller's memory, for the path that reads a whole one at once.
//
// SPDX-License-Identifier: Apache-2.0

/// A job of `decryptBatch`: eight words of 64 bits. They are the key, its length, the text, its length, the place for
/// the password, the room there, the password's length, and the code, which has 32 bits. (`CUSTOM_KEYBOARD_JOB`)
public enum BlockJob {
  @inline(always) public static var byteCount: Int { 64 }
  @inline(always) public static var clearLengthOffset: Int { 48 }
  @inline(always) public static var codeOffset: Int { 56 }
}

/// Whose the block in a lane is: the job that is answered, and the place for its password.
public struct BlockOrigin {
  public let job: UnsafeMutableRawPointer
  public let clear: UnsafeMutableRawPointer

  @inline(always) public init(job: UnsafeMutableRawPointer, clear: UnsafeMutableRawPointer) {
    (self.job, self.clear) = (job, clear)
  }
}
