"""OPAQUE in the element, inline and framed: what is typed logs in at a server, which is the C library's, and leaves the
keyboard in no form.

SPDX-License-Identifier: Apache-2.0
"""

import json

from agreement import REQUEST, RECORD, KE1, KE3, KEY, Server
from memory import forms
from secrecy import CONTROL, all_forms, planted
from stage import check, code_of, error
from stub import decode
from wiping import OVERHEAR

PIN, OTHER = "730952618", "730952619"
# What a page does: `at(path)` sends a message to the server. `hold()` is a server that answers when the test says so.
HELPERS = """{
  const decode = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  globalThis.at = (path) => async (message) => {
    const answer = await fetch(path, { method: 'POST', body: encode(message) });
    return decode(await answer.json());
  };
  globalThis.shown = (made) => Object.fromEntries(Object.entries(made).map(([name, bytes]) => [name, encode(bytes)]));
  globalThis.hold = (path) => {
    const held = async (message) => {
      held.answer = await at(path)(message);
      held.isAsked = true;
      await new Promise((done) => { held.release = done; });
      return held.answer;
    };
    return held;
  };
}"""


def both(stage, steps=("login", "register"), **attributes):
    """A page with a keyboard that has no key, inline and framed, and a server."""
    with stage.settings(without=("way", "key"), opaque=list(steps)):
        for form, own in ((stage.inline, {"opaque": "", "key": None}), (stage.framed, {})):
            with form(layout="pin", open="1", **own, **attributes) as page:
                page.evaluate(HELPERS)
                yield page, Server(stage)


def register(page, server):
    made = page.evaluate("keyboard.register(at('/opaque/respond')).then(shown)")
    server.keep(decode(made["record"]))
    return made


def a_login_is_right_with_the_pin_alone(stage):
    for page, server in both(stage):
        stage.tap_keys(page, PIN)
        made = register(page, server)
        check(len(server.record) == RECORD, "a record", made)
        # It is logged in with what is typed now; once more, after a new opening.
        for opening in range(2):
            if opening:
                page.reopen()
                stage.tap_keys(page, PIN)
            known = page.evaluate("keyboard.login(at('/opaque/answer')).then(shown)")
            check(sorted(known) == ["exportKey", "ke3", "sessionKey"], "what it makes", known)
            check(server.check(decode(known["ke3"])) == decode(known["sessionKey"]), "both ends have a key")
            check(known["exportKey"] == made["exportKey"], "the export key stays")
        server.asked.clear()
        code = code_of(page, "keyboard.login(at('/opaque/answer'), { context: 'x' })")
        check(code == error("MISMATCH"), "other terms", code)
        page.until("keyboard.count === 0")
        check(page.evaluate("events.at(-1)") == "input 0", "what was typed is wiped, and the page is told")
        stage.tap_keys(page, OTHER)
        told = page.evaluate(
            "keyboard.login(at('/opaque/answer')).catch(({ code, message }) => `${code}: ${message}`)")
        check(told == "MISMATCH: The password, the terms or the server of this login is not right.", "another", told)
        stage.tap_keys(page, PIN)
        altered = "keyboard.login((ke1) => at('/opaque/answer')(ke1).then((ke2) => (ke2[9] ^= 1, ke2)))"
        check(code_of(page, altered) == error("MISMATCH"), "an altered answer")
        stage.tap_keys(page, PIN)
        check(code_of(page, "keyboard.login(() => new Uint8Array(5000))") == error("MISMATCH"), "one of another length")
        check(server.asked == 3 * [("answer", KE1)], "the server is asked once each time", server.asked)
        stage.tap_keys(page, PIN)
        terms = ("{ context: new Uint8Array(256).fill(1), client: 'Zo\\u00eb', server: new Uint8Array(255), "
                 "memoryKiB: 19456, passes: 2, lanes: 1 }")
        code = code_of(page, "keyboard.login(at('/opaque/answer'), %s)" % terms)
        check(code == error("MISMATCH"), "terms of full length", code)
        check(not page.console, "no other error", page.console)


