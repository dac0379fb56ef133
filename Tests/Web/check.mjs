// Checks that count themselves. The first one that fails ends the test, with the inputs.
// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from 'node:util';

let count = 0;

export function check(what, got, wanted) {
  count++;
  if (isDeepStrictEqual(got, wanted)) return;
  const shown = (value) => (Buffer.isBuffer(value) ? value.toString('hex') : value);
  console.error(`${what}:\n  got    `, shown(got), '\n  wanted ', shown(wanted));
  process.exit(1);
}

export function checkThat(what, isTrue) { check(what, isTrue, true); }

/** Counts checks that were made without `check`, in a loop of millions. */
export function checked(more) { count += more; }

export function end(name) { console.log(`${name}: ${count} checks`); }

/** Numbers that follow from a seed: xorshift128, fast. */
export class Dice {
  #a; #b = 362436069; #c = 521288629; #d = 88675123;
  constructor(seed) {
    this.#a = seed >>> 0 || 1;
    for (let i = 0; i < 20; i++) this.word();
  }

  word() {
    const t = this.#a ^ this.#a << 11;
    [this.#a, this.#b, this.#c] = [this.#b, this.#c, this.#d];
    return (this.#d ^= this.#d >>> 19 ^ t ^ t >>> 8) >>> 0;
  }

  below(bound) { return this.word() % bound; }
  chance(of) { return this.below(of) === 0; }
  among(values) { return values[this.below(values.length)]; }
  bytes(size) {
    const bytes = Buffer.alloc(size);
    for (let i = 0; i < size; i++) bytes[i] = this.word();
    return bytes;
  }
}

/** The lines of a file of vectors, split at spaces. */
export function vectors(text) {
  return text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.split(' '));
}

export const hex = (text) => Buffer.from(text === '-' ? '' : text, 'hex');
