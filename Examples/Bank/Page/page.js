// The bank's page: carries messages of OPAQUE between the keyboard and the bank, neither of which tells the other the
// PIN. The keyboard is in a frame of another origin. Only messages go in; only counts, messages and a session key come
// out.
// SPDX-License-Identifier: Apache-2.0

const DIGITS = 6;
const TERMS = { context: "CustomKeyboard bank 1" };
const MOST_TRIES = 6; // of a request that a busy bank has not begun
const LONGEST_WAIT = 10; // seconds before the next of them
const $ = (id) => document.getElementById(id);
const keyboardFrame = document.querySelector('meta[name="keyboard-frame"]').content;
const pageOrigin = document.querySelector('meta[name="page-origin"]').content;

let session = null; // Nowhere but here: it ends when the page is left.
let keyboard = null;
let keyboardKey = null; // The id of the key that the keyboard seals for.
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
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(path, options).catch(() => { throw new Refusal({}); });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const seconds = secondsToWait(response, answer);
    if (seconds === null || tries === MOST_TRIES) throw new Refusal(answer);
    // Not all at the same moment again.
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds * (1 + Math.random())));
  }
}

/** Only what was refused before anything was used up may be sent again: the bank and its proxy then say when. */
function secondsToWait(response, answer) {
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  const isBusy = answer.error === "busy" && [429, 503].includes(response.status);
  return isBusy && seconds >= 0 && seconds <= LONGEST_WAIT ? seconds : null;
}

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
const toText = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// ---- The keyboard ---------------------------------------------------------------------------------------------------

/**
 * Made when it is first needed, and again when the bank has another key: a frame keeps the key that it began with. Only
 * a sealed text needs that key.
 */