def what_comes_in_between_ends_it(stage):
    for page, server in both(stage):
        stage.tap_keys(page, PIN)
        register(page, server)
        page.evaluate("globalThis.closing = () => keyboard.close()")
        for name, path in (("login", "answer"), ("register", "respond")):
            for what in ("typing", "keyboard.clear()", "keyboard.login(at('/opaque/answer'))", "closing()",
                         "keyboard.remove()"):
                page.evaluate("globalThis.held = hold('/opaque/%s'); 0" % path)
                page.evaluate("globalThis.ended = keyboard.%s(held).then(() => 'no error', (error) => error.code);"
                              "ended.then((code) => { globalThis.code = code; }); globalThis.code = null" % name)
                page.until("held.isAsked")
                frames = list(page.frames)
                if what == "typing":
                    stage.tap_keys(page, "1")
                else:
                    page.evaluate("void Promise.resolve(%s).catch(() => {})" % what)
                # The server has not answered yet.
                page.until("code")
                check(page.evaluate("code") == "OP_DISABLE", "%s, then %s" % (name, what), page.evaluate("code"))
                page.evaluate("held.release(); 0")
                if what == "keyboard.remove()":
                    page.evaluate("document.body.append(keyboard); keyboard.ready")
                    page.ended(frames)
                page.evaluate("keyboard.close().catch(() => {}).then(() => keyboard.open(new Uint8Array()))")
                page.until("keyboard.count === 0")
                stage.wait_for_touches(page, PIN[:3]) if what == "keyboard.remove()" else None
                stage.tap_keys(page, PIN)
                page.until("keyboard.count === %d" % len(PIN))
        known = page.evaluate("keyboard.login(at('/opaque/answer')).then(shown)")
        check(server.check(decode(known["ke3"])) == decode(known["sessionKey"]), "and a login is right after all that")
        check(not page.console, "no other error", page.console)


def what_is_wrong_is_told(stage):
    for page, _ in both(stage):
        calls = [("keyboard.login()", "ARGUMENT"), ("keyboard.register({})", "ARGUMENT"),
                 ("keyboard.login(() => 'text')", "ARGUMENT"), ("keyboard.login(() => {})", "ARGUMENT"),
                 ("keyboard.register(() => new Uint8Array(64))", "UNDECRYPTABLE"),
                 ("keyboard.register(() => new Uint8Array(63))", "UNDECRYPTABLE")]
        for terms, code in (("null", "ARGUMENT"), ("'shop'", "ARGUMENT"), ("{ contxt: 'shop' }", "ARGUMENT"),
                            ("{ context: 7 }", "ARGUMENT"), ("{ passes: '2' }", "ARGUMENT"),
                            ("{ lanes: -1 }", "ARGUMENT"), ("{ passes: NaN }", "ARGUMENT"),
                            ("{ context: 'x'.repeat(257) }", "MAXLEN"),
                            ("{ client: new Uint8Array(256) }", "MAXLEN"),
                            ("{ memoryKiB: 65536, passes: 3, lanes: 4 }", "MEMORY")):
            calls.append(("keyboard.login(() => { globalThis.isAsked = true; }, %s)" % terms, code))
        for call, code in calls:
            told = code_of(page, call)
            check(told == error(code), call, told)
        check(not page.evaluate("globalThis.isAsked"), "wrong terms reach no server")
        for failing in ("() => { throw new RangeError('mine'); }", "() => Promise.reject(new RangeError('mine'))"):
            told = page.evaluate("keyboard.login(%s).catch((error) => `${error.name} ${error.message}`)" % failing)
            check(told == "RangeError mine", "the page gets its own error", told)
        check(code_of(page, "keyboard.getText()") == error("ERR"), "there is no key to seal for")
        page.evaluate("keyboard.close()")
        check(code_of(page, "keyboard.login(() => {})") == error("OP_DISABLE"), "it is closed")
        check(not page.console, "no other error", page.console)


def a_keyboard_does_what_it_is_allowed(stage):
    for page, _ in both(stage, steps=["login"]):
        if page.frames:
            check(code_of(page, "keyboard.register(() => {})") == error("OP_DISABLE"), "keyboard.json does not name it")
    for page in stage.both(layout="pin", open="1"):
        check(code_of(page, "keyboard.login(() => {})") == error("OP_DISABLE"), "without opaque")
    # Both: accounts that were sealed move to OPAQUE with one PIN that is typed. And no key of an earlier opening stays.
    with stage.inline(layout="pin", opaque="", open="1") as page:
        page.evaluate(HELPERS)
        server = Server(stage)
        stage.tap_keys(page, PIN)
        check(stage.typed(page) == PIN.encode(), "sealed")
        register(page, server)
        check(len(server.record) == RECORD, "and registered")
        page.evaluate("keyboard.close(); keyboard.removeAttribute('key')")
        page.evaluate("keyboard.open(new Uint8Array())")
        check(code_of(page, "keyboard.getText()") == error("ERR"), "the key is gone")
        page.evaluate("keyboard.close(); keyboard.opaque = false")
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("ERR"), "a key is needed then")
    for opaque in ("login", ["logout"], [1], {}, []):
        with stage.settings(without=("way", "key"), opaque=opaque), stage.framed(layout="pin") as page:
            check(code_of(page, "keyboard.ready") == error("LOAD"), "keyboard.json: opaque is %r" % (opaque,))


