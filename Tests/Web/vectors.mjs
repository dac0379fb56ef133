// Known answers on the module: the paper's rows, and the vectors of Tests/Vectors that the C functions can reach; a
// wrong bit must be noticed. And the module and the native library open what the other has sealed.
//
//     node vectors.mjs MODULE NATIVE
//
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Module, Foretold, Way, RV } from './module.mjs';
import { Performer, operation } from './operations.mjs';
import { check, checkThat, end, hex, vectors } from './check.mjs';
import { Peer } from './peer.mjs';

const [file, native] = process.argv.slice(2);
const module = await Module.load(file), peer = new Peer(native, '1');

/** A file's lines, which are so many. */
function lines(name, count) {
  const found = vectors(readFileSync(new URL(`../Vectors/${name}.txt`, import.meta.url), 'utf8'));
  check(`lines of ${name}`, found.length, count);
  return found;
}

// MARK: - Block ciphers

function crypt(way, key, isDecrypting, input) {
  return module.lending([Buffer.alloc(512), key, input], (cipher, k, text) => {
    const rv = module.call('setupCipher', cipher, way, k, key.length, isDecrypting ? 1 : 0)
      || module.call('cryptECB', cipher, text, text, input.length) || module.call('wipeCipher', cipher);
    return rv === RV.OK ? Buffer.from(module.memory.subarray(text, text + input.length)) : rv;
  });
}

const tables = [
  ['des-variable-plaintext', Way.DES, 64], ['des-initial-permutation', Way.DES, 64], ['des-variable-key', Way.DES, 56],
  ['des-permutation', Way.DES, 32], ['des-substitution', Way.DES, 19], ['des-multi-block', Way.DES, 10],
  ['tdes-two-keys', Way.TRIPLE_DES, 32], ['tdes-three-keys', Way.TRIPLE_DES, 32],
  ['tdes-multi-block', Way.TRIPLE_DES, 20], ['sm4', Way.SM4, 32],
];
for (const [name, way, count] of tables) {
  lines(name, count).forEach(([key, plain, secret], i) => {
    check(`${name} ${i}, encrypted`, crypt(way, hex(key), false, hex(plain)), hex(secret));
    check(`${name} ${i}, decrypted`, crypt(way, hex(key), true, hex(secret)), hex(plain));
    const wrong = hex(secret);
    wrong[wrong.length - 1] ^= 1;
    checkThat(`${name} ${i}, a wrong bit is noticed`, !crypt(way, hex(key), false, hex(plain)).equals(wrong));
  });
}

/** One block, encrypted again and again in place. */
function iterated(way, key, isDecrypting, block, times) {
  return module.lending([Buffer.alloc(512), key, block], (cipher, k, place) => {
    check('setupCipher', module.call('setupCipher', cipher, way, k, key.length, isDecrypting), RV.OK);
    for (let i = 0; i < times; i++) module.call('cryptECB', cipher, place, place, block.length);
    return Buffer.from(module.memory.subarray(place, place + block.length));
  });
}
lines('sm4-iterated', 2).forEach(([key, plain, secret, times], i) => {
  check(`sm4-iterated ${i}`, iterated(Way.SM4, hex(key), 0, hex(plain), Number(times)), hex(secret));
});
lines('tdes-monte-carlo', 72).forEach(([option, direction, , key, text, result], i) => {
  const k = option === '2' ? hex(key).subarray(0, 16) : hex(key);
  check(`tdes-monte-carlo ${i}`, iterated(Way.TRIPLE_DES, k, direction === 'E' ? 0 : 1, hex(text), 10000), hex(result));
});

// MARK: - The paper

const paper = [
  [Way.DES, '89076543', 'kgcx879@', 'ef145f1aed986f0be696b7d7d09dcd79'],
  [Way.TRIPLE_DES, '890765432980765423451673', 'kgcx879@', '5e6a10496ab1955b0d7e1d774a0c6818'],
  [Way.SM4, '8907654329807654', 'kgcx879@', '0f413569eb66b50be0c1db9c518fb909'],
  [Way.TRIPLE_DES, '890765432980765423451673', 'kgcx897@', '3e60e9a43c5e3c660d7e1d774a0c6818'],
];
const keyboard = module.create();
for (const [way, key, password, text] of paper) {
  check('setEncKey', module.setEncKey(keyboard, Buffer.from(key), way), RV.OK);
  check('open', module.call('open', keyboard), RV.OK);
  check('input', module.input(keyboard, Buffer.from(password)), RV.OK);
  check(`the paper, way ${way}`, module.getText(keyboard), hex(text));
  check('decrypt', module.opened('decrypt', way, Buffer.from(key), hex(''), hex(text)), Buffer.from(password));
  check('close', module.call('close', keyboard), RV.OK);
}

