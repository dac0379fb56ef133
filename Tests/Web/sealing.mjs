// What sealing and opening leave in the module's memory: nothing of the password, of secret keys, of what two keys
// agree on, or of any random number that was drawn. The same searches find all of that in a module that wipes nothing,
// and what is planted.
//
//     node sealing.mjs MODULE UNWIPED FIND          UNWIPED is the module without wiping, FIND is find.c, compiled
//
// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createECDH, createHmac, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Module, Way, RV, system } from './module.mjs';
import { check, checkThat, checked, end, hex, vectors } from './check.mjs';
import { Search } from './search.mjs';

const [file, unwiped, find] = process.argv.slice(2);
const [[, , rsaSecret, rsaOpen]] = vectors(readFileSync(new URL('../Vectors/rsa-keys.txt', import.meta.url), 'utf8'));
const names = { 3: 'SM4_GCM', 4: 'X25519', 5: 'P256', 6: 'SM2', 7: 'RSA' };
const context = Buffer.from('a challenge of sixteen bytes or more'), password = Buffer.from('kgcx879@Grüße');

// MARK: - What is secret

/** The stream of a generator's key (RFC 8439 with a nonce of zero). */
const stream = (key, size) => createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(size));

/** Follows the generators of a module: where their keys are, and all that they have drawn. */
class Generators {
  #keys = new Map();
  constructor(module) {
    this.module = module;
    module.randomness = {
      fill: (bytes) => {
        system.fill(bytes);
        if (bytes.length === 32) this.#keys.set(bytes.byteOffset - module.memory.byteOffset, Buffer.from(bytes));
        return 1;
      },
    };
  }

  /** The keys that the generators have had since last time, what they gave, and the present keys with their places. */
  drawn() {
    const keys = [], bytes = [], present = [];
    for (const [place, before] of this.#keys) {
      const now = Buffer.from(this.module.memory.subarray(place, place + 32));
      let key = before;
      for (let i = 0; !key.equals(now); i++) {
        checkThat('the key of a generator follows from the one before', i < 100);
        const whole = stream(key, 2048);
        keys.push(key);
        bytes.push(whole.subarray(32));
        key = whole.subarray(0, 32);
      }
      this.#keys.set(place, now);
      present.push([now, place]);
    }
    return { keys, bytes, present };
  }
}

const raw = {
  [Way.X25519]: [hex('302e020100300506032b656e04220420'), hex('302a300506032b656e032100')],
};

/** What HPKE derives (RFC 9180 §4.1, §5.1), from the secret key of the recipient. */
function hpke(way, secret, open, enc) {
  const isX = way === Way.X25519, kem = isX ? '0020' : '0010', aead = isX ? '0003' : '0002';
  const hmac = (key, ...parts) => createHmac('sha256', key).update(Buffer.concat(parts)).digest();
  const v1 = Buffer.from('HPKE-v1');
  const suites = {
    kem: Buffer.concat([Buffer.from('KEM'), hex(kem)]),
    hpke: Buffer.concat([Buffer.from('HPKE'), hex(`${kem}0001${aead}`)]),
  };
  const extract = (suite, salt, label, material) => hmac(salt, v1, suite, Buffer.from(label), material);
  const expand = (suite, key, label, info, size) => {
    const count = hex(size.toString(16).padStart(4, '0'));
    return hmac(key, count, v1, suite, Buffer.from(label), info, hex('01')).subarray(0, size);
  };
  let agreed;
  if (isX) {
    const der = (prefix, key) => ({ key: Buffer.concat([prefix, key]), format: 'der' });
    const privateKey = createPrivateKey({ ...der(raw[way][0], secret), type: 'pkcs8' });
    agreed = diffieHellman({ privateKey, publicKey: createPublicKey({ ...der(raw[way][1], enc), type: 'spki' }) });
  } else {
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(secret);
    agreed = ecdh.computeSecret(enc);
  }
  const none = Buffer.alloc(0), prk = extract(suites.kem, none, 'eae_prk', agreed);
  const shared = expand(suites.kem, prk, 'shared_secret', Buffer.concat([enc, open]), 32);
  const schedule = Buffer.concat([
    hex('00'), extract(suites.hpke, none, 'psk_id_hash', none), extract(suites.hpke, none, 'info_hash', context),
  ]);
  const top = extract(suites.hpke, shared, 'secret', none);
  return {
    'the agreed value': agreed, 'the extracted key': prk, 'the shared secret': shared, 'the secret': top,
    'the key': expand(suites.hpke, top, 'key', schedule, 32),
    'the nonce': expand(suites.hpke, top, 'base_nonce', schedule, 12),
  };
}

// MARK: - A life of a text

