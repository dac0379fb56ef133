// Secrets at rest: a password while it is typed, a key between two uses.

internal import CKeyboardMbedTLS
public import KeyboardCodes

/// Bytes that do not stand in memory as themselves, but XORed with a random pad that stands beside them.
///
/// Not encryption: who reads all of memory has the pad too. It is for scans, dumps of single buffers and careless copies,
/// none of which then contain the secret; what reads it takes it out byte by byte, or into a `Workspace`.
///
///     ├─ bytes XOR pad (capacity) ─┼─ pad (capacity) ─┤
///
/// This is a view: the memory is somebody else's, who wipes it.
public struct MaskedBytes {
  private let masked: UnsafeMutableRawPointer
  private let pad: UnsafeMutableRawPointer
  public let capacity: Int

  /// Bytes of memory that `capacity` secret bytes take.
  public static func byteCount(capacity: Int) -> Int { 2 * capacity }

  public init(at memory: UnsafeMutableRawPointer, capacity: Int) {
    masked = memory
    pad = memory + capacity
    self.capacity = capacity
  }

  /// Forgets what stood there and draws a new pad.
  ///
  /// - Throws: `.memory`, `.random`; what stood there then still stands.
  public func reset() throws(KeyboardError) {
    let workspace = try Workspace()
    var stream = try workspace.randomStream(byteCount: capacity)
    reset(using: &stream)
  }

  /// The same, from a stream that is there already.
  public func reset(using stream: inout RandomStream) {
    stream.fill(UnsafeMutableRawBufferPointer(start: pad, count: capacity))
    keyboard_wipe(masked, capacity)
  }

  /// The byte at `index`, unmasked; setting it masks it.
  public subscript(index: Int) -> UInt8 {
    get {
      masked.load(fromByteOffset: index, as: UInt8.self) ^ pad.load(fromByteOffset: index, as: UInt8.self)
    }
    nonmutating set {
      let padByte = pad.load(fromByteOffset: index, as: UInt8.self)
      masked.storeBytes(of: newValue ^ padByte, toByteOffset: index, as: UInt8.self)
    }
  }

  /// Masks `source` into the places from `offset` on. The caller has seen to it that they are there.
  public func store(_ source: UnsafeRawBufferPointer, at offset: Int) {
    for i in 0..<source.count { self[offset + i] = source[i] }
  }

  /// Unmasks the first `count` bytes into `destination`.
  public func unmask(count: Int, into destination: UnsafeMutableRawPointer) {
    for i in 0..<count { destination.storeBytes(of: self[i], toByteOffset: i, as: UInt8.self) }
  }

  /// Overwrites the bytes in `range`: they read as zero from then on.
  public func wipe(_ range: Range<Int>) {
    for i in range { self[i] = 0 }
  }
}
