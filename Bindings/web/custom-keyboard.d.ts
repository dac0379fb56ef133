// Types of <custom-keyboard>. The module exports nothing: importing it defines the element.
//
// SPDX-License-Identifier: Apache-2.0

export {};

declare global {
  /** `detail` of the events `input` and `complete`: how many characters are typed. */
  interface CustomKeyboardEventDetail {
    readonly count: number;
  }

  /** What the element's promises are rejected with. */
  interface CustomKeyboardError extends Error {
    readonly name: 'CustomKeyboardError';
    /**
     * The name of the C library's code without CUSTOM_KEYBOARD_. `LOAD`, which C does not have: the module or the frame
     * could not be loaded.
     */
    readonly code: 'ERR' | 'OP_DISABLE' | 'MAXLEN' | 'SPACE' | 'ARGUMENT' | 'MEMORY' | 'RANDOM' | 'LOAD';
  }

  interface CustomKeyboardElementEventMap extends HTMLElementEventMap {
    input: CustomEvent<CustomKeyboardEventDetail>;
    complete: CustomEvent<CustomKeyboardEventDetail>;
  }

  /**
   * A keyboard on which a password is typed and sealed.
   *
   * Attributes, read when the keyboard opens: `layout` (letters, digits, symbols, mixed, pin, pin-decoys), `shuffle`
   * (none, opening, key), `maximum`, `way` (x25519, p256, sm2, rsa), `key` (base64url), `src` (instead of `way` and
   * `key`: the frame's address), `scheme` (light, dark, system), `accessible`, `discreet`, `announce`.
   */
  interface CustomKeyboardElement extends HTMLElement {
    /** Resolves when the keyboard can be opened. Rejects with `LOAD`, `ARGUMENT`, or if the element leaves the page. */
    readonly ready: Promise<void>;
    /** The number of characters typed: 0 after `open` and `close`, which send no event. */
    readonly count: number;
    /** Shows the keys, with nothing typed. `context` is the server's challenge, at most 256 bytes. */
    open(context?: Uint8Array): Promise<void>;
    /** The sealed text of what is typed, different each time. */
    getText(): Promise<Uint8Array>;
    /** Wipes what is typed. The keyboard stays up. */
    clear(): Promise<void>;
    /** Wipes what is typed, the order of the keys and the context, and shows an empty board. */
    close(): Promise<void>;

    addEventListener<K extends keyof CustomKeyboardElementEventMap>(
      type: K, listener: (this: CustomKeyboardElement, event: CustomKeyboardElementEventMap[K]) => unknown,
      options?: boolean | AddEventListenerOptions): void;
    addEventListener(
      type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
    removeEventListener<K extends keyof CustomKeyboardElementEventMap>(
      type: K, listener: (this: CustomKeyboardElement, event: CustomKeyboardElementEventMap[K]) => unknown,
      options?: boolean | EventListenerOptions): void;
    removeEventListener(
      type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
  }

  interface HTMLElementTagNameMap {
    'custom-keyboard': CustomKeyboardElement;
  }
}