async function readyKeyboard(keyId) {
  if (!customElements.get("custom-keyboard")) throw new Refusal({ message: "The keyboard could not be loaded." });
  if (!keyboard || (keyId && keyboardKey !== keyId)) {
    keyboard?.remove();
    keyboard = document.createElement("custom-keyboard");
    keyboardKey = keyId;
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

/** A PIN, and what `use` makes of it on the keyboard. Null if the person cancels. */
async function enter(title, hint, use, { keyId, context = new Uint8Array() } = {}) {
  const cancelled = new Promise((resolve) => { cancelEntry = () => resolve(false); }); // While it opens, too.
  $("title").textContent = title;
  $("hint").textContent = hint;
  showCount(0);
  show("entry");
  const element = await Promise.race([readyKeyboard(keyId), cancelled]);
  if (!element) return null;
  const completed = new Promise((resolve) => {
    element.addEventListener("complete", () => resolve(true), { once: true });
  });
  await element.open(context);
  try {
    return (await Promise.race([completed, cancelled])) ? await use(element) : null;
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
  const answer = await enter("Enter your PIN", `for ${account}`, async (element) => {
    const answer = await agree(element, "/api/opaque/login", { account });
    await moveIf(answer.moves, element, account);
    return answer;
  });
  welcome(answer);
}

/** Once, with a PIN from before the bank had OPAQUE: the bank gets it sealed, and the same typing moves it. */
async function loginSealed(account) {
  const asked = await challengeFor(account, "login");
  const answer = await enter("Enter your PIN", `for ${account}`, async (element) => {
    const text = toText(await element.getText());
    const answer = await ask("POST", "/api/login", { challenge: asked.challenge, keyId: asked.keyId, text });
    session = answer.session;
    await moveIf(answer.moves, element, account);
    return answer;
  }, asked);
  welcome(answer);
}

function welcome(answer) {
  if (!answer) return show("start");
  $("greeting").textContent = `Hello, ${answer.account}`;
  show("home", "You are logged in.", true);
}

async function register(account) {
  const answer = await choose(account, "Choose a PIN");
  if (!answer) return show("start");
  // The person logs in to see that it works. A session that the bank does not end ends by itself.
  await ask("POST", "/api/logout").catch(() => {}).finally(() => { session = null; });
  show("start", `The account ${answer.account} is open. Log in with your PIN.`, true);
}

async function change() {
  const { account } = await ask("GET", "/api/account");
  const known = await enter("Enter your PIN", "The one that you have now", (element) =>
    agree(element, "/api/opaque/login", { account }));
  const answer = known && await choose(account, "Choose another PIN");
  if (!answer) return show("home");
  const removed = answer.keys > 0 ? " Apps that logged in without the PIN must be set up again." : "";
  show("home", `Your PIN is changed. You are logged out everywhere else.${removed}`, true);
}

async function logout() {
  await ask("POST", "/api/logout").finally(() => { session = null; });
  show("start", "You are logged out.", true);
}

async function logoutEverywhere() {
  await ask("POST", "/api/logout-everywhere").finally(() => { session = null; });
  show("start", "You are logged out everywhere.", true);
}

/** A new PIN, typed twice: a login with the second proves that it is the first. */
async function choose(account, title) {
  const made = await enter(title, "Six digits that nobody guesses", (element) => recordOf(element, account));
  return made && await enter("Enter it again", "So that you know it by heart", (element) =>
    agree(element, "/api/opaque/record", made, "The two passcodes differ."));
}

/** A record of what is typed, for the account of the session, or for a new one. */
async function recordOf(element, account) {
  let answer;
  const { record } = await element.register(async (request) => {
    answer = await ask("POST", "/api/opaque/register", { account, request: toText(request) });
    return toBytes(answer.response);
  }, TERMS);
  return { step: answer.step, record: toText(record) };
}

/** Logs in with what is typed. Both ends make the session from the session key: no answer has it. */
async function agree(element, path, members, differs = "The account or the passcode is wrong.") {
  let answer;
  const exchange = async (ke1) => {
    answer = await ask("POST", path, { ...members, ke1: toText(ke1) });
    return toBytes(answer.ke2);
  };
  const { ke3, sessionKey } = await element.login(exchange, TERMS).catch((error) => {
    if (error.code !== "MISMATCH") throw error;
    throw new Refusal({ error: "wrong", message: differs, attemptsLeft: answer.attemptsLeft });
  });
  const finished = await ask("POST", "/api/opaque/finish", { step: answer.step, ke3: toText(ke3) });
  session = await sessionOf(sessionKey);
  return finished;
}

/** A PIN that was sealed before, or is under an old setup. If it stays there, the next login moves it. */
async function moveIf(moves, element, account) {
  if (moves !== "opaque") return;
  try {
    await agree(element, "/api/opaque/record", await recordOf(element, account));
  } catch (error) {
    console.error("The PIN has not moved:", error.code, error.message);
  }
}

async function sessionOf(sessionKey) {
  const key = await crypto.subtle.importKey("raw", sessionKey, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const label = new TextEncoder().encode("CustomKeyboard bank session");
  return toText(new Uint8Array(await crypto.subtle.sign("HMAC", key, label)).slice(0, 16));
}

/** What texts are sealed for: the key's id, the challenge, and its context. */
async function challengeFor(account, purpose) {
  const { keyId } = await ask("GET", "/api/key");
  const { challenge, context } = await ask("POST", "/api/challenge", { account, purpose, keyId });
  return { keyId, challenge, context: toBytes(context) };
}

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
  if (error.seconds) return `${error.message} It opens in ${duration(error.seconds)}.`;
  return error.message;
}

function duration(seconds) {
  const [count, unit] = seconds <= 7200 ? [Math.ceil(seconds / 60), "minute"] : [Math.ceil(seconds / 3600), "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const BUTTONS = ["login", "register", "sealed", "change", "logout", "everywhere"];

/** Runs one thing at a time, and shows what went wrong. */
async function run(action) {
  const account = $("account").value.trim().toLowerCase();
  if ([login, register, loginSealed].includes(action) && !/^[a-z0-9._-]{1,32}$/.test(account)) {
    return show("start", "A name has 1 to 32 small letters, digits, dots, dashes and underscores.");
  }
  for (const id of BUTTONS) $(id).disabled = true;
  try {
    await action(account);
  } catch (error) {
    console.error(error.name, error.code, error.message);
    if (error.code === "key") keyboardKey = null; // The next sealed text loads the frame again.
    if (error.code === "session") session = null;
    show(session ? "home" : "start", explain(error));
  } finally {
    for (const id of BUTTONS) $(id).disabled = false;
  }
}

document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  run(login);
});
$("register").addEventListener("click", () => run(register));
$("sealed").addEventListener("click", () => run(loginSealed));
$("change").addEventListener("click", () => run(change));
$("logout").addEventListener("click", () => run(logout));
$("everywhere").addEventListener("click", () => run(logoutEverywhere));
$("cancel").addEventListener("click", () => cancelEntry());
// A page that the browser has kept for "back" begins anew: its keyboard is wiped, and its session is over.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
show("start", location.origin === pageOrigin ? "" : `The keyboard works only at ${pageOrigin}: please open that.`);
