// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/**
 * OPAQUE (RFC 9807), as a server speaks it: a login in which it never sees a password. Its duties are in Docs/OPAQUE.md
 * of the repository: count an attempt before you answer.
 */
public final class Opaque {
  static final int KE2 = 320;
  static final int STATE = 128;

  private Opaque() {}

  /**
   * A new setup, which all accounts share. Keep it as long as the records, and where they are not.
   *
   * @return the setup, 96 bytes, as the private key, and the server's public key, 32 bytes
   * @throws KeyboardException MEMORY, RANDOM
   */
  public static GeneratedKey setup() {
    return CustomKeyboard.pair(Library::CustomKeyboard_opaqueSetup);
  }

  /**
   * The response to a request of a registration. For an account that has a record, this is for its owner, logged in.
   * Count an attempt before the response leaves: it lets someone try one password.
   *
   * @param setup of {@link #setup}
   * @param account 1 to 255 bytes: the database's name of the record, unique and never changed
   * @param request the client's
   * @return 64 bytes
   * @throws KeyboardException ARGUMENT (no account), MAXLEN (the account), ERR (the setup), UNDECRYPTABLE (the
   *     request), MEMORY
   */
  public static byte[] respond(Secret setup, byte[] account, byte[] request) {
    return Keyboard.fitting((buffer, capacity, length) -> Library.CustomKeyboard_opaqueRespond(Secret.address(setup),
        setup.length(), account, account.length, request, request.length, buffer, capacity, length), setup);
  }

  /**
   * Answers the first message of a login. Count an attempt, durably, before KE2 leaves, for accounts that do not exist,
   * too.
   *
   * @param setup of {@link #setup}
   * @param account the record's
   * @param record what was registered; null: there is no such account, and the answer has the same form and takes the
   *     same time; an empty one is wrong, because a lost record is not a wrong password
   * @param terms null: all of them are empty
   * @param ke1 the client's first message
   * @return KE2, and the state for the third message
   * @throws KeyboardException ARGUMENT (no account, costs), MAXLEN (the account, the terms), ERR (the setup, the
   *     record), UNDECRYPTABLE (KE1), MEMORY, RANDOM
   */
  public static OpaqueAnswer answer(Secret setup, byte[] account, byte[] record, OpaqueTerms terms, byte[] ke1) {
    if (record != null && record.length == 0) {
      throw new InvalidKeyException("The record is empty: pass null if there is no such account.");
    }
    OpaqueTerms.OfC ofC = terms == null ? null : terms.ofC();
    byte[] ke2 = new byte[KE2];
    Secret state = new Secret(STATE);
    try {
      KeyboardException.check(Library.call(() -> Library.CustomKeyboard_opaqueAnswer(Secret.address(setup),
          setup.length(), account, account.length, record, record == null ? 0 : record.length,
          ofC == null ? 0 : Batch.address(ofC.terms()), ke1, ke1.length, ke2, KE2, new long[1], Secret.address(state),
          STATE, new long[1]), setup, ofC));
      return new OpaqueAnswer(ke2, new OpaqueState(state));
    } catch (Throwable thrown) {
      state.close();
      throw thrown;
    }
  }
}
