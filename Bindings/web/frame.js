// The keyboard in a frame: the other end of <custom-keyboard src="https://keyboard.bank.example/frame.html">.
//
// The page around this one is not trusted. It says when the keyboard opens, how it looks, and the context of the text.
// It hears how many characters are typed, and gets sealed texts. It learns no key on the screen, no touch and no
// character. The recipient's key comes from this origin, never from the page: keyboard.json beside this file says
//
//     {"way": "x25519", "key": "base64url of the public key", "parents": ["https://www.bank.example"]}
//
// and the keyboard's "attributes", for example {"layout": "pin", "maximum": "6"}. The page can set none, but those that
// are named in "free", for example ["scheme"].
//
// "opaque": ["login"] lets the page log in by OPAQUE, "register" lets it register; way and key may then be missing. The
// page carries the messages, and gets the keys that they end with. Who carries the messages of a registration can also
// answer them, and then try all PINs. So let a page register only if all of its scripts may know the PIN.
//
// Only pages whose origin is in `parents` are heard; others are told that they are not. The server names the same
// origins in the header Content-Security-Policy: frame-ancestors.
//
// SPDX-License-Identifier: Apache-2.0

import './custom-keyboard.js?alone';

const ATTRIBUTES = ['layout', 'shuffle', 'maximum', 'minimum', 'scheme', 'accessible', 'discreet', 'mute', 'announce',
  'offer', 'aria-label'];
const SWITCHES = ['accessible', 'discreet', 'mute'];
const STEPS = ['login', 'register'];

// Custom properties of CSS, --custom-keyboard-board and so on, that the page chooses. The element checks their values.
const STYLED = ['board', 'key', 'other', 'text', 'shadow', 'accent', 'radius', 'column-gap', 'row-gap', 'font'];

const sheet = new CSSStyleSheet();
sheet.replaceSync('html, body { height: 100%; margin: 0; overflow: hidden } custom-keyboard { height: 100% }');
document.adoptedStyleSheets = [sheet];

const settings = fetch(new URL('keyboard.json', import.meta.url)).then(async (answer) => {
  if (!answer.ok) throw problem(`keyboard.json answers ${answer.status}.`);
  const { way, key, parents, opaque = [], attributes = {}, free = [] } = await answer.json().catch(() => {
    throw problem('keyboard.json is not JSON.');
  });
  if (!Array.isArray(opaque) || !opaque.every((step) => STEPS.includes(step))) {
    throw problem('keyboard.json: opaque must be a list of login and register.');
  }
  const isSealing = way !== undefined || key !== undefined || opaque.length === 0;
  if ((isSealing && (typeof way !== 'string' || typeof key !== 'string')) || !Array.isArray(parents)) {
    throw problem('keyboard.json must have parents, and way and key, or opaque.');
  }
  if (typeof attributes !== 'object' || !attributes) throw problem('keyboard.json: attributes must be an object.');
  if (!Array.isArray(free)) throw problem('keyboard.json: free must be a list of attributes.');
  for (const name of [...Object.keys(attributes), ...free]) {
    if (!ATTRIBUTES.includes(name)) throw problem(`keyboard.json: there is no attribute ${name}.`);
  }
  const own = Object.entries(attributes).map(([name, value]) => [name, attributeOf(name, value)]);
  return { way, key, parents: parents.map(originOf), opaque, attributes: Object.fromEntries(own), free };
});

/** An attribute as the element reads it: what switches something on may be true or false in JSON, too. */
function attributeOf(name, value) {
  const isSwitch = SWITCHES.includes(name);
  if (value === null || (typeof value === 'string' && (!isSwitch || ['', 'true', 'false', name].includes(value)))) {
    return value;
  }
  if (isSwitch && typeof value === 'boolean') return `${value}`;
  throw problem(`keyboard.json: ${name} must be ${isSwitch ? 'true, false' : 'a string'} or null.`);
}

/** An origin, without the slash that is easily copied with it. */
function originOf(text) {
  const origin = `${text}`.replace(/\/$/, '');
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
    throw problem(`keyboard.json: "${text}" in parents is not an origin, such as https://www.bank.example.`);
  }
  return origin;
}

const problem = (message) => Object.assign(new Error(message), { code: 'LOAD' });

const keyboard = document.createElement('custom-keyboard');
const started = settings.then(async ({ way, key, opaque }) => {
  if (key !== undefined) {
    keyboard.setAttribute('way', way);
    keyboard.setAttribute('key', key);
  }
  keyboard.opaque = opaque.length > 0;
  document.body.append(keyboard);
  await keyboard.ready;
});
started.catch(() => {}); // told to a page that asks

// ---- What the page may ask for

const calls = {
  ready: () => {},
  open({ context, attributes, style }, ours) {
    for (const name of STYLED) {
      const value = style?.[name];
      keyboard.style.setProperty(`--custom-keyboard-${name}`, typeof value === 'string' ? value : '');
    }
    for (const name of ATTRIBUTES) {
      const own = ours.attributes[name] ?? null, asked = attributes?.[name] ?? null;
      const value = ours.free.includes(name) ? asked ?? own : own;
      if (typeof value === 'string') keyboard.setAttribute(name, value);
      else keyboard.removeAttribute(name);
      if (asked !== null && asked !== value) {
        console.warn(`keyboard.json: the page cannot set ${name}, which "free" does not name.`);
      }
    }
    return keyboard.open(context);
  },
  disable: ({ isDisabled }) => void keyboard.toggleAttribute('disabled', isDisabled === true),
  clear: () => keyboard.clear(),
  close: () => keyboard.close(),
  getText: () => keyboard.getText(),
  login: (asked, ours) => agree('login', asked, ours),
  register: (asked, ours) => agree('register', asked, ours),
};

let page; // the origin of the page around this one, once it has called
const replies = new Map(); // what takes the server's answer, by the number of the page's call

/** Steps of OPAQUE: the page takes a message to the server, and replies with the answer. */
async function agree(step, { id, terms }, { opaque }) {
  if (!opaque.includes(step)) {
    throw Object.assign(new Error(`keyboard.json: "opaque" does not name ${step}.`), { code: 'OP_DISABLE' });
  }
  const exchange = (message) => new Promise((resolve) => {
    replies.set(id, resolve);
    parent.postMessage({ customKeyboard: 'ask', id, text: message }, page);
  });
  return keyboard[step](exchange, terms).finally(() => replies.delete(id));
}

addEventListener('message', async (event) => {
  if (event.source !== parent || parent === window) return;
  const { customKeyboard: name, id, ...more } = event.data ?? {};
  if (name === 'reply' && event.origin === page) replies.get(id)?.(more.text);
  if (!Object.hasOwn(calls, name)) return;
  const answer = { customKeyboard: 'answer', id };
  event.source.postMessage({ customKeyboard: 'here', id }, event.origin); // what follows may take its time
  try {
    const ours = await settings;
    if (!ours.parents.includes(event.origin) || (page ?? event.origin) !== event.origin) {
      throw problem(`keyboard.json: "parents" does not name ${event.origin}.`);
    }
    page = event.origin;
    await started;
    answer.text = await calls[name]({ id, ...more }, ours);
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
