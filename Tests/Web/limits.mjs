// What a module does when there is no memory, and no randomness: MEMORY and RANDOM, nothing is half done, and all of it
// works again afterwards.
//
//     node limits.mjs MODULE ALL          ALL makes keys: the module with all functions
//
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Module, Way, RV, system } from './module.mjs';
import { check, checkThat, end, hex, vectors } from './check.mjs';

const [file, all] = process.argv.slice(2);
const [[, , , rsaKey]] = vectors(readFileSync(new URL('../Vectors/rsa-keys.txt', import.meta.url), 'utf8'));

// MARK: - Memory

/** The largest block that can be had. */
function largest(module) {
  let size = 0;
  for (let step = 1 << 18; step >= 64; step >>= 1) {
    const place = module.exports.keyboard_allocate(size + step);
    if (place === 0) continue;
    module.exports.keyboard_release(place);
    size += step;
  }
  return size;
}

/** Takes all memory, in large blocks first; returns their places, the last ones the smallest. */
function takeAll(module) {
  const places = [];
  for (let size = 1 << 18; size >= 48; size >>= 1) {
    for (let place; (place = module.exports.keyboard_allocate(size - 16)) !== 0;) places.push(place);
  }
  return places;
}
const release = (module, places) => { for (const place of places) module.exports.keyboard_release(place); };

{
  // As many keyboards as there is memory for, and the next ones when some have gone.
  const module = await Module.load(file), keyboards = [];
  for (;;) {
    const rv = module.call('create', module.answers);
    if (rv !== RV.OK) {
      check('create without memory', rv, RV.MEMORY);
      break;
    }
    keyboards.push(module.memory.readBigUInt64LE(module.answers));
  }
  checkThat(`${keyboards.length} keyboards, at least 64`, keyboards.length >= 64);
  console.log(`${keyboards.length} keyboards in ${module.memory.length} bytes`);
  for (const keyboard of keyboards) check('destroy', module.call('destroy', keyboard), RV.OK);
  for (let i = 0; i < keyboards.length; i++) module.create();
  check('one more', module.call('create', module.answers), RV.MEMORY);
}
{
  // Blocks of all sizes, given back in another order: nothing is lost, and all of it is zero again.
  const module = await Module.load(file), before = largest(module), places = [];
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 50; i++) {
      const size = (i * 977 + round * 131) % 3000, place = module.exports.keyboard_allocate(size);
      checkThat('memory', place !== 0 && place % 64 === 0);
      checkThat('zero', module.memory.subarray(place, place + size).every((byte) => byte === 0));
      module.memory.fill(0xa5, place, place + size);
      places.push(place);
    }
    while (places.length > 10) release(module, places.splice((places.length * 7) % 11, 1));
  }
  release(module, places);
  check('the largest block', largest(module), before);
  module.exports.keyboard_release(0);
  for (const size of [1 << 18, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0]) {
    check(`allocate ${size}`, module.exports.keyboard_allocate(size), 0);
  }
}
{
  // Every call that takes memory, with a little more of it each time, until it has enough.
  const calls = {
    open: (module, keyboard) => module.call('open', keyboard),
    'getText, SM4': (module, keyboard, space) => text(module, keyboard, space),
    listen: (module, keyboard) => module.exports.keyboard_listen(keyboard),
    addRule: (module, keyboard) => module.call('addRule', keyboard, 4, 3, 0, 0),
    check: (module, keyboard) => module.call('check', keyboard, module.answers),
  };
  const text = (module, keyboard, space) =>
    module.call('getText', keyboard, space, 1024, module.answers, module.answers + 4);
  for (const way of [Way.SM4_GCM, Way.X25519, Way.P256, Way.SM2, Way.RSA]) calls[`getText, way ${way}`] = text;
  const maker = await Module.load(all), keys = {};
  for (const way of [Way.SM4_GCM, Way.X25519, Way.P256, Way.SM2]) [keys[way]] = maker.generateKey(way);
  keys[Way.RSA] = hex(rsaKey);
  keys[Way.SM4] = Buffer.alloc(16, 7);

  for (const [name, call] of Object.entries(calls)) {
    const way = Number(name.match(/way (\d)/)?.[1] ?? Way.SM4), module = await Module.load(file);
    const keyboard = module.create(), space = module.exports.keyboard_allocate(1024);
    check('setEncKey', module.setEncKey(keyboard, keys[way], way), RV.OK);
    if (name !== 'open') check('open', module.call('open', keyboard), RV.OK);
    if (name !== 'open') check('input', module.input(keyboard, Buffer.from('123456')), RV.OK);
    // A sealed text needs a context, if only an empty one.
    if (name.includes('way')) check('setContext', module.call('setContext', keyboard, 0, 0), RV.OK);
    if (name === 'check') check('addRule', module.call('addRule', keyboard, 4, 3, 0, 0), RV.OK);
    const places = takeAll(module), states = new Set();
    let rv;
    while ((rv = call(module, keyboard, space)) !== RV.OK) {
      states.add(rv);
      checkThat('there is memory to give back', places.length > 0);
      // One block, the smallest first: its neighbours are joined to it.
      release(module, [places.pop()]);
    }
    // What these need was taken before: the memory of one password by setEncKey, that of rules by addRule.
    const needsNone = ['open', 'getText, SM4', 'check'].includes(name);
    check(`${name} without memory`, [...states], needsNone ? [] : [RV.MEMORY]);
    release(module, places);
    check(`${name}, and the rest works`, module.call('count', keyboard, module.answers), RV.OK);
  }
}

