// The terminal as it was before the tool changed it, and the way back, for ordinary code and for signal handlers.
//
// A handler can interrupt anything. Everything that it uses is therefore in this file and in Signals.swift, and is
// plain memory and async-signal-safe functions (POSIX.1-2017, System Interfaces, §2.4.3): nothing allocates, counts
// references or locks, and no global is initialised on its first use.
// SPDX-License-Identifier: Apache-2.0

package enum Restoration {
  fileprivate struct State {
    package let descriptor: Int32
    package var mode: termios
    /// What to write to the terminal.
    package let farewell: StaticString
    package var isRaw = false
    package var isShown = false
  }

  /// Remembers how to put a terminal back.
  ///
  /// - Parameters:
  ///   - descriptor: the terminal's. It never blocks.
  ///   - farewell: clears what the tool shows, and switches off what it has switched on.
  package static func keep(descriptor: Int32, mode: termios, farewell: StaticString) {
    forget()
    let memory = UnsafeMutablePointer<State>.allocate(capacity: 1)
    memory.initialize(to: State(descriptor: descriptor, mode: mode, farewell: farewell))
    state = memory
  }

  /// Call this after `restore`.
  package static func forget() {
    guard let memory = state else { return }
    state = nil
    memory.deallocate()
  }

  /// Call this before the terminal becomes raw.
  package static func willBeRaw() { state?.pointee.isRaw = true }

  /// Call this before anything is shown that the farewell takes away.
  package static func willBeShown() { state?.pointee.isShown = true }

  /// Puts the terminal back. Called again, it does nothing: a second farewell would clear what is not the tool's.
  ///
  /// Ordinary code blocks signals meanwhile; see `Signals.whileBlocked`.
  package static func restore() {
    guard let state else { return }
    let descriptor = state.pointee.descriptor
    if state.pointee.isShown {
      state.pointee.isShown = false
      send(state.pointee.farewell, to: descriptor)
    }
    guard state.pointee.isRaw else { return }
    state.pointee.isRaw = false
    // In the background, the settings are those of the shell or of another job.
    guard tcgetpgrp(descriptor) == getpgrp() else { return }
    // At once: waiting for output might never end.
    tcsetattr(descriptor, TCSANOW, &state.pointee.mode)
    // The shell must not read what was pressed, or mouse reports.
    tcflush(descriptor, TCIFLUSH)
  }

  private static func send(_ text: StaticString, to descriptor: Int32) {
    var written = 0
    while written < text.utf8CodeUnitCount {
      let count = write(descriptor, text.utf8Start + written, text.utf8CodeUnitCount - written)
      if count > 0 {
        written += count
      } else if errno == EAGAIN {
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&place, 1, patience) == 1 else { return }
      } else if errno != EINTR {
        return
      }
    }
  }

  /// Milliseconds that a terminal may take no output before it is left alone.
  private static var patience: Int32 { 1000 }
}

// Static initialisation: a handler must not run an initialiser.
nonisolated(unsafe) private var state: UnsafeMutablePointer<Restoration.State>? = nil
