// OPAQUE in a page's module: registrations and logins with the server's functions, which another module has; what the
// steps leave in its memory; and without memory for Argon2id.
//
//     node opaque.mjs MODULE ALL UNWIPED FIND          FIND is find.c
//
// SPDX-License-Identifier: Apache-2.0
import { Module, RV, PAGES, LARGE_PAGES, system } from './module.mjs';
import { Search } from './search.mjs';
import { Client, Server } from './parties.mjs';
import { check, checkThat, end } from './check.mjs';

const [file, all, unwiped, find] = process.argv.slice(2);
const typed = async (module, password, pages = LARGE_PAGES) =>
  new Client(await Module.load(module, system, system, pages), password);
const server = new Server(await Module.load(all)), client = await typed(file, '730952');
const response = server.respond(client.begin('opaqueRegister', 32));
check('the server\'s key in the response', response.subarray(32), server.key);
const [record, registered] = client.record(response);

const took = [];
for (let i = 0; i < 5; i++) {
  const [ke2, state] = server.answer(record, client.begin('opaqueLogin', 96));
  const began = performance.now();
  const [ke3, session, exported] = client.finish(ke2);
  took.push(performance.now() - began);
  check('the session key at both ends', server.check(state, ke3), [session]);
  check('the export key', exported, registered);
}
console.log(`the end of a login: ${Math.min(...took).toFixed(0)} ms`);

// Another password, and each step once.
{
  const other = await typed(file, '730953'), [ke2] = server.answer(record, other.begin('opaqueLogin', 96));
  check('another password', other.finish(ke2), RV.MISMATCH);
  check('and it has ended', other.finish(ke2), RV.OP_DISABLE);
  const [again] = server.answer(record, client.begin('opaqueLogin', 96));
  client.module.input(client.keyboard, Buffer.from('1'));
  check('something else was typed', client.finish(again), RV.OP_DISABLE);
}

// A keyboard without room for Argon2id says so, and what was begun stays.
{
  const small = await typed(file, '730952', PAGES), [ke2] = server.answer(record, small.begin('opaqueLogin', 96));
  for (let i = 0; i < 2; i++) check('without memory', small.finish(ke2), RV.MEMORY);
}

/** Which secrets are in the memory of a module after a login, and how much of Argon2id's part is not zero. */
async function left(module) {
  const password = 'kgcx879@Qw', registering = await typed(module, password);
  const [record] = registering.record(server.respond(registering.begin('opaqueRegister', 32)));
  // Of its own: a module that wipes nothing has no zeros for the next step.
  const login = await typed(module, password);
  const [ke2, state] = server.answer(record, login.begin('opaqueLogin', 96));
  const [ke3, session, exported] = login.finish(ke2);
  check('logged in', server.check(state, ke3), [session]);
  const search = new Search(find, login.module), secrets = { password: Buffer.from(password), session, exported };
  const found = Object.entries(secrets).filter(([, bytes]) => search.indexOf(bytes) >= 0).map(([name]) => name);
  const large = login.module.memory.subarray(PAGES * 65536);
  let used = 0;
  for (let i = 0; i < large.length; i += 8) if (large.readBigUInt64LE(i) !== 0n) used += 8;
  return { found, used };
}
check('what is left', await left(file), { found: [], used: 0 });
const control = await left(unwiped);
checkThat(`control: found ${control.found}`, control.found.length === 3);
checkThat(`control: ${control.used} bytes of Argon2id's memory`, control.used > 19_000_000);
end('opaque');
