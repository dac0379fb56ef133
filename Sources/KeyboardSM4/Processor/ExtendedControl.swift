// XCR0: which registers the operating system saves when it switches threads. An instruction set is of use only if its
// registers are among them. Reading it is an instruction set of its own, hence a module of its own.

#if arch(x86_64)
  import Builtin

  /// Extended control register 0. Only where CPUID reports OSXSAVE.
  @inline(never) @export(interface)
  public func extendedControlRegister() -> UInt64 { UInt64(Builtin.int_x86_xgetbv((0 as UInt32)._value)) }
#endif
