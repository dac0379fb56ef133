// <custom-keyboard>: a password keyboard for web pages. Docs/Web.md describes it.
//
// The core is WebAssembly. It shuffles the keys, finds the key under a finger, keeps what is typed, and seals it. This
// file draws keys on a canvas and passes on where the fingers are. No key and no character is ever in the document, and
// what is typed is never a value of JavaScript.
//
// One file, although it is long, because it is loaded with one hash and must not export its parts to other scripts.
// These rules hold in all of it:
//
// - Everything that belongs to the browser is taken once, when the file is loaded ("kept"). A script that replaces a
//   function, an accessor or a prototype later is never called, and so sees no canvas, no event and no memory of ours.
//   So there is no method call on a built-in object here, no iteration, no assignment to a new element of an array, and
//   no promise whose value is a secret or decides what is run.
// - No error that was made while the module ran leaves this file ("Core"): it leads to the module's memory.
// - Objects of our own that are read by name have no prototype.
//
// SPDX-License-Identifier: Apache-2.0

// Where there is no document, as on a server that prepares pages, importing it does nothing: the whole file is in one
// block, which is not indented.
if (globalThis.document && globalThis.customElements) {

// ---- What is kept ---------------------------------------------------------------------------------------------------

const { bind, call } = Function.prototype;
const uncurry = bind.bind(call);
const method = (prototype, name) => uncurry(prototype[name]);
const accessor = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name);
const getter = (prototype, name) => uncurry(accessor(prototype, name).get);
const setter = (prototype, name) => uncurry(accessor(prototype, name).set);

const { round, min, max, floor } = Math;
const { freeze } = Object;
const { apply } = Reflect;
const [Bytes, Buffer] = [Uint8Array, ArrayBuffer];
const { Module, Instance, Memory } = WebAssembly;
const [Doubles, Words, Handles, Later, Request, Resizing, Message, Address] =
  [Float64Array, Uint32Array, BigUint64Array, Promise, XMLHttpRequest, ResizeObserver, CustomEvent, URL];

const now = performance.now.bind(performance);
const randomValues = crypto.getRandomValues.bind(crypto);
const [frame, later, cancelLater, report] =
  [requestAnimationFrame, setTimeout, clearTimeout, reportError].map((f) => f.bind(globalThis));
const then = method(Promise.prototype, 'then');

const exportsOf = getter(Instance.prototype, 'exports');
const bufferOf = getter(WebAssembly.Memory.prototype, 'buffer');
const TypedArray = Object.getPrototypeOf(Uint8Array.prototype);
const [fill, typeOf, lengthOf] =
  [method(TypedArray, 'fill'), getter(TypedArray, Symbol.toStringTag), getter(TypedArray, 'length')];
const [charCodeAt, fromCharCode] = [method(String.prototype, 'charCodeAt'), String.fromCharCode];
const [includes, trim] = [method(String.prototype, 'includes'), method(String.prototype, 'trim')];
const hasOwn = Object.hasOwn;
const [encoder, encode] = [new TextEncoder(), method(TextEncoder.prototype, 'encode')];

const listen = method(EventTarget.prototype, 'addEventListener');
const unlisten = method(EventTarget.prototype, 'removeEventListener');
const dispatch = method(EventTarget.prototype, 'dispatchEvent');
const preventDefault = method(Event.prototype, 'preventDefault');
const pointer = {
  __proto__: null, id: getter(PointerEvent.prototype, 'pointerId'), button: getter(MouseEvent.prototype, 'button'),
  buttons: getter(MouseEvent.prototype, 'buttons'),
  x: getter(MouseEvent.prototype, 'offsetX'), y: getter(MouseEvent.prototype, 'offsetY'),
  moves: PointerEvent.prototype.getCoalescedEvents // older browsers have none
    ? method(PointerEvent.prototype, 'getCoalescedEvents') : () => [],
};
const keyEvent = {
  __proto__: null, key: getter(KeyboardEvent.prototype, 'key'), repeats: getter(KeyboardEvent.prototype, 'repeat'),
  alt: getter(KeyboardEvent.prototype, 'altKey'), control: getter(KeyboardEvent.prototype, 'ctrlKey'),
  meta: getter(KeyboardEvent.prototype, 'metaKey'),
};
const message = {
  __proto__: null, data: getter(MessageEvent.prototype, 'data'), origin: getter(MessageEvent.prototype, 'origin'),
  source: getter(MessageEvent.prototype, 'source'),
};
const request = {
  __proto__: null, open: method(Request.prototype, 'open'), send: method(Request.prototype, 'send'),
  setType: setter(Request.prototype, 'responseType'), status: getter(Request.prototype, 'status'),
  response: getter(Request.prototype, 'response'),
};
const resizing = {
  __proto__: null, observe: method(Resizing.prototype, 'observe'), disconnect: method(Resizing.prototype, 'disconnect'),
  box: getter(ResizeObserverEntry.prototype, 'contentBoxSize'),
  pixels: accessor(ResizeObserverEntry.prototype, 'devicePixelContentBoxSize') // Safari has none
    && getter(ResizeObserverEntry.prototype, 'devicePixelContentBoxSize'),
  width: getter(ResizeObserverSize.prototype, 'inlineSize'), height: getter(ResizeObserverSize.prototype, 'blockSize'),
};
const originOf = getter(URL.prototype, 'origin');
const hrefOf = getter(URL.prototype, 'href');
const page = location.origin;
const ratioNow = accessor(globalThis, 'devicePixelRatio').get.bind(globalThis);
const matches = getter(MediaQueryList.prototype, 'matches');
const dark = matchMedia('(prefers-color-scheme: dark)');
const still = matchMedia('(prefers-reduced-motion: reduce)');
const forced = matchMedia('(forced-colors: active)');
const warn = console.warn.bind(console);
const zoomOf = accessor(Element.prototype, 'currentCSSZoom') // of the style sheets; older browsers have none
  ? getter(Element.prototype, 'currentCSSZoom') : () => 1;
const baseOf = getter(Node.prototype, 'baseURI');
const isConnected = getter(Node.prototype, 'isConnected');
const documentOf = getter(Node.prototype, 'ownerDocument');
const parentOf = getter(Node.prototype, 'parentNode');
const hostOf = getter(ShadowRoot.prototype, 'host');
const nameOf = getter(Element.prototype, 'localName');
const create = document.createElement.bind(document);
const createIn = document.createElementNS.bind(document);
const append = method(Element.prototype, 'append');
const remove = method(Element.prototype, 'remove');
const getAttribute = method(Element.prototype, 'getAttribute');
const setAttribute = method(Element.prototype, 'setAttribute');
const removeAttribute = method(Element.prototype, 'removeAttribute');
const setText = setter(Node.prototype, 'textContent');
const setHidden = setter(HTMLElement.prototype, 'hidden');
const attachShadow = method(Element.prototype, 'attachShadow');
const attachInternals = method(HTMLElement.prototype, 'attachInternals');
const setRole = setter(ElementInternals.prototype, 'role');
const setLabel = setter(ElementInternals.prototype, 'ariaLabel');
const setUnavailable = setter(ElementInternals.prototype, 'ariaDisabled');
const states = globalThis.CustomStateSet && { // older browsers have none
  __proto__: null, of: getter(ElementInternals.prototype, 'states'), add: method(CustomStateSet.prototype, 'add'),
  delete: method(CustomStateSet.prototype, 'delete'),
};
const inForm = {
  __proto__: null, setValue: method(ElementInternals.prototype, 'setFormValue'),
  setValidity: method(ElementInternals.prototype, 'setValidity'), form: getter(ElementInternals.prototype, 'form'),
  labels: getter(ElementInternals.prototype, 'labels'), validity: getter(ElementInternals.prototype, 'validity'),
  willValidate: getter(ElementInternals.prototype, 'willValidate'),
  message: getter(ElementInternals.prototype, 'validationMessage'),
  check: method(ElementInternals.prototype, 'checkValidity'),
  report: method(ElementInternals.prototype, 'reportValidity'),
};
const adopt = setter(ShadowRoot.prototype, 'adoptedStyleSheets');
const appendToRoot = method(DocumentFragment.prototype, 'append');
const focus = method(HTMLElement.prototype, 'focus');
const capture = method(Element.prototype, 'setPointerCapture');
const styleOf = getter(HTMLElement.prototype, 'style');
const setProperty = method(CSSStyleDeclaration.prototype, 'setProperty');
const getProperty = method(CSSStyleDeclaration.prototype, 'getPropertyValue');
const computedStyle = getComputedStyle.bind(globalThis);
const windowOf = getter(HTMLIFrameElement.prototype, 'contentWindow');
const getContext = method(HTMLCanvasElement.prototype, 'getContext');
const setCanvasWidth = setter(HTMLCanvasElement.prototype, 'width');
const setCanvasHeight = setter(HTMLCanvasElement.prototype, 'height');
const ascentOf = getter(TextMetrics.prototype, 'actualBoundingBoxAscent');

// Functions of the canvas's context: draw.fillText(context, …), paint.fillStyle(context, value).
const draw = { __proto__: null };
for (const name of ['beginPath', 'moveTo', 'lineTo', 'quadraticCurveTo', 'closePath', 'roundRect', 'rect', 'fill',
  'stroke', 'fillRect', 'fillText', 'arc', 'measureText', 'setTransform', 'translate', 'getImageData']) {
  draw[name] = method(CanvasRenderingContext2D.prototype, name);
}
const paint = { __proto__: null };
for (const name of ['fillStyle', 'strokeStyle', 'lineWidth', 'lineJoin', 'lineCap', 'globalAlpha', 'font', 'textAlign',
  'textBaseline']) {
  paint[name] = setter(CanvasRenderingContext2D.prototype, name);
}

// How text is set, which a context takes from the page around it. Not every browser has all of them.
const TEXT = freeze({ __proto__: null, direction: 'ltr', letterSpacing: '0px', wordSpacing: '0px', fontKerning: 'auto',
  fontStretch: 'normal', fontVariantCaps: 'normal', textRendering: 'auto', lang: 'en' });
for (const name in TEXT) {
  paint[name] = accessor(CanvasRenderingContext2D.prototype, name)
    ? setter(CanvasRenderingContext2D.prototype, name) : () => {};
}

const setFilter = accessor(CanvasRenderingContext2D.prototype, 'filter') // Safari has none
  ? setter(CanvasRenderingContext2D.prototype, 'filter') : () => {};

const fillStyleOf = getter(CanvasRenderingContext2D.prototype, 'fillStyle');

// ---- Canvases of the page -------------------------------------------------------------------------------------------

// A browser with HTML-in-canvas lets a page draw what is below a <canvas>, closed shadow roots and slots included, and
// read it. A trial can switch it on later.
const namesOf = Object.getOwnPropertyNames;
const canvasPrototypes = freeze([CanvasRenderingContext2D.prototype, HTMLCanvasElement.prototype]);
const drawing = freeze(['drawElementImage', 'drawElement', 'drawHTMLElement', 'captureElementImage', 'layoutSubtree',
  'requestPaint']);

function canDrawElements() {
  for (let i = 0; i < canvasPrototypes.length; i++) {
    const names = namesOf(canvasPrototypes[i]);
    for (let j = 0; j < names.length; j++) {
      for (let k = 0; k < drawing.length; k++) if (names[j] === drawing[k]) return true;
    }
  }
  return false;
}
const couldDrawElements = canDrawElements();
// frame.js imports this file so, into a page that has no script of others.
const IS_ALONE = new URL(import.meta.url).searchParams.has('alone');

