// What must not be in a module's memory after a call, and the search for it.
//
// After an operation, these are searched for: the secrets among its arguments, the key and the password of its
// keyboard, the order of the keys on its page, and every key that a random generator has had before its present one.
// The present one must be in one place only. The stack in memory must be
// zero but for its first frames, which hold addresses, lengths and answers.
//
// SPDX-License-Identifier: Apache-2.0
import { KEY_SIZE, RV, STACK_SIZE, Way } from './module.mjs';
import { Code, SLOTS } from './operations.mjs';

const SHORTEST = 6;
const FIRST_FRAMES = 512;
const Role = { character: 0, space: 1 };

export class Needles {
  /** How often each kind was searched for, and found. */
  searched = {};
  found = {};

  /**
   * @param {Module} module Before its first operation.
   * @param {Search} search Of its memory.
   * @param publicKeys These are not secrets. Memory that was given back may still hold them.
   * @param isWiped Whether the stack should be zero: not in a module that wipes nothing.
   */
  constructor(module, search, publicKeys = [], isWiped = true) {
    this.module = module;
    this.search = search;
    this.publicKeys = publicKeys;
    this.isWiped = isWiped;
    this.image = Buffer.from(module.memory.subarray(STACK_SIZE, highest(module.memory)));
    // A stack that is zero need not be searched.
    this.start = isWiped ? STACK_SIZE - FIRST_FRAMES : 0;
    this.end = 0;
    this.free = Buffer.alloc(0);
    this.empty = Buffer.alloc(STACK_SIZE - FIRST_FRAMES);
    this.keys = Array(SLOTS).fill(null);
    this.typed = Array.from({ length: SLOTS }, () => []);
    this.pages = Array(SLOTS).fill(null);
    this.generators = new Map();
    // A seed is written to the place of a generator's key: JavaScript is told that place.
    const { randomness } = module, { memory } = module;
    module.randomness = {
      fill: (bytes) => {
        if (bytes.length === 32) this.generators.set(bytes.byteOffset - memory.byteOffset, null);
        return randomness.fill(bytes);
      },
    };
  }

  /** The first secret that is in memory after an operation, as `[kind, bytes]`; null if there is none. */
  after(op, answer) {
    this.#follow(op, answer);
    const { slot } = op, { memory } = this.module;
    // Free memory is zero: what lies behind the highest byte in use need not be searched.
    if (!memory.subarray(this.end).equals(this.free)) {
      this.end = Math.min(memory.length, highest(memory) + 1024);
      this.free = Buffer.alloc(memory.length - this.end);
    }
    const stack = memory.subarray(0, STACK_SIZE - FIRST_FRAMES);
    if (this.isWiped && !stack.equals(this.empty)) return ['stack', Buffer.from(stack.subarray(highest(stack) - 64))];
    const found = [
      this.#arguments(op), this.#find('key', this.keys[slot]), this.#find('password', this.#password(slot)),
      this.#find('order', this.order(slot)), this.#generatorKeys(),
    ];
    return found.find((what) => what !== null) ?? null;
  }

  /** The longest run of known characters at the end of what is typed. */
  #password(slot) {
    const typed = this.typed[slot], from = typed.lastIndexOf(null) + 1;
    return Buffer.from(typed.slice(from).join(''));
  }

  /** The characters of a page that was read, in their order; null if there is none. */
  order(slot) {
    const page = this.pages[slot];
    return page && Buffer.from(page.filter((key) => key.role === Role.character).map((key) => key.label).join(''));
  }

  #arguments(op) {
    switch (op.code) {
      case Code.setEncKey:
        // A public key may also be passed for a way that takes a secret key.
        if (op.a > Way.SM4_GCM || this.publicKeys.some((key) => key.equals(op.one))) return null;
        return this.#find('key argument', op.one);
      case Code.input: return this.#find('input', op.one);
      case Code.decrypt: case Code.unseal: case Code.receive: case Code.signText: case Code.decryptBatch:
      case Code.setupCipher: return this.#find('key argument', op.one);
      default: return null;
    }
  }

  #generatorKeys() {
    for (const [place, before] of this.generators) {
      const now = Buffer.from(this.module.memory.subarray(place, place + 32));
      if (before?.equals(now)) continue;
      // The memory of a generator that served one call was given back.
      if (now.every((byte) => byte === 0)) {
        this.generators.delete(place);
        continue;
      }
      this.generators.set(place, now);
      const isCopied = this.#place(now) !== place || this.#place(now, place + 1) >= 0;
      this.#count('generator key', isCopied);
      if (isCopied) return ['generator key', now];
      const left = before && this.#find('former generator key', before);
      if (left) return left;
    }
    return null;
  }

  #find(kind, bytes) {
    if (!bytes || bytes.length < SHORTEST) return null;
    // What is in the module's data from the start, such as 123456, is always found.
    const isFound = this.#place(bytes) >= 0 && !this.image.includes(bytes);
    this.#count(kind, isFound);
    return isFound ? [kind, bytes] : null;
  }

  #place(bytes, from = this.start) { return this.search.indexOf(bytes, from, this.end); }

  #count(kind, isFound) {
    this.searched[kind] = (this.searched[kind] ?? 0) + 1;
    if (isFound) this.found[kind] = (this.found[kind] ?? 0) + 1;
  }

  // MARK: - What the keyboards hold

  #follow(op, answer) {
    const { slot } = op, isDone = answer[0] === RV.OK, typed = this.typed[slot];
    if (op.code === Code.keys && isDone) return this.#read(slot, answer);
    if (!isDone) return;
    switch (op.code) {
      case Code.create: case Code.destroy:
        this.keys[slot] = this.pages[slot] = null;
        this.typed[slot] = [];
        break;
      case Code.setEncKey:
        this.keys[slot] = op.a <= Way.SM4_GCM ? op.one : null;
        break;
      case Code.open: case Code.close: case Code.clear:
        this.typed[slot] = [];
        if (op.code !== Code.clear) this.pages[slot] = null;
        break;
      case Code.receive:
        this.typed[op.other] = [null];
        this.pages[op.other] = null;
        break;
      case Code.input:
        // Characters may join with those before: what is removed later is known only if all is ASCII.
        if (op.one.length > 0) typed.push(...(op.one.every((byte) => byte < 128) ? op.one.toString() : [null]));
        break;
      case Code.deleteBackward: typed.pop(); break;
      case Code.pressKey: this.#press(slot, op.a, answer); break;
      case Code.touch: if (answer.length > 1) typed.push(null); this.pages[slot] = null; break;
      default:
    }
  }

  #read(slot, answer) {
    const count = answer.readUInt32LE(1);
    this.pages[slot] = Array.from({ length: count }, (_, i) => {
      const key = answer.subarray(5 + i * KEY_SIZE, 5 + (i + 1) * KEY_SIZE), label = key.subarray(52, 68);
      return { role: key.readInt32LE(48), label: label.toString('utf8', 0, label.indexOf(0)) };
    });
  }

  /** A key that was read before tells what was typed. */
  #press(slot, index, answer) {
    const key = this.pages[slot]?.[index], isTold = answer.length > 1;
    if (!key || key.role > Role.space) {
      // Another page, or what it deleted, is not known.
      this.pages[slot] = null;
      if (isTold) this.typed[slot].push(null);
      return;
    }
    if (isTold) this.typed[slot].push(key.role === Role.space ? ' ' : key.label);
    // It may have changed places.
    this.pages[slot] = null;
  }
}

/** The number of bytes up to the highest that is not zero. */
function highest(memory) {
  let end = memory.length;
  while (end > 0 && memory[end - 1] === 0) end--;
  return end;
}
