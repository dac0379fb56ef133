// A million random operations on keyboards, on the module and on the native library side by side, with the same random
// numbers: every answer is the same, byte by byte, callbacks included. After each operation the module's memory is
// searched for what was secret in it (needles.mjs).
//
//     node alike.mjs MODULE NATIVE FIND OPERATIONS SEED          FIND is find.c, compiled
//
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { Module, Foretold, Way } from './module.mjs';
import { Drawing, Performer, nameOf, operation } from './operations.mjs';
import { Dice, check, checkThat, checked, end, hex, vectors } from './check.mjs';
import { Needles } from './needles.mjs';
import { Peer } from './peer.mjs';
import { Search } from './search.mjs';

const [file, native, find, operations, seed] = process.argv.slice(2);
const count = Number(operations), BATCH = 2000;
console.log(`seed ${seed}`);

const peer = new Peer(native, seed), randomness = new Foretold(seed), dice = new Dice(Number(seed));
const module = await Module.load(file, randomness);
const performer = new Performer(module, randomness);

/** A pair of keys for each way, from another copy of the module. */
async function makeKeys() {
  const keys = [[Way.DES, 8], [Way.TRIPLE_DES, 24], [Way.SM4, 16], [Way.SM4_GCM, 16]].map(([way, size]) => {
    const key = dice.bytes(size);
    return [way, key, key];
  });
  const maker = await Module.load(file, new Foretold(BigInt(seed) + 1n));
  for (const way of [Way.X25519, Way.P256, Way.SM2]) keys.push([way, ...maker.generateKey(way)]);
  const [[, , secret, open]] = vectors(readFileSync(new URL('../Vectors/rsa-keys.txt', import.meta.url), 'utf8'));
  return [...keys, [Way.RSA, hex(open), hex(secret)]];
}

function describe(op) {
  const { one, two, three, code, ...rest } = op;
  return `${nameOf(code)} ${JSON.stringify({ ...rest, blobs: [one, two, three].map((blob) => blob.toString('hex')) })}`;
}

/** How often each operation answered each code: a run in which everything fails shows nothing. */
const codes = {};
const keys = await makeKeys(), publicKeys = keys.filter(([way]) => way > Way.SM4_GCM).map(([, open]) => open);
const drawing = new Drawing(dice, keys), needles = new Needles(module, new Search(find, module), publicKeys);
const draw = () => Array.from({ length: BATCH }, () => drawing.next());

// A keyboard before all else, while there are random numbers. The first one draws where handles begin, and without
// them takes the library's own address, which no two have in common.
let batch = [operation('create', 0), ...draw().slice(1)];
peer.send(batch);
for (let done = 0; done < count; done += BATCH) {
  // The native library is a batch ahead, on the other processor.
  const next = draw();
  peer.send(next);
  const ours = batch.map((op, i) => {
    const answer = Buffer.from(performer.perform(op)), tally = codes[nameOf(op.code)] ??= {};
    tally[answer[0]] = (tally[answer[0]] ?? 0) + 1;
    const found = needles.after(op, answer);
    if (found) check(`operation ${done + i}, ${describe(op)}: ${found[0]} in memory`, found[1], null);
    return answer;
  });
  const theirs = await peer.answers();
  check('answers', ours.length, theirs.length);
  ours.forEach((answer, i) => {
    if (answer.equals(theirs[i])) return;
    check(`operation ${done + i}, ${describe(batch[i])}`, answer, Buffer.from(theirs[i]));
  });
  checked(BATCH);
  batch = next;
}
await peer.answers();
peer.end();

for (const [name, tally] of Object.entries(codes)) {
  check(`${name}: no code but those of the contract`, Object.keys(tally).filter((code) => code > 10), []);
  if (count >= 200000) checkThat(`${name} has succeeded`, tally[0] > 0);
}
for (const times of Object.values(needles.searched)) checked(times);
console.log('searches', JSON.stringify(needles.searched), '\ncodes', JSON.stringify(codes));
end('alike');
