// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/**
 * A keyboard that holds a password and hands out only texts: idle at first; {@link #open} shows it, or {@link #receive}
 * opens it with the password of a text.
 *
 * <p>Any thread may call anything; calls on one keyboard wait for each other. All methods throw
 * {@link KeyboardException} with the code that the C function of the same name answers; of a keyboard that was closed,
 * ARGUMENT.
 *
 * <pre>{@code
 * try (Keyboard keyboard = new Keyboard()) {
 *   keyboard.receive(Way.X25519, privateKey, challenge, text);
 *   boolean right = keyboard.checkVerifier(stored, pepper);
 * }
 * }</pre>
 */
public final class Keyboard implements AutoCloseable {
  static {
    Jna.insist(); // Before the callbacks below, which are JNA's.
  }

  private static final Cleaner CLEANER = Cleaner.create();
  private static final Map<Long, WeakReference<Keyboard>> ALL = new ConcurrentHashMap<>();

  // One pair for all keyboards: JNA frees a callback with its object, and these are never freed.
  private static final Library.TextField TEXT_FIELD = (context, handle, count) -> {
    Keyboard keyboard = find(handle);
    IntConsumer changed = keyboard == null ? null : keyboard.changed;
    if (changed != null) {
      guarded(() -> changed.accept((int) count));
    }
  };
  private static final Library.OkAction OK_ACTION = (context, handle) -> {
    Keyboard keyboard = find(handle);
    Runnable action = keyboard == null ? null : keyboard.action;
    if (action != null) {
      guarded(action);
    }
  };

  private final long handle;
  private final Cleaner.Cleanable cleanable;
  private volatile IntConsumer changed;
  private volatile Runnable action;

  /**
   * Makes an idle keyboard without a key.
   *
   * @throws KeyboardException MEMORY
   */
  public Keyboard() {
    long[] answer = new long[1];
    KeyboardException.check(Library.CustomKeyboard_create(answer));
    long made = answer[0];
    handle = made;
    ALL.put(made, new WeakReference<>(this));
    cleanable = CLEANER.register(this, () -> {
      Library.CustomKeyboard_destroy(made);
      ALL.remove(made);
    });
  }

  /**
   * Wipes everything and ends the keyboard: destroy of C, whose close is {@link #dismiss} here. Doing it twice is
   * allowed, and so is doing it in a callback.
   */
  @Override
  public void close() {
    cleanable.clean();
  }

  /** {@return the class's name} */
  @Override
  public String toString() {
    return "Keyboard";
  }

  // ---- Typing ------------------------------------------------------------------------------------------------------

  /**
   * Sets the secret key that passwords are encrypted with: of ECB, SM4_GCM and PIN blocks.
   *
   * @param key of the length that the way says
   * @param way how
   * @throws KeyboardException ARGUMENT, OP_DISABLE (it is open), ERR (the key), MEMORY, RANDOM
   */
  public void setEncKey(Secret key, Way way) {
    call(() -> Library.CustomKeyboard_setEncKey(handle, Secret.address(key), key.length(), way.ordinal()), key);
  }

  /**
   * Sets the recipient's public key.
   *
   * @param publicKey of the form that the way says
   * @param way one that seals
   * @throws KeyboardException as the other
   */
  public void setEncKey(byte[] publicKey, Way way) {
    call(() -> Library.CustomKeyboard_setEncKey(handle, publicKey, publicKey.length, way.ordinal()));
  }

  /**
   * Sets what the next texts are sealed for. {@link #dismiss} removes it.
   *
   * @param context 0 to 256 bytes: the server's challenge and the purpose; for a PIN block the card's number
   * @throws KeyboardException MAXLEN
   */
  public void setContext(byte[] context) {
    call(() -> Library.CustomKeyboard_setContext(handle, context, context.length));
  }

  /**
   * Shows the keyboard: nothing is typed, the keys are shuffled.
   *
   * @throws KeyboardException OP_DISABLE (it is open), MEMORY, RANDOM
   */
  public void open() {
    call(() -> Library.CustomKeyboard_open(handle));
  }

  /**
   * Wipes what was typed, the order of the keys and the context: close of C.
   *
   * @throws KeyboardException OP_DISABLE (it is not open)
   */
  public void dismiss() {
    call(() -> Library.CustomKeyboard_close(handle));
  }

  /**
   * Appends whole characters.
   *
   * @param utf8 any number of them
   * @throws KeyboardException ARGUMENT (not UTF-8), OP_DISABLE, MAXLEN (over 128 bytes)
   */
  public void input(Secret utf8) {
    call(() -> Library.CustomKeyboard_input(handle, Secret.address(utf8), utf8.length()), utf8);
  }

  /**
   * Removes the last character.
   *
   * @throws KeyboardException OP_DISABLE
   */
  public void deleteBackward() {
    call(() -> Library.CustomKeyboard_deleteBackward(handle));
  }

  /**
   * Wipes what was typed; the keyboard stays open.
   *
   * @throws KeyboardException OP_DISABLE
   */
  public void clear() {
    call(() -> Library.CustomKeyboard_clear(handle));
  }

  /**
   * The number of characters typed, as people count them.
   *
   * @return 0 while the keyboard is idle
   */
  public int count() {
    long[] count = new long[1];
    call(() -> Library.CustomKeyboard_count(handle, count));
    return (int) count[0];
  }

  /**
   * Encrypts what was typed.
   *
   * @return the text alone
   * @throws KeyboardException OP_DISABLE, ERR (no key; no context, or one that the way does not take), REFUSED, MEMORY,
   *     RANDOM
   */
  public byte[] getText() {
    long[] offset = new long[1];
    return fitting((space, size, length) -> Library.CustomKeyboard_getText(handle, space, size, offset, length), this);
  }

  /**
   * Fills a space with random bytes and puts the text at a random place in it.
   *
   * @param space all of it is written
   * @return where the text is
   * @throws KeyboardException as {@link #getText}, and SPACE
   */
  public Place getTextInto(byte[] space) {
    long[] offset = new long[1];
    long[] length = new long[1];
    call(() -> Library.CustomKeyboard_getText(handle, space, space.length, offset, length));
    return new Place((int) offset[0], (int) length[0]);
  }

  /**
   * {@link #getText} for another recipient. The key and the context that were set stay.
   *
   * @param way one that seals
   * @param publicKey the recipient's
   * @param context 0 to 256 bytes
   * @return the text
   * @throws KeyboardException ARGUMENT, OP_DISABLE, MAXLEN (context), ERR (the key), REFUSED, MEMORY, RANDOM
   */
  public byte[] sealTyped(Way way, byte[] publicKey, byte[] context) {
    long[] offset = new long[1];
    return fitting((space, size, length) -> Library.CustomKeyboard_sealTyped(handle, way.ordinal(), publicKey,
        publicKey.length, context, context.length, space, size, offset, length), this);
  }

  /**
   * The same with a secret key, for SM4_GCM.
   *
   * @param way SM4_GCM
   * @param key 16 bytes
   * @param context 0 to 256 bytes
   * @return the text
   * @throws KeyboardException as the other
   */
  public byte[] sealTyped(Way way, Secret key, byte[] context) {
    long[] offset = new long[1];
    return fitting((space, size, length) -> Library.CustomKeyboard_sealTyped(handle, way.ordinal(),
        Secret.address(key), key.length(), context, context.length, space, size, offset, length), this, key);
  }

  // ---- Keys and touches --------------------------------------------------------------------------------------------

  /**
   * Which keys there are, and when they change places.
   *
   * @param layout the keys
   * @param shuffle when
   * @param maximumCount so many characters complete the input; 0 means no limit
   * @throws KeyboardException ARGUMENT, OP_DISABLE (it is open)
   */
  public void setLayout(Layout layout, Shuffle shuffle, int maximumCount) {
    call(() -> Library.CustomKeyboard_setLayout(handle, layout.ordinal(), shuffle.ordinal(), maximumCount));
  }

  /**
   * The view's size and the gaps between keys, in points. 320, 216, 6 and 8 at first.
   *
   * @param width of the view
   * @param height of the view
   * @param columnGap between keys
   * @param rowGap between keys
   * @throws KeyboardException ARGUMENT
   */
  public void setSize(double width, double height, double columnGap, double rowGap) {
    call(() -> Library.CustomKeyboard_setSize(handle, width, height, columnGap, rowGap));
  }

  /**
   * The keys of the page that is shown.
   *
   * @return from the upper left to the lower right
   * @throws KeyboardException OP_DISABLE
   */
  public List<Key> keys() {
    byte[] room = new byte[Library.MAX_KEYS * Library.KEY_SIZE];
    long[] count = new long[1];
    call(() -> Library.CustomKeyboard_keys(handle, room, Library.MAX_KEYS, count));
    ByteBuffer bytes = ByteBuffer.wrap(room).order(ByteOrder.nativeOrder());
    Role[] roles = Role.values();
    List<Key> keys = new ArrayList<>();
    for (int i = 0; i < count[0]; i++) {
      bytes.position(i * Library.KEY_SIZE);
      keys.add(new Key(bytes.getInt(), bytes.getInt(), bytes.getInt(), bytes.getInt(), bytes.getDouble(),
          bytes.getDouble(), bytes.getDouble(), bytes.getDouble(), roles[bytes.getInt()],
          label(room, bytes.position())));
    }
    Arrays.fill(room, (byte) 0);
    return keys;
  }

  private static String label(byte[] room, int start) {
    int end = start;
    while (room[end] != 0) {
      end++;
    }
    return new String(room, start, end - start, StandardCharsets.UTF_8);
  }

  /**
   * Presses a key. Look at {@link #keys} again.
   *
   * @param index its place in the list
   * @throws KeyboardException ARGUMENT, OP_DISABLE, MAXLEN, MEMORY, RANDOM
   */
  public void pressKey(int index) {
    call(() -> Library.CustomKeyboard_pressKey(handle, index));
  }

  /**
   * Presses the key at a point.
   *
   * @param x in points from the left
   * @param y in points from above
   * @throws KeyboardException ARGUMENT (outside of the view), and as {@link #pressKey}
   */
  public void touch(double x, double y) {
    call(() -> Library.CustomKeyboard_touch(handle, x, y));
  }

  /**
   * Sets what is called after every call that changed what is typed, on the same thread. What it throws goes to the
   * thread's handler of uncaught exceptions, which prints it, and changes nothing.
   *
   * @param changed gets the number of characters; null takes it away
   * @throws KeyboardException MEMORY
   */
  public void setTextField(IntConsumer changed) {
    if (changed != null) {
      this.changed = changed;
    }
    call(() -> Library.CustomKeyboard_setTextField(handle, changed == null ? null : TEXT_FIELD, null));
    this.changed = changed;
  }

  /**
   * Sets what is called when the input is complete, on the same thread: the place for {@link #getText}. What it throws
   * is treated as {@link #setTextField} says.
   *
   * @param action null takes it away
   * @throws KeyboardException MEMORY
   */
  public void setOKAction(Runnable action) {
    if (action != null) {
      this.action = action;
    }
    call(() -> Library.CustomKeyboard_setOKAction(handle, action == null ? null : OK_ACTION, null));
    this.action = action;
  }

  private static Keyboard find(long handle) {
    WeakReference<Keyboard> found = ALL.get(handle);
    return found == null ? null : found.get();
  }

  /** No exception may cross C. */
  private static void guarded(Runnable callback) {
    try {
      callback.run();
    } catch (Throwable thrown) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }
  }

  // ---- Passcodes ---------------------------------------------------------------------------------------------------

  /**
   * Opens an idle keyboard with the password of a text, as if it had been typed: it is never in Java's heap.
   *
   * <p>Load keys first, and let only {@link UndecryptableException} mean that a person typed wrongly.
   *
   * @param way how the text was made
   * @param key the private key; of ECB and PIN blocks the secret one
   * @param context what the text was sealed for; null or empty for ECB
   * @param text at most 1280 bytes
   * @throws KeyboardException OP_DISABLE (it is open), MAXLEN, ERR (the key, or a context that the way does not take),
   *     UNDECRYPTABLE, MEMORY, RANDOM
   */
  public void receive(Way way, Secret key, byte[] context, byte[] text) {
    call(() -> Library.CustomKeyboard_receive(handle, way.ordinal(), Secret.address(key), key.length(), context,
        context == null ? 0 : context.length, text, text.length), key);
  }

  /**
   * Adds a rule that {@link #check} looks at.
   *
   * @param rule one with neither number nor text
   * @throws KeyboardException as the last
   */
  public void addRule(Rule rule) {
    addRule(rule, 0, "");
  }

  /**
   * Adds a rule with a number.
   *
   * @param rule such a rule
   * @param number its number
   * @throws KeyboardException as the last
   */
  public void addRule(Rule rule, int number) {
    addRule(rule, number, "");
  }

  /**
   * Adds a rule with a text.
   *
   * @param rule such a rule
   * @param text its text
   * @throws KeyboardException as the last
   */
  public void addRule(Rule rule, String text) {
    addRule(rule, 0, text);
  }

  /**
   * Adds a rule.
   *
   * @param rule any
   * @param number 0 if it has none
   * @param text empty if it has none
   * @throws KeyboardException ARGUMENT, MAXLEN (a long text, a 17th rule), MEMORY
   */
  public void addRule(Rule rule, int number, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    call(() -> Library.CustomKeyboard_addRule(handle, rule.ordinal(), number, utf8, utf8.length));
  }

  /** Wipes all rules. */
  public void clearRules() {
    call(() -> Library.CustomKeyboard_clearRules(handle));
  }

  /**
   * Checks what is typed or received against the rules.
   *
   * @return the index of the first rule that refuses it, in the order of adding; empty if none does
   * @throws KeyboardException OP_DISABLE, MEMORY
   */
  public OptionalInt check() {
    long[] broken = new long[1];
    int code = Library.call(() -> Library.CustomKeyboard_check(handle, broken), this);
    return KeyboardException.is(Code.REFUSED, code) ? OptionalInt.of((int) broken[0]) : OptionalInt.empty();
  }

  /**
   * Whether one rule, which is kept nowhere, refuses what is typed: checkRule of C.
   *
   * @param rule any
   * @param number 0 if it has none
   * @param text empty if it has none
   * @return whether it does
   * @throws KeyboardException ARGUMENT, OP_DISABLE, MAXLEN, MEMORY
   */
  public boolean isRefused(Rule rule, int number, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    int code = Library.call(
        () -> Library.CustomKeyboard_checkRule(handle, rule.ordinal(), number, utf8, utf8.length), this);
    return KeyboardException.is(Code.REFUSED, code);
  }

  /**
   * Whether the same is typed in two keyboards, in constant time: compare of C.
   *
   * @param other another keyboard, or this
   * @return whether it is
   * @throws KeyboardException OP_DISABLE
   */
  public boolean hasSamePassword(Keyboard other) {
    int code = Library.call(() -> Library.CustomKeyboard_compare(handle, other.handle), this, other);
    return !KeyboardException.is(Code.MISMATCH, code);
  }

  /**
   * Makes what a server stores in place of the password: Argon2id, 19 MiB and two passes.
   *
   * @param pepper 0 to 64 bytes, kept elsewhere than the verifiers; null for none
   * @return a PHC string
   * @throws KeyboardException OP_DISABLE, MAXLEN (the pepper), MEMORY, RANDOM
   */
  public String makeVerifier(Secret pepper) {
    byte[] verifier = new byte[Library.MAX_VERIFIER];
    long[] length = new long[1];
    call(() -> Library.CustomKeyboard_makeVerifier(
        handle, Secret.address(pepper), Secret.length(pepper), verifier, verifier.length, length), pepper);
    return new String(verifier, 0, (int) length[0], StandardCharsets.US_ASCII);
  }

  /**
   * Whether a verifier belongs to what is typed or received. Count attempts, and bound how many checks run at once:
   * each takes 20 ms and 19 MiB.
   *
   * @param verifier a PHC string, or one of the forms for import (Docs/Passcodes.md)
   * @param pepper the one it was made with; null for none
   * @return whether it does
   * @throws KeyboardException ARGUMENT (no verifier), OP_DISABLE, MAXLEN (the pepper), MEMORY
   */
  public boolean checkVerifier(String verifier, Secret pepper) {
    byte[] utf8 = verifier.getBytes(StandardCharsets.UTF_8);
    for (byte unit : utf8) {
      if (unit == 0) {
        throw KeyboardException.of(Code.ARGUMENT);
      }
    }
    byte[] ended = Arrays.copyOf(utf8, utf8.length + 1);
    int code = Library.call(() -> Library.CustomKeyboard_checkVerifier(
        handle, Secret.address(pepper), Secret.length(pepper), ended), this, pepper);
    return !KeyboardException.is(Code.MISMATCH, code);
  }

  /**
   * Makes a raw key of what is typed, for what must be unreadable without the person: Argon2id.
   *
   * @param salt 8 to 64 bytes, drawn once for each key
   * @param pepper 0 to 64 bytes; null for none
   * @param memoryKiB 0, with 0 passes, for 19456 and 2
   * @param passes over the memory
   * @param length 16 to 64 bytes
   * @return the key
   * @throws KeyboardException ARGUMENT, OP_DISABLE, MAXLEN (the pepper), MEMORY
   */
  public Secret deriveKey(byte[] salt, Secret pepper, int memoryKiB, int passes, int length) {
    Secret key = new Secret(length);
    try {
      call(() -> Library.CustomKeyboard_deriveKey(handle, salt, salt.length, Secret.address(pepper),
          Secret.length(pepper), memoryKiB, passes, Secret.address(key), length), pepper, key);
      return key;
    } catch (Throwable thrown) {
      key.close();
      throw thrown;
    }
  }

  // ---- Calls -------------------------------------------------------------------------------------------------------

  private void call(IntSupplier call, Object... kept) {
    KeyboardException.check(Library.call(() -> Library.call(call, kept), this));
  }

  /** A function of C that tells the length when the buffer is too small. */
  interface Fitting {
    int call(byte[] buffer, long capacity, long[] length);
  }

  /** What such a function writes. */
  static byte[] fitting(Fitting function, Object... kept) {
    long[] length = new long[1];
    int code = Library.call(() -> function.call(null, 0, length), kept);
    if (code != Code.SPACE.ordinal()) {
      throw KeyboardException.last(code);
    }
    byte[] buffer = new byte[(int) length[0]];
    KeyboardException.check(Library.call(() -> function.call(buffer, buffer.length, length), kept));
    return length[0] == buffer.length ? buffer : Arrays.copyOf(buffer, (int) length[0]);
  }
}
