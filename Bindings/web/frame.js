// The keyboard in a frame: the other end of <custom-keyboard src="https://keyboard.bank.example/frame.html">.
//
// The page around this one is not trusted. It says when the keyboard opens, how it looks, and the context of the text.
// It hears how many characters are typed, and gets sealed texts. It learns no key on the screen, no touch and no
// character. The recipient's key comes from this origin, never from the page: keyboard.json beside this file says
//
//     {"way": "x25519", "key": "base64url of the public key", "parents": ["https://www.bank.example"]}
//
// It may also have "attributes", for example {"layout": "pin", "shuffle": "opening"}: the page cannot change those, and
// cannot set one that is null.
// Only pages whose origin is in `parents` are heard and answered. The server names the same origins in the header
// Content-Security-Policy: frame-ancestors.
//
// SPDX-License-Identifier: Apache-2.0

import './custom-keyboard.js';

const ATTRIBUTES = ['layout', 'shuffle', 'maximum', 'scheme', 'accessible', 'discreet', 'announce', 'aria-label'];

const sheet = new CSSStyleSheet();
sheet.replaceSync('html, body { height: 100%; margin: 0; overflow: hidden } custom-keyboard { height: 100% }');
document.adoptedStyleSheets = [sheet];

const settings = fetch(new URL('keyboard.json', import.meta.url)).then(async (answer) => {
  if (!answer.ok) throw problem(`keyboard.json answers ${answer.status}.`);
  const { way, key, parents, attributes = {} } = await answer.json().catch(() => {
    throw problem('keyboard.json is not JSON.');
  });
  if (typeof way !== 'string' || typeof key !== 'string' || !Array.isArray(parents)) {
    throw problem('keyboard.json must have way, key and parents.');
  }
  if (typeof attributes !== 'object' || !attributes) throw problem('keyboard.json: attributes must be an object.');
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTES.includes(name)) throw problem(`keyboard.json: there is no attribute ${name}.`);
    if (typeof value !== 'string' && value !== null) throw problem(`keyboard.json: ${name} must be a string or null.`);
  }
  return { way, key, parents, attributes };
});

const problem = (message) => Object.assign(new Error(message), { code: 'LOAD' });

const keyboard = document.createElement('custom-keyboard');
const started = settings.then(async ({ way, key }) => {
  keyboard.setAttribute('way', way);
  keyboard.setAttribute('key', key);
  document.body.append(keyboard);
  await keyboard.ready;
});
started.catch(() => {}); // told to a page that asks

// ---- What the page may ask for

const calls = {
  ready: () => {},
  open({ context, attributes }, ours) {
    for (const name of ATTRIBUTES) {
      const value = Object.hasOwn(ours, name) ? ours[name] : attributes?.[name];
      if (typeof value === 'string') keyboard.setAttribute(name, value);
      else keyboard.removeAttribute(name);
    }
    return keyboard.open(context);
  },
  clear: () => keyboard.clear(),
  close: () => keyboard.close(),
  getText: () => keyboard.getText(),
};

let page; // the origin of the page around this one, once it has called

addEventListener('message', async (event) => {
  if (event.source !== parent || parent === window) return;
  const { customKeyboard: name, id, ...more } = event.data ?? {};
  if (!Object.hasOwn(calls, name)) return;
  const answer = { customKeyboard: 'answer', id };
  try {
    // An origin that is not on the list gets no answer. Without a list there is no keyboard, and anybody may know that.
    const { parents, attributes } = await settings;
    if (!parents.includes(event.origin) || (page ?? event.origin) !== event.origin) {
      return console.warn(`keyboard.json: "parents" does not name ${event.origin}.`);
    }
    page = event.origin;
    await started;
    answer.text = await calls[name](more, attributes);
  } catch (error) {
    answer.error = { code: error.code ?? 'LOAD', message: error.message };
  }
  event.source.postMessage(answer, event.origin);
});

for (const type of ['input', 'complete']) {
  keyboard.addEventListener(type, (event) => {
    parent.postMessage({ customKeyboard: type, count: event.detail.count }, page);
  });
}
