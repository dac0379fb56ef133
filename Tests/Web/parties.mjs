// Both ends of OPAQUE, on modules: a server with the functions of the module that has all, and a client.
// SPDX-License-Identifier: Apache-2.0
import { RV } from './module.mjs';
import { check } from './check.mjs';

const TERMS = Buffer.alloc(40);
TERMS.writeUInt32LE(40);
const ACCOUNT = Buffer.from('anna'), WORD = 32, KEY = 64;

/** Runs `body` with places for answers of these sizes, and returns copies of them; or the code. */
function answers(module, sizes, body) {
  return module.lending(sizes.map((size) => Buffer.alloc(size)), (...places) => {
    const rv = body(...places);
    return rv !== RV.OK ? rv : places.map((place, i) => Buffer.from(module.memory.subarray(place, place + sizes[i])));
  });
}

export class Server {
  constructor(module) {
    this.module = module;
    [this.setup, this.key] = answers(module, [96, WORD], (setup, key) =>
      module.call('opaqueSetup', setup, 96, module.answers, key, WORD, module.answers + 4));
  }

  respond(request) {
    const { module, setup } = this;
    return module.lending([setup, ACCOUNT, request], (s, a, r) => answers(module, [64], (response) =>
      module.call('opaqueRespond', s, 96, a, ACCOUNT.length, r, request.length, response, 64, module.answers)))[0];
  }

  answer(record, ke1) {
    const { module, setup } = this;
    return module.lending([setup, ACCOUNT, record, ke1], (s, a, r, k) => answers(module, [320, 128], (ke2, state) =>
      module.call('opaqueAnswer', s, 96, a, ACCOUNT.length, r, record.length, 0, k, ke1.length, ke2, 320,
        module.answers, state, 128, module.answers + 4)));
  }

  check(state, ke3) {
    const { module } = this;
    return module.lending([state, ke3], (s, k) => answers(module, [KEY], (key) =>
      module.call('opaqueCheck', s, state.length, k, ke3.length, key, KEY, module.answers)));
  }
}

/** A keyboard on which a password is typed. */
export class Client {
  constructor(module, password) {
    this.module = module;
    this.keyboard = module.create();
    check('open', module.call('open', this.keyboard), RV.OK);
    check('input', module.input(this.keyboard, Buffer.from(password)), RV.OK);
  }

  begin(name, size) {
    return answers(this.module, [size], (place) =>
      this.module.call(name, this.keyboard, place, size, this.module.answers))[0];
  }

  record(response) {
    const { module, keyboard } = this;
    return module.lending([response, TERMS], (r, terms) => answers(module, [192, KEY], (record, exported) =>
      module.call('opaqueRecord', keyboard, r, response.length, terms, record, 192, module.answers, exported)));
  }

  finish(ke2) {
    const { module, keyboard } = this;
    return module.lending([ke2, TERMS], (k, terms) => answers(module, [KEY, KEY, KEY], (ke3, session, exported) =>
      module.call('opaqueFinish', keyboard, k, ke2.length, terms, ke3, KEY, module.answers, session, exported)));
  }
}