/** Seals and opens a text, and calls `look(step, secrets)` after each call; all buffers were given back by then. */
async function live(module, way, [open, secret], look) {
  const generators = new Generators(module), keyboard = module.create();
  const shared = way === Way.SM4_GCM ? { 'the key': open } : {};
  // The pads of a keyboard are random bytes that stay, so all bytes are searched for only where there are none.
  const drawn = (areAllSecret) => {
    const { keys, bytes, present } = generators.drawn(), secrets = {};
    keys.forEach((key, i) => { secrets[`a former key of a generator ${i}`] = key; });
    present.forEach((key, i) => { secrets[`a copy of a generator's key ${i}`] = key; });
    for (const [i, whole] of areAllSecret ? bytes.entries() : []) {
      windows(whole).forEach((piece, n) => { secrets[`drawn bytes ${i} ${n}`] = piece; });
    }
    return secrets;
  };
  check('setEncKey', module.setEncKey(keyboard, open, way), RV.OK);
  look('setEncKey', { ...shared, ...drawn() });
  check('setContext', module.setContext(keyboard, context), RV.OK);
  check('open', module.call('open', keyboard), RV.OK);
  look('open', drawn());
  check('input', module.input(keyboard, password), RV.OK);
  const text = module.getText(keyboard);
  const enc = way === Way.X25519 ? text.subarray(0, 32) : text.subarray(0, 65);
  const derived = way === Way.X25519 || way === Way.P256 ? hpke(way, secret, open, enc) : {};
  const block = Buffer.concat([password, Buffer.alloc(144 - password.length, 144 - password.length)]);
  const clear = { 'the password': password, 'the padding': block.subarray(100) };
  look('getText', { ...shared, ...clear, ...derived, ...drawn(true) });
  check('close', module.call('close', keyboard), RV.OK);
  check('destroy', module.call('destroy', keyboard), RV.OK);

  const key = way === Way.RSA ? rsaNumbers(secret) : { 'the secret key': secret };
  const answer = module.opened('unseal', way, secret, context, text);
  look('unseal', { ...key, ...clear, ...derived, ...drawn(true) });
  check(`unseal, ${names[way]}`, answer, password);
  const receiver = module.create();
  const received = module.lending([secret, context, text], (k, c, t) =>
    module.call('receive', receiver, way, k, secret.length, c, context.length, t, text.length));
  look('receive', { ...key, ...clear, ...derived, ...drawn() });
  check(`receive, ${names[way]}`, received, RV.OK);
  module.call('destroy', receiver);
}

/** 16 bytes from every eighth one on. */
function windows(bytes) {
  return Array.from({ length: (bytes.length - 8) / 8 }, (_, i) => bytes.subarray(8 * i, 8 * i + 16));
}

/** Pieces of the numbers of a private key, as DER has them and as a computation does, least significant byte first. */
function rsaNumbers(secret) {
  const key = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
  const numbers = {}, { d, p, q, dp, dq, qi } = key;
  for (const [name, number] of Object.entries({ d, p, q, dp, dq, qi })) {
    const bytes = Buffer.from(number, 'base64url'), middle = bytes.subarray(40, 64);
    numbers[`RSA's ${name}`] = middle;
    numbers[`RSA's ${name}, reversed`] = Buffer.from(middle).reverse();
  }
  return numbers;
}

// MARK: - Searches

const maker = await Module.load(file);
const pairs = [Way.SM4_GCM, Way.X25519, Way.P256, Way.SM2].map((way) => [way, maker.generateKey(way)])
  .concat([[Way.RSA, [hex(rsaOpen), hex(rsaSecret)]]]);

/** Whether a secret is in memory; of a generator's present key, whether it is in another place than its own. */
function isThere(search, secret) {
  const [bytes, place] = Array.isArray(secret) ? secret : [secret, -1];
  return search.indexOf(bytes) !== place || (place >= 0 && search.indexOf(bytes, place + 1) >= 0);
}

let searches = 0;
for (const [way, pair] of pairs) {
  for (let life = 0; life < 4; life++) {
    const module = await Module.load(file), search = new Search(find, module);
    await live(module, way, pair, (step, secrets) => {
      for (const [name, secret] of Object.entries(secrets)) {
        searches++;
        if (isThere(search, secret)) check(`${names[way]}, ${step}: ${name} is in memory`, secret, null);
      }
    });
  }
}
checked(searches);

// The control: the same lives where nothing is wiped. Each kind of secret is found for each way that has it.
for (const [way, pair] of pairs) {
  const module = await Module.load(unwiped), search = new Search(find, module), found = {}, kinds = new Set();
  await live(module, way, pair, (step, secrets) => {
    for (const [name, secret] of Object.entries(secrets)) {
      const kind = name.replace(/ \d.*|, reversed/g, '');
      kinds.add(kind);
      if (isThere(search, secret)) found[kind] = (found[kind] ?? 0) + 1;
      const bytes = Array.isArray(secret) ? secret[0] : secret;
      // Deep in the stack, and in the last bytes of memory.
      for (const place of [100, module.memory.length - bytes.length]) {
        const before = Buffer.from(module.memory.subarray(place, place + bytes.length));
        module.memory.set(bytes, place);
        checkThat(`${name}, planted at ${place}`, isThere(search, secret));
        module.memory.set(before, place);
      }
    }
  });
  console.log(names[way], 'unwiped:', JSON.stringify(found));
  // What comes next is written over these. Of them, only the planted ones are found.
  const overwritten = ['a former key of a generator', 'the agreed value', 'the extracted key', 'the shared secret'];
  for (const kind of overwritten) kinds.delete(kind);
  for (const kind of kinds) checkThat(`${names[way]}, unwiped: ${kind} is found`, found[kind] > 0);
}
end('sealing');
