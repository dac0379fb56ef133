// The module in WebAssembly, for tests: its memory, its functions, and random numbers that a test can foretell.
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { webcrypto } from 'node:crypto';

export const RV = {
  OK: 0, ERR: 1, OP_DISABLE: 2, MAXLEN: 3, SPACE: 4, ARGUMENT: 5, UNDECRYPTABLE: 6, MEMORY: 7, RANDOM: 8, MISMATCH: 9,
  REFUSED: 10,
};
export const Way = { DES: 0, TRIPLE_DES: 1, SM4: 2, SM4_GCM: 3, X25519: 4, P256: 5, SM2: 6, RSA: 7, XWING: 8 };
export const KEY_SIZE = 72;
export const MAXKEYS = 37;
/** Bytes of the module's stack, which is the lowest part of its memory: link.sh. */
export const STACK_SIZE = 16384;
/** Pages of memory, as custom-keyboard.js gives them: of a keyboard, and of one that has room for Argon2id. */
export const PAGES = 4;
export const LARGE_PAGES = PAGES + 19456 / 64 + 1;

/** Random numbers of the system's. */
export const system = { fill(bytes) { webcrypto.getRandomValues(bytes); return 1; } };

/** SplitMix64, eight bytes a number, as native.c has it. Can be told to fail. */
export class Foretold {
  #state;
  failuresToCome = 0;
  constructor(seed) { this.#state = BigInt(seed); }

  fill(bytes) {
    if (this.failuresToCome > 0) {
      this.failuresToCome--;
      return 0;
    }
    const number = Buffer.alloc(8);
    for (let done = 0; done < bytes.length; done += 8) {
      number.writeBigUInt64LE(this.#next());
      bytes.set(number.subarray(0, Math.min(8, bytes.length - done)), done);
    }
    return 1;
  }

  #next() {
    const wrap = (x) => BigInt.asUintN(64, x);
    let z = this.#state = wrap(this.#state + 0x9e3779b97f4a7c15n);
    z = wrap((z ^ z >> 30n) * 0xbf58476d1ce4e5b9n);
    z = wrap((z ^ z >> 27n) * 0x94d049bb133111ebn);
    return z ^ z >> 31n;
  }
}

const compiled = new Map();

export class Module {
  randomness = system;
  changed = () => {};
  complete = () => {};

  /**
   * @param first What the module's start takes its random numbers from: the guard of the stack.
   * @param pages How large its memory is, for good.
   */
  static async load(file, randomness = system, first = system, pages = PAGES) {
    if (!compiled.has(file)) compiled.set(file, new WebAssembly.Module(readFileSync(file)));
    const made = new Module();
    made.randomness = first;
    const instance = new WebAssembly.Instance(compiled.get(file), {
      keyboard: {
        memory: new WebAssembly.Memory({ initial: pages, maximum: pages }),
        random: (address, size) => made.randomness.fill(made.memory.subarray(address, address + size)),
        changed: (keyboard, count) => made.changed(BigInt.asUintN(64, keyboard), count >>> 0),
        complete: (keyboard) => made.complete(BigInt.asUintN(64, keyboard)),
      },
    });
    made.exports = instance.exports;
    made.memory = Buffer.from(made.exports.memory.buffer);
    made.exports._initialize();
    made.randomness = randomness;
    made.answers = made.exports.keyboard_allocate(64);
    return made;
  }

  /** A function of the C interface by the end of its name. */
  call(name, ...values) { return this.exports[`CustomKeyboard_${name}`](...values); }

  /** Runs `body` with the addresses of copies of the buffers, and wipes the copies. */
  lending(buffers, body) {
    const places = buffers.map((bytes) => {
      const place = this.exports.keyboard_allocate(bytes.length);
      if (place === 0) throw new Error(`no memory for ${bytes.length} bytes`);
      this.memory.set(bytes, place);
      return place;
    });
    try { return body(...places); } finally { for (const place of places) this.exports.keyboard_release(place); }
  }

  /** Runs `body` with the address of so many zeroed bytes, and wipes them. */
  with(size, body) { return this.lending([Buffer.alloc(size)], body); }

  number(place) { return this.memory.readUInt32LE(place); }

  text(address) { return this.memory.toString('utf8', address, this.memory.indexOf(0, address)); }

  create() {
    const rv = this.call('create', this.answers);
    if (rv !== RV.OK) throw new Error(`create: ${rv}`);
    return this.memory.readBigUInt64LE(this.answers);
  }

  /** A new pair: the open key and the secret one. */
  generateKey(way) {
    return this.with(1248, (place) => {
      const rv = this.call('generateKey', way, place, 32, this.answers, place + 32, 1216, this.answers + 4);
      if (rv !== RV.OK) throw new Error(`generateKey: ${rv}`);
      const copy = (from, size) => Buffer.from(this.memory.subarray(from, from + size));
      const secret = copy(place, this.number(this.answers)), open = copy(place + 32, this.number(this.answers + 4));
      return [way === Way.SM4_GCM ? secret : open, secret];
    });
  }

  setEncKey(keyboard, key, way) {
    return this.lending([key], (place) => this.call('setEncKey', keyboard, place, key.length, way));
  }

  setContext(keyboard, context) {
    return this.lending([context], (place) => this.call('setContext', keyboard, place, context.length));
  }

  input(keyboard, utf8) { return this.lending([utf8], (place) => this.call('input', keyboard, place, utf8.length)); }

  /** A text, cut out of its space; or the code if there is none. */
  getText(keyboard, size = 2048) {
    return this.with(size, (space) => {
      const rv = this.call('getText', keyboard, space, size, this.answers, this.answers + 4);
      if (rv !== RV.OK) return rv;
      const start = space + this.number(this.answers);
      return Buffer.from(this.memory.subarray(start, start + this.number(this.answers + 4)));
    });
  }

  /** The password in a text, by `decrypt` or `unseal`; or the code. */
  opened(name, way, key, context, text) {
    return this.lending([key, context, text, Buffer.alloc(256)], (k, c, t, space) => {
      const sealed = name === 'unseal' ? [c, context.length] : [];
      const rv = this.call(name, way, k, key.length, ...sealed, t, text.length, space, 256, this.answers,
        this.answers + 4);
      if (rv !== RV.OK) return rv;
      const start = space + this.number(this.answers);
      return Buffer.from(this.memory.subarray(start, start + this.number(this.answers + 4)));
    });
  }

  /** The keys of the page that is up: where each is, its role and its label. */
  keys(keyboard) {
    return this.with(MAXKEYS * KEY_SIZE, (place) => {
      const rv = this.call('keys', keyboard, place, MAXKEYS, this.answers);
      if (rv !== RV.OK) throw new Error(`keys: ${rv}`);
      return Array.from({ length: this.number(this.answers) }, (_, i) => this.#key(place + i * KEY_SIZE));
    });
  }

  #key(place) {
    const key = this.memory.subarray(place, place + KEY_SIZE);
    const [x, y, width, height] = [16, 24, 32, 40].map((offset) => key.readDoubleLE(offset));
    return { x, y, width, height, role: key.readInt32LE(48), label: this.text(place + 52) };
  }
}
