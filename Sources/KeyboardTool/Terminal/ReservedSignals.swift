// Signals 32 and 33 of Linux. glibc uses them between threads and refuses handlers for them, but anybody can send them,
// and their default action ends a program. So the kernel is asked, by its own name for sigaction.
// SPDX-License-Identifier: Apache-2.0

package enum ReservedSignals {
  #if os(Linux) && (arch(x86_64) || arch(arm64))
    /// The kernel's `struct sigaction`, the same on both processors.
    private struct Action {
      package var handler = 0
      package var flags = 0
      /// Returns from a handler; x86-64 insists on one. These handlers do not return.
      package var restorer = 0
      package var mask: UInt = 0
    }

    /// `long syscall(long, …)`: on Linux, such arguments are passed as those of a function without `…` are.
    private typealias SystemCall = @convention(c) (Int, Int, UnsafeRawPointer?, UnsafeMutableRawPointer?, Int) -> Int

    #if arch(x86_64)
      private static let rtSigaction = 13
    #else
      private static let rtSigaction = 134
    #endif

    /// - Parameter handler: never returns; nil for the default action.
    package static func set(_ handler: Signals.Handler?) {
      guard let symbol = dlsym(nil, "syscall") else { return }
      let call = unsafeBitCast(symbol, to: SystemCall.self)
      // SA_RESETHAND and SA_NODEFER: the handler cannot ask glibc for the default action. 0x04000000 is SA_RESTORER.
      let flags = Int(SA_RESETHAND) | Int(SA_NODEFER) | Int(SA_ONSTACK) | 0x0400_0000
      for number in [32, 33] {
        var old = Action()
        guard call(rtSigaction, number, nil, &old, 8) == 0, isOurs(old) else { continue }
        var new = Action()
        if let handler {
          new = Action(handler: unsafeBitCast(handler, to: Int.self), flags: flags, restorer: 1)
          new.mask = ~(1 << UInt(number - 1))
        }
        _ = call(rtSigaction, number, &new, nil, 8)
      }
    }

    /// Not glibc's: with that set, the signal is not deadly.
    private static func isOurs(_ action: Action) -> Bool { action.handler == 0 || action.restorer == 1 }
  #else
    package static func set(_ handler: Signals.Handler?) {}
  #endif
}
