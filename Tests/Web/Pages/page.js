// A page of the tests. The attributes of its keyboards come from the address: ?layout=pin&maximum=6&keyboards=2.
// SPDX-License-Identifier: Apache-2.0

const query = new URLSearchParams(location.search);
const special = ['keyboards', 'open'];
const dots = document.getElementById('dots');
const maximum = Number(query.get('maximum')) % 128; // 128 is as good as none

globalThis.events = [];
globalThis.keyboards = [];

function show(count) {
  dots.replaceChildren(...Array.from({ length: maximum || count }, (_, i) => {
    const dot = document.createElement('i');
    if (i < count) dot.className = 'full';
    return dot;
  }));
}

for (let i = 0; i < Number(query.get('keyboards') ?? 1); i++) addKeyboard();

globalThis.addKeyboard = addKeyboard;
function addKeyboard() {
  const keyboard = document.createElement('custom-keyboard');
  for (const [name, value] of query) if (!special.includes(name)) keyboard.setAttribute(name, value);
  keyboards.push(keyboard);
  globalThis.keyboard = keyboards[0];
  document.body.append(keyboard);
}
show(0);
for (const type of ['input', 'complete']) {
  document.addEventListener(type, (event) => {
    events.push(`${type} ${event.detail.count}`);
    if (event.target === keyboard && type === 'input') show(event.detail.count);
  });
}

const ask = async (path, body) => {
  const answer = await fetch(path, body && { method: 'POST', body: JSON.stringify(body) });
  return [answer.status, await answer.json()];
};
const encode = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const decode = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
globalThis.encode = encode;

/** What a person types, sealed for `context`. */
globalThis.sealed = async (context) => {
  await keyboard.open(context);
  show(0);
  globalThis.opened = (globalThis.opened ?? 0) + 1;
  await new Promise((done) => keyboard.addEventListener('complete', done, { once: true }));
  const text = await keyboard.getText();
  await keyboard.close();
  return encode(text);
};

/** Logs in or registers, as soon as the person has typed. `answered` is what the bank said. */
globalThis.call = async (purpose, account) => {
  delete globalThis.answered;
  const [, { keyId }] = await ask('/api/key');
  const [, { challenge, context }] = await ask('/api/challenge', { account, purpose });
  const request = { challenge, keyId, text: await sealed(decode(context)) };
  if (purpose === 'register') request.again = await sealed(decode(context));
  globalThis.lastRequest = [`/api/${purpose}`, request];
  globalThis.answered = await ask(...lastRequest);
};
globalThis.sendAgain = () => ask(...lastRequest);

await Promise.all(keyboards.map((keyboard) => keyboard.ready.catch(() => {})));
if (query.has('open')) await Promise.all(keyboards.map((keyboard) => keyboard.open(new Uint8Array())));
await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
performance.mark('drawn');
globalThis.isReady = true;
