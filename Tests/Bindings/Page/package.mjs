// The npm package in Node: importing it without a document does nothing; every file has the hash that integrity.json
// says; the module seals a password, which the native library then opens (npm.sh).
//
//     node package.mjs PUBLIC_KEY CONTEXT PASSWORD          in a folder with node_modules; prints the sealed text
//
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { createHash, webcrypto } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const [publicKey, context, password] = process.argv.slice(2);
const require = createRequire(`${process.cwd()}/page.mjs`);
const folder = dirname(require.resolve('customkeyboard/package.json'));

// In the folder's own name: package.mjs is elsewhere, and `import` looks beside the file that it is in.
const before = Object.getOwnPropertyNames(globalThis).join();
for (const name of ['customkeyboard', 'customkeyboard/react']) {
  assert.deepEqual(Object.keys(await import(require.resolve(name))), []);
}
assert.equal(Object.getOwnPropertyNames(globalThis).join(), before);
const { sentence } = await import(require.resolve('customkeyboard/messages'));
assert.match(sentence('rules', 'COMMON', ['de-CH']), /[a-z]{4}/);
assert.notEqual(sentence('rules', 'COMMON', ['de']), sentence('rules', 'COMMON', ['en']));

const manifest = require('customkeyboard/package.json');
assert.equal(manifest.scripts, undefined, 'the package runs scripts');
assert.equal(manifest.dependencies, undefined, 'the package needs others');
const integrity = require('customkeyboard/integrity.json');
const loaded = readdirSync(folder).filter((name) => /\.(js|html|wasm)$/.test(name)).sort();
assert.deepEqual(Object.keys(integrity).sort(), loaded);
const hash = (bytes) => `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
for (const name of loaded) assert.equal(hash(readFileSync(`${folder}/${name}`)), integrity[name], name);
assert.equal(loaded.length, 5);

// As custom-keyboard.js does it, but that the characters come from here.
const module = new WebAssembly.Module(readFileSync(require.resolve('customkeyboard/custom-keyboard.wasm')));
const pages = new WebAssembly.Memory({ initial: 4, maximum: 4 }), memory = pages.buffer;
const random = (address, size) => { webcrypto.getRandomValues(new Uint8Array(memory, address, size)); return 1; };
const { exports } = new WebAssembly.Instance(module, { keyboard: { memory: pages, random, changed() {}, complete() {} } });
exports._initialize();
const call = (name, ...values) => assert.equal(exports[`CustomKeyboard_${name}`](...values), 0, name);
const lent = (bytes) => {
  const address = exports.keyboard_allocate(bytes.length || 1);
  new Uint8Array(memory, address, bytes.length).set(bytes);
  return [address, bytes.length];
};
const [answers] = lent(new Uint8Array(8));
call('create', answers);
const keyboard = new DataView(memory).getBigUint64(answers, true);
call('setEncKey', keyboard, ...lent(Buffer.from(publicKey, 'hex')), 4);
call('setContext', keyboard, ...lent(Buffer.from(context)));
call('open', keyboard);
call('input', keyboard, ...lent(Buffer.from(password)));
const [space, size] = lent(new Uint8Array(2048));
call('getText', keyboard, space, size, answers, answers + 4);
const [offset, length] = new Uint32Array(memory, answers, 2);
console.log(Buffer.from(memory, space + offset, length).toString('hex'));
call('destroy', keyboard);
