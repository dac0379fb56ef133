// SPDX-License-Identifier: Apache-2.0

/**
 * What a server does with the texts of an encrypting keyboard, and keyboards for programs that have a screen.
 *
 * <pre>{@code
 * Secret privateKey = Secret.readKey(Path.of("private.hex"), Way.X25519); // of keyboard generate-key; 0600
 * try (Keyboard keyboard = new Keyboard()) {
 *   keyboard.receive(Way.X25519, privateKey, challenge, text);
 *   boolean right = keyboard.checkVerifier(stored, pepper); // the password was never in Java's heap
 * }
 * }</pre>
 *
 * <p>Methods have the names of the C functions, and errors are a {@link customkeyboard.KeyboardException} with the code
 * of the C function. Any thread may call anything; no call stops the garbage collector. Arguments that are {@code null}
 * where nothing says that they may be throw {@link java.lang.NullPointerException}.
 */
package customkeyboard;
