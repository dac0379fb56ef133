// Random operations on keyboards: how they are drawn, how they are written for native.c, and what they do to a module.
// native.c has the same codes.
// SPDX-License-Identifier: Apache-2.0
import { RV, Way, KEY_SIZE, MAXKEYS } from './module.mjs';

export const SLOTS = 16;
const LAST_TEXT = 1;

export const Code = {
  create: 0, destroy: 1, setEncKey: 2, open: 3, close: 4, input: 5, deleteBackward: 6, clear: 7, count: 8, getText: 9,
  setLayout: 10, setSize: 11, keys: 12, pressKey: 13, touch: 14, setContext: 15, addRule: 16, clearRules: 17, check: 18,
  compare: 19, checkPattern: 20, decrypt: 21, unseal: 22, receive: 23, generateKey: 24, signText: 25, verifyText: 26,
  setupCipher: 27, cryptECB: 28, wipeCipher: 29, decryptBatch: 30, message: 31, failRandomness: 32,
};
export const nameOf = (code) => Object.keys(Code)[code];

const none = Buffer.alloc(0);
export const operation = (name, slot, more = {}) => ({
  code: Code[name], slot, other: 0, flags: 0, a: 0, b: 0, x: 0, y: 0, z: 0, w: 0, one: none, two: none, three: none,
  ...more,
});

export function encoded(op) {
  const head = Buffer.alloc(50);
  head.set([op.code, op.slot, op.other, op.flags]);
  head.writeInt32LE(op.a, 4);
  head.writeInt32LE(op.b, 8);
  [op.x, op.y, op.z, op.w].forEach((number, i) => head.writeDoubleLE(number, 12 + 8 * i));
  [op.one, op.two, op.three].forEach((blob, i) => head.writeUInt16LE(blob.length, 44 + 2 * i));
  return Buffer.concat([head, op.one, op.two, op.three]);
}

// MARK: - Drawing

const passwords = [
  '0000', '123456', 'kgcx879@', 'Grüße', '密码键盘', '👨‍👩‍👧‍👦🇨🇳', 'e\u0301e\u0301', 'a'.repeat(100), ' ', '한각', '\u0000x',
];
const patterns = [
  '^[0-9]+$', '(?=.*\\d)(?=.*[a-z])', '(a+)+$', '(\\w)\\1', '[', 'a{2,3}?b|c*', '(?!1234).{4,8}', '\\', '(a|b',
  'a{4294967295}',
];
const texts = ['1984-02-29', '2001-13-01', '+49 171 9053827', 'secret', '', 'x'.repeat(257)];

/** Draws operations. `keys` are pairs of a way's keys: `[way, open or secret key, secret key]`. */
export class Drawing {
  constructor(dice, keys) {
    this.dice = dice;
    this.keys = keys;
    // How often each is drawn, of 10,000. Sealing and opening take a thousand times as long as a key press. Of a million
    // operations, `unseal` and `verifyText` succeed least often: some 20 times each. Every one must have succeeded.
    this.weights = Object.entries({
      create: 60, destroy: 25, setEncKey: 250, open: 500, close: 220, input: 500, deleteBackward: 700, clear: 100,
      count: 300, getText: 500, setLayout: 150, setSize: 150, keys: 500, pressKey: 3448, touch: 1500, setContext: 80,
      addRule: 100, clearRules: 30, check: 150, compare: 80, checkPattern: 40, decrypt: 250, unseal: 60, receive: 60,
      generateKey: 3, signText: 3, verifyText: 4, setupCipher: 80, cryptECB: 100, wipeCipher: 20, decryptBatch: 25,
      message: 20, failRandomness: 2,
    }).flatMap(([name, weight]) => Array(weight).fill(name));
  }

