// The bank's page: asks the bank for a challenge, lets the keyboard seal a PIN for it, and sends what comes out. The
// keyboard is in a frame of another origin. Only contexts go in; only counts and sealed texts come out.
// SPDX-License-Identifier: Apache-2.0

const DIGITS = 6;
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

/** Made when it is first needed, and again when the bank has another key: a frame keeps the key that it began with. */
async function readyKeyboard(keyId) {
  if (!customElements.get("custom-keyboard")) throw new Refusal({ message: "The keyboard could not be loaded." });
  if (keyboardKey !== keyId) {
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

/** One PIN, sealed for the context. Null if the person cancels. */
async function enter({ keyId, context }, title, hint) {
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
  const asked = await challengeFor(account, "login");
  const text = await enter(asked, "Enter your PIN", `for ${account}`);
  if (!text) return show("start");
  const answer = await ask("POST", "/api/login", { ...answering(asked), text: toText(text) });
  session = answer.session;
  $("greeting").textContent = `Hello, ${answer.account}`;
  show("home", "You are logged in.", true);
}

async function register(account) {
  const asked = await challengeFor(account, "register");
  const texts = await enterTwice(asked, "Choose a PIN");
  if (!texts) return show("start");
  const answer = await ask("POST", "/api/register", { ...answering(asked), ...texts });
  show("start", `The account ${answer.account} is open. Log in with your PIN.`, true);
}

async function change() {
  const { account } = await ask("GET", "/api/account");
  const asked = await challengeFor(account, "change");
  const old = await enter(asked, "Enter your PIN", "The one that you have now");
  const texts = old && await enterTwice(asked, "Choose another PIN");
  if (!texts) return show("home");
  const { keys } = await ask("POST", "/api/change", { ...answering(asked), old: toText(old), ...texts });
  const removed = keys > 0 ? " Apps that logged in without the PIN must be set up again." : "";
  show("home", `Your PIN is changed. You are logged out everywhere else.${removed}`, true);
}

async function enterTwice(asked, title) {
  const text = await enter(asked, title, "Six digits that nobody guesses");
  const again = text && await enter(asked, "Enter it again", "So that you know it by heart");
  return again && { text: toText(text), again: toText(again) };
}

async function logout() {
  await ask("POST", "/api/logout").finally(() => { session = null; });
  show("start", "You are logged out.", true);
}

async function logoutEverywhere() {
  await ask("POST", "/api/logout-everywhere").finally(() => { session = null; });
  show("start", "You are logged out everywhere.", true);
}

/** What texts are sealed for: the key's id, the challenge, and its context. */
async function challengeFor(account, purpose) {
  const { keyId } = await ask("GET", "/api/key");
  const { challenge, context } = await ask("POST", "/api/challenge", { account, purpose, keyId });
  return { keyId, challenge, context: toBytes(context) };
}

const answering = ({ challenge, keyId }) => ({ challenge, keyId });

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

const BUTTONS = ["login", "register", "change", "logout", "everywhere"];

/** Runs one thing at a time, and shows what went wrong. */
async function run(action) {
  const account = $("account").value.trim().toLowerCase();
  if ([login, register].includes(action) && !/^[a-z0-9._-]{1,32}$/.test(account)) {
    return show("start", "A name has 1 to 32 small letters, digits, dots, dashes and underscores.");
  }
  for (const id of BUTTONS) $(id).disabled = true;
  try {
    await action(account);
  } catch (error) {
    console.error(error.name, error.code, error.message);
    if (error.code === "key") keyboardKey = null; // The next attempt loads the frame again.
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
$("change").addEventListener("click", () => run(change));
$("logout").addEventListener("click", () => run(logout));
$("everywhere").addEventListener("click", () => run(logoutEverywhere));
$("cancel").addEventListener("click", () => cancelEntry());
// A page that the browser has kept for "back" begins anew: its keyboard is wiped, and its session is over.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
show("start", location.origin === pageOrigin ? "" : `The keyboard works only at ${pageOrigin}: please open that.`);
