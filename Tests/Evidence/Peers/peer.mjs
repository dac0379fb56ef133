// Node as a peer of sealed texts: answers the lines that peers.py writes. What is in front of this file in the program
// is the recipe of Docs/SealedTexts.md.
// SPDX-License-Identifier: Apache-2.0

import { createInterface } from 'node:readline'

function seal(way, key, context, block) {
  const [, kem, aead, agree, name] = WAYS[way]
  const { secret, own: enc } = loadKey(way, drawn(way))
  const shared = agree(secret, key)
  const cipher = crypto.createCipheriv(name, ...derive(shared, enc, key, kem, aead, context), { authTagLength: 16 })
  return Buffer.concat([enc, cipher.update(block), cipher.final(), cipher.getAuthTag()])
}

function drawn(way) {
  if (way === 'x25519') return crypto.randomBytes(32)
  const pair = crypto.createECDH('prime256v1')
  pair.generateKeys()
  return Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32)
}

function answer([call, way, ...hex]) {
  const bytes = hex.map((text) => Buffer.from(text === '-' ? '' : text, 'hex'))
  if (call === 'seal') return seal(way.toLowerCase(), ...bytes).toString('hex')
  const [key, context, text] = bytes, loaded = loadKey(way.toLowerCase(), key)
  const password = unseal(loaded, context, text), padding = 144 - password.length
  return Buffer.concat([password, Buffer.alloc(padding, padding)]).toString('hex') // as other peers answer: the block
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(answer(line.split(' ')))
  } catch (error) {
    console.log(error instanceof Undecryptable ? 'refused' : `fault: ${error.message}`)
  }
}
