// Every export with arguments that are wrong in every way: lengths past the end of memory, NULL, unknown codes, dead
// handles, numbers that are NaN. No call traps, each answers a code of the contract, and one that fails leaves the
// space as it was. Pointers themselves are right, as in C: memory that is not the caller's is the caller's business.
//
//     node hostile.mjs MODULE CALLS SEED
//
// SPDX-License-Identifier: Apache-2.0
import { Module, Foretold, RV, Way } from './module.mjs';
import { Dice, check, checkThat, checked, end, hex } from './check.mjs';

const [file, calls, seed] = process.argv.slice(2);
const dice = new Dice(Number(seed)), randomness = new Foretold(seed);
console.log(`seed ${seed}`);

/** What each function takes: a handle, a buffer to read (two values), a space (two), a place for an answer, a way, a
 * number, a double, OPAQUE's terms, a place for a key. */
const functions = {
  create: 'a', destroy: 'h', setEncKey: 'hbw', open: 'h', close: 'h', input: 'hb', deleteBackward: 'h', clear: 'h',
  count: 'ha', getText: 'hsaa', setLayout: 'hnnn', setSize: 'hdddd', keys: 'hka', pressKey: 'hn', touch: 'hdd',
  setContext: 'hb', sealTyped: 'hwbbsaa', addRule: 'hnnb', clearRules: 'h', checkPattern: 'ba', check: 'ha', compare: 'hh',
  checkRule: 'hnnb',
  decrypt: 'wbbsaa', decryptBatch: 'wj', unseal: 'wbbbsaa', unsealBatch: 'wbj', receive: 'hwbbb',
  generateKey: 'wsasa', publicKey: 'wbsa',
  signText: 'wbbbsa', verifyText: 'wbbbb', setupCipher: 'cwbn', cryptECB: 'cxx', wipeCipher: 'c',
  opaqueSetup: 'sasa', opaqueRespond: 'bbbsa', opaqueAnswer: 'bbbtbsasa', opaqueCheck: 'bbsa',
  opaqueRegister: 'hsa', opaqueRecord: 'hbtsap', opaqueLogin: 'hsa', opaqueFinish: 'hbtsapp',
  message: 'n', cause: '', ruleMessage: 'n', version: '',
};

const module = await Module.load(file, randomness);
const { exports } = module, end0 = module.memory.length;
const names = Object.keys(functions).filter((name) => exports[`CustomKeyboard_${name}`]);
check('functions of the module that are called here', names.length,
  Object.keys(exports).filter((name) => name.startsWith('CustomKeyboard_')).length);

const input = exports.keyboard_allocate(1024), space = exports.keyboard_allocate(1024);
const answers = exports.keyboard_allocate(64), cipher = exports.keyboard_allocate(512);
const terms = exports.keyboard_allocate(40), keysOfOPAQUE = exports.keyboard_allocate(128);
const page = exports.keyboard_allocate(72 * 37), jobs = exports.keyboard_allocate(32 * 70);
const handles = [0n, -1n, 1n, 0x100000000n];

const huge = [end0, end0 * 16, 0x7fffffff, -0x80000000, -1, -1024, 0x10000000, end0 - 8, 1 << 30];
const long = () => (dice.chance(3) ? dice.word() | 0 : dice.among(huge));