// MARK: - Sealed texts

const rsaKeys = lines('rsa-keys', 7).map(([, , secret, open]) => [hex(open), hex(secret)]);
lines('rsa-sealed', 14).forEach(([key, , context, password, text], i) => {
  check(`rsa-sealed ${i}`, module.opened('unseal', Way.RSA, rsaKeys[key][1], hex(context), hex(text)), hex(password));
  const wrong = hex(text);
  wrong[wrong.length - 1] ^= 1;
  if (i < 2) check('one bit', module.opened('unseal', Way.RSA, rsaKeys[key][1], hex(context), wrong), RV.UNDECRYPTABLE);
});

/** PKCS#7's padding taken off a block of 144 bytes; null if there is none. */
function unpadded(block) {
  const count = block.at(-1);
  const isPadded = block.length === 144 && count >= 16 && count <= 144
    && block.subarray(-count).every((byte) => byte === count);
  return isPadded ? block.subarray(0, 144 - count) : null;
}
lines('hpke', 24).forEach(([suite, info, , enc, secret, , , , , , block, , , text], i) => {
  const [way, length] = { x25519: [Way.X25519, 192], p256: [Way.P256, 225], xwing: [Way.XWING, 1280] }[suite];
  const password = unpadded(hex(block)) ?? RV.UNDECRYPTABLE;
  const whole = Buffer.concat([hex(enc), hex(text)]);
  if (whole.length !== length) return;
  check(`hpke ${i}`, module.opened('unseal', way, hex(secret), hex(info), whole), password);
});

const points = [
  ...lines('p256-points', 41).map((line) => [Way.P256, ...line]),
  ...lines('sm2-points', 41).map((line) => [Way.SM2, ...line]),
];
for (const [way, point, verdict] of points) {
  check(`point ${point}`, module.setEncKey(keyboard, hex(point), way), verdict === '1' ? RV.OK : RV.ERR);
}

// MARK: - Each opens what the other has sealed

const performer = new Performer(await Module.load(file, new Foretold(2)), new Foretold(2));
const context = Buffer.from('a challenge of the server'), password = Buffer.from('Grüße 密码');
const pairs = [Way.SM4_GCM, Way.X25519, Way.P256, Way.SM2, Way.XWING].map((way) => [way, ...module.generateKey(way)])
  .concat(rsaKeys.map((pair) => [Way.RSA, ...pair]));
for (const [way, open, secret] of pairs) {
  const sealing = [
    operation('create', 0), operation('setEncKey', 0, { a: way, one: open }),
    operation('setContext', 0, { one: context }), operation('open', 0), operation('input', 0, { one: password }),
    operation('getText', 0, { a: 2048 }),
  ];
  const texts = [(await peer.perform(sealing)).at(-1), sealing.map((op) => Buffer.from(performer.perform(op))).at(-1)];
  for (const text of texts) check(`getText, way ${way}`, text[0], RV.OK);
  checkThat('two texts', !texts[0].equals(texts[1]));
  const [theirs, ours] = texts.map((answer) => {
    const [length, offset] = [answer.readUInt32LE(1), answer.readUInt32LE(5)];
    return answer.subarray(9 + offset, 9 + offset + length);
  });
  check(`the native library's text, way ${way}`, module.opened('unseal', way, secret, context, theirs), password);
  const opening = operation('unseal', 0, { a: way, one: secret, two: context, three: ours, other: 32 });
  const [answer] = await peer.perform([opening]);
  check(`opened by the native library, way ${way}`, answer[0], RV.OK);
  const [length, offset] = [answer.readUInt32LE(1), answer.readUInt32LE(5)];
  check('the password', answer.subarray(9 + offset, 9 + offset + length), password);
}
peer.end();
end('vectors');