/** Whether an element is in a <canvas>, as far as can be seen: the slots of a closed shadow root cannot be seen. */
function isInCanvas(element) {
  for (let node = element; node; node = parentOf(node) ?? shadowHostOf(node)) {
    if (nameIn(node) === 'canvas') return true;
  }
  return false;
}
function nameIn(node) {
  try { return nameOf(node); } catch { return undefined; } // a document, a shadow root
}
function shadowHostOf(node) {
  try { return hostOf(node); } catch { return undefined; }
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

const CODES = freeze(['OK', 'ERR', 'OP_DISABLE', 'MAXLEN', 'SPACE', 'ARGUMENT', 'UNDECRYPTABLE', 'MEMORY', 'RANDOM',
  'MISMATCH', 'REFUSED']);

/** `code` is the name of the C library's code without CUSTOM_KEYBOARD_, or LOAD: the keyboard could not be loaded. */
class CustomKeyboardError extends Error {
  constructor(code, text) {
    super(text);
    define(this, 'name', { __proto__: null, value: 'CustomKeyboardError', writable: true, configurable: true });
    define(this, 'code', { __proto__: null, value: code, enumerable: true });
  }
}
const define = Object.defineProperty;
freeze(CustomKeyboardError.prototype);
freeze(CustomKeyboardError);

const left = () => new CustomKeyboardError('OP_DISABLE', 'The keyboard is not in the page, or has left it.');
const ignore = () => {};

/** A promise and what settles it. If nobody waits for it, its rejection is not an error of the page. */
function deferred() {
  const made = { __proto__: null };
  made.promise = new Later((resolve, reject) => {
    made.resolve = resolve;
    made.reject = reject;
  });
  then(made.promise, ignore, ignore);
  return made;
}

// ---- Room on the stack ----------------------------------------------------------------------------------------------

// A script can call the element with almost no stack left. V8 then throws in the middle of the module, and a script's
// Error.prepareStackTrace gets the module's instance from that error, and all memory with it.
//
// As arguments of a call, these take 128 KB of the stack, whatever the engine has optimised. In Chromium, 4 KB are
// enough for every call of the module.
const ROOM = new Array(16384).fill(0);

/** Whether there is enough of the stack for all that is done at once. */
function hasRoom() {
  try {
    apply(ignore, undefined, ROOM);
    return true;
  } catch { return false; }
}

const noRoom = () => new CustomKeyboardError('MEMORY', 'There is no room on the stack.');

// ---- The module -----------------------------------------------------------------------------------------------------

// Loaded when the first keyboard needs it: a page that only frames keyboards runs no WebAssembly. By XMLHttpRequest,
// because what a promise resolves to can be replaced through Object.prototype.then. The address of this file may name
// the hash that custom-keyboard.wasm must have: custom-keyboard.js?integrity=sha384-…
const MODULE = new URL('custom-keyboard.wasm', import.meta.url).href;
const INTEGRITY = new URL(import.meta.url).searchParams.get('integrity');
// In an address, + is a space.
const EXPECTED = INTEGRITY === null ? undefined : expected(INTEGRITY.replaceAll(' ', '+'));

/** The size in bits and the bytes of a hash as it is written in `integrity`; null if the text is not a hash. */
function expected(text) {
  const [, size, hash] = /^sha(256|384|512)-([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  let bytes;
  try { bytes = Uint8Array.from(atob(hash), (c) => c.charCodeAt(0)); } catch { return null; }
  return bytes.length === size / 8 ? { __proto__: null, size: +size, bytes } : null;
}

let compiled; // a WebAssembly.Module
let isLoading = false;
let waiting; // a list of what to do when it is there, or has failed

/** Calls `done(error)` when the module is there; at once if it is. */
function load(done) {
  if (compiled) return done();
  waiting = { __proto__: null, done, next: waiting };
  if (isLoading) return;
  isLoading = true;
  const sent = new Request();
  request.open(sent, 'GET', MODULE);
  request.setType(sent, 'arraybuffer');
  listen(sent, 'load', () => {
    const status = request.status(sent), bytes = request.response(sent);
    if (status !== 200 || !bytes) return settle(`${MODULE} answers ${status}.`);
    if (INTEGRITY === null) compile(bytes);
    else if (!EXPECTED) settle(`integrity="${INTEGRITY}" is not a hash: sha384- and its base64.`);
    else if (!isEqual(hashOf(new Bytes(bytes), EXPECTED.size), EXPECTED.bytes)) {
      settle(`${MODULE} has another hash than ${INTEGRITY}.`);
    } else compile(bytes);
  });
  listen(sent, 'error', () => settle(`${MODULE} could not be loaded.`));
  request.send(sent);
}

function compile(bytes) {
  try {
    compiled = new Module(bytes);
  } catch (error) {
    return settle(`${MODULE} could not be compiled: ${error.message}`);
  }
  settle();
}

/** A memory of so many pages. It cannot grow. */
function memoryOf(pages) {
  try {
    return new Memory({ __proto__: null, initial: pages, maximum: pages });
  } catch { throw new CustomKeyboardError('MEMORY', 'There is no memory for the keyboard.'); }
}

/** The exports of a new instance. */
function instantiated(imports) {
  try {
    return exportsOf(new Instance(compiled, imports));
  } catch { throw new CustomKeyboardError('MEMORY', 'There is no memory for the module.'); }
}

function settle(trouble) {
  isLoading = false;
  const error = trouble && new CustomKeyboardError('LOAD', trouble);
  for (let next = waiting; next; next = next.next) {
    waiting = undefined;
    next.done(error);
  }
}

function isEqual(a, b) {
  let isSame = lengthOf(a) === lengthOf(b);
  for (let i = 0; isSame && i < lengthOf(b); i++) isSame = a[i] === b[i];
  return isSame;
}

// SHA-256, SHA-384 and SHA-512, FIPS 180-4. The browser's own would give the hash to a promise.

/** Bits behind the point of the roots of primes (FIPS 180-4, 4.2 and 5.3), in pairs of a low and a high word. */
function rootsOfPrimes(count, degree) {
  const buffer = new Buffer(8 * count), numbers = new Handles(buffer);
  for (let prime = 2n, found = 0; found < count; prime++) {
    let divisor = 2n;
    while (divisor * divisor <= prime && prime % divisor !== 0n) divisor++;
    if (divisor * divisor <= prime) continue;
    let root = 0n;
    for (let bit = 1n << 69n; bit; bit >>= 1n) if ((root | bit) ** degree <= prime << 64n * degree) root |= bit;
    numbers[found++] = root; // its lowest 64 bits
  }
  return new Words(buffer);
}

/** The hash of `size` bits: 256, 384 or 512. */
function hashOf(bytes, size) {
  const isShort = size === 256, block = isShort ? 64 : 128, length = lengthOf(bytes);
  const data = new Bytes(floor((length + block / 8 + block) / block) * block);
  for (let i = 0; i < length; i++) data[i] = bytes[i];
  data[length] = 128;
  for (let i = 1, left = length * 8; left > 0; i++, left = floor(left / 256)) data[lengthOf(data) - i] = left & 255;
  const roots = rootsOfPrimes(16, 2n), state = new Words(16), constants = rootsOfPrimes(80, 3n);
  for (let i = 0; i < 16; i++) state[i] = roots[size === 384 ? i + 16 : i];
  for (let at = 0; at < lengthOf(data); at += block) (isShort ? mix256 : mix512)(state, constants, data, at);
  const hash = new Bytes(size / 8), width = isShort ? 4 : 8;
  for (let i = 0; i < size / 8; i++) {
    const place = i % width, word = 2 * floor(i / width) + (place < 4 ? 1 : 0);
    hash[i] = state[word] >>> 24 - place % 4 * 8;
  }
  return hash;
}

const wordAt = (data, at) => data[at] << 24 | data[at + 1] << 16 | data[at + 2] << 8 | data[at + 3];
const turn = (x, count) => x >>> count | x << 32 - count;

/** FIPS 180-4, 6.2.2. The state is in the high words. */
function mix256(state, constants, data, at) {
  const w = new Words(64);
  for (let t = 0; t < 16; t++) w[t] = wordAt(data, at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15], y = w[t - 2];
    w[t] = w[t - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >>> 3) + w[t - 7] + (turn(y, 17) ^ turn(y, 19) ^ y >>> 10);
  }
  let a = state[1], b = state[3], c = state[5], d = state[7], e = state[9], f = state[11], g = state[13], h = state[15];
  for (let t = 0; t < 64; t++) {
    const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + constants[2 * t + 1] + w[t] | 0;
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
    h = g;
    g = f;
    f = e;
    e = d + one | 0;
    d = c;
    c = b;
    b = a;
    a = one + two | 0;
  }
  state[1] += a;
  state[3] += b;
  state[5] += c;
  state[7] += d;
  state[9] += e;
  state[11] += f;
  state[13] += g;
  state[15] += h;
}

/** The low word of 64 bits that are turned right by less than 32; the high one with the words exchanged. */
const spin = (low, high, count) => low >>> count | high << 32 - count;

/** FIPS 180-4, 6.4.2, on pairs of a low and a high word. a … h are in `v`. */
function mix512(state, constants, data, at) {
  const w = new Words(160), v = new Words(16);
  for (let i = 0; i < 32; i++) w[i ^ 1] = wordAt(data, at + 4 * i);
  for (let t = 32; t < 160; t += 2) {
    const xl = w[t - 30], xh = w[t - 29], yl = w[t - 4], yh = w[t - 3];
    const low = w[t - 32] + w[t - 14] + ((spin(xl, xh, 1) ^ spin(xl, xh, 8) ^ spin(xl, xh, 7)) >>> 0)
      + ((spin(yl, yh, 19) ^ spin(yh, yl, 29) ^ spin(yl, yh, 6)) >>> 0);
    w[t] = low;
    w[t + 1] = w[t - 31] + w[t - 13] + (spin(xh, xl, 1) ^ spin(xh, xl, 8) ^ xh >>> 7)
      + (spin(yh, yl, 19) ^ spin(yl, yh, 29) ^ yh >>> 6) + floor(low / 0x100000000);
  }
  for (let i = 0; i < 16; i++) v[i] = state[i];
  for (let t = 0; t < 160; t += 2) {
    const al = v[0], ah = v[1], el = v[8], eh = v[9];
    const one = v[14] + ((spin(el, eh, 14) ^ spin(el, eh, 18) ^ spin(eh, el, 9)) >>> 0)
      + ((el & v[10] ^ ~el & v[12]) >>> 0) + constants[t] + w[t];
    const two = ((spin(al, ah, 28) ^ spin(ah, al, 2) ^ spin(ah, al, 7)) >>> 0)
      + ((al & v[2] ^ al & v[4] ^ v[2] & v[4]) >>> 0);
    const oneHigh = v[15] + (spin(eh, el, 14) ^ spin(eh, el, 18) ^ spin(el, eh, 9)) + (eh & v[11] ^ ~eh & v[13])
      + constants[t + 1] + w[t + 1] + floor(one / 0x100000000);
    const twoHigh = (spin(ah, al, 28) ^ spin(al, ah, 2) ^ spin(al, ah, 7)) + (ah & v[3] ^ ah & v[5] ^ v[3] & v[5]);
    for (let i = 15; i > 1; i--) v[i] = v[i - 2];
    const low = v[8] + (one >>> 0), first = (one >>> 0) + two;
    v[8] = low;
    v[9] = v[9] + oneHigh + floor(low / 0x100000000);
    v[0] = first;
    v[1] = oneHigh + twoHigh + floor(first / 0x100000000);
  }
  for (let i = 0; i < 16; i += 2) {
    const low = state[i] + v[i];
    state[i] = low;
    state[i + 1] += v[i + 1] + floor(low / 0x100000000);
  }
}

/** A copy of what must be a Uint8Array; `hint` says so. */
function copyOf(bytes, hint) {
  let type;
  try { type = typeOf(bytes); } catch { /* no object */ }
  if (type !== 'Uint8Array') throw new CustomKeyboardError('ARGUMENT', hint);
  const copy = new Bytes(lengthOf(bytes));
  for (let i = 0; i < lengthOf(copy); i++) copy[i] = bytes[i];
  return copy;
}

/** Decodes base64url, with or without padding; undefined if the text is invalid. */
function fromBase64url(text) {
  let length = text.length, bits = 0, held = 0, at = 0;
  while (length > 0 && charCodeAt(text, length - 1) === 61) length--;
  const bytes = new Bytes(floor(length * 3 / 4));
  for (let i = 0; i < length; i++) {
    const c = charCodeAt(text, i);
    const value = c >= 65 && c <= 90 ? c - 65 : c >= 97 && c <= 122 ? c - 71 : c >= 48 && c <= 57 ? c + 4
      : c === 45 ? 62 : c === 95 ? 63 : -1;
    if (value < 0) return undefined;
    held = (held << 6 | value) & 0xffff;
    bits += 6;
    if (bits >= 8) bytes[at++] = held >> (bits -= 8) & 255;
  }
  return length % 4 === 1 || (held & (1 << bits) - 1) !== 0 ? undefined : bytes;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Base64url without padding, of sealed texts. */
function toBase64url(bytes) {
  let text = '', held = 0, bits = 0;
  for (let i = 0; i < lengthOf(bytes); i++) {
    held = (held & 15) << 8 | bytes[i];
    for (bits += 8; bits >= 6; bits -= 6) text += LETTERS[held >> bits - 6 & 63];
  }
  return bits > 0 ? text + LETTERS[held << 6 - bits & 63] : text;
}

// ---- The core of one keyboard ---------------------------------------------------------------------------------------

const ROLE = { __proto__: null, character: 0, space: 1, delete: 2, shift: 4, toLetters: 5, toDigits: 6, toSymbols: 7,
  return: 8, blank: 9, node: 10 };
const MAXIMUM_KEYS = 37;
// CUSTOM_KEYBOARD_KEY for wasm32.
const KEY = { __proto__: null, size: 72, x: 16, y: 24, width: 32, height: 40, role: 48, label: 52 };
const SPACE = 2048;

// Pages of memory of 64 KiB: of a keyboard, and of one that also has 19 MiB for Argon2id.
const PAGES = 4;
const ARGON2_KIB = 19456;
const LARGE_PAGES = PAGES + ARGON2_KIB / 64 + 1;
// Where OPAQUE's arguments and answers are in `#space`. CUSTOM_OPAQUE_TERMS is that for wasm32: a size, three pairs of
// an address and a length, three numbers.
const OPAQUE = freeze({ __proto__: null, answer: 0, answerSize: 192, sessionKey: 192, exportKey: 256, keySize: 64,
  message: 320, messageSize: 320, terms: 648, termsSize: 40, texts: 688, end: 1456 });

/**
 * A keyboard of the C library, in a memory of its own. Its methods throw what the library answers.
 *
 * After any error of the module itself, its memory is zeroed and it is never called again: it ended half-way. `broken`
 * is called then.
 */
class Core {
  #c = { __proto__: null }; #memory; #words; #doubles; #handle; #answers; #space; #isChanged = -1; #isComplete = false;
  #broken; #isLarge; #hasKey = false;
  static #spaceSize = max(SPACE, MAXIMUM_KEYS * KEY.size);

  /** `isLarge`: with memory for Argon2id. */
  constructor(broken, isLarge) {
    this.#broken = broken;
    this.#isLarge = isLarge;
    const random = (address, size) => {
      try {
        for (let done = 0; done < size; done += 65536) {
          randomValues(new Bytes(buffer, address + done, min(65536, size - done)));
        }
        return 1;
      } catch { return 0; }
    };
    const changed = (handle, count) => { this.#isChanged = count; };
    const complete = () => { this.#isComplete = true; };
    const memory = memoryOf(isLarge ? LARGE_PAGES : PAGES), buffer = bufferOf(memory);
    const keyboard = { __proto__: null, random, changed, complete, memory };
    const parts = instantiated({ __proto__: null, keyboard });
    this.#memory = new Bytes(buffer);
    this.#words = new Words(buffer);
    this.#doubles = new Doubles(buffer);
    for (const name in parts) if (typeof parts[name] === 'function') this.#c[name] = this.#guarded(parts[name]);
    this.#c._initialize();
    this.#answers = this.#c.keyboard_allocate(64);
    this.#space = this.#c.keyboard_allocate(Core.#spaceSize);
    if (!this.#answers || !this.#space) this.#check(7);
    this.#check(this.#c.CustomKeyboard_create(this.#answers));
    this.#handle = new Handles(buffer)[this.#answers >> 3];
    this.#check(this.#c.keyboard_listen(this.#handle));
  }

  /** A function of the module. It is not begun without room on the stack, and no error of its own leaves it. */
  #guarded(f) {
    return (a, b, c, d, e, g, h, i, j) => {
      if (!hasRoom()) throw noRoom();
      try { return f(a, b, c, d, e, g, h, i, j); } catch { this.#break(); }
      throw new CustomKeyboardError('MEMORY', 'The module has failed. What was typed is wiped.');
    };
  }

  #break() {
    fill(this.#memory, 0);
    this.#c = undefined;
    this.#broken();
  }

  #check(code) {
    if (code === 0) return;
    throw new CustomKeyboardError(CODES[code] ?? `${code}`, this.#text(this.#c.CustomKeyboard_cause()));
  }

  #text(address) {
    let text = '';
    for (let i = address; this.#memory[i] !== 0; i++) text += fromCharCode(this.#memory[i]);
    return text;
  }

  /** Calls `use(address)` with the bytes in the module's memory, and wipes them there. */
  #lend(bytes, use) {
    const length = lengthOf(bytes);
    if (!hasRoom()) throw noRoom(); // for the wiping too
    if (length > Core.#spaceSize) this.#check(length > 256 ? 1 : 3);
    for (let i = 0; i < length; i++) this.#memory[this.#space + i] = bytes[i];
    try { this.#check(use(this.#space, length)); } finally { this.#wipe(length); }
  }

  #wipe(length) { fill(this.#memory, 0, this.#space, this.#space + length); }

  get isLarge() { return this.#isLarge; }
  get hasKey() { return this.#hasKey; }

  setKey(key, way) {
    this.#hasKey = true;
    this.#lend(key, (at, length) => this.#c.CustomKeyboard_setEncKey(this.#handle, at, length, way));
  }
  setContext(context) {
    if (lengthOf(context) > 256) this.#check(3);
    this.#lend(context, (at, length) => this.#c.CustomKeyboard_setContext(this.#handle, at, length));
  }
  setLayout(layout, shuffle, maximum) {
    this.#check(this.#c.CustomKeyboard_setLayout(this.#handle, layout, shuffle, maximum));
  }
  setSize(width, height, columnGap, rowGap) {
    this.#check(this.#c.CustomKeyboard_setSize(this.#handle, width, height, columnGap, rowGap));
  }
  open() { this.#check(this.#c.CustomKeyboard_open(this.#handle)); }
  close() { this.#check(this.#c.CustomKeyboard_close(this.#handle)); }
  clear() { this.#check(this.#c.CustomKeyboard_clear(this.#handle)); }
  touch(x, y) { this.#check(this.#c.CustomKeyboard_touch(this.#handle, x, y)); }
  press(index) { this.#check(this.#c.CustomKeyboard_pressKey(this.#handle, index)); }

  /** Calls `each(index, x, y, width, height, role, first and second byte of the label)`; the labels are then wiped. */
  keys(each) {
    this.#check(this.#c.CustomKeyboard_keys(this.#handle, this.#space, MAXIMUM_KEYS, this.#answers));
    const count = this.#words[this.#answers >> 2];
    try {
      for (let i = 0; i < count; i++) {
        const at = this.#space + i * KEY.size, number = (field) => this.#doubles[at + field >> 3];
        const label = at + KEY.label;
        each(i, number(KEY.x), number(KEY.y), number(KEY.width), number(KEY.height), this.#words[at + KEY.role >> 2],
          this.#memory[label], this.#memory[label + 1]);
      }
    } finally { this.#wipe(MAXIMUM_KEYS * KEY.size); }
    return count;
  }

  /** The sealed text alone, cut out of the random bytes around it. */
  getText() {
    this.#check(this.#c.CustomKeyboard_getText(this.#handle, this.#space, SPACE, this.#answers, this.#answers + 4));
    const text = this.#copy(this.#words[this.#answers >> 2], this.#words[(this.#answers >> 2) + 1]);
    this.#wipe(SPACE);
    return text;
  }

  /** A copy of what is `offset` bytes behind the beginning of `#space`. */
  #copy(offset, length) {
    const bytes = new Bytes(length);
    for (let i = 0; i < length; i++) bytes[i] = this.#memory[this.#space + offset + i];
    return bytes;
  }

  /** Begins a login of what is typed: KE1. */
  beginLogin() { return this.#begin(this.#c.CustomKeyboard_opaqueLogin); }

  /** Begins a registration of what is typed: the request. */
  beginRegistration() { return this.#begin(this.#c.CustomKeyboard_opaqueRegister); }

  #begin(step) {
    this.#check(step(this.#handle, this.#space, SPACE, this.#answers));
    return this.#copy(0, this.#words[this.#answers >> 2]);
  }

  /** Ends a login. Takes Argon2id's time. */
  endLogin(ke2, terms) {
    return this.#end(ke2, terms, (at, length, termsAt, answer, sessionKey, exportKey) =>
      this.#c.CustomKeyboard_opaqueFinish(this.#handle, at, length, termsAt, answer, OPAQUE.answerSize, this.#answers,
        sessionKey, exportKey),
    () => ({ __proto__: null, ke3: this.#answer(), sessionKey: this.#copy(OPAQUE.sessionKey, OPAQUE.keySize),
      exportKey: this.#copy(OPAQUE.exportKey, OPAQUE.keySize) }));
  }

  /** Ends a registration. Takes Argon2id's time. */
  endRegistration(response, terms) {
    return this.#end(response, terms, (at, length, termsAt, answer, sessionKey, exportKey) =>
      this.#c.CustomKeyboard_opaqueRecord(this.#handle, at, length, termsAt, answer, OPAQUE.answerSize, this.#answers,
        exportKey),
    () => ({ __proto__: null, record: this.#answer(), exportKey: this.#copy(OPAQUE.exportKey, OPAQUE.keySize) }));
  }

  #answer() { return this.#copy(OPAQUE.answer, this.#words[this.#answers >> 2]); }

  /** Lays out the arguments of a second step, runs it, and takes its answers, which are then wiped. */
  #end(message, terms, step, taken) {
    if (!hasRoom()) throw noRoom(); // for the wiping too
    const space = this.#space, length = min(lengthOf(message), OPAQUE.messageSize + 1); // one too long is as wrong
    for (let i = 0; i < length; i++) this.#memory[space + OPAQUE.message + i] = message[i];
    let word = space + OPAQUE.terms >> 2, text = space + OPAQUE.texts;
    this.#words[word++] = OPAQUE.termsSize;
    for (const name in TEXTS) {
      const bytes = terms[name];
      this.#words[word++] = text;
      this.#words[word++] = lengthOf(bytes);
      for (let i = 0; i < lengthOf(bytes); i++) this.#memory[text++] = bytes[i];
    }
    for (let i = 0; i < COSTS.length; i++) this.#words[word++] = terms[COSTS[i]];
    try {
      this.#check(step(space + OPAQUE.message, length, space + OPAQUE.terms, space + OPAQUE.answer,
        space + OPAQUE.sessionKey, space + OPAQUE.exportKey));
      return taken();
    } finally { this.#wipe(OPAQUE.end); }
  }

  /** What the library told since the last call: `told(count, isComplete)`; a count of -1 says that nothing changed. */
  tell(told) {
    const count = this.#isChanged, isComplete = this.#isComplete;
    this.#isChanged = -1;
    this.#isComplete = false;
    if (count >= 0 || isComplete) told(count, isComplete);
  }

  /** Ends the keyboard and zeroes all of its memory. Nothing may be called afterwards. */
  end() {
    try { this.#c.CustomKeyboard_destroy(this.#handle); } catch { /* it is broken, and zeroed */ }
    fill(this.#memory, 0);
  }
}

// ---- What it looks like ---------------------------------------------------------------------------------------------

const look = (board, key, keyDown, other, otherDown, text, shadow, accent) => freeze(
  { __proto__: null, board, key, keyDown, other, otherDown, text, textDown: text, shadow, accent, accentText: '#ffffff',
    shift: '#ffffff', shiftText: '#000000', isOutlined: false });
const LIGHT = look('#d1d4db', '#ffffff', '#b4b9c3', '#abb1bd', '#ffffff', '#000000', '#888b91', '#0a7aff');
const DARK = look('#2b2b2d', '#6b6b6e', '#4a4a4d', '#464649', '#77777b', '#ffffff', '#18181a', '#0a84ff');

// The page may define fonts with any name, but not these two.
const FONT = 'system-ui, sans-serif';

// The system's, where the person has chosen colours for all pages (forced-colors).
const FORCED = freeze({ __proto__: null, board: 'Canvas', key: 'ButtonFace', keyDown: 'Highlight', other: 'ButtonFace',
  otherDown: 'Highlight', text: 'ButtonText', textDown: 'HighlightText', shadow: 'ButtonFace', accent: 'ButtonFace',
  accentText: 'ButtonText', shift: 'Highlight', shiftText: 'HighlightText', isOutlined: true });

// Points around and between the keys; `widest` is how wide the keys get on a wide screen.
const metrics = (side, top, bottom, column, row, widest, radius, size) => freeze(
  { __proto__: null, side, top, bottom, column, row, widest, radius, size });
const BOARD = metrics(3, 9, 4, 6, 11, 780, 5.5, 24);
const PAD = metrics(6, 7, 6, 6, 7, 480, 7, 28);
const NODES = metrics(6, 7, 6, 0, 0, 480, 0, 0);
// Custom properties of CSS: --custom-keyboard-board and so on. No value of theirs makes a key unreadable: a text
// differs enough from what is behind it, or all colours are the usual ones; nobody can replace the fonts; and numbers
// have limits.
const PREFIX = '--custom-keyboard-';
const COLORS = freeze(['board', 'key', 'other', 'text', 'shadow', 'accent']);
const STYLED = freeze(['board', 'key', 'other', 'text', 'shadow', 'accent', 'radius', 'column-gap', 'row-gap', 'font']);
const FONTS = freeze({ __proto__: null, 'system-ui': FONT, 'sans-serif': 'sans-serif', serif: 'serif',
  monospace: 'monospace' });
const CONTRAST = 4.5; // WCAG 2.2, 1.4.3
const WEIGHTS = freeze([0.2126, 0.7152, 0.0722]);

const styled = (host, name) => trim(getProperty(computedStyle(host), PREFIX + name));

/** A number of points between two limits; undefined for anything else. */
function points(text, least, most) {
  const number = text.length > 2 && slice(text, -2) === 'px' ? +slice(text, 0, -2) : NaN;
  return number >= 0 && number < Infinity ? min(max(number, least), most) : undefined;
}

/** The relative luminance of #rrggbb, as WCAG 2.2 defines it. */
function luminance(color) {
  let sum = 0;
  for (let i = 0; i < 3; i++) {
    const part = +`0x${slice(color, 1 + 2 * i, 3 + 2 * i)}` / 255;
    sum += WEIGHTS[i] * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }
  return sum;
}

function contrast(one, other) {
  const a = luminance(one), b = luminance(other);
  return (max(a, b) + 0.05) / (min(a, b) + 0.05);
}

/** The colours of an element. `colorOf` reads one, as #rrggbb. */
function lookOf(host, isDark, colorOf) {
  if (matches(forced)) return FORCED;
  const usual = isDark ? DARK : LIGHT, own = { __proto__: null };
  let isOwn = false;
  for (let i = 0; i < COLORS.length; i++) {
    const color = colorOf(styled(host, COLORS[i]));
    own[COLORS[i]] = color ?? usual[COLORS[i]];
    if (color) isOwn = true;
  }
  if (!isOwn) return usual;
  const { board, key, other, text, shadow, accent } = own;
  if (min(contrast(text, key), contrast(text, other), contrast(text, board)) < CONTRAST) {
    warn(`${PREFIX}text is hard to read on key, other or board: these colours are not used.`);
    return usual;
  }
  const accentText = contrast(accent, '#ffffff') >= contrast(accent, '#000000') ? '#ffffff' : '#000000';
  return { __proto__: null, ...look(board, key, other, other, key, text, shadow, accent), accentText };
}

/** Sizes of a shape that the page may change. */
function shapeOf(host, shape) {
  const { side, top, bottom, widest, size } = shape;
  return metrics(side, top, bottom, points(styled(host, 'column-gap'), 2, 12) ?? shape.column,
    points(styled(host, 'row-gap'), 2, 16) ?? shape.row, widest,
    points(styled(host, 'radius'), 0, 30) ?? shape.radius, size);
}

const NEAR = 20; // a touch farther from the keys than this is not a touch

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host {
    display: block; position: relative; box-sizing: border-box; writing-mode: horizontal-tb;
    contain: size layout paint; contain-intrinsic-size: 360px 226px; min-width: 0;
    height: calc(226px + env(safe-area-inset-bottom, 0px));
    cursor: default; touch-action: none; user-select: none; -webkit-user-select: none; -webkit-touch-callout: none;
    -webkit-tap-highlight-color: transparent;
  }
  @media (max-height: 480px) { :host { height: calc(180px + env(safe-area-inset-bottom, 0px)); } }
  :host([hidden]) { display: none; }
  :host(:disabled) { opacity: 0.5; }
  :host(:disabled), :host(:disabled) iframe { pointer-events: none; }
  .board { position: absolute; inset: 0; background: ${LIGHT.board}; pointer-events: none; }
  @media (prefers-color-scheme: dark) { .board { background: ${DARK.board}; } }
  .board.light { background: ${LIGHT.board}; }
  .board.dark { background: ${DARK.board}; }
  .keys, .keys div, .offer, .told { all: initial; direction: ltr; pointer-events: none; visibility: inherit; }
  canvas, iframe, .keys, .keys div, .offer {
    position: absolute; left: 0; top: 0; width: 100%; height: calc(100% - env(safe-area-inset-bottom, 0px));
    writing-mode: horizontal-tb;
  }
  .keys div { height: 100%; }
  iframe { border: 0; pointer-events: auto; }
  svg { position: absolute; width: 0; height: 0; }
  .keys .ring, .keys div[hidden] { display: none; }
  .keys:focus .ring:not([hidden]) {
    display: block; border-radius: 7px; outline: 2px solid #ffffff; box-shadow: 0 0 0 4px #0a4fc4;
  }
  .offer {
    box-sizing: border-box; padding: 8px; text-align: center; unicode-bidi: plaintext; font: 15px system-ui, sans-serif;
    color: transparent;
  }
  .offer:focus-visible { outline: 3px solid #0a4fc4; outline-offset: -3px; box-shadow: inset 0 0 0 5px #ffffff; }
  .offer:focus-visible span { padding: 6px 12px; border-radius: 7px; background: #0a4fc4; color: #ffffff; }
  .told { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`);

// The browser takes a list apart with the list's iterator; that of all arrays may be a script's meanwhile.
const sheets = [sheet];
Object.defineProperty(sheets, Symbol.iterator, { __proto__: null, value: () => {
  let isRead = false;
  return { __proto__: null, next: () => {
    const step = { __proto__: null, done: isRead, value: isRead ? undefined : sheet };
    isRead = true;
    return step;
  } };
} });
freeze(sheets);

// Characters as texts that exist once and for all, so that none is made from what is drawn.
const CHARACTERS = freeze(Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)));

/** For Painter: an <svg> with a filter that taints. */
function taintingFilter() {
  const make = (name) => createIn('http://www.w3.org/2000/svg', name);
  const svg = make('svg'), filter = make('filter'), flood = make('feFlood');
  setAttribute(svg, 'aria-hidden', 'true');
  setAttribute(filter, 'id', 'taint');
  setAttribute(flood, 'flood-color', 'currentcolor');
  append(filter, flood);
  append(svg, filter);
  return svg;
}

/** Draws keys on a canvas. It is told what to draw and keeps none of it. */
class Painter {
  #canvas = create('canvas'); #context; #ascents = { __proto__: null };
  #scaleX = 1; #scaleY = 1; #width = 0; #height = 0; #look = LIGHT; #metrics = BOARD; #font = FONT;
  #isGuarded = false;

  constructor(parent, redraw) {
    this.#context = getContext(this.#canvas, '2d', { __proto__: null, alpha: false });
    setAttribute(this.#canvas, 'aria-hidden', 'true');
    listen(this.#canvas, 'contextrestored', () => {
      this.#isGuarded = false;
      redraw();
    });
    append(parent, this.#canvas, taintingFilter());
  }

  get canvas() { return this.#canvas; }
  get width() { return this.#width; }
  get height() { return this.#height; }

  /** The size in points and in the screen's pixels. */
  resize(width, height, pixelsAcross, pixelsDown) {
    this.#width = width;
    this.#height = height;
    this.#scaleX = width > 0 ? pixelsAcross / width : 1;
    this.#scaleY = height > 0 ? pixelsDown / height : 1;
    setCanvasWidth(this.#canvas, pixelsAcross);
    setCanvasHeight(this.#canvas, pixelsDown);
    this.#isGuarded = false; // a canvas that is resized is a new one
  }

  /**
   * Taints the canvas: no script can read it, and it is left out where a page draws elements. Chromium taints a canvas
   * on which a filter has drawn that depends on `currentcolor`, which could tell a visited link. False if a page could
   * read it: no key may be drawn then.
   */
  guard() {
    if (this.#isGuarded) return true;
    const c = this.#context;
    setFilter(c, 'url(#taint)');
    draw.fillRect(c, 0, 0, 1, 1);
    setFilter(c, 'none');
    this.#isGuarded = IS_ALONE || (!couldDrawElements && !canDrawElements());
    if (!this.#isGuarded) {
      try { draw.getImageData(c, 0, 0, 1, 1); } catch { this.#isGuarded = true; }
    }
    return this.#isGuarded;
  }

  /** A colour of CSS as #rrggbb; undefined for anything else, and for one that can be seen through. */
  color(text) {
    if (!text) return undefined;
    paint.fillStyle(this.#context, '#000000');
    paint.fillStyle(this.#context, text);
    const first = fillStyleOf(this.#context);
    paint.fillStyle(this.#context, '#ffffff');
    paint.fillStyle(this.#context, text);
    return fillStyleOf(this.#context) === first && first.length === 7 ? first : undefined;
  }

  /** An empty board, whose keys will be drawn from `left`, `top` on. False if they must not be. */
  begin(look, shape, font, left, top) {
    const c = this.#context;
    this.#look = look;
    this.#metrics = shape;
    this.#font = font;
    draw.setTransform(c, this.#scaleX, 0, 0, this.#scaleY, 0, 0);
    paint.globalAlpha(c, 1);
    const isGuarded = this.guard();
    paint.fillStyle(c, this.#look.board);
    draw.fillRect(c, 0, 0, this.#width, this.#height);
    draw.translate(c, this.#snapX(left), this.#snapY(top));
    paint.textAlign(c, 'center');
    paint.textBaseline(c, 'alphabetic');
    for (const name in TEXT) paint[name](c, TEXT[name]);
    paint.lineJoin(c, 'round');
    paint.lineCap(c, 'round');
    return isGuarded;
  }

  // Edges on the screen's pixels, so that all gaps look alike.
  #snapX(x) { return round(x * this.#scaleX) / this.#scaleX; }
  #snapY(y) { return round(y * this.#scaleY) / this.#scaleY; }

  /** A key. `down` says how far it is pressed, 0 … 1. */
  key(x, y, width, height, role, first, second, down, isPad) {
    const isDecoy = role === ROLE.blank && isPad === 'decoys';
    if (role === ROLE.blank && !isDecoy) return;
    const l = this.#snapX(x), t = this.#snapY(y), w = this.#snapX(x + width) - l, h = this.#snapY(y + height) - t;
    const look = this.#look;
    const isShifted = role === ROLE.shift && first === 83; // "Shift" and "SHIFT"
    const isBare = isPad === 'pin' && role === ROLE.delete; // without a cap, as on a telephone
    const isReturn = role === ROLE.return;
    const isWhite = role === ROLE.character || role === ROLE.space || isDecoy;
    const cap = isReturn ? look.accent : isWhite ? look.key : isShifted ? look.shift : look.other;
    const pressed = isBare ? look.other : isWhite || isReturn || isShifted ? look.keyDown : look.otherDown;
    if (!isBare) {
      this.#cap(l, t + 1, w, h, look.shadow, 1);
      this.#cap(l, t, w, h, cap, 1);
    }
    if (down > 0) this.#cap(l, t, w, h, pressed, down);
    if (look.isOutlined && !isBare) this.#outline(l, t, w, h, look.text);
    const ink = isReturn ? look.accentText : isShifted ? look.shiftText : look.text;
    const inkDown = isReturn || look.isOutlined ? look.textDown : ink;
    this.#ink(l + w / 2, t + h / 2, w, h, role, first, second, down > 0.5 ? inkDown : ink);
  }

  /** A node of a pattern, in its circle; `isJoined` if the pattern has it. */
  node(x, y, width, height, isJoined) {
    const c = this.#context, look = this.#look, middleX = x + width / 2, middleY = y + height / 2;
    paint.fillStyle(c, isJoined ? this.#wayColor : look.isOutlined ? look.text : look.other);
    draw.beginPath(c);
    draw.arc(c, middleX, middleY, width * (isJoined ? 0.2 : 0.12), 0, 7);
    draw.fill(c);
    paint.strokeStyle(c, look.text);
    paint.lineWidth(c, 1);
    draw.beginPath(c);
    draw.arc(c, middleX, middleY, width / 2 - 1, 0, 7);
    draw.stroke(c);
  }

  get #wayColor() { return this.#look.isOutlined ? this.#look.shift : this.#look.accent; }

  /** A line of a pattern, from the middle of a node to that of another. */
  join(fromX, fromY, toX, toY) {
    const c = this.#context;
    paint.strokeStyle(c, this.#wayColor);
    paint.lineWidth(c, 5);
    draw.beginPath(c);
    draw.moveTo(c, fromX, fromY);
    draw.lineTo(c, toX, toY);
    draw.stroke(c);
  }

  #outline(x, y, w, h, color) {
    const c = this.#context;
    paint.strokeStyle(c, color);
    paint.lineWidth(c, 1);
    draw.beginPath(c);
    draw.roundRect(c, x + 0.5, y + 0.5, w - 1, h - 1, min(this.#metrics.radius, w / 4, h / 4));
    draw.stroke(c);
  }

  #cap(x, y, w, h, color, alpha) {
    const c = this.#context;
    paint.globalAlpha(c, alpha);
    paint.fillStyle(c, color);
    draw.beginPath(c);
    draw.roundRect(c, x, y, w, h, min(this.#metrics.radius, w / 4, h / 4));
    draw.fill(c);
    paint.globalAlpha(c, 1);
  }

  /** What is on a cap, around its middle. */
  #ink(x, y, w, h, role, first, second, color) {
    const c = this.#context, scale = min(1, w / 32, h / 30);
    paint.fillStyle(c, color);
    paint.strokeStyle(c, color);
    paint.lineWidth(c, 1.6 * scale);
    if (role === ROLE.delete) this.#deleteSign(x, y, scale);
    else if (role === ROLE.shift) this.#shiftSign(x, y, scale, first === 83, second === 72);
    else if (role === ROLE.return) this.#returnSign(x, y, scale);
    else if (role === ROLE.space) this.#spaceSign(x, y, w, scale);
    else if (role === ROLE.character) {
      const isSmall = first >= 97 && first <= 122;
      const size = max(this.#metrics.size, min(h * 0.4, 1.4 * this.#metrics.size)); // larger on large keys
      this.#write(CHARACTERS[first & 127], x, y, min(size, h * 0.58, w * 0.85), isSmall ? 'x' : 'H');
    } else if (role !== ROLE.blank) {
      const text = role === ROLE.toLetters ? (first === 97 ? 'ABC' : '1/3')
        : role === ROLE.toDigits ? (first === 49 ? '123' : '2/3') : (first === 35 ? '#+=' : '3/3');
      this.#write(text, x, y, min(16, h * 0.42, (w - 4) * 0.46), 'H');
    }
  }

  /** Centres by the height of `like`: small letters by their bodies, everything else by its heads. */
  #write(text, x, y, size, like) {
    const c = this.#context;
    paint.font(c, `400 ${size}px ${this.#font}`);
    const name = `${like}${size}${this.#font}`;
    const ascent = this.#ascents[name] ??= ascentOf(draw.measureText(c, like));
    draw.fillText(c, text, x, y + ascent / 2);
  }

  #line(x, y, size, points) {
    const c = this.#context;
    draw.beginPath(c);
    draw.moveTo(c, x + points[0] * size, y + points[1] * size);
    for (let i = 2; i < points.length; i += 2) draw.lineTo(c, x + points[i] * size, y + points[i + 1] * size);
  }

  #deleteSign(x, y, size) {
    const c = this.#context;
    const curve = (a, b, d, e) => draw.quadraticCurveTo(c, x + a * size, y + b * size, x + d * size, y + e * size);
    this.#line(x, y, size, [-10.7, 0, -4.9, -6.4]);
    curve(-4.1, -7.2, -2.9, -7.2);
    draw.lineTo(c, x + 8.1 * size, y - 7.2 * size);
    curve(10.3, -7.2, 10.3, -5);
    draw.lineTo(c, x + 10.3 * size, y + 5 * size);
    curve(10.3, 7.2, 8.1, 7.2);
    draw.lineTo(c, x - 2.9 * size, y + 7.2 * size);
    curve(-4.1, 7.2, -4.9, 6.4);
    draw.closePath(c);
    draw.stroke(c);
    this.#line(x, y, size, [-0.6, -3, 5.4, 3]);
    draw.stroke(c);
    this.#line(x, y, size, [5.4, -3, -0.6, 3]);
    draw.stroke(c);
  }

  #shiftSign(x, y, size, isFilled, isLocked) {
    const c = this.#context, up = isLocked ? y - 1.8 * size : y;
    this.#line(x, up, size, [0, -8.4, 9, 0.8, 4.4, 0.8, 4.4, 7.4, -4.4, 7.4, -4.4, 0.8, -9, 0.8]);
    draw.closePath(c);
    if (isFilled) draw.fill(c);
    draw.stroke(c);
    if (!isLocked) return;
    draw.beginPath(c);
    draw.rect(c, x - 4.4 * size, up + 10 * size, 8.8 * size, 1.8 * size);
    draw.fill(c);
  }

  #returnSign(x, y, size) {
    this.#line(x, y, size, [8, -6, 8, 1.5, -8, 1.5]);
    draw.stroke(this.#context);
    this.#line(x, y, size, [-3.5, -3, -8, 1.5, -3.5, 6]);
    draw.stroke(this.#context);
  }

  #spaceSign(x, y, w, size) {
    const half = min(12, w / 4 / size);
    this.#line(x, y + 2 * size, size, [-half, -2.5, -half, 2.5, half, 2.5, half, -2.5]);
    draw.stroke(this.#context);
  }

  /** Gives the pixels back. */
  end() {
    setCanvasWidth(this.#canvas, 0);
    setCanvasHeight(this.#canvas, 0);
    remove(this.#canvas);
  }
}

// ---- Spoken keys: with the attribute `accessible`, or when the person turns them on ---------------------------------

const ROLE_NAMES = freeze({ __proto__: null, 1: 'space', 2: 'delete', 8: 'return' });
const SHIFT_NAMES = freeze({ __proto__: null, s: 'shift', S: 'shift, on', SH: 'caps lock, on' });
const SYMBOL_NAMES = freeze({ __proto__: null, '!': 'exclamation mark', '"': 'quotation mark', '#': 'number sign',
  '$': 'dollar sign', '%': 'percent sign', '&': 'ampersand', "'": 'apostrophe', '(': 'left parenthesis',
  ')': 'right parenthesis', '*': 'asterisk', '+': 'plus', ',': 'comma', '-': 'hyphen', '.': 'full stop', '/': 'slash',
  ':': 'colon', ';': 'semicolon', '<': 'less than', '=': 'equals', '>': 'greater than', '?': 'question mark',
  '@': 'at sign', '[': 'left bracket', '\\': 'backslash', ']': 'right bracket', '^': 'caret', '_': 'underscore',
  '`': 'backtick', '{': 'left brace', '|': 'vertical bar', '}': 'right brace', '~': 'tilde' });

function spokenName(role, first, second) {
  const character = CHARACTERS[first & 127];
  if (role === ROLE.character) {
    const isCapital = first >= 65 && first <= 90;
    return isCapital ? `capital ${character}` : SYMBOL_NAMES[character] ?? character;
  }
  if (role === ROLE.node) return `dot ${character}`;
  if (role === ROLE.shift) return SHIFT_NAMES[second === 72 ? 'SH' : character];
  if (role === ROLE.toLetters) return first === 97 ? 'letters' : 'page 1 of 3';
  if (role === ROLE.toDigits) return first === 49 ? 'digits' : 'page 2 of 3';
  if (role === ROLE.toSymbols) return first === 35 ? 'symbols' : 'page 3 of 3';
  return ROLE_NAMES[role];
}

const MOVES = freeze({ __proto__: null, ArrowLeft: 1, ArrowRight: 1, ArrowUp: 1, ArrowDown: 1, Home: 1, End: 1 });

/**
 * The keys for screen readers and for people without a pointer: one stop for Tab, where the arrow keys choose a key,
 * and Enter and Space press it.
 *
 * A browser scrolls what gets the focus, and what a screen reader asks for, into view, also in the page around a frame,
 * which would learn the key from that. So the focus never moves from key to key, no key that moves the choice scrolls,
 * and each node has the box of the whole keyboard. Only the ring, which nothing scrolls to, is where the key is.
 */
class SpokenKeys {
  #stop = create('div'); #ring = create('div'); #nodes = { __proto__: null }; #made = 0; #count = 0; #chosen = 0;
  #frames = new Doubles(4 * (MAXIMUM_KEYS + 1)); #isBlank = new Bytes(MAXIMUM_KEYS + 1); #pressed;

  constructor(parent, pressed) {
    this.#pressed = pressed;
    setAttribute(this.#stop, 'class', 'keys');
    setAttribute(this.#stop, 'role', 'application'); // a screen reader leaves the arrow keys to it
    setAttribute(this.#ring, 'class', 'ring');
    listen(this.#stop, 'keydown', (event) => { if (event.isTrusted) this.#hear(event); });
    append(this.#stop, this.#ring);
    append(parent, this.#stop);
  }

  open(label, hint) {
    setAttribute(this.#stop, 'tabindex', '0');
    setAttribute(this.#stop, 'aria-label', label);
    setAttribute(this.#stop, 'aria-description', hint);
  }

  focus() { focus(this.#stop, { __proto__: null, preventScroll: true }); }

  #hear(event) {
    if (keyEvent.alt(event) || keyEvent.control(event) || keyEvent.meta(event)) return;
    const key = keyEvent.key(event), isMove = MOVES[key] === 1;
    if (!isMove && key !== 'Enter' && key !== ' ') return;
    preventDefault(event);
    if (this.#count === 0) return;
    if (isMove) this.#choose(this.#from(key));
    else if (!keyEvent.repeats(event)) this.#pressed(this.#chosen);
  }

  /** The key that an arrow leads to: the one before or after it, or the nearest one of the next row. */
  #from(key) {
    if (key === 'Home' || key === 'End') return this.#next(key === 'Home' ? -1 : this.#count, key === 'Home' ? 1 : -1);
    if (key === 'ArrowLeft') return this.#next(this.#chosen, -1);
    if (key === 'ArrowRight') return this.#next(this.#chosen, 1);
    const f = this.#frames, now = 4 * this.#chosen, x = f[now] + f[now + 2] / 2, down = key === 'ArrowDown' ? 1 : -1;
    let nearest = this.#chosen, shortest = Infinity;
    for (let i = 0; i < this.#count; i++) {
      const at = 4 * i, rows = (f[at + 1] - f[now + 1]) * down, aside = max(f[at] - x, x - f[at] - f[at + 2], 0);
      const way = 100 * rows + aside;
      if (this.#isBlank[i] || rows < 1 || way >= shortest) continue;
      nearest = i;
      shortest = way;
    }
    return nearest;
  }

  /** The next key that is not blank; after the last one comes the first. */
  #next(index, step) {
    for (let i = 0; i < this.#count; i++) {
      index = (index + step + this.#count) % this.#count;
      if (!this.#isBlank[index]) break;
    }
    return index;
  }

  #choose(index) {
    const style = styleOf(this.#ring), f = this.#frames, at = 4 * index;
    this.#chosen = index;
    setProperty(style, 'left', `${f[at]}px`);
    setProperty(style, 'top', `${f[at + 1]}px`);
    setProperty(style, 'width', `${f[at + 2]}px`);
    setProperty(style, 'height', `${f[at + 3]}px`);
    setHidden(this.#ring, this.#count === 0);
    setAttribute(this.#stop, 'aria-activedescendant', this.#count > 0 ? `key${index}` : '');
  }

  #node(index) {
    const known = this.#nodes[index];
    if (known) return known;
    const node = create('div');
    setAttribute(node, 'id', `key${index}`);
    setAttribute(node, 'role', 'button');
    listen(node, 'click', (event) => { if (event.isTrusted) this.#pressed(index); }); // a screen reader's
    append(this.#stop, node);
    this.#made++;
    return this.#nodes[index] = node;
  }

  set(index, x, y, width, height, role, first, second) {
    const node = this.#node(index), at = 4 * index;
    this.#frames[at] = x;
    this.#frames[at + 1] = y;
    this.#frames[at + 2] = width;
    this.#frames[at + 3] = height;
    this.#isBlank[index] = role === ROLE.blank ? 1 : 0;
    setHidden(node, role === ROLE.blank);
    setAttribute(node, 'aria-label', spokenName(role, first, second) ?? '');
  }

  /** There are `count` keys now. A choice that is gone goes to the first. */
  trim(count) {
    this.#count = count;
    for (let i = count; i < this.#made; i++) {
      setAttribute(this.#nodes[i], 'aria-label', '');
      setHidden(this.#nodes[i], true);
    }
    const isThere = this.#chosen < count && !this.#isBlank[this.#chosen];
    this.#choose(isThere || count === 0 ? this.#chosen : this.#next(-1, 1));
  }

  /** It has no keys, and Tab passes it. It keeps the focus, for the next opening. */
  close() {
    this.#chosen = 0;
    fill(this.#frames, 0);
    this.trim(0);
    setAttribute(this.#stop, 'tabindex', '-1');
  }
}

/** A button that Tab reaches, and that can be seen only then. */
function offerOf(text, taken) {
  const button = create('button'), label = create('span');
  setAttribute(button, 'type', 'button');
  setAttribute(button, 'class', 'offer');
  setText(label, text);
  append(button, label);
  listen(button, 'click', (event) => { if (event.isTrusted) taken(); });
  return button;
}

// ---- Attributes -----------------------------------------------------------------------------------------------------

const LAYOUTS = freeze({ __proto__: null, letters: 0, digits: 1, symbols: 2, mixed: 3, pin: 4, 'pin-decoys': 5,
  pattern: 6 });
const SHUFFLES = freeze({ __proto__: null, none: 0, opening: 1, key: 2 });
const SCHEMES = freeze({ __proto__: null, system: 'system', light: 'light', dark: 'dark' });
const WAYS = freeze({ __proto__: null, x25519: 4, p256: 5, sm2: 6, rsa: 7, xwing: 8 });
const KEY_LENGTHS = freeze({ __proto__: null, 4: 32, 5: 65, 6: 65, 8: 1216 }); // the library checks that of RSA

const OFFER = 'Use arrow keys and Enter. Keys will be spoken.';
const SWITCHES = freeze(['accessible', 'discreet', 'mute', 'opaque', 'required']);

/** Whether an attribute switches on. Frameworks write "true" and "false"; undefined is something else. */
function switchOf(host, name) {
  const value = getAttribute(host, name);
  if (value === null || value === 'false') return false;
  return value === '' || value === 'true' || value === name || undefined;
}

function isOn(host, name) {
  const value = switchOf(host, name);
  if (value !== undefined) return value;
  throw new CustomKeyboardError('ARGUMENT', `${name}="${getAttribute(host, name)}" is neither true nor false.`);
}

function oneOf(values, host, name, usual) {
  const value = values[getAttribute(host, name) ?? usual];
  if (value !== undefined) return value;
  let known = '';
  for (const other in values) known += known ? `, ${other}` : other;
  throw new CustomKeyboardError('ARGUMENT', `${name}="${getAttribute(host, name)}" is unknown. It may be ${known}.`);
}

/** What the attributes of an element say. Throws for an invalid value. */
function settingsOf(host) {
  const text = getAttribute(host, 'maximum') ?? '0', maximum = +text;
  if (!(maximum >= 0 && maximum <= 1e6 && floor(maximum) === maximum)) {
    throw new CustomKeyboardError('ARGUMENT', `maximum="${text}" is not a number of characters.`);
  }
  const layout = oneOf(LAYOUTS, host, 'layout', 'letters'), way = oneOf(WAYS, host, 'way', 'x25519');
  if (layout === LAYOUTS.pin && maximum === 0) {
    throw new CustomKeyboardError('ARGUMENT', 'layout="pin" needs a maximum: it has no return key.');
  }
  const isPattern = layout === LAYOUTS.pattern, least = getAttribute(host, 'minimum') ?? '4', minimum = +least;
  if (isPattern && !(minimum >= 1 && minimum <= 9 && floor(minimum) === minimum)) {
    throw new CustomKeyboardError('ARGUMENT', `minimum="${least}" is not a number of dots: 1 to 9.`);
  }
  const isOpaque = isOn(host, 'opaque');
  return {
    __proto__: null, isOpaque, maximum: isPattern ? 0 : maximum, layout, way, isPattern, minimum,
    shuffle: oneOf(SHUFFLES, host, 'shuffle', isPattern ? 'none' : 'opening'),
    key: isOpaque && !hasKey(host) ? undefined : keyOf(host, way), scheme: oneOf(SCHEMES, host, 'scheme', 'system'),
    isAccessible: isOn(host, 'accessible'), isDiscreet: isOn(host, 'discreet'), isMute: isOn(host, 'mute'),
    label: getAttribute(host, 'aria-label') ?? LABEL, offer: getAttribute(host, 'offer') ?? OFFER,
    announce: getAttribute(host, 'announce') ?? (isPattern ? 'Dots joined: %d' : 'Characters typed: %d'),
  };
}

const hasKey = (host) => (getAttribute(host, 'key') ?? getAttribute(host, 'publickey')
  ?? getAttribute(host, 'public-key')) !== null;

/**
 * The public key. `key` and `public-key` are the same: React and Vue keep the first for themselves. So is `publickey`,
 * which React 18 makes of the property publicKey.
 */
function keyOf(host, way) {
  const short = getAttribute(host, 'key') ?? getAttribute(host, 'publickey');
  const long = getAttribute(host, 'public-key'), text = long ?? short;
  if (short !== null && long !== null && short !== long) {
    throw new CustomKeyboardError('ARGUMENT', 'key and public-key differ. One is enough.');
  }
  const key = text ? fromBase64url(text) : undefined;
  if (!key) throw new CustomKeyboardError('ERR', `The public key is ${keyTrouble(text)}.`);
  const length = KEY_LENGTHS[way] ?? lengthOf(key);
  if (lengthOf(key) === length) return key;
  const isDER = lengthOf(key) > length && key[0] === 48;
  throw new CustomKeyboardError('ERR', `The public key has ${lengthOf(key)} bytes, and must have ${length}` +
    (isDER ? `: this is DER, whose last ${length} bytes are the key.` : '.'));
}

/** What is wrong with a key that is not base64url. */
function keyTrouble(text) {
  if (!text) return 'missing: base64url in the attribute key or public-key';
  if (includes(text, '-----BEGIN')) return 'in PEM, and must be in base64url without the lines around it';
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '+' || c === '/') return 'in base64, and must be in base64url: - for +, _ for /, without = at the end';
    if (c === ' ' || c === '\n') return 'not base64url: it has a space or a line break';
  }
  return 'not base64url: A-Z a-z 0-9 - _, as many as its bytes need';
}

// What both ends of OPAQUE have alike, and the most bytes of each; and what Argon2id costs.
const TEXTS = freeze({ __proto__: null, context: 256, client: 255, server: 255 });
const COSTS = freeze(['memoryKiB', 'passes', 'lanes']);

/** A copy of the terms, whose texts are bytes. Throws for what the second step would refuse. */
function termsOf(given) {
  const wrong = (text) => new CustomKeyboardError('ARGUMENT', text), terms = { __proto__: null };
  if (given !== undefined && (typeof given !== 'object' || !given)) throw wrong('The terms must be an object.');
  for (const name in given) {
    let isKnown = name in TEXTS;
    for (let i = 0; i < COSTS.length; i++) if (COSTS[i] === name) isKnown = true;
    if (!isKnown) throw wrong(`The terms have no ${name}: context, client, server, memoryKiB, passes, lanes.`);
  }
  for (const name in TEXTS) {
    const text = given?.[name] ?? '', hint = `terms.${name} must be a string or a Uint8Array.`;
    terms[name] = typeof text === 'string' ? encode(encoder, text) : copyOf(text, hint);
    if (lengthOf(terms[name]) <= TEXTS[name]) continue;
    throw new CustomKeyboardError('MAXLEN', `terms.${name} has more than ${TEXTS[name]} bytes.`);
  }
  for (let i = 0; i < COSTS.length; i++) {
    const value = given?.[COSTS[i]] ?? 0;
    if (!(value >= 0 && value < 2 ** 32 && floor(value) === value)) throw wrong(`terms.${COSTS[i]} is no number.`);
    terms[COSTS[i]] = value;
  }
  if (terms.memoryKiB <= ARGON2_KIB) return terms;
  throw new CustomKeyboardError('MEMORY', `A page has memory for terms.memoryKiB up to ${ARGON2_KIB}.`);
}

// The library's sentences for these codes speak of sealed texts and signatures, too.
const REFUSALS = freeze({
  __proto__: null, MISMATCH: 'The password, the terms or the server of this login is not right.',
  UNDECRYPTABLE: 'The server\'s answer is not the response to a registration.',
});
const NO_ANSWER = 'The function that was passed must resolve to the server\'s answer, a Uint8Array.';

/** Takes a message to the server with the page's function, and its answer to `done`. */
function ask(exchange, message, done, failed) {
  then(new Later((resolve) => resolve(exchange(message))), done, failed);
}

/** What is inert has no focus, hears no finger, and is not spoken; a frame neither. */
function makeInert(board, isInert) {
  if (isInert) setAttribute(board, 'inert', '');
  else removeAttribute(board, 'inert');
}

/** The colour around the keys, and before there are any. */
function showScheme(board, host) {
  const scheme = getAttribute(host, 'scheme');
  setAttribute(board, 'class', scheme === 'light' || scheme === 'dark' ? `board ${scheme}` : 'board');
}

// ---- A keyboard in this page ----------------------------------------------------------------------------------------

const HOLD = 500; // milliseconds until a held delete key repeats
const REPEAT = 90; // milliseconds between two deletions
const SHOWN = 80; // milliseconds that a pressed key looks pressed at least
const FADE = 120; // milliseconds that it takes to look as before

class InlineKeyboard {
  #host; #told; #board = create('div'); #status = create('div'); #painter; #core; #settings;
  #isUp = false; #isDisabled = false;
  // `hasChosen`: the person has turned the spoken keys on.
  #spoken; #isSpeaking = false; #offer; #hasChosen = false;
  #resizing; #isScheduled = false; #events = { __proto__: null }; #redraw = () => this.#restyle();
  // Where the keys are: x, y, width and height of each, and their roles.
  #frames = new Doubles(4 * MAXIMUM_KEYS); #roles = new Bytes(MAXIMUM_KEYS); #keyCount = 0;
  #view = { __proto__: null, left: 0, top: 0, width: 0, height: 0 };
  #look; #shape; #font;
  // The finger on the keyboard, and the key that was pressed last.
  #finger; #repeating; #pressed = -1; #pressedAt = 0; #releasedAt = 0;
  // For a pattern, only where the finger is: the node that was joined last. The way there is on the canvas, and in
  // the module's memory.
  #last = -1; #joined = 0;
  #step; // of OPAQUE: how it ends, if something else comes before the server's answer

  /** `told(count, isComplete)` is called after a call that changed what is typed. */
  constructor(host, root, told) {
    this.#host = host;
    this.#told = (count, isComplete) => {
      if (count >= 0) this.#endStep('Something else was typed meanwhile.');
      told(count, isComplete);
    };
    showScheme(this.#board, host);
    setAttribute(this.#status, 'class', 'told');
    setAttribute(this.#status, 'role', 'status');
    appendToRoot(root, this.#board, this.#status);
    this.#painter = new Painter(this.#board, () => this.#paint());
    this.#resizing = new Resizing((entries) => this.#resize(entries[0]));
    resizing.observe(this.#resizing, this.#painter.canvas,
      { __proto__: null, box: resizing.pixels ? 'device-pixel-content-box' : 'content-box' });
    this.#hear('pointerdown', (event) => this.#down(event));
    this.#hear('pointermove', (event) => this.#move(event));
    this.#hear('pointerup', (event) => this.#up(event));
    this.#hear('pointercancel', (event) => this.#cancel(event));
    this.#hear('lostpointercapture', (event) => this.#cancel(event));
    this.#hear('contextmenu', preventDefault);
    listen(dark, 'change', this.#redraw);
    listen(forced, 'change', this.#redraw);
  }

  /** Calls `done(error)` when it can be opened. */
  start(done) {
    load((error) => {
      if (!this.#board) return; // it has ended meanwhile
      try {
        if (error) throw error;
        this.#core = this.#newCore(switchOf(this.#host, 'opaque') === true);
      } catch (trouble) { return done(trouble); }
      done();
    });
  }

  #newCore(isLarge) { return new Core(() => this.#break(), isLarge); }

  /** Takes a module of the right size, without a key of an earlier opening. */
  #prepare({ isOpaque, key, way }) {
    const core = this.#core;
    if (core && (core.isLarge !== isOpaque || (core.hasKey && !key))) {
      this.#core = undefined;
      core.end();
    }
    this.#core ??= this.#newCore(isOpaque);
    if (key) this.#core.setKey(key, way);
  }

  /** The module has failed in the middle of a call. The next opening makes another one. */
  #break() {
    if (!this.#core) return; // it never began
    this.#core = undefined;
    this.#forget();
    this.#schedule();
    later(() => { if (this.#board && !this.#isUp) this.#told(0, false); }); // after the call
  }

  /** Ends it, and zeroes its memory. */
  end() {
    this.#forget();
    for (const type in this.#events) unlisten(this.#host, type, this.#events[type]);
    unlisten(dark, 'change', this.#redraw);
    unlisten(forced, 'change', this.#redraw);
    resizing.disconnect(this.#resizing);
    this.#painter.end();
    remove(this.#board);
    remove(this.#status);
    this.#board = undefined;
    const core = this.#core;
    this.#core = undefined;
    core?.end();
  }

  // ---- What the page calls

  get isUp() { return this.#isUp; }

  open(context) {
    if (!this.#board) throw left();
    if (isInCanvas(this.#host)) {
      throw new CustomKeyboardError('ARGUMENT', 'The keyboard is in a <canvas>, which a page can read.');
    }
    const settings = settingsOf(this.#host);
    this.#prepare(settings);
    this.#core.setLayout(settings.layout, settings.shuffle, settings.maximum);
    this.#core.setContext(context);
    this.#settings = settings;
    this.#look = undefined; // the page may have another style
    this.#measure();
    if (this.#isVisible && !this.#painter.guard()) {
      throw new CustomKeyboardError('LOAD', 'This browser lets a page draw and read its elements: use a frame (src).');
    }
    this.#core.open();
    this.#isUp = true;
    this.#pressed = this.#last = -1;
    this.#joined = 0;
    showScheme(this.#board, this.#host);
    this.#speak(settings.isAccessible || (this.#hasChosen && !settings.isMute));
    this.#paint();
  }

  /** Makes the spoken keys, or the button that turns them on. */
  #speak(isSpeaking) {
    const { label, offer, isMute } = this.#settings;
    this.#isSpeaking = isSpeaking;
    if (isSpeaking) {
      this.#spoken ??= new SpokenKeys(this.#board, (index) => this.#press(index));
      this.#spoken.open(label, offer);
    } else if (!isMute) {
      this.#offer = offerOf(offer, () => this.#takeOffer());
      append(this.#board, this.#offer);
    }
  }

  #takeOffer() {
    if (!this.#isUp || this.#isDisabled) return;
    this.#hasChosen = true;
    this.#speak(true);
    this.#spoken.focus();
    this.#withdrawOffer();
    this.#paint();
  }

  #withdrawOffer() {
    if (this.#offer) remove(this.#offer);
    this.#offer = undefined;
  }

  /** A disabled fieldset around it, or the attribute `disabled`. What is typed stays. */
  disable(isDisabled) {
    this.#isDisabled = isDisabled;
    makeInert(this.#board, isDisabled);
    if (isDisabled) this.#drop();
  }

  close() {
    this.#mustBeUp();
    this.#core.close();
    this.#forget();
    this.#paint();
  }

  clear() {
    this.#mustBeUp();
    this.#core.clear();
    this.#last = -1;
    this.#joined = 0;
    if (this.#settings.isPattern) this.#paint();
    this.#deliver();
  }

  /** Calls `done` with the sealed text, or `failed` with an error. */
  seal(done, failed) {
    let text;
    try {
      this.#mustBeUp();
      text = this.#core.getText();
    } catch (error) { return failed(error); }
    done(text);
  }

  /** A step of OPAQUE: `done` gets what it makes, or `failed` an error. `exchange` takes a message to the server. */
  agree(isLogin, exchange, terms, done, failed) {
    try {
      this.#mustBeUp();
      if (!this.#settings.isOpaque) {
        throw new CustomKeyboardError('OP_DISABLE', 'login() and register() need the attribute opaque.');
      }
      this.#endStep('Another login or registration was begun.');
      const message = isLogin ? this.#core.beginLogin() : this.#core.beginRegistration();
      const step = this.#step = { __proto__: null, failed };
      // Once: what has ended the step before has told so, and a second answer is none.
      const once = (use) => (value) => {
        if (this.#step !== step) return;
        this.#step = undefined;
        use(value);
      };
      ask(exchange, message, once((answer) => this.#finish(isLogin, answer, terms, done, failed)), once(failed));
    } catch (error) { failed(error); }
  }

  /** The second step. After a wrong password or server nothing is left to try with: a server tries one each time. */
  #finish(isLogin, answer, terms, done, failed) {
    let made;
    try {
      const copy = copyOf(answer, NO_ANSWER);
      made = isLogin ? this.#core.endLogin(copy, terms) : this.#core.endRegistration(copy, terms);
    } catch (error) {
      const { code } = error;
      // The page hears of it after this.
      failed(REFUSALS[code] ? new CustomKeyboardError(code, REFUSALS[code]) : error);
      if (code === 'MISMATCH') this.clear();
      return;
    }
    done(made);
  }

  #endStep(reason) {
    const step = this.#step;
    this.#step = undefined;
    step?.failed(new CustomKeyboardError('OP_DISABLE', reason));
  }

  get place() { return this.#board; }

  #mustBeUp() {
    if (!this.#board) throw left();
    if (!this.#isUp) throw new CustomKeyboardError('OP_DISABLE', 'The keyboard is not open: call open first.');
  }

  #forget() {
    this.#isUp = false;
    this.#endStep('The keyboard was closed meanwhile.');
    this.#drop();
    this.#pressed = this.#last = -1;
    this.#joined = 0;
    this.#keyCount = 0;
    fill(this.#frames, 0);
    fill(this.#roles, 0);
    this.#spoken?.close();
    this.#isSpeaking = false;
    this.#withdrawOffer();
    setText(this.#status, '');
  }

  /** Tells what was typed, after the call that did it: a listener may call anything. */
  #deliver() {
    this.#core?.tell((count, isComplete) => {
      if (count >= 0) setText(this.#status, announcement(this.#settings.announce, count));
      this.#told(count, isComplete);
    });
  }

  // ---- Fingers. The events are the host's, whose shadow nobody else can see into, so that none of them leads to the
  // canvas. Only those that a person made are heard.

  #hear(type, heard) {
    this.#events[type] = (event) => { if (event.isTrusted) heard(event); };
    listen(this.#host, type, this.#events[type]);
  }

  #down(event) {
    if (pointer.button(event) !== 0 || !this.#isUp || this.#isDisabled) return;
    preventDefault(event); // the page keeps its focus
    if (this.#settings.isPattern) return this.#beginPattern(event);
    // Typing with two thumbs: the first key is typed when the second goes down. But if the same finger or mouse comes
    // down again, its going up was lost, and nobody knows where that was.
    if (this.#finger?.id === pointer.id(event)) this.#drop();
    else this.#lift();
    const finger = { __proto__: null, id: pointer.id(event), x: 0, y: 0, index: -1, isDone: false };
    if (!this.#isUp || !this.#place(finger, event)) return;
    this.#finger = finger;
    try { capture(this.#host, finger.id); } catch { /* the finger is gone again */ }
    this.#pressed = finger.index;
    this.#pressedAt = now();
    const role = this.#roles[finger.index];
    this.#schedule();
    if (role === ROLE.delete || (role >= ROLE.shift && role <= ROLE.toSymbols)) {
      finger.isDone = true; // as on a telephone, these keys act at once
      this.#touch(finger);
      if (role === ROLE.delete && this.#finger === finger) this.#repeat(finger, HOLD);
    }
  }

  #move(event) {
    const finger = this.#finger;
    if (!finger || pointer.id(event) !== finger.id) return;
    if (pointer.buttons(event) === 0) return this.#drop(); // a mouse that was released elsewhere
    if (this.#settings.isPattern) return this.#followPattern(finger, event);
    const before = finger.index;
    const isOn = this.#place(finger, event);
    if (finger.index === before) return;
    if (finger.isDone) return this.#drop();
    this.#pressed = isOn ? finger.index : -1;
    this.#pressedAt = now();
    this.#schedule();
  }

  #up(event) {
    const finger = this.#finger;
    if (!finger || pointer.id(event) !== finger.id) return;
    preventDefault(event);
    if (this.#settings.isPattern) {
      this.#followPattern(finger, event);
      if (this.#finger !== finger) return;
      this.#drop();
      return this.#endPattern();
    }
    this.#place(finger, event);
    this.#lift();
  }

  #cancel(event) {
    if (this.#finger && pointer.id(event) === this.#finger.id) this.#drop();
  }

  /** The finger leaves its key: what the key does happens now. */
  #lift() {
    const finger = this.#finger;
    this.#drop();
    if (finger && !finger.isDone && finger.index >= 0) this.#touch(finger);
  }

  #drop() {
    if (!this.#finger) return;
    this.#finger = undefined;
    cancelLater(this.#repeating);
    this.#releasedAt = max(now(), this.#pressedAt + SHOWN);
    this.#schedule();
  }

  /** Puts the finger on its key, the nearest one. False if it is too far away from all keys. */
  #place(finger, event) {
    const zoom = zoomOf(this.#host);
    const x = pointer.x(event) / zoom - this.#view.left, y = pointer.y(event) / zoom - this.#view.top;
    finger.x = min(max(x, 0), this.#view.width);
    finger.y = min(max(y, 0), this.#view.height);
    const isOn = this.#isVisible && max(x - finger.x, finger.x - x, y - finger.y, finger.y - y) <= NEAR;
    finger.index = isOn ? this.#nearest(finger.x, finger.y) : -1;
    return finger.index >= 0;
  }

  /** The library's rule, which decides when the finger leaves: of several nearest keys, the first. */
  #nearest(x, y) {
    let nearest = -1, shortest = Infinity;
    for (let i = 0; i < this.#keyCount; i++) {
      const f = this.#frames, at = 4 * i;
      const dx = max(f[at] - x, x - (f[at] + f[at + 2]), 0), dy = max(f[at + 1] - y, y - (f[at + 1] + f[at + 3]), 0);
      if (dx * dx + dy * dy < shortest) {
        shortest = dx * dx + dy * dy;
        nearest = i;
      }
    }
    return nearest;
  }

  #repeat(finger, pause) {
    this.#repeating = later(() => {
      if (this.#finger !== finger) return;
      this.#touch(finger);
      if (this.#finger === finger) this.#repeat(finger, REPEAT);
    }, pause);
  }

  // ---- Patterns

  /** A finger that comes down begins a new pattern. */
  #beginPattern(event) {
    this.#drop();
    if (this.#joined > 0) this.clear();
    const finger = { __proto__: null, id: pointer.id(event), x: 0, y: 0, index: -1 };
    if (!this.#isUp || !this.#place(finger, event)) return;
    this.#finger = finger;
    try { capture(this.#host, finger.id); } catch { /* the finger is gone again */ }
    this.#joinTo(() => this.#core.touch(finger.x, finger.y), finger.index);
  }

  /** A busy page gets one event of many moves, and the moves with it. */
  #followPattern(finger, event) {
    const moves = pointer.moves(event);
    for (let i = 0; i < moves.length && this.#finger === finger; i++) this.#moveAlong(finger, moves[i]);
    if (this.#finger === finger) this.#moveAlong(finger, event);
  }

  /** A quick finger makes few moves: the places between them are touched, too. */
  #moveAlong(finger, event) {
    const fromX = finger.x, fromY = finger.y;
    this.#place(finger, event);
    const x = finger.x, y = finger.y, way = max(fromX - x, x - fromX, fromY - y, y - fromY);
    const steps = 1 + floor(way * 12 / max(1, min(this.#view.width, this.#view.height)));
    for (let i = 1; i <= steps && this.#finger === finger; i++) {
      const atX = fromX + (x - fromX) * i / steps, atY = fromY + (y - fromY) * i / steps;
      this.#joinTo(() => this.#core.touch(atX, atY), this.#nearest(atX, atY));
    }
  }

  /** Draws the way to a node, if the library has taken it, and tells the count. */
  #joinTo(action, index) {
    if (!this.#isUp) return;
    try {
      action();
    } catch (error) { report(error); }
    if (!this.#isUp) return; // the module has failed
    this.#core.tell((count, isComplete) => {
      const isNew = count > this.#joined, before = this.#last;
      this.#joined = count;
      if (isNew) this.#last = index;
      if (isNew && this.#isVisible && !this.#settings.isDiscreet) this.#drawWay(before, index);
      setText(this.#status, announcement(this.#settings.announce, count));
      this.#told(count, isComplete);
    });
  }

  /** What is drawn stays until the pattern ends, or the board is drawn anew. */
  #drawWay(from, to) {
    const f = this.#frames, middle = (index, side) => f[4 * index + side] + f[4 * index + side + 2] / 2;
    const node = (index) => {
      const at = 4 * index;
      this.#painter.node(f[at], f[at + 1], f[at + 2], f[at + 3], true);
    };
    if (!this.#painter.guard()) return;
    if (from >= 0) this.#painter.join(middle(from, 0), middle(from, 1), middle(to, 0), middle(to, 1));
    // A node that is passed over is in the pattern, too.
    const across = from % 3 - to % 3, down = floor(from / 3) - floor(to / 3);
    if (from >= 0 && across % 2 === 0 && down % 2 === 0) node((from + to) / 2);
    node(to);
  }

  /** The finger has left. Too few nodes are not a pattern. */
  #endPattern() {
    if (!this.#isUp || this.#joined === 0) return;
    if (this.#joined < this.#settings.minimum) return this.clear();
    this.#told(-1, true);
  }

  #touch(finger) { this.#act(() => this.#core.touch(finger.x, finger.y)); }
  #press(index) {
    if (this.#isDisabled) return;
    if (!this.#settings.isPattern) this.#act(() => this.#core.press(index));
    else if (index < this.#keyCount) this.#joinTo(() => this.#core.press(index), index);
    else this.#endPattern();
  }

  #act(action) {
    if (!this.#isUp) return;
    try {
      action();
    } catch (error) {
      if (error.code !== 'MAXLEN') report(error); // a key too many does nothing
    }
    if (!this.#isUp) return; // the module has failed
    this.#read(); // another page may be up: the next finger must find its keys
    this.#schedule();
    this.#deliver();
  }

  // ---- Drawing

  /** Reads the style of the page. */
  #style() {
    if (this.#look) return;
    const layout = this.#settings?.layout, scheme = this.#settings?.scheme ?? getAttribute(this.#host, 'scheme');
    const isDark = scheme === 'dark' || (scheme !== 'light' && matches(dark));
    this.#look = lookOf(this.#host, isDark, (text) => this.#painter.color(text));
    const isPad = layout === LAYOUTS.pin || layout === LAYOUTS['pin-decoys'];
    this.#shape = layout === LAYOUTS.pattern ? NODES : shapeOf(this.#host, isPad ? PAD : BOARD);
    this.#font = FONTS[styled(this.#host, 'font')] ?? FONT;
    const isUsual = this.#look === LIGHT || this.#look === DARK || this.#look === FORCED;
    setProperty(styleOf(this.#board), 'background', isUsual ? '' : this.#look.board);
  }

  #restyle() {
    this.#look = undefined;
    this.#measure();
    this.#schedule();
  }

  #resize(entry) {
    const size = resizing.box(entry)[0], width = resizing.width(size), height = resizing.height(size);
    const pixels = resizing.pixels?.(entry)[0], ratio = ratioNow();
    this.#painter.resize(width, height, pixels ? resizing.width(pixels) : round(width * ratio),
      pixels ? resizing.height(pixels) : round(height * ratio));
    this.#measure();
    this.#paint();
  }

  /** Tells the library the size of the part that the keys take. */
  #measure() {
    this.#style();
    const shape = this.#shape, view = this.#view;
    view.width = min(this.#painter.width - 2 * shape.side, shape.widest);
    view.height = this.#painter.height - shape.top - shape.bottom;
    view.left = (this.#painter.width - view.width) / 2;
    view.top = shape.top;
    if (this.#isVisible) this.#core?.setSize(view.width, view.height, shape.column, shape.row);
  }

  get #isVisible() { return this.#view.width >= 40 && this.#view.height >= 40; }

  /** Draws in the next frame. */
  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    frame(() => {
      this.#isScheduled = false;
      const isDrawing = this.#finger && this.#settings.isPattern; // it would take the way off the canvas
      if (this.#board && !isDrawing) this.#paint();
    });
  }

  #paint() {
    this.#style();
    const view = this.#view, painter = this.#painter, layout = this.#settings?.layout;
    const isGuarded = painter.begin(this.#look, this.#shape, this.#font, view.left, view.top);
    if (!this.#isUp || !this.#isVisible || !isGuarded) return;
    const down = this.#downNow();
    const isPad = layout === LAYOUTS.pin ? 'pin' : layout === LAYOUTS['pin-decoys'] ? 'decoys' : '';
    const spoken = this.#isSpeaking ? this.#spoken : undefined;
    this.#read((index, x, y, width, height, role, first, second) => {
      if (role === ROLE.node) painter.node(x, y, width, height, false);
      else painter.key(x, y, width, height, role, first, second, index === this.#pressed ? down : 0, isPad);
      if (spoken) spoken.set(index, view.left + x, view.top + y, width, height, role, first, second);
    });
    if (!spoken) return;
    // No finger leaves where keys are pressed: a button ends the pattern.
    const hasEnd = this.#settings.isPattern;
    if (hasEnd) spoken.set(this.#keyCount, view.left, view.top + view.height - 24, 48, 24, ROLE.return, 0, 0);
    spoken.trim(this.#keyCount + (hasEnd ? 1 : 0));
  }

  /** Reads where the keys are, and what they are for. `each` is called with each of them, as by `Core.keys`. */
  #read(each) {
    this.#keyCount = this.#core.keys((index, x, y, width, height, role, first, second) => {
      const at = 4 * index;
      this.#frames[at] = x;
      this.#frames[at + 1] = y;
      this.#frames[at + 2] = width;
      this.#frames[at + 3] = height;
      this.#roles[index] = role;
      each?.(index, x, y, width, height, role, first, second);
    });
  }

  /** How far the key that was pressed last looks pressed, 0 … 1. It fades, unless the person wants no motion. */
  #downNow() {
    if (this.#pressed < 0 || this.#settings.isDiscreet) return 0;
    if (this.#finger) return 1;
    const past = now() - this.#releasedAt;
    if (past < 0 || (past < FADE && !matches(still))) {
      this.#schedule();
      return past < 0 ? 1 : 1 - past / FADE;
    }
    this.#pressed = -1;
    return 0;
  }
}

/** The text with the count in place of %d. */
function announcement(text, count) {
  for (let i = 0; i + 1 < text.length; i++) {
    if (text[i] === '%' && text[i + 1] === 'd') return slice(text, 0, i) + count + slice(text, i + 2);
  }
  return text;
}
const slice = method(String.prototype, 'slice');

// ---- A keyboard in a frame of another origin ------------------------------------------------------------------------

const PATIENCE = 30000; // milliseconds until a frame that does not answer is given up
const HURRY = 3000; // the same for a frame that is loaded, and does not say that it is ours
const KEYS = freeze(['way', 'key', 'public-key', 'publickey']); // not the page's to choose
const SENT = freeze(['layout', 'shuffle', 'maximum', 'minimum', 'scheme', 'accessible', 'discreet', 'mute', 'announce',
  'offer', 'aria-label']);

const notThere = () => new CustomKeyboardError('OP_DISABLE', 'The frame is not there yet, or was loaded again.');

/** Passes calls on to frame.html, and takes counts and sealed texts from there. frame.js is the other end. */
class FramedKeyboard {
  #host; #root; #told; #board = create('div'); #frame = create('iframe'); #origin; #isThere = false; #isUp = false;
  #isDisabled = false; #calls = { __proto__: null }; #lastCall = 0;
  #heard = (event) => this.#hear(event); #timer; #hurry;

  constructor(host, root, told, source) {
    this.#host = host;
    this.#told = told;
    try {
      const address = new Address(source, baseOf(host));
      this.#origin = originOf(address);
      setAttribute(this.#frame, 'src', hrefOf(address));
    } catch { /* no address: start says so */ }
    setAttribute(this.#frame, 'sandbox', 'allow-scripts allow-same-origin');
    setAttribute(this.#frame, 'title', getAttribute(host, 'aria-label') ?? LABEL);
    this.#root = root;
    showScheme(this.#board, host);
    append(this.#board, this.#frame);
  }

  start(done) {
    const trouble = this.#trouble;
    if (trouble) return done(trouble);
    const finish = (error) => {
      cancelLater(this.#timer);
      cancelLater(this.#hurry);
      done(error);
    };
    listen(globalThis, 'message', this.#heard);
    listen(this.#frame, 'load', () => {
      if (this.#isThere) this.#forget(); // a frame that is loaded again knows nothing of what was
      this.#call('ready', undefined, () => {
        this.#isThere = true;
        if (this.#isDisabled) this.#call('disable', { __proto__: null, isDisabled: true }, ignore, ignore);
        finish();
      }, finish);
      cancelLater(this.#hurry);
      this.#hurry = later(() => finish(this.#silence), HURRY);
    });
    this.#timer = later(() => finish(this.#silence), PATIENCE);
    appendToRoot(this.#root, this.#board);
  }

  get #silence() {
    return new CustomKeyboardError('LOAD', `${this.#origin} does not answer. Is frame.html there? ` +
      `Does its frame-ancestors name ${page}? Does the frame-src of this page allow ${this.#origin}?`);
  }

  get #trouble() {
    if (!this.#origin || this.#origin === 'null') {
      return new CustomKeyboardError('ARGUMENT', 'src must be the address of a page.');
    }
    if (this.#origin === page) {
      return new CustomKeyboardError('ARGUMENT', 'src must be of another origin: this page can see into its own.');
    }
    return this.#keyTrouble;
  }

  get #keyTrouble() {
    let isThere = false;
    for (let i = 0; i < KEYS.length; i++) if (getAttribute(this.#host, KEYS[i]) !== null) isThere = true;
    if (!isThere) return undefined;
    return new CustomKeyboardError('ARGUMENT', 'With src, the key is the frame\'s: remove way, key and public-key.');
  }

  end() {
    unlisten(globalThis, 'message', this.#heard);
    cancelLater(this.#timer);
    cancelLater(this.#hurry);
    remove(this.#board);
    this.#isUp = false;
    this.#forget();
  }

  /** Rejects what is pending. What was typed is gone with the frame. */
  #forget() {
    const wasUp = this.#isUp;
    this.#isThere = this.#isUp = false;
    for (let id = 1; id <= this.#lastCall; id++) this.#calls[id]?.reject(left());
    if (wasUp) this.#told(0, false);
  }

  get isUp() { return this.#isUp; }

  /** The frame is told, because a finger may be down there. */
  disable(isDisabled) {
    this.#isDisabled = isDisabled;
    makeInert(this.#board, isDisabled);
    if (this.#isThere) this.#call('disable', { __proto__: null, isDisabled }, ignore, ignore);
  }

  async open(context) {
    const trouble = this.#keyTrouble;
    if (trouble) throw trouble;
    const attributes = { __proto__: null };
    for (let i = 0; i < SENT.length; i++) attributes[SENT[i]] = getAttribute(this.#host, SENT[i]);
    const style = { __proto__: null };
    for (let i = 0; i < STYLED.length; i++) style[STYLED[i]] = styled(this.#host, STYLED[i]);
    showScheme(this.#board, this.#host);
    setProperty(styleOf(this.#board), 'background', style.board);
    await this.#ask('open', { __proto__: null, context, attributes, style });
    this.#isUp = true;
  }

  async close() {
    try { await this.#ask('close'); } finally { this.#isUp = false; }
  }

  clear() { return this.#ask('clear'); }

  /** Calls `done` with the sealed text, or `failed` with an error. */
  seal(done, failed) {
    if (this.#isThere) this.#call('getText', undefined, done, failed);
    else failed(notThere());
  }

  /** The frame asks for the server's answer in the middle. */
  agree(isLogin, exchange, terms, done, failed) {
    if (this.#isThere) this.#call(isLogin ? 'login' : 'register', { __proto__: null, terms }, done, failed, exchange);
    else failed(notThere());
  }

  /** Takes the frame's message to the server, once, and the answer back. The server may take its time. */
  #exchange(id, message) {
    const call = this.#calls[id], exchange = call.exchange;
    if (!exchange) return;
    call.exchange = undefined;
    call.wait(false);
    const reply = (text) => {
      if (this.#calls[id] !== call) return; // it has ended meanwhile
      call.wait(true);
      this.#post('reply', id, { __proto__: null, text });
    };
    const failed = (error) => {
      reply();
      call.reject(error);
    };
    ask(exchange, message, (answer) => {
      let copy;
      try { copy = copyOf(answer, NO_ANSWER); } catch (error) { return failed(error); }
      reply(copy);
    }, failed);
  }

  get place() { return this.#board; }

  #ask(name, more) {
    return new Later((resolve, reject) => {
      if (this.#isThere) this.#call(name, more, resolve, reject);
      else reject(notThere());
    });
  }

  /** A frame that has died answers nothing, ever. */
  #call(name, more, resolve, reject, exchange) {
    const id = ++this.#lastCall;
    let timer;
    const wait = (isWaiting) => {
      cancelLater(timer);
      if (isWaiting) timer = later(() => this.#calls[id]?.reject(this.#silence), PATIENCE);
    };
    const settled = (done) => (value) => {
      wait(false);
      delete this.#calls[id];
      done(value);
    };
    this.#calls[id] = { __proto__: null, resolve: settled(resolve), reject: settled(reject), wait, exchange };
    wait(true);
    this.#post(name, id, more);
  }

  /** A frame that was led elsewhere gets nothing: the browser compares the origin. */
  #post(name, id, more) {
    windowOf(this.#frame)?.postMessage({ customKeyboard: name, id, ...more }, this.#origin);
  }

  #hear(event) {
    if (!event.isTrusted || message.origin(event) !== this.#origin) return;
    if (message.source(event) !== windowOf(this.#frame)) return;
    const { customKeyboard: type, id, count, text, error } = message.data(event) ?? {};
    if (type === 'here') cancelLater(this.#hurry);
    if (type === 'input') this.#told(count, false);
    if (type === 'complete') this.#told(-1, true);
    if (type === 'ask' && this.#calls[id]) this.#exchange(id, text);
    if (type !== 'answer' || !this.#calls[id]) return;
    const { resolve, reject } = this.#calls[id];
    if (error) reject(new CustomKeyboardError(`${error.code}`, `${error.message}`));
    else resolve(text);
  }
}

// ---- The element ----------------------------------------------------------------------------------------------------

const LABEL = 'Secure keyboard';
const NO_CONTEXT = 'open() takes a context: a Uint8Array with the server\'s challenge, or an empty one.';
const PROPERTIES = freeze(['layout', 'shuffle', 'maximum', 'minimum', 'way', 'publicKey', 'src', 'scheme', 'announce',
  'offer', 'name', 'accessible', 'discreet', 'mute', 'opaque', 'required']);

const textIn = (element, name) => getAttribute(element, name) ?? '';
function setTextIn(element, name, value) {
  if (value === null || value === undefined) removeAttribute(element, name);
  else setAttribute(element, name, `${value}`);
}
const isRequired = (element) => switchOf(element, 'required') ?? true;
/** What is neither true nor false stays as it is, for the next opening to refuse. */
const setOn = (element, name, value) => setTextIn(element, name, value === true ? '' : value === false ? null : value);

/** What the browser says of a field that must be filled in, in the person's language. */
const MISSING = (() => {
  const field = document.createElement('input');
  field.required = true;
  return field.validationMessage || 'Please fill in this field.';
})();

class CustomKeyboardElement extends HTMLElement {
  static formAssociated = true;
  static observedAttributes = ['required'];
  #root = attachShadow(this, { __proto__: null, mode: 'closed' });
  #internals = attachInternals(this); // they lead to the root
  #hasValue = false; #ready = deferred(); #form; #source; #count = 0; #hasFailed = false; #isDisabled = false;
  #leave = () => this.#end(); // a page that is kept for "back" keeps its memory
  #comeBack = () => { if (!this.#form && isConnected(this)) this.#start(); };

  constructor() {
    super();
    adopt(this.#root, sheets);
    setRole(this.#internals, 'group');
    setLabel(this.#internals, LABEL);
    this.#showState();
    // What was set before the element was defined hides the accessors.
    for (let i = 0; i < PROPERTIES.length; i++) {
      const name = PROPERTIES[i];
      if (!hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }

  connectedCallback() {
    if (!isConnected(this)) return;
    if (this.#form) this.#end(); // there was no stack left for disconnectedCallback
    listen(globalThis, 'pagehide', this.#leave);
    listen(globalThis, 'pageshow', this.#comeBack);
    this.#start();
  }

  disconnectedCallback() {
    unlisten(globalThis, 'pagehide', this.#leave);
    unlisten(globalThis, 'pageshow', this.#comeBack);
    this.#end();
  }

  attributeChangedCallback() { this.#validate(); }

  formDisabledCallback(isDisabled) {
    this.#isDisabled = isDisabled;
    this.#form?.disable(isDisabled);
  }

  formResetCallback() {
    this.#hold(null);
    if (!this.#form?.isUp) return;
    try {
      const cleared = this.#form.clear(); // a promise, if it is in a frame
      if (cleared) then(cleared, ignore, ignore);
    } catch { /* it could not be cleared: the next opening does */ }
  }

  /** The form's value is a sealed text in base64url, or null. It is not kept in the history. */
  #hold(text) {
    if (!text && !this.#hasValue) return;
    this.#hasValue = !!text;
    inForm.setValue(this.#internals, text ? toBase64url(text) : null, null);
    this.#validate();
  }

  #validate() {
    const valueMissing = isRequired(this) && !this.#hasValue, place = this.#form?.place;
    if (!valueMissing) return inForm.setValidity(this.#internals, { __proto__: null });
    const flags = { __proto__: null, valueMissing };
    if (!place || !isConnected(place)) return inForm.setValidity(this.#internals, flags, MISSING);
    setAttribute(place, 'tabindex', '-1'); // the browser puts its message there only if it can have the focus
    inForm.setValidity(this.#internals, flags, MISSING, place);
  }

  /** A form gets what is complete, before it is told so. */
  #complete() {
    const done = () => this.#dispatch('complete');
    if (!inForm.form(this.#internals) || !this.#form
      || (getAttribute(this, 'name') === null && !isRequired(this))) return done();
    this.#seal(done, done);
  }

  #seal(done, failed) {
    const form = this.#form;
    form.seal((text) => {
      if (this.#form === form) this.#hold(text);
      done(text);
    }, failed);
  }

  #start() {
    const told = (count, isComplete) => this.#tell(count, isComplete), ready = this.#ready;
    this.#hasFailed = documentOf(this) !== document;
    if (this.#hasFailed) { // its window could end without a word, and the memory would not be wiped
      return ready.reject(new CustomKeyboardError('ARGUMENT', 'The keyboard is in another document than its script.'));
    }
    this.#source = getAttribute(this, 'src');
    this.#hasFailed = !hasRoom();
    if (this.#hasFailed) return ready.reject(noRoom());
    const form = this.#source === null ? new InlineKeyboard(this, this.#root, told)
      : new FramedKeyboard(this, this.#root, told, this.#source);
    this.#form = form;
    if (this.#isDisabled) form.disable(true);
    form.start((error) => {
      if (this.#form !== form) return;
      this.#hasFailed = !!error;
      if (error) ready.reject(error);
      else ready.resolve();
    });
    this.#validate();
  }

  #end() {
    if (!this.#form && !this.#hasFailed) return;
    const form = this.#form;
    this.#form = undefined;
    this.#hasFailed = false;
    this.#count = 0;
    this.#showState();
    this.#ready.reject(left()); // does nothing if it was ready
    this.#ready = deferred();
    if (!form) return;
    if (hasRoom()) form.end();
    else later(() => form.end()); // the caller has filled the stack
    this.#hold(null);
  }

  /** A closed keyboard shows no keys: style sheets and screen readers know why. */
  #showState() {
    const isClosed = !this.#form?.isUp;
    setUnavailable(this.#internals, isClosed ? 'true' : 'false');
    if (!states) return;
    try { states[isClosed ? 'add' : 'delete'](states.of(this.#internals), 'closed'); } catch { /* wants --closed */ }
  }

  #tell(count, isComplete) {
    this.#showState(); // a module or a frame that has failed is closed
    if (count >= 0) {
      this.#count = count;
      this.#hold(null);
      this.#dispatch('input');
    }
    if (isComplete) this.#complete();
  }

  #dispatch(type) {
    const detail = freeze({ count: this.#count });
    dispatch(this, new Message(type, { __proto__: null, bubbles: true, composed: true, detail }));
  }

  get ready() { return this.#ready.promise; }
  get count() { return this.#count; }

  // Properties are the attributes' other name. What is removed is null, and false for those without a value.
  get layout() { return textIn(this, 'layout'); }
  set layout(value) { setTextIn(this, 'layout', value); }
  get shuffle() { return textIn(this, 'shuffle'); }
  set shuffle(value) { setTextIn(this, 'shuffle', value); }
  get maximum() { return +textIn(this, 'maximum'); }
  set maximum(value) { setTextIn(this, 'maximum', value); }
  get minimum() { return +textIn(this, 'minimum'); }
  set minimum(value) { setTextIn(this, 'minimum', value); }
  get way() { return textIn(this, 'way'); }
  set way(value) { setTextIn(this, 'way', value); }
  get publicKey() { return textIn(this, 'public-key'); }
  set publicKey(value) { setTextIn(this, 'public-key', value); }
  get src() { return textIn(this, 'src'); }
  set src(value) { setTextIn(this, 'src', value); }
  get scheme() { return textIn(this, 'scheme'); }
  set scheme(value) { setTextIn(this, 'scheme', value); }
  get announce() { return textIn(this, 'announce'); }
  set announce(value) { setTextIn(this, 'announce', value); }
  get offer() { return textIn(this, 'offer'); }
  set offer(value) { setTextIn(this, 'offer', value); }
  get name() { return textIn(this, 'name'); }
  set name(value) { setTextIn(this, 'name', value); }
  get accessible() { return switchOf(this, 'accessible') ?? true; }
  set accessible(value) { setOn(this, 'accessible', value); }
  get discreet() { return switchOf(this, 'discreet') ?? true; }
  set discreet(value) { setOn(this, 'discreet', value); }
  get mute() { return switchOf(this, 'mute') ?? true; }
  set mute(value) { setOn(this, 'mute', value); }
  get opaque() { return switchOf(this, 'opaque') ?? true; }
  set opaque(value) { setOn(this, 'opaque', value); }
  get required() { return switchOf(this, 'required') ?? true; }
  set required(value) { setOn(this, 'required', value); }

  get form() { return inForm.form(this.#internals); }
  get labels() { return inForm.labels(this.#internals); }
  get validity() { return inForm.validity(this.#internals); }
  get validationMessage() { return inForm.message(this.#internals); }
  get willValidate() { return inForm.willValidate(this.#internals); }
  checkValidity() { return inForm.check(this.#internals); }
  reportValidity() { return inForm.report(this.#internals); }

  async open(context) {
    const bytes = copyOf(context, NO_CONTEXT); // as it is now
    for (let i = 0; i < SWITCHES.length; i++) isOn(this, SWITCHES[i]); // in a frame too, which is not sent them all
    if (!isConnected(this)) throw left();
    if (this.#form?.isUp) throw new CustomKeyboardError('OP_DISABLE', 'The keyboard is up already.');
    if (!this.#form || this.#hasFailed || getAttribute(this, 'src') !== this.#source) {
      this.#end();
      this.#start();
    }
    const form = this.#form;
    await this.#ready.promise;
    if (this.#form !== form) throw left();
    await form.open(bytes);
    this.#count = 0;
    this.#showState();
    this.#hold(null);
  }

  getText() {
    return new Later((resolve, reject) => {
      if (!this.#form) throw left();
      this.#seal(resolve, reject);
    });
  }

  login(exchange, terms) { return this.#agree(true, exchange, terms); }
  register(exchange, terms) { return this.#agree(false, exchange, terms); }

  #agree(isLogin, exchange, terms) {
    return new Later((resolve, reject) => {
      if (typeof exchange !== 'function') {
        throw new CustomKeyboardError('ARGUMENT', 'The first argument must be a function: it sends a message to the ' +
          'server, and returns the answer or a promise of it.');
      }
      const copy = termsOf(terms); // as they are now
      if (!this.#form) throw left();
      this.#form.agree(isLogin, exchange, copy, resolve, reject);
    });
  }

  async clear() {
    if (!this.#form) throw left();
    await this.#form.clear();
  }

  async close() {
    if (!this.#form) throw left();
    await this.#form.close();
    this.#count = 0;
    this.#showState();
  }
}

for (const kind of [Core, Painter, SpokenKeys, InlineKeyboard, FramedKeyboard]) freeze(kind.prototype);

// The browser has taken the callbacks; nobody else has to call them. Nothing can be put in place of the rest.
customElements.define('custom-keyboard', CustomKeyboardElement);
delete CustomKeyboardElement.prototype.connectedCallback;
delete CustomKeyboardElement.prototype.disconnectedCallback;
delete CustomKeyboardElement.prototype.attributeChangedCallback;
delete CustomKeyboardElement.prototype.formResetCallback;
delete CustomKeyboardElement.prototype.formDisabledCallback;
freeze(CustomKeyboardElement.prototype);
freeze(CustomKeyboardElement);

}
