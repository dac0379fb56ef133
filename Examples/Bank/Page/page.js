// The bank's page: asks the bank for a challenge, lets the keyboard seal a PIN for it, and sends what comes out. The
// keyboard is in a frame of another origin. Only contexts go in; only counts and sealed texts come out.
// SPDX-License-Identifier: Apache-2.0

const DIGITS = 6;
const $ = (id) => document.getElementById(id);
const keyboardFrame = document.querySelector('meta[name="keyboard-frame"]').content;
const pageOrigin = document.querySelector('meta[name="page-origin"]').content;

let session = null; // Nowhere but here: it ends when the page is left.
let keyboard = null;
let hasBegun = false;
let cancelEntry = () => {};

// ---- The bank -------------------------------------------------------------------------------------------------------

/** What the bank refuses, with its code and its sentence. */
class Refusal extends Error {
  constructor({ error = "failure", message = "The bank does not answer. Please try again.", ...rest }) {
    super(message);
    Object.assign(this, { code: error, ...rest });
  }
}

async function ask(method, path, body) {
  const headers = session ? { Authorization: `Bearer ${session}` } : {};
  if (body) headers["Content-Type"] = "application/json";
  const options = { method, headers, body: body && JSON.stringify(body), cache: "no-store", credentials: "omit" };
  const response = await fetch(path, options).catch(() => { throw new Refusal({}); });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(answer);
  return answer;
}

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
const toText = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// ---- The keyboard ---------------------------------------------------------------------------------------------------

/** Made once, when it is first needed. */
async function readyKeyboard() {
  if (!customElements.get("custom-keyboard")) throw new Refusal({ message: "The keyboard could not be loaded." });
  if (!keyboard) {
    keyboard = document.createElement("custom-keyboard");
    for (const [name, value] of Object.entries({ layout: "pin", shuffle: "opening", maximum: DIGITS })) {
      keyboard.setAttribute(name, value);
    }
    keyboard.setAttribute("src", keyboardFrame);
    keyboard.addEventListener("input", (event) => showCount(event.detail.count));
    $("keyboard").append(keyboard);
  }
  await keyboard.ready;
  return keyboard;
}

/** One PIN, sealed for the context. Null if the person cancels. */
async function enter(context, title, hint) {
  const cancelled = new Promise((resolve) => { cancelEntry = () => resolve(false); }); // While it opens, too.
  $("title").textContent = title;
  $("hint").textContent = hint;
  showCount(0);
  show("entry");
  const element = await Promise.race([readyKeyboard(), cancelled]);
  if (!element) return null;
  const completed = new Promise((resolve) => {
    element.addEventListener("complete", () => resolve(true), { once: true });
  });
  await element.open(context);
  try {
    return (await Promise.race([completed, cancelled])) ? await element.getText() : null;
  } finally {
    await element.close();
  }
}

function showCount(count) {
  const dots = Array.from({ length: DIGITS }, (_, index) => {
    const dot = document.createElement("i");
    dot.classList.toggle("full", index < count);
    return dot;
  });
  $("dots").replaceChildren(...dots);
  $("dots").setAttribute("aria-label", `${count} of ${DIGITS} digits entered`);
}

// ---- What people do -------------------------------------------------------------------------------------------------

async function login(account) {
  const [{ keyId }, { challenge, context }] = await challengeFor(account, "login");
  const text = await enter(toBytes(context), "Enter your PIN", `for ${account}`);
  if (!text) return show("start");
  const answer = await ask("POST", "/api/login", { challenge, keyId, text: toText(text) });
  session = answer.session;
  $("greeting").textContent = `Hello, ${answer.account}`;
  show("home", "You are logged in.", true);
}

async function register(account) {
  const [{ keyId }, { challenge, context }] = await challengeFor(account, "register");
  const first = await enter(toBytes(context), "Choose a PIN", "Six digits that nobody guesses");
  const second = first && await enter(toBytes(context), "Enter it again", "So that you know it by heart");
  if (!second) return show("start");
  const body = { challenge, keyId, text: toText(first), again: toText(second) };
  const answer = await ask("POST", "/api/register", body);
  show("start", `The account ${answer.account} is open. Log in with your PIN.`, true);
}

async function logout() {
  await ask("POST", "/api/logout").finally(() => { session = null; });
  show("start", "You are logged out.", true);
}

const challengeFor = (account, purpose) =>
  Promise.all([ask("GET", "/api/key"), ask("POST", "/api/challenge", { account, purpose })]);

// ---- What people see ------------------------------------------------------------------------------------------------

/** Moves the focus to what is new, but not at the beginning: a phone would put its own keyboard over the page. */
function show(id, message = "", isGood = false) {
  for (const section of document.querySelectorAll("section")) section.hidden = section.id !== id;
  $("message").textContent = message;
  $("message").classList.toggle("good", isGood);
  if (hasBegun) $({ start: "account", entry: "title", home: "greeting" }[id]).focus({ preventScroll: true });
  hasBegun = true;
}

/** The bank's sentence, and what it knows besides. */
function explain(error) {
  if (!(error instanceof Refusal)) return "The keyboard does not work here. Please reload the page.";
  if (error.attemptsLeft === 0) return `${error.message} The account is locked for a while.`;
  if (error.attemptsLeft) return `${error.message} Tries left: ${error.attemptsLeft}.`;
  if (error.seconds) return `${error.message} It opens in ${Math.ceil(error.seconds / 60)} minutes.`;
  return error.message;
}

/** Runs one thing at a time, and shows what went wrong. */
async function run(action) {
  const account = $("account").value.trim().toLowerCase();
  if (action !== logout && !/^[a-z0-9._-]{1,32}$/.test(account)) {
    return show("start", "A name has 1 to 32 small letters, digits, dots, dashes and underscores.");
  }
  for (const id of ["login", "register", "logout"]) $(id).disabled = true;
  try {
    await action(account);
  } catch (error) {
    console.error(error.name, error.code, error.message);
    show(session ? "home" : "start", explain(error));
  } finally {
    for (const id of ["login", "register", "logout"]) $(id).disabled = false;
  }
}

document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  run(login);
});
$("register").addEventListener("click", () => run(register));
$("logout").addEventListener("click", () => run(logout));
$("cancel").addEventListener("click", () => cancelEntry());
// A page that the browser has kept for "back" begins anew: its keyboard is wiped, and its session is over.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
show("start", location.origin === pageOrigin ? "" : `The keyboard works only at ${pageOrigin}: please open that.`);
