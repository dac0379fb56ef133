// How deep the calls of the module go in its stack, in a module that wipes nothing: the stack is painted before each
// call. A quarter of it must stay untouched.
//
//     node depth.mjs UNWIPED
//
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Module, Way, RV, STACK_SIZE, LARGE_PAGES, system } from './module.mjs';
import { Client, Server } from './parties.mjs';
import { check, checkThat, end, hex, vectors } from './check.mjs';

const [file] = process.argv.slice(2);
const PAINT = 0xa5, LIMIT = (STACK_SIZE * 3) / 4;
const module = await Module.load(file, system, system, LARGE_PAGES), depths = {};

/** Runs a call, and notes how deep it went. */
function measured(name, body) {
  const stack = module.memory.subarray(0, STACK_SIZE).fill(PAINT), result = body();
  let untouched = 0;
  while (stack[untouched] === PAINT) untouched++;
  depths[name] = Math.max(depths[name] ?? 0, STACK_SIZE - untouched);
  return result;
}

// The control: what is written deep down is seen.
measured('a planted byte', () => module.memory.fill(0, 1000, 1001));
check('the depth of a planted byte', depths['a planted byte'], STACK_SIZE - 1000);
delete depths['a planted byte'];

const lines = vectors(readFileSync(new URL('../Vectors/rsa-keys.txt', import.meta.url), 'utf8'));
const rsa = [lines[0], lines.find(([bits]) => bits === '4096')].map(([bits, , secret, open]) =>
  [Way.RSA, `RSA ${bits}`, hex(open), hex(secret)]);
const pairs = ['SM4_GCM', 'X25519', 'P256', 'SM2', 'XWING'].map((name) =>
  [Way[name], name, ...measured(`generateKey ${name}`, () => module.generateKey(Way[name]))]);
const shared = [['DES', Way.DES, 8], ['3DES', Way.TRIPLE_DES, 24], ['SM4', Way.SM4, 16]].map(([name, way, size]) => {
  const key = Buffer.alloc(size, 7);
  return [way, name, key, key];
});

const password = Buffer.alloc(128, 'x'), context = Buffer.alloc(256, 1), none = Buffer.alloc(0);
for (const [way, name, open, secret] of [...shared, ...pairs, ...rsa]) {
  const keyboard = module.create(), isSealed = way > Way.SM4, more = isSealed ? context : none;
  check('setEncKey', measured(`setEncKey ${name}`, () => module.setEncKey(keyboard, open, way)), RV.OK);
  if (isSealed) module.setContext(keyboard, context);
  check('open', measured('open', () => module.call('open', keyboard)), RV.OK);
  check('input', measured('input', () => module.input(keyboard, password)), RV.OK);
  measured('keys', () => module.keys(keyboard));
  const text = measured(`getText ${name}`, () => module.getText(keyboard));
  const opening = isSealed ? 'unseal' : 'decrypt';
  const opened = measured(`${opening} ${name}`, () => module.opened(opening, way, secret, more, text));
  check('the password', opened, password);
  check('close', module.call('close', keyboard), RV.OK);
  const received = module.lending([secret, more, text], (k, c, t) => measured(`receive ${name}`, () =>
    module.call('receive', keyboard, way, k, secret.length, c, more.length, t, text.length)));
  // Not destroyed: this module would not wipe its slot, and the next keyboard would not be new.
  check('receive', received, RV.OK);
}
for (const [sign, [, name, open, secret]] of [pairs[2], pairs[3], rsa[1]].entries()) {
  module.lending([secret, context, password, Buffer.alloc(512), open], (k, c, t, signature, p) => {
    const signed = measured(`signText ${name}`, () =>
      module.call('signText', sign, k, secret.length, c, 256, t, 128, signature, 512, module.answers));
    check(`signText ${name}`, signed, RV.OK);
    const verified = measured(`verifyText ${name}`, () =>
      module.call('verifyText', sign, p, open.length, c, 256, t, 128, signature, module.number(module.answers)));
    check(`verifyText ${name}`, verified, RV.OK);
  });
}
{
  const spied = Object.create(module, {
    call: { value: (name, ...values) => measured(name, () => module.call(name, ...values)) },
  });
  const server = new Server(spied), client = new Client(spied, password);
  const [record] = client.record(server.respond(client.begin('opaqueRegister', 32)));
  const [ke2, state] = server.answer(record, client.begin('opaqueLogin', 96)), made = client.finish(ke2);
  // A module that wipes nothing finds no zeros for Argon2id's salt: the second step of a login has another password.
  check('opaqueFinish', made, RV.MISMATCH);
  check('opaqueCheck', server.check(state, Buffer.alloc(64)), RV.MISMATCH);
}
const keyboard = module.create(), pattern = Buffer.from('(?=(a+)+$)(\\w\\1|x{2,3}?)*y');
const added = module.lending([pattern], (place) =>
  measured('addRule', () => module.call('addRule', keyboard, 12, 0, place, pattern.length)));
check('addRule', added, RV.OK);
module.call('open', keyboard);
module.input(keyboard, password);
measured('check', () => module.call('check', keyboard, module.answers));

const [deepest] = Object.entries(depths).sort(([, a], [, b]) => b - a);
for (const [name, depth] of Object.entries(depths)) {
  checkThat(`${name} goes ${depth} deep, at most ${LIMIT}`, depth <= LIMIT);
}
console.log(`deepest: ${deepest[0]}, ${deepest[1]} bytes of ${STACK_SIZE}`, JSON.stringify(depths));
end('depth');
