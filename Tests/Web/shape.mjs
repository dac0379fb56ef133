// What a page gets: the module's size, its imports and exports, its memory.
//
//     node shape.mjs MODULE ALL          ALL is the module with all functions
//
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Module, PAGES, system } from './module.mjs';
import { check, checkThat, end } from './check.mjs';

const [file, all] = process.argv.slice(2);
const header = readFileSync(new URL('../../Include/custom_keyboard.h', import.meta.url), 'utf8');
const functions = [...new Set(header.match(/CustomKeyboard_[a-zA-Z]+(?=\()/g))];
const own = ['_initialize', 'keyboard_allocate', 'keyboard_listen', 'keyboard_release', 'memory'];
const omitted = [
  'setTextField', 'setOKAction', 'makeVerifier', 'checkVerifier', 'deriveKey', 'dukptInitialKey', 'dukptKey',
  'dukptLoad', 'dukptNext',
];
const servers = [
  'checkRule', 'sealTyped', 'decrypt', 'decryptBatch', 'unseal', 'unsealBatch', 'receive', 'generateKey', 'publicKey',
  'signText', 'verifyText', 'setupCipher', 'cryptECB', 'wipeCipher', 'opaqueSetup', 'opaqueRespond', 'opaqueAnswer',
  'opaqueCheck',
];
checkThat('functions in the header', functions.length > 30);

for (const [path, missing] of [[file, [...omitted, ...servers]], [all, omitted]]) {
  const compiled = new WebAssembly.Module(readFileSync(path));
  const imports = WebAssembly.Module.imports(compiled).map(({ module, name, kind }) => `${module}.${name} ${kind}`);
  check('imports', imports.sort(), ['changed function', 'complete function', 'memory memory', 'random function']
    .map((name) => `keyboard.${name}`));
  const wanted = functions.filter((name) => !missing.includes(name.slice('CustomKeyboard_'.length)));
  check('functions that are left out', functions.length - wanted.length, missing.length);
  check('exports', WebAssembly.Module.exports(compiled).map(({ name }) => name).sort(), [...wanted, ...own].sort());
  for (const name of ['producers', 'target_features', 'name', '.debug_info']) {
    check(`sections ${name}`, WebAssembly.Module.customSections(compiled, name).length, 0);
  }
}

const bytes = readFileSync(file), compressed = gzipSync(bytes, { level: 9 }).length;
checkThat(`${compressed} bytes after gzip, at most 110 KB`, compressed <= 110_000);
check('paths of the machine that built it', bytes.toString('latin1').match(/\/(home|tmp|root|usr|opt|Users)\//), null);

const module = await Module.load(file);
check('memory', module.memory.length, 262144);
let error = null;
try { await Module.load(file, system, system, PAGES - 1); } catch (thrown) { error = thrown.name; }
check('a smaller memory is refused', error, 'LinkError');
check('version', module.text(module.call('version')), header.match(/CUSTOM_KEYBOARD_VERSION "(.*)"/)[1]);
end('shape');
