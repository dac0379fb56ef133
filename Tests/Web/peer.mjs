// The native library in a child process (native.c), for tests that compare the module with it.
// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { check } from './check.mjs';
import { encoded } from './operations.mjs';

export class Peer {
  #child; #reader; #unread = Buffer.alloc(0);

  /** @param {string} seed What its random numbers follow from. */
  constructor(program, seed) {
    this.#child = spawn(program, [seed], { stdio: ['pipe', 'pipe', 'inherit'] });
    // It ends with the test, however that ends: at the latest when its standard input does.
    process.on('exit', () => this.#child.kill('SIGKILL'));
    this.#child.on('exit', (status) => { if (status !== 0) check('the native program', status, 0); });
    this.#reader = this.#child.stdout[Symbol.asyncIterator]();
  }

  send(operations) {
    const bytes = Buffer.concat(operations.map(encoded)), length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    this.#child.stdin.write(length);
    this.#child.stdin.write(bytes);
  }

  /** The answers to the oldest batch that has none yet. */
  async answers() {
    const all = await this.#read((await this.#read(4)).readUInt32LE(0)), answers = [];
    for (let place = 0; place < all.length; place += 2 + answers.at(-1).length) {
      answers.push(all.subarray(place + 2, place + 2 + all.readUInt16LE(place)));
    }
    return answers;
  }

  async perform(operations) {
    this.send(operations);
    return this.answers();
  }

  end() { this.#child.stdin.end(Buffer.alloc(4)); }

  async #read(size) {
    const parts = [this.#unread];
    for (let have = this.#unread.length; have < size;) {
      const { value } = await this.#reader.next();
      if (!value) check('bytes of the native program', have, size);
      parts.push(value);
      have += value.length;
    }
    const all = Buffer.concat(parts);
    this.#unread = all.subarray(size);
    return all.subarray(0, size);
  }
}
