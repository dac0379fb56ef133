// How fast the module is: what Docs/Web.md reports. Not a test.
//
//     node speed.mjs MODULE          with all functions
//
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Module, Way, RV } from './module.mjs';
import { check, hex, vectors } from './check.mjs';

const [file] = process.argv.slice(2);
const module = await Module.load(file), { exports } = module;

/** The shortest time of `rounds`, in microseconds a call. */
function best(calls, body, rounds = 15) {
  let shortest = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) body();
    shortest = Math.min(shortest, (1000 * (performance.now() - start)) / calls);
  }
  return shortest;
}
const show = (name, time) => console.log(`${name.padEnd(34)} ${time < 100 ? time.toFixed(1) : Math.round(time)} µs`);

{
  const size = 65536, text = exports.keyboard_allocate(size), cipher = exports.keyboard_allocate(512);
  for (const [name, way, length] of [['SM4', Way.SM4, 16], ['3DES', Way.TRIPLE_DES, 24], ['DES', Way.DES, 8]]) {
    const rv = module.lending([Buffer.alloc(length, 7)], (key) =>
      module.call('setupCipher', cipher, way, key, length, 0));
    check('setupCipher', rv, RV.OK);
    const time = best(8, () => module.call('cryptECB', cipher, text, text, size), 40);
    console.log(`${`${name}, 64 KB`.padEnd(34)} ${Math.round(size / time)} MB/s`);
  }
  exports.keyboard_release(text);
}

const lines = vectors(readFileSync(new URL('../Vectors/rsa-keys.txt', import.meta.url), 'utf8'));
const rsa = [lines[0], lines.find(([bits]) => bits === '4096')];
const space = exports.keyboard_allocate(1024), { answers } = module, keyboard = module.create();
const ways = [
  ['SM4', Way.SM4, Buffer.alloc(16, 7)], ['SM4_GCM', Way.SM4_GCM, Buffer.alloc(16, 7)],
  ...['X25519', 'P256', 'SM2'].map((name) => [name, Way[name], module.generateKey(Way[name])[0]]),
  ...rsa.map(([bits, , , open]) => [`RSA ${bits}`, Way.RSA, hex(open)]),
];
for (const [name, way, key] of ways) {
  show(`setEncKey ${name}`, best(20, () => module.setEncKey(keyboard, key, way)));
  check('setEncKey', module.setEncKey(keyboard, key, way), RV.OK);
  check('open', module.call('open', keyboard), RV.OK);
  check('input', module.input(keyboard, Buffer.from('123456')), RV.OK);
  if (way >= Way.SM4_GCM) check('setContext', module.call('setContext', keyboard, 0, 0), RV.OK);
  const getText = () => module.call('getText', keyboard, space, 1024, answers, answers + 4);
  show(`getText ${name}`, best(way <= Way.SM4_GCM ? 2000 : 20, getText));
  module.call('close', keyboard);
}
module.call('setLayout', keyboard, 0, 2, 0);
module.call('open', keyboard);
show('touch and delete, keys shuffled', best(500, () => {
  module.call('touch', keyboard, 100, 20);
  module.call('deleteBackward', keyboard);
}));
const page = exports.keyboard_allocate(37 * 72);
show('keys', best(500, () => module.call('keys', keyboard, page, 37, answers)));

const bytes = readFileSync(file);
let compiled;
show('compile', best(1, () => { compiled = new WebAssembly.Module(bytes); }, 20));
const imports = { keyboard: { random: () => 0, changed() {}, complete() {} } };
show('instantiate and initialize', best(1, () => {
  new WebAssembly.Instance(compiled, imports).exports._initialize();
}, 20));