  #key(isOpened) {
    const { dice } = this;
    // Mostly a shared key: public keys cost a check, and then each text a multiplication on a curve.
    const shared = this.keys.filter(([way]) => way <= Way.SM4_GCM);
    const [way, open, secret] = dice.chance(60) ? dice.among(this.keys) : dice.among(shared);
    const key = isOpened ? secret : open;
    const isOdd = dice.chance(50);
    return { a: dice.chance(50) ? dice.below(9) : way, one: isOdd ? dice.bytes(dice.among([8, 16, 24, 32])) : key };
  }

  #blob(texts) {
    const { dice } = this;
    return dice.chance(12) ? dice.bytes(dice.below(20)) : Buffer.from(dice.among(texts));
  }

  next() {
    const { dice } = this, name = dice.among(this.weights), slot = dice.below(SLOTS), other = dice.below(SLOTS);
    const context = dice.chance(2) ? none : dice.bytes(dice.among([1, 16, 256, 257]));
    // Half of the texts are the slot's last one, and half of those as they were.
    const text = dice.chance(2) ? { flags: LAST_TEXT, b: dice.chance(2) ? 0 : dice.below(1 << 16) }
      : { three: dice.bytes(dice.among([0, 1, 8, 16, 144, 172, 192])) };
    const ecb = () => {
      const key = this.#key(true);
      return { ...text, ...(key.a > Way.SM4 && !dice.chance(9) ? { ...key, a: Way.SM4, one: this.keys[2][1] } : key) };
    };
    const fields = {
      setEncKey: () => this.#key(false),
      input: () => ({ one: this.#blob(passwords) }),
      getText: () => ({ a: dice.among([16, 100, 200, 600, 1024, 1024, 1024]) }),
      setLayout: () => ({ a: dice.below(6), b: dice.below(4), other: dice.among([0, 0, 4, 6, 12, 200]) }),
      setSize: () => ({
        x: dice.among([320, 390.5, 320, 100, dice.chance(9) ? NaN : 64]), y: dice.among([216, 150, 90, 2]),
        z: dice.below(9), w: dice.below(9),
      }),
      keys: () => ({ a: dice.among([MAXKEYS, MAXKEYS, MAXKEYS, 0, 11, 20]) }),
      pressKey: () => ({ a: dice.chance(40) ? dice.word() | 0 : dice.below(36) }),
      touch: () => ({ x: dice.below(33000) / 100 - 2, y: dice.chance(80) ? Infinity : dice.below(220) }),
      setContext: () => ({ one: context }),
      addRule: () => ({
        a: dice.below(15), b: dice.among([0, 2, 3, 4, 6, 129]), one: this.#blob([...patterns, ...texts, '']),
      }),
      compare: () => ({ other }),
      checkPattern: () => ({ one: this.#blob(patterns) }),
      decrypt: () => ({ ...ecb(), other: dice.among([0, 4, 40, 255]) }),
      unseal: () => ({ ...text, ...this.#key(true), two: context, other: dice.among([0, 40, 255]) }),
      receive: () => {
        const key = dice.chance(8) ? { ...text, ...this.#key(true) } : ecb();
        return { ...key, two: dice.chance(4) ? context : none, other };
      },
      generateKey: () => ({ a: dice.below(9) }),
      signText: () => ({ ...this.#signing(2), other: other % 2 }),
      verifyText: () => ({ ...this.#signing(1), other: other % 2 }),
      setupCipher: () => ({ ...ecb(), b: dice.below(2) }),
      cryptECB: () => ({ one: dice.bytes(dice.among([0, 8, 16, 64, 80, 512, 600, 17])) }),
      decryptBatch: () => ({
        a: dice.below(4), b: dice.below(22), one: this.#key(true).one, two: dice.bytes(dice.among([16, 144, 160])),
      }),
      message: () => ({ a: dice.below(17) - 1, b: dice.below(2) }),
      failRandomness: () => ({ a: dice.below(3) }),
    }[name];
    return operation(name, slot, fields?.() ?? {});
  }

  /** RSA's private operations are left to the vectors: one takes as long as ten thousand of these. */
  #signing(place) {
    const { dice } = this, key = dice.among(this.keys.filter(([way]) => way === Way.P256 || way === Way.SM2));
    // Few texts, so that a signature is often asked about the text that it belongs to.
    const two = dice.chance(9) ? dice.bytes(257) : Buffer.from('context');
    const three = dice.chance(9) ? dice.bytes(200) : Buffer.from('text');
    return { a: key[0] - Way.P256, one: dice.chance(5) ? dice.bytes(32) : key[place], two, three };
  }
}

// MARK: - On a module

/** What native.c keeps, for a module. */
export class Performer {
  constructor(module, randomness) {
    this.module = module;
    this.randomness = randomness;
    this.keyboards = Array(SLOTS).fill(0n);
    this.texts = Array(SLOTS).fill(none);
    this.ciphers = Array.from({ length: SLOTS }, () => module.exports.keyboard_allocate(512));
    this.answer = Buffer.alloc(8192);
    module.changed = (keyboard, count) => { this.#tell(0x43, keyboard); this.#putNumber(count); };
    module.complete = (keyboard) => this.#tell(0x4b, keyboard);
  }

  #put(bytes) { this.answered += bytes.copy(this.answer, this.answered); }
  #putNumber(number) { this.answered = this.answer.writeUInt32LE(number >>> 0, this.answered); }
  #tell(letter, keyboard) {
    this.answer[this.answered++] = letter;
    this.answered = this.answer.writeBigUInt64LE(keyboard, this.answered);
  }

  /** Performs an operation; its answer is the first `answered` bytes of `answer`, after the code. */
  perform(op) {
    const text = op.flags & LAST_TEXT ? this.#spoiled(op) : op.three;
    this.answered = 1;
    this.answer[0] = this.module.lending([op.one, op.two, text], (one, two, three) =>
      this.#run(op, one, two, three, text.length));
    return this.answer.subarray(0, this.answered);
  }

  #spoiled(op) {
    const text = Buffer.from(this.texts[op.slot]);
    if (text.length > 0) text[(op.b >>> 8) % text.length] ^= op.b & 255;
    return text;
  }

  #putSpace(rv, place, size) {
    const { module } = this;
    if (rv === RV.OK || rv === RV.SPACE) this.#putNumber(module.number(module.answers + 4));
    if (rv !== RV.OK) return rv;
    this.#putNumber(module.number(module.answers));
    this.#put(module.memory.subarray(place, place + size));
    return rv;
  }

  #run(op, one, two, three, textLength) {
    const { module } = this, keyboard = this.keyboards[op.slot], { answers } = module;
    const call = (name, ...values) => module.call(name, ...values);
    const answering = (name, ...values) => {
      module.memory.writeUInt32LE(0, answers);
      const rv = call(name, ...values, answers);
      this.#putNumber(module.number(answers));
      return rv;
    };
    const spaced = (size, name, ...values) => module.with(size, (space) =>
      this.#putSpace(call(name, ...values, space, size, answers, answers + 4), space, size));
    const [first, second, third] = [[one, op.one.length], [two, op.two.length], [three, textLength]];
    switch (nameOf(op.code)) {
      case 'create': return this.#create(op);
      case 'destroy': case 'open': case 'close': case 'deleteBackward': case 'clear': case 'clearRules':
        return call(nameOf(op.code), keyboard);
      case 'setEncKey': return call('setEncKey', keyboard, ...first, op.a);
      case 'input': return call('input', keyboard, ...first);
      case 'count': return answering('count', keyboard);
      case 'getText': return this.#getText(op, keyboard);
      case 'setLayout': return call('setLayout', keyboard, op.a, op.b, op.other);
      case 'setSize': return call('setSize', keyboard, op.x, op.y, op.z, op.w);
      case 'keys': return this.#keys(op, keyboard);
      case 'pressKey': return call('pressKey', keyboard, op.a);
      case 'touch': return call('touch', keyboard, op.x, op.y);
      case 'setContext': return call('setContext', keyboard, ...first);
      case 'addRule': return call('addRule', keyboard, op.a, op.b, ...first);
      case 'check': return answering('check', keyboard);
      case 'compare': return call('compare', keyboard, this.keyboards[op.other]);
      case 'checkPattern': return answering('checkPattern', ...first);
      case 'decrypt': return spaced(op.other * 4, 'decrypt', op.a, ...first, ...third);
      case 'unseal': return spaced(op.other * 4, 'unseal', op.a, ...first, ...second, ...third);
      case 'receive': return call('receive', this.keyboards[op.other], op.a, ...first, ...second, ...third);
      case 'generateKey': return this.#generateKey(op);
      case 'signText': return this.#signText(op, first, second, third);
      case 'verifyText':
        return module.lending([this.texts[op.other]], (signature) =>
          call('verifyText', op.a, ...first, ...second, ...third, signature, this.texts[op.other].length));
      case 'setupCipher': return call('setupCipher', this.ciphers[op.slot], op.a, ...first, op.b);
      case 'cryptECB': return module.with(1024, (space) => {
        const rv = call('cryptECB', this.ciphers[op.slot], one, space, op.one.length);
        if (rv === RV.OK) this.#put(module.memory.subarray(space, space + op.one.length));
        return rv;
      });
      case 'wipeCipher': return call('wipeCipher', this.ciphers[op.slot]);
      case 'decryptBatch': return this.#batch(op, first, two);
      case 'message':
        this.#put(Buffer.from(module.text(call(op.b ? 'ruleMessage' : 'message', op.a))));
        return RV.OK;
      case 'failRandomness':
        this.randomness.failuresToCome = op.a;
        return RV.OK;
      default: throw new Error(`no operation ${op.code}`);
    }
  }

  #create(op) {
    const { module } = this;
    module.call('destroy', this.keyboards[op.slot]);
    const rv = module.call('create', module.answers);
    if (rv !== RV.OK) return rv;
    this.#put(module.memory.subarray(module.answers, module.answers + 8));
    this.keyboards[op.slot] = module.memory.readBigUInt64LE(module.answers);
    return module.exports.keyboard_listen(this.keyboards[op.slot]);
  }

  #getText(op, keyboard) {
    const { module } = this;
    return module.with(op.a, (space) => {
      const rv = module.call('getText', keyboard, space, op.a, module.answers, module.answers + 4);
      if (rv === RV.OK) {
        const start = space + module.number(module.answers), length = module.number(module.answers + 4);
        this.texts[op.slot] = Buffer.from(module.memory.subarray(start, start + length));
      }
      return this.#putSpace(rv, space, op.a);
    });
  }

  #keys(op, keyboard) {
    const { module } = this, capacity = op.a >>> 0 < MAXKEYS ? op.a : MAXKEYS;
    return module.with(MAXKEYS * KEY_SIZE, (place) => {
      module.memory.writeUInt32LE(0, module.answers);
      const rv = module.call('keys', keyboard, place, capacity, module.answers);
      const count = module.number(module.answers);
      this.#putNumber(count);
      if (rv === RV.OK) this.#put(module.memory.subarray(place, place + count * KEY_SIZE));
      return rv;
    });
  }

  #generateKey(op) {
    const { module } = this, { answers } = module;
    return module.with(128, (place) => {
      module.memory.fill(0, answers, answers + 8);
      const rv = module.call('generateKey', op.a, place, 32, answers, place + 32, 65, answers + 4);
      const [secret, open] = [module.number(answers), module.number(answers + 4)];
      this.#putNumber(secret);
      this.#putNumber(open);
      if (rv === RV.OK) {
        this.#put(module.memory.subarray(place, place + secret));
        this.#put(module.memory.subarray(place + 32, place + 32 + open));
      }
      return rv;
    });
  }

  #signText(op, key, context, text) {
    const { module } = this, { answers } = module;
    return module.with(1024, (place) => {
      module.memory.writeUInt32LE(0, answers);
      const rv = module.call('signText', op.a, ...key, ...context, ...text, place, 1024, answers);
      const length = module.number(answers);
      this.#putNumber(length);
      if (rv !== RV.OK) return rv;
      this.texts[op.other] = Buffer.from(module.memory.subarray(place, place + length));
      this.#put(this.texts[op.other]);
      return rv;
    });
  }

  #batch(op, key, text) {
    const { module } = this, count = Math.min(op.b >>> 0, 20), room = 144;
    return module.lending([Buffer.alloc(20 * 32), Buffer.alloc(20 * room)], (jobs, clear) => {
      for (let i = 0; i < count; i++) {
        const length = Math.max(0, op.two.length - 16 * i);
        [...key, text, length, clear + i * room, room].forEach((word, j) =>
          module.memory.writeUInt32LE(word, jobs + 32 * i + 4 * j));
      }
      const rv = module.call('decryptBatch', op.a, jobs, count);
      for (let i = 0; i < count; i++) {
        this.#putNumber(module.number(jobs + 32 * i + 28));
        this.#putNumber(module.number(jobs + 32 * i + 24));
        this.#put(module.memory.subarray(clear + i * room, clear + (i + 1) * room));
      }
      return rv;
    });
  }
}
