// The control of alike.mjs: operations on a module that wipes nothing. Its searches find each kind of secret. The order
// of the keys is nowhere in the clear even there, so it is planted.
//
//     node planted.mjs UNWIPED FIND SEED
//
// SPDX-License-Identifier: Apache-2.0
import { Module, Foretold, Way } from './module.mjs';
import { Code, Performer, operation } from './operations.mjs';
import { Dice, checkThat, end } from './check.mjs';
import { Needles } from './needles.mjs';
import { Search } from './search.mjs';

const [file, find, seed] = process.argv.slice(2);
console.log(`seed ${seed}`);
const dice = new Dice(Number(seed));

// A keyboard that is destroyed leaves its slot as it was here, so each life gets a module of its own.
const found = {}, kinds = ['key argument', 'input', 'key', 'password', 'order', 'generator key'];
let lives = 0;
for (; lives < 200 && kinds.some((kind) => !found[kind]); lives++) {
  const randomness = new Foretold(BigInt(seed) + BigInt(lives)), module = await Module.load(file, randomness);
  const needles = new Needles(module, new Search(find, module), [], false);
  const performer = new Performer(module, randomness);
  const key = dice.bytes(16);
  const life = [operation('create', 0), operation('setEncKey', 0, { a: Way.SM4, one: key }),
    operation('setLayout', 0, { a: 4, b: 1 }), operation('open', 0)];
  for (let i = 0; i < 12; i++) {
    life.push(operation('keys', 0, { a: 37 }), operation('pressKey', 0, { a: dice.below(12) }));
  }
  life.push(operation('input', 0, { one: Buffer.from('kgcx879@') }), operation('getText', 0, { a: 1024 }));
  life.push(operation('receive', 0, { a: Way.SM4, one: key, flags: 1, other: 1 }));
  life.push(operation('decrypt', 0, { a: Way.SM4, one: key, flags: 1, other: 255 }));
  const perform = (op) => needles.after(op, performer.perform(op));
  for (const op of life) {
    if (op.code === Code.getText) {
      perform(operation('keys', 0, { a: 37 }));
      module.memory.set(needles.order(0), 2000);
    }
    perform(op);
  }
  for (const [kind, times] of Object.entries(needles.found)) found[kind] = (found[kind] ?? 0) + times;
}
console.log(`${lives} lives`, JSON.stringify(found));
for (const kind of kinds) checkThat(`${kind} is found where nothing is wiped`, found[kind] > 0);
end('planted');
