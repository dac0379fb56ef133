// Which of the implementations runs: found out once, from what the processor and the operating system have.

import CKeyboardPlatform
import Synchronization

#if arch(x86_64)
  import KeyboardSM4ExtendedControl
  import _Builtin_intrinsics.intel.cpuid
#endif

extension SM4 {
  /// The implementations, each faster than those before it and in need of more.
  enum Path: UInt8, CaseIterable, Comparable {
    case portable = 1
    #if arch(x86_64)
      case aesni, gfni256, gfni512
    #elseif arch(arm64)
      case neon, armv8sm4
    #endif

    /// What `CUSTOM_KEYBOARD_SM4` in the environment calls it.
    var name: StaticString {
      switch self {
      case .portable: "portable"
      #if arch(x86_64)
        case .aesni: "aesni"
        case .gfni256: "gfni256"
        case .gfni512: "gfni512"
      #elseif arch(arm64)
        case .neon: "neon"
        case .armv8sm4: "armv8sm4"
      #endif
      }
    }

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Whether the rounds leave the processor so idle that the key schedule is made beside them, at first use. (Not so on
    /// the others, where a key that is used again would pay more for it than one that is not would gain.)
    var keepsKeysUnexpanded: Bool {
      #if arch(x86_64)
        self == .gfni512
      #else
        false
      #endif
    }
  }
}

extension SM4.Path {
  /// The path that `SM4` takes: the best that runs here, or a lower one that the environment asks for.
  @inline(__always)
  static var current: Self { Self(rawValue: known.load(ordering: .relaxed)) ?? found() }

  /// 0 until it is known. Threads that find out at the same time find the same.
  private static let known = Atomic<UInt8>(0)

  @inline(never)
  private static func found() -> Self {
    let path = min(best, forced ?? best)
    known.store(path.rawValue, ordering: .relaxed)
    return path
  }

  /// What the environment asks for. A name that is none is ignored.
  private static var forced: Self? {
    guard let value = custom_keyboard_getenv("CUSTOM_KEYBOARD_SM4") else { return nil }
    return allCases.first { $0.isNamed(value) }
  }

  private func isNamed(_ string: UnsafePointer<CChar>) -> Bool {
    let bytes = UnsafeRawPointer(string).assumingMemoryBound(to: UInt8.self)
    for i in 0..<name.utf8CodeUnitCount where bytes[i] != name.utf8Start[i] { return false }
    return bytes[name.utf8CodeUnitCount] == 0
  }
}

// MARK: - What the processor has

extension SM4.Path {
  #if arch(x86_64)
    /// The best path that processor and operating system allow.
    static var best: Self {
      guard let features = Features(leaf: 1), features.has(.c, 27), features.has(.c, 28) else {  // OSXSAVE, AVX
        return .portable
      }
      let saved = extendedControlRegister()
      let halves: UInt64 = 0x06  // XMM, YMM
      let whole: UInt64 = 0xe6  // … and mask registers, ZMM and the sixteen more of them
      guard saved & halves == halves, let more = Features(leaf: 7), more.has(.b, 5) else { return .portable }  // AVX2

      guard more.has(.c, 8) else {  // GFNI
        return features.has(.c, 25) ? .aesni : .portable
      }
      let has512 = more.has(.b, 16) && more.has(.b, 30) && more.has(.b, 31)  // AVX512F, AVX512BW, AVX512VL
      return has512 && saved & whole == whole ? .gfni512 : .gfni256
    }

    /// One leaf of CPUID.
    private struct Features {
      enum Register { case b, c }
      private var a: UInt32 = 0
      private var b: UInt32 = 0
      private var c: UInt32 = 0
      private var d: UInt32 = 0

      init?(leaf: UInt32) {
        guard __get_cpuid_count(leaf, 0, &a, &b, &c, &d) != 0 else { return nil }
      }

      func has(_ register: Register, _ bit: Int) -> Bool { (register == .b ? b : c) >> bit & 1 != 0 }
    }
  #elseif arch(arm64)
    /// The best path that processor and operating system allow.
    static var best: Self {
      guard custom_keyboard_has_aes() else { return .portable }
      return custom_keyboard_has_sm4() ? .armv8sm4 : .neon
    }
  #else
    static var best: Self { .portable }
  #endif
}
