// Searches of a module's memory: find.c, and the rest of a needle that is longer than eight bytes.
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

export class Search {
  #find; #memory;

  /** @param file find.c, compiled. */
  constructor(file, module) {
    const compiled = new WebAssembly.Module(readFileSync(file));
    this.#find = new WebAssembly.Instance(compiled, { env: { memory: module.exports.memory } }).exports.find;
    this.#memory = module.memory;
  }

  /** Where `needle`, of two bytes or more, is first from `from` on, all of it before `end`; -1 if it is nowhere. */
  indexOf(needle, from = 0, end = this.#memory.length) {
    const known = Math.min(8, needle.length), mask = BigInt.asUintN(known * 8, -1n);
    const wanted = Buffer.concat([needle.subarray(0, known), Buffer.alloc(8 - known)]).readBigUInt64LE();
    for (let place = from; ; place++) {
      place = this.#find(place, end, wanted, mask);
      if (place === 0) break;
      if (this.#memory.compare(needle, 0, needle.length, place, place + needle.length) === 0) return place;
    }
    // The last seven bytes, at which eight cannot be read.
    const last = this.#memory.subarray(end - 7 - needle.length, end).indexOf(needle);
    return last < 0 ? -1 : end - 7 - needle.length + last;
  }
}