// MARK: - Long numbers

{
  // Every rule looks at numbers of every length. An Int of 32 bits holds nine digits, not twelve.
  const module = await Module.load(file), keyboard = module.create();
  check('setEncKey', module.setEncKey(keyboard, Buffer.alloc(16, 3), Way.SM4), RV.OK);
  check('open', module.call('open', keyboard), RV.OK);
  let rules = 0;
  for (let kind = 0; kind < 32; kind++) {
    check('clearRules', module.call('clearRules', keyboard), RV.OK);
    // Some take a number; those with a text are refused here.
    if (![3, 0].some((number) => module.call('addRule', keyboard, kind, number, 0, 0) === RV.OK)) continue;
    rules++;
    for (const digit of ['0', '5', '9']) {
      check('clear', module.call('clear', keyboard), RV.OK);
      for (let length = 1; length <= 128; length++) {
        check('input', module.input(keyboard, Buffer.from(digit)), RV.OK);
        const rv = module.call('check', keyboard, module.answers);
        checkThat(`rule ${kind}, ${length} × ${digit}: ${rv}`, rv === RV.OK || rv === RV.REFUSED);
      }
    }
  }
  checkThat(`rules: ${rules}`, rules >= 8);
}

// MARK: - Randomness

{
  // The system gives nothing from the n-th time on.
  for (const name of ['open', 'setEncKey', 'getText', 'sealed']) {
    const module = await Module.load(file), keyboard = module.create(), key = Buffer.alloc(16, 3);
    const way = name === 'sealed' ? Way.SM4_GCM : Way.SM4, none = { fill: () => 0 };
    if (name !== 'setEncKey' && name !== 'open') check('setEncKey', module.setEncKey(keyboard, key, way), RV.OK);
    const run = {
      open: () => module.call('open', keyboard),
      setEncKey: () => module.setEncKey(keyboard, key, way),
      getText: () => module.getText(keyboard),
      sealed: () => module.getText(keyboard),
    }[name];
    if (name === 'getText' || name === 'sealed') {
      check('open', module.call('open', keyboard), RV.OK);
      check('input', module.input(keyboard, Buffer.from('123456')), RV.OK);
      if (name === 'sealed') check('setContext', module.call('setContext', keyboard, 0, 0), RV.OK);
      // A generator takes a new seed after a megabyte.
      if (name === 'getText') for (let i = 0; i < 1030; i++) module.getText(keyboard);
    }
    module.randomness = none;
    let rv = run();
    for (let i = 0; i < 3000 && rv !== RV.RANDOM; i++) rv = run();
    check(`${name} without randomness`, rv, RV.RANDOM);
    for (let i = 0; i < 3; i++) check('again', run(), RV.RANDOM);
    module.randomness = system;
    const again = run();
    checkThat(`${name} with randomness again`, again === RV.OK || Buffer.isBuffer(again));
  }
  // No randomness at the start: the guard of the stack stays as it is, and nothing traps.
  const none = { fill: () => 0 }, module = await Module.load(file, none, none), keyboard = module.create();
  check('open', module.call('open', keyboard), RV.RANDOM);
}
end('limits');
