// Types of <custom-keyboard>. The module exports nothing: importing it defines the element, where there is a document.
//
// For JSX, also import the types of your framework: custom-keyboard-react.d.ts. Others take CustomKeyboardAttributes:
//
//     declare module 'preact' { namespace JSX { interface IntrinsicElements {
//       'custom-keyboard': HTMLAttributes<CustomKeyboardElement> & CustomKeyboardAttributes;
//     } } }
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
     * could not be loaded. `MISMATCH`: the password, the terms or the server of a login is not right.
     */
    readonly code: 'ERR' | 'OP_DISABLE' | 'MAXLEN' | 'SPACE' | 'ARGUMENT' | 'UNDECRYPTABLE' | 'MEMORY' | 'RANDOM' |
      'MISMATCH' | 'LOAD';
  }

  /** Takes a message of OPAQUE to the server, and returns its answer. */
  type CustomKeyboardExchange = (message: Uint8Array) => Uint8Array | PromiseLike<Uint8Array>;

  /** What both ends of OPAQUE have alike. All of it may be missing. */
  interface CustomKeyboardTerms {
    /** The application and its version: at most 256 bytes. Only a login uses it. */
    context?: string | Uint8Array;
    /** The client's and the server's identity, at most 255 bytes each. Without one, its public key. */
    client?: string | Uint8Array;
    server?: string | Uint8Array;
    /** What Argon2id costs: all of them, or none for 19456, 2, 1. A page has memory for 19456 KiB. */
    memoryKiB?: number;
    passes?: number;
    lanes?: number;
  }

  interface CustomKeyboardLogin {
    /** For the server, which then knows that the password is right. */
    readonly ke3: Uint8Array;
    /** 64 bytes that the server has, too, and nobody between. */
    readonly sessionKey: Uint8Array;
    /** 64 bytes that only the client has: the same in each login until the next registration. */
    readonly exportKey: Uint8Array;
  }

  interface CustomKeyboardRegistration {
    /** For the server, which keeps it. */
    readonly record: Uint8Array;
    readonly exportKey: Uint8Array;
  }

  type CustomKeyboardLayout = 'letters' | 'digits' | 'symbols' | 'mixed' | 'pin' | 'pin-decoys' | 'pattern';
  type CustomKeyboardShuffle = 'none' | 'opening' | 'key';
  type CustomKeyboardWay = 'x25519' | 'p256' | 'sm2' | 'rsa' | 'xwing';
  type CustomKeyboardSwitch = '' | 'true' | 'false';
  type CustomKeyboardScheme = 'light' | 'dark' | 'system';

  /** What a template may set. React and Vue keep `key` for themselves: use `public-key` or `publicKey` there. */
  interface CustomKeyboardAttributes {
    layout?: CustomKeyboardLayout;
    shuffle?: CustomKeyboardShuffle;
    maximum?: number | string;
    minimum?: number | string;
    way?: CustomKeyboardWay;
    'public-key'?: string;
    publicKey?: string;
    src?: string;
    scheme?: CustomKeyboardScheme;
    announce?: string;
    offer?: string;
    accessible?: boolean | CustomKeyboardSwitch;
    discreet?: boolean | CustomKeyboardSwitch;
    mute?: boolean | CustomKeyboardSwitch;
    opaque?: boolean | CustomKeyboardSwitch;
    name?: string;
    required?: boolean | CustomKeyboardSwitch;
  }

  interface CustomKeyboardElementEventMap extends HTMLElementEventMap {
    input: CustomEvent<CustomKeyboardEventDetail>;
    complete: CustomEvent<CustomKeyboardEventDetail>;
  }

  /**
   * A keyboard on which a password is typed and sealed.
   *
   * Attributes are read when the keyboard opens. Each has a property, which is '' (0, false) if it is not set; null
   * removes it. In a form, the sealed text in base64url is the value from `complete` or `getText` on, until something
   * else is typed.
   */
  interface CustomKeyboardElement extends HTMLElement {
    layout: CustomKeyboardLayout | '' | null;
    shuffle: CustomKeyboardShuffle | '' | null;
    /** How many characters complete the input. Needed for `pin`. */
    maximum: number | null;
    /** How many dots a `pattern` has at least: 4, if it is not set. */
    minimum: number | null;
    way: CustomKeyboardWay | '' | null;
    /** The public key in base64url. The attributes `key` and `public-key` are the same. */
    publicKey: string | null;
    /** The frame's address, instead of `way` and the key. */
    src: string | null;
    scheme: CustomKeyboardScheme | '' | null;
    /** What is spoken, with %d for the count. */
    announce: string | null;
    /** What the button says that turns the spoken keys on. */
    offer: string | null;
    accessible: boolean;
    discreet: boolean;
    /** The person cannot turn the spoken keys on. */
    mute: boolean;
    /** It can log in and register by OPAQUE, and may have no key. Of a frame, keyboard.json says it. */
    opaque: boolean;
    /** The name of its value in a form. */
    name: string | null;
    required: boolean;

    readonly form: HTMLFormElement | null;
    readonly labels: NodeList;
    readonly validity: ValidityState;
    readonly validationMessage: string;
    readonly willValidate: boolean;
    checkValidity(): boolean;
    reportValidity(): boolean;

    /** Resolves when the keyboard can be opened. Rejects with `LOAD`, `ARGUMENT`, or if the element leaves the page. */
    readonly ready: Promise<void>;
    /** The number of characters typed: 0 after `open` and `close`, which send no event. */
    readonly count: number;
    /**
     * Shows the keys, with nothing typed. `context` is the server's challenge, at most 256 bytes. An empty one must be
     * said: `new Uint8Array()`.
     */
    open(context: Uint8Array): Promise<void>;
    /** The sealed text of what is typed, different each time. */
    getText(): Promise<Uint8Array>;
    /**
     * Logs in with what is typed, which does not leave the keyboard (OPAQUE). `exchange` sends KE1, and returns KE2.
     *
     * Rejects with `MISMATCH` if the password, the terms or the server is not right: what was typed is then wiped. With
     * `OP_DISABLE` as soon as something else is typed or begun, or the keyboard is closed. With what `exchange` throws.
     */
    login(exchange: CustomKeyboardExchange, terms?: CustomKeyboardTerms): Promise<CustomKeyboardLogin>;
    /**
     * Registers what is typed. `exchange` sends the request, and returns the response. Rejects with `UNDECRYPTABLE` if
     * that is no response, and otherwise as `login`.
     */
    register(exchange: CustomKeyboardExchange, terms?: CustomKeyboardTerms): Promise<CustomKeyboardRegistration>;
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