def a_page_that_carries_the_messages_hears_nothing_else(stage):
    spy = "addEventListener('message', ({ data }) => (globalThis.heard ??= []).push(data));"
    for page, server in both(stage, look={"early": spy}):
        stage.tap_keys(page, PIN)
        register(page, server)
        known = page.evaluate("keyboard.login(at('/opaque/answer')).then(shown)")
        server.check(decode(known["ke3"]))
        check(PIN.encode() not in all_forms(stage.origins.sent()), "not in what was sent")
        check(PIN not in page.heap() and PIN not in page.document(), "not in a heap or a document")
        page.evaluate("void fetch('/opaque/keep', { method: 'POST', body: encode(new TextEncoder().encode(%s)) })"
                      % planted(CONTROL))
        check(page.becomes(lambda: CONTROL.encode() in all_forms(stage.origins.sent())), "control: what was sent")
        if not page.frames:
            continue
        heard, kinds = heard_by(page), {}
        for told in heard:
            check(set(told) <= {"customKeyboard", "id", "count", "text"}, "nothing else", told)
            text = told.get("text")
            shape = {name: len(value) for name, value in text.items()} if isinstance(text, dict) else text and len(text)
            kinds.setdefault(told["customKeyboard"], []).append(shape)
        check(kinds["ask"] == [REQUEST, KE1], "a request and KE1", kinds)
        made = [shape for shape in kinds["answer"] if shape]
        check(made == [{"record": RECORD, "exportKey": KEY}, {"ke3": KE3, "sessionKey": KEY, "exportKey": KEY}],
              "what the client's app gets", kinds)
        is_in = lambda pin: any(needle in bytes(flattened(heard_by(page)))  # noqa: E731
                                for needle in forms(pin).values())
        check(not is_in(PIN), "the PIN is in no message")
        page.evaluate("postMessage({ text: new TextEncoder().encode(%s) })" % planted(CONTROL))
        check(page.becomes(lambda: is_in(CONTROL)), "control: a message")


def heard_by(page):
    """The messages that the page has heard, with bytes as numbers."""
    return json.loads(page.evaluate("JSON.stringify(heard, (_, value) =>"
                                    "value instanceof Uint8Array ? Array.from(value) : value)"))


def flattened(value):
    """All bytes in a message, in their order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from flattened(part)
    elif isinstance(value, int) and 0 <= value < 256:
        yield value


def nothing_is_left_in_the_memory_of_the_module(stage):
    """Its memory has room for Argon2id, cannot grow, and keeps nothing of a login."""
    image = ("Array.from(new Uint8Array(modules.at(-1).buffer, 0, 262144), (b) => String.fromCharCode(b)).join('')")
    beyond = "new Uint8Array(modules.at(-1).buffer, 262144).every((byte) => byte === 0)"
    with stage.inline(layout="pin", opaque="", key=None, open="1", look={"early": OVERHEAR}) as page:
        page.evaluate(HELPERS)
        server = Server(stage)
        stage.tap_keys(page, PIN)
        register(page, server)
        known = page.evaluate("keyboard.login(at('/opaque/answer')).then(shown)")
        check(server.check(decode(known["ke3"])) == decode(known["sessionKey"]), "logged in")
        memory = page.evaluate(image).encode("latin-1")
        for name, needle in {**forms(PIN), "session key": decode(known["sessionKey"]),
                             "export key": decode(known["exportKey"])}.items():
            check(needle not in memory, "%s is not in its memory" % name)
        check(page.evaluate("keyboard.count") == len(PIN) and any(memory), "control: it is up, and has a memory")
        check(page.evaluate(beyond), "Argon2id's part is zero")
        page.evaluate("new Uint8Array(modules.at(-1).buffer)[2e7] = 1")
        check(not page.evaluate(beyond), "control: a byte there is found")
        told = page.evaluate("try { modules.at(-1).grow(1); } catch (error) { error.name; }")
        check(told == "RangeError", "it cannot grow", told)
        page.evaluate("keyboard.remove()")
        check(page.evaluate(beyond) and not any(page.evaluate(image).encode("latin-1")), "leaving zeroes all of it")
    with stage.inline(layout="pin", open="1", look={"early": OVERHEAR}) as page:
        told = page.evaluate("modules.map(({ buffer }) => buffer.byteLength)")
        check(told == [262144], "without opaque it has no such room", told)


GROUPS = [a_login_is_right_with_the_pin_alone, what_comes_in_between_ends_it, what_is_wrong_is_told,
          a_keyboard_does_what_it_is_allowed, a_page_that_carries_the_messages_hears_nothing_else,
          nothing_is_left_in_the_memory_of_the_module]
