// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import java.util.concurrent.atomic.AtomicReference;

/**
 * What a server keeps between KE2 and KE3, for one {@link #check}. It is in locked memory, as a {@link Secret} is.
 *
 * <p>Whatever {@code check} answers, the state is used then: it is wiped, and each further call throws
 * IllegalStateException. {@link #take} ends it, too: its bytes go to where another process finds them, which makes a
 * state of them again. Keep it for a minute at most, together with its account, because KE3 names none.
 */
public final class OpaqueState implements AutoCloseable {
  /** Of all threads, one gets what is in it. */
  private final AtomicReference<Secret> kept;

  /**
   * A state that {@link #take} gave, for its one check.
   *
   * @param bytes 128; the state closes them
   */
  public OpaqueState(Secret bytes) {
    bytes.check();
    kept = new AtomicReference<>(bytes);
  }

  /**
   * The session key, if the client knew the password.
   *
   * @param ke3 the third message
   * @return 64 bytes
   * @throws IllegalStateException if the state was used
   * @throws MismatchException if the client did not know it, or has other terms: do nothing for it
   * @throws KeyboardException ERR (the state has another length)
   */
  public Secret check(byte[] ke3) {
    try (Secret state = take()) {
      return CustomKeyboard.secret((key, length) -> Library.CustomKeyboard_opaqueCheck(Secret.address(state),
          state.length(), ke3, ke3.length, Secret.address(key), Secret.length(key), length), state);
    }
  }

  /**
   * The bytes, to be kept elsewhere, as secret as a session key. Take them out of there before they become a state
   * again.
   *
   * @return 128 bytes
   * @throws IllegalStateException if the state was used
   */
  public Secret take() {
    Secret state = kept.getAndSet(null);
    if (state == null) {
      throw new IllegalStateException("this state was used: it is for one check, whatever that answers");
    }
    return state;
  }

  /** Wipes it. Doing it twice is allowed. */
  @Override
  public void close() {
    Secret state = kept.getAndSet(null);
    if (state != null) {
      state.close();
    }
  }

  /** {@return the class's name: a state has no text form} */
  @Override
  public String toString() {
    return "OpaqueState";
  }
}