const kinds = {
  h: () => [dice.chance(9) ? BigInt.asIntN(64, BigInt(dice.word()) << 32n | BigInt(dice.word())) : dice.among(handles)],
  a: () => [dice.chance(12) ? 0 : dice.chance(12) ? space + dice.below(64) : answers + 8 * dice.below(4)],
  w: () => [dice.chance(6) ? dice.word() | 0 : dice.below(9)],
  n: () => [dice.chance(3) ? long() : dice.below(40)],
  d: () => [dice.among([NaN, Infinity, -Infinity, -1, 0, -0, 1e308, 5e-324, 320, 216, 100.5, dice.below(400)])],
  b: () => {
    if (dice.chance(8)) return [0, dice.chance(2) ? 0 : long()];
    if (dice.chance(6)) return [input, long()];
    // Near the end of memory, and past it.
    if (dice.chance(12)) return [end0 - dice.below(32) - 1, dice.below(64)];
    return [input + dice.below(16),
      dice.among([0, 1, 8, 16, 24, 32, 64, 65, 96, 144, 172, 192, 225, 256, 257, 320, 1000])];
  },
  s: () => {
    if (dice.chance(8)) return [0, dice.chance(2) ? 0 : long()];
    // Past the end of memory: a space that fits into it would be filled, whatever is there.
    if (dice.chance(8)) return [space, dice.among([end0, 0x7fffffff, -1, -0x80000000, 1 << 30])];
    return [space, dice.among([0, 8, 16, 32, 65, 144, 172, 600, 1024])];
  },
  k: () => (dice.chance(5) ? [0, dice.among([0, 5])]
    : [page, dice.chance(5) ? dice.among([-1, 0x7fffffff, 1 << 27]) : dice.below(38)]),
  c: () => [dice.chance(9) ? 0 : cipher],
  t: () => {
    const texts = Array.from({ length: 3 }, () => (dice.chance(9) ? kinds.b() : [0, 0])).flat();
    const costs = dice.chance(3) ? [long(), long(), dice.below(20)] : dice.chance(3) ? [0, 0, 0] : [8, 1, 1];
    [dice.chance(9) ? long() : 40, ...texts, ...costs]
      .forEach((word, n) => module.memory.writeInt32LE(word | 0, terms + 4 * n));
    return [dice.chance(4) ? 0 : terms];
  },
  p: () => [dice.chance(3) ? 0 : dice.chance(9) ? space + dice.below(900) : keysOfOPAQUE + 64 * dice.below(2)],
  // Of cryptECB: input, output, length.
  x: (values) => {
    if (values.length === 1) return [dice.chance(9) ? 0 : input];
    const output = dice.chance(4) ? input + dice.below(3) * 8 : space;
    return [dice.chance(9) ? 0 : output, dice.chance(3) ? dice.among(huge) : dice.below(40) * 8];
  },
  j: () => {
    const count = dice.below(70);
    for (let i = 0; i < count; i++) {
      const fields = [input, dice.chance(9) ? long() : dice.among([8, 16, 24]), input + 32,
        dice.chance(9) ? long() : 8 * dice.below(19), dice.chance(9) ? 0 : space, dice.chance(9) ? long() : 144];
      fields.forEach((word, n) => module.memory.writeInt32LE(word | 0, jobs + 32 * i + 4 * n));
    }
    return dice.chance(6) ? [dice.chance(2) ? 0 : jobs, dice.among([-1, 0x7fffffff, 1 << 27])] : [jobs, count];
  },
};

const codes = {}, answered = {};
const before = Buffer.alloc(1024);
for (let i = 0; i < Number(calls); i++) {
  const name = dice.among(names), values = [];
  if (dice.chance(20)) module.memory.set(dice.bytes(512), input + dice.below(512));
  if (dice.chance(50)) randomness.failuresToCome = dice.below(3);
  for (const kind of functions[name]) values.push(...kinds[kind](values));
  module.memory.copy(before, 0, space, space + 1024);
  let rv;
  try {
    rv = exports[`CustomKeyboard_${name}`](...values);
  } catch (error) {
    check(`call ${i}, ${name}(${values.join(', ')})`, error.message, 'a code');
  }
  checked(1);
  if (['message', 'cause', 'ruleMessage', 'version'].includes(name)) {
    if (module.text(rv).length < 3) check(`call ${i}, ${name}(${values})`, module.text(rv), 'a text');
    continue;
  }
  if (!(rv >= 0 && rv <= 10)) check(`call ${i}, ${name}(${values.join(', ')})`, rv, 'a code');
  (codes[name] ??= new Set()).add(rv);
  answered[rv] = (answered[rv] ?? 0) + 1;
  // Answers may be placed in it, and decryptBatch answers each job by itself.
  const isUntouched = rv === RV.OK || rv === RV.SPACE || rv === RV.REFUSED || name === 'checkPattern'
    || before.equals(module.memory.subarray(space, space + 1024));
  if (!isUntouched) check(`call ${i}, ${name}(${values.join(', ')}) answers ${rv}`, 'a changed space', 'the old one');
  if (name === 'create' && rv === RV.OK) {
    const made = module.memory.readBigInt64LE(values[0]);
    handles.push(made);
    exports.keyboard_listen(made);
    // The oldest goes; its number stays in the list for some time.
    if (handles.length > 24) module.call('destroy', handles.splice(4, 1)[0]);
    else if (handles.length > 12) module.call('destroy', handles[4 + dice.below(4)]);
  }
  if (dice.chance(100)) exports.keyboard_release(exports.keyboard_allocate(long()));
}
for (const code of [RV.OK, RV.ERR, RV.OP_DISABLE, RV.MAXLEN, RV.SPACE, RV.ARGUMENT]) {
  checkThat(`code ${code} was answered`, answered[code] > 0);
}
for (const name of names.filter((name) => functions[name] !== '' && !name.endsWith('essage'))) {
  checkThat(`${name} has answered OK or ARGUMENT`, codes[name].has(RV.OK) || codes[name].has(RV.ARGUMENT));
}

// All of it still works.
randomness.failuresToCome = 0;
for (const handle of handles) module.call('destroy', handle);
const keyboard = module.create();
check('setEncKey', module.setEncKey(keyboard, Buffer.from('8907654329807654'), Way.SM4), RV.OK);
check('open', module.call('open', keyboard), RV.OK);
check('input', module.input(keyboard, Buffer.from('kgcx879@')), RV.OK);
check('getText', module.getText(keyboard), hex('0f413569eb66b50be0c1db9c518fb909'));
console.log('answers', JSON.stringify(answered));
end('hostile');
