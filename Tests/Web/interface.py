"""What the page calls: promises, errors with the C library's codes, attributes, and leaving the page.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import contextlib
import hashlib
import os
import re
import tempfile
from unittest import mock

from failing import failing
from pages import Page
from servers import BINDINGS
from stage import check, code_of, error
from stub import Recipient


def the_module_exports_nothing(stage):
    with stage.inline(layout="pin") as page:
        names = page.evaluate("import('/custom-keyboard.js').then((module) => Reflect.ownKeys(module).map(String))")
        check(names == ["Symbol(Symbol.toStringTag)"], "only what all modules have", names)
        names = page.evaluate("Reflect.ownKeys(keyboard.constructor.prototype).map(String).sort().join()")
        check(names == NAMES, "the element's own names", names)
        check(page.evaluate("keyboard.shadowRoot === null"), "the shadow root is closed")
        check(page.evaluate("Reflect.ownKeys(keyboard).length") == 0, "and nothing is on the element")
        check(page.evaluate("Object.isFrozen(keyboard.constructor) && Object.isFrozen(keyboard.constructor.prototype)"),
              "nothing can be replaced")


NAMES = ("accessible,announce,checkValidity,clear,close,constructor,count,discreet,form,getText,labels,layout,login,"
         "maximum,minimum,mute,name,offer,opaque,open,publicKey,ready,register,reportValidity,required,scheme,shuffle,"
         "src,validationMessage,validity,way,willValidate")


def calls_in_the_wrong_state_are_refused(stage):
    for page in stage.both(layout="pin"):
        for call in ("close()", "clear()", "getText()"):
            check(code_of(page, "keyboard." + call) == error("OP_DISABLE"), call + " before it is up")
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "open")
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("OP_DISABLE"), "open twice")
        stage.tap_keys(page, "12")
        check(stage.typed(page) == b"12", "a refused open leaves what is typed")
        check(code_of(page, "keyboard.clear()") == "no error", "clear")
        check(code_of(page, "keyboard.close()") == "no error", "close")
        check(code_of(page, "keyboard.getText()") == error("OP_DISABLE"), "no text after close")
        check(not page.console, "no other error", page.console)


def contexts(stage):
    for page in stage.both(layout="pin"):
        for length in (0, 1, 255, 256):
            page.evaluate("keyboard.open(new Uint8Array(%d).fill(7))" % length)
            stage.tap_keys(page, "42")
            check(stage.typed(page, context=bytes([7]) * length) == b"42", "a context of %d bytes" % length)
            page.evaluate("keyboard.close()")
        check(code_of(page, "keyboard.open(new Uint8Array(257))") == error("MAXLEN"), "a longer one")
        check(code_of(page, "keyboard.open(new Uint8Array(1e6))") == error("MAXLEN"), "a much longer one")
        for context in ("", "undefined", "'text'", "null", "[1, 2]", "new Uint16Array(2)",
                        "new DataView(new ArrayBuffer(2))", "{ length: 2 }", "new Proxy(new Uint8Array(2), {})", "7"):
            check(code_of(page, "keyboard.open(%s)" % context) == error("ARGUMENT"), context)
        page.evaluate("{ const c = new Uint8Array([1, 2]); globalThis.opening = keyboard.open(c); c.fill(9); } opening")
        check(stage.typed(page, context=bytes([1, 2])) == b"", "the context is copied at once")


def wrong_attributes_are_refused(stage):
    key = stage.bank.recipient.key
    with stage.inline(layout="pin") as page:
        for name, value, code in (
                ("layout", "qwertz", "ARGUMENT"), ("shuffle", "yes", "ARGUMENT"), ("maximum", "-1", "ARGUMENT"),
                ("maximum", "six", "ARGUMENT"), ("maximum", "1.5", "ARGUMENT"), ("layout", "__proto__", "ARGUMENT"),
                ("accessible", "yes", "ARGUMENT"), ("discreet", "no", "ARGUMENT"), ("mute", "0", "ARGUMENT"),
                ("required", "undefined", "ARGUMENT"), ("accessible", "False", "ARGUMENT"),
                ("way", "sm4", "ARGUMENT"), ("scheme", "blue", "ARGUMENT"), ("way", "p256", "ERR"),
                ("key", "", "ERR"), ("key", "%%%", "ERR"),
                ("key", key[:-4], "ERR"), ("key", key + "AAAA", "ERR"), ("key", "A" * 43, "ERR"), ("key", None, "ERR"),
                ("key", "A" * 5000, "ERR")):
            before = page.evaluate("keyboard.getAttribute('%s')" % name)
            page.evaluate("keyboard.removeAttribute('%s')" % name if value is None else
                          "keyboard.setAttribute('%s', '%s')" % (name, value))
            told = code_of(page, "keyboard.open(new Uint8Array())")
            check(told == error(code), "%s=%r" % (name, value), told)
            page.evaluate("keyboard.removeAttribute('%s')" % name if before is None else
                          "keyboard.setAttribute('%s', '%s')" % (name, before))
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "and it opens with the right ones")
        check(page.evaluate("keyboard.getText().catch((error) => error instanceof Error)") is not True, "a text")


def each_way_has_its_length(stage):
    for way, length in (("x25519", 192), ("p256", 225), ("sm2", 285), ("rsa", 256), ("xwing", 1280)):
        key = SM2_BASE_POINT if way == "sm2" else Recipient(way).key
        with stage.inline(layout="pin", way=way, key=key, open="1") as page:
            check(page.evaluate("keyboard.getText().then((text) => text.length)") == length, way)


# GB/T 32918.5, as 04 || x || y: any point is a key.
SM2_BASE_POINT = "BDLEriwfGYEZX5kERmo5yZSP4wu_8mYL4XFaRYkzTHTHvDc2ovT2d5xZvc7ja2khU9Cph3zGKkdAAt8y5SE58KA"


def leaving_the_page_rejects_what_is_pending(stage):
    with stage.inline(layout="pin") as page:
        codes = page.evaluate("""(async () => {
          const made = document.createElement('custom-keyboard'), codes = [];
          const note = (promise) => promise.then(() => codes.push('no error'), (error) => codes.push(error.code));
          await note(made.open(new Uint8Array()));
          const never = made.ready;
          document.body.append(made);
          const pending = [note(made.ready), note(made.open(new Uint8Array()))];
          made.remove();
          await Promise.all(pending);
          await note(made.getText());
          codes.push(never === made.ready);
          return codes.join();
        })()""")
        # The module is there already, so the new element was ready at once; its opening was pending.
        check(codes == "OP_DISABLE,no error,OP_DISABLE,OP_DISABLE,false", "what is pending is rejected", codes)
    with stage.framed(layout="pin") as page:
        codes = page.evaluate("""(async () => {
          const made = keyboard.cloneNode(), codes = [];
          const note = (promise) => promise.then(() => codes.push('no error'), (error) => codes.push(error.code));
          document.body.append(made);
          const pending = [note(made.ready), note(made.open(new Uint8Array()))];
          made.remove();
          await Promise.all(pending);
          await keyboard.open(new Uint8Array());
          const calls = [note(keyboard.getText()), note(keyboard.clear()), note(keyboard.close())];
          keyboard.remove();
          await Promise.all(calls);
          return codes.join();
        })()""")
        check(codes == ",".join(["OP_DISABLE"] * 5), "what is pending in a frame is rejected", codes)
    for page in stage.both(layout="pin", open="1"):
        stage.tap_keys(page, "123")
        page.evaluate("keyboard.remove()")
        for call in ("getText()", "close()", "clear()", "open(new Uint8Array())"):
            check(code_of(page, "keyboard." + call) == error("OP_DISABLE"), call + " outside the page")
        page.evaluate("document.body.append(keyboard); keyboard.ready")
        check(page.evaluate("keyboard.count") == 0, "it comes back empty")
        page.evaluate("keyboard.open(new Uint8Array())")
        stage.wait_for_touches(page, "45")
        stage.tap_keys(page, "45")
        check(stage.typed(page) == b"45", "and works again")
        page.evaluate("document.querySelector('main').after(keyboard); keyboard.ready")
        check(code_of(page, "keyboard.getText()") == error("OP_DISABLE"), "moving it closes it")
        check(not page.console, "no other error", page.console)


def a_page_that_is_kept_for_back_keeps_nothing(stage):
    """`pagehide` ends the keyboard, and `pageshow` brings an idle one."""
    with stage.inline(layout="pin", open="1") as page:
        stage.tap_keys(page, "123")
        page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
        check(code_of(page, "keyboard.getText()") == error("OP_DISABLE"), "ended")
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })); keyboard.ready")
        page.evaluate("keyboard.open(new Uint8Array())")
        stage.tap_keys(page, "45")
        check(stage.typed(page) == b"45", "and works again")


def a_module_that_is_not_there_is_told(stage):
    server, folders = stage.origins.page, stage.origins.page.folders
    with mock.patch.object(server, "folders", folders[:-1]), stage.inline(layout="pin") as page:
        check(code_of(page, "keyboard.ready") == error("LOAD"), "no module")
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("LOAD"), "no module")
        check(page.evaluate("keyboard.ready.catch((error) => error.message)").endswith("answers 404."), "and why")
        server.folders = folders
        page.evaluate("keyboard.remove(); document.body.append(keyboard); keyboard.ready")
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "it is loaded when it is there")


def a_policy_that_forbids_webassembly_is_told(stage):
    """The page for frames runs none, and its policy does not allow it."""
    address = stage.address(stage.origins.page.origin + "/framed.html", "none", {"key": stage.bank.recipient.key})
    with Page(stage.browser, address) as page:
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("LOAD"), "it cannot be compiled")
        told = page.evaluate("keyboard.ready.catch((error) => error.message)")
        check("could not be compiled" in told and "unsafe-eval" in told, "and why", told)
    stage.expect_violation(stage.origins.page)


def hashed(stage, integrity, early=""):
    """A page whose script names the hash of the module. `addKeyboard()` makes the keyboard."""
    stage.origins.page.texts["hashed.html"] = "<!doctype html><script type=module src=hashed.js></script>"
    stage.origins.page.texts["hashed.js"] = """import './custom-keyboard.js%s';
      globalThis.addKeyboard = () => {
        globalThis.keyboard = document.createElement('custom-keyboard');
        keyboard.setAttribute('key', '%s');
        document.body.append(keyboard);
      };
      globalThis.isReady = true;""" % ("" if integrity is None else "?integrity=" + integrity, stage.bank.recipient.key)
    return Page(stage.browser, stage.origins.page.origin + "/hashed.html", early=early)


def module_of(stage):
    with open(os.path.join(stage.options.modules, "custom-keyboard.wasm"), "rb") as file:
        return file.read()


@contextlib.contextmanager
def serving(stage, module):
    """Another module for the page."""
    server = stage.origins.page
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(server, "folders", [folder, *server.folders]):
        with open(os.path.join(folder, "custom-keyboard.wasm"), "wb") as file:
            file.write(module)
        yield


def hash_of(name, data):
    return name + "-" + base64.b64encode(hashlib.new(name, data).digest()).decode()


def the_hash_of_the_module_is_checked(stage):
    """Of modules of every length in a block that pads differently; the last of each kind and the next, if not all."""
    residues = (0, 1, 54, 55, 56, 57, 63, 64, 110, 111, 112, 113, 119, 120, 127)
    if not os.environ.get("THOROUGH"):
        residues = (0, 55, 56, 111, 112, 119, 120)
    module, tried = module_of(stage), 0
    for residue in residues:
        data = with_length(module, residue)
        with serving(stage, data):
            for name in ("sha256", "sha384", "sha512"):
                if residue not in (111, 112) and name == "sha512":
                    continue  # it differs from SHA-384 in its first numbers only
                for integrity, expected in ((hash_of(name, data), "no error"),
                                            (hash_of(name, data + b"\0"), error("LOAD"))):
                    tried += 1
                    with hashed(stage, integrity) as page:
                        page.evaluate("addKeyboard()")
                        check(code_of(page, "keyboard.ready") == expected, "%d: %s" % (residue, integrity))
    check(tried == 4 * len(residues) + 4, "every one was tried", tried)


def with_length(module, residue):
    """The module with a custom section, so that its length is `residue` modulo 128."""
    size = (residue - len(module) - 2) % 128  # at most 127, which is a number of one byte
    if size < 2:
        return with_length(module + b"\x00\x40\x01x" + bytes(62), residue)
    return module + bytes([0, size, 1]) + b"x" + bytes(size - 2)


# It gives every page of its origin another module, as soon as it is there.
WORKER = """addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (event.request.url.endsWith('.wasm')) event.respondWith(fetch('/api/other'));
});"""


def a_service_worker_replaces_no_module(stage):
    """A script begins one before the first keyboard. Without the hash, its module is run: here, some text."""
    stage.origins.page.answers["/api/other"] = lambda _: (200, "no module")
    stage.origins.page.texts["worker.js"] = WORKER
    right = hash_of("sha384", module_of(stage))
    try:
        for integrity, words in ((right, "has another hash than"), (None, "could not be compiled")):
            with hashed(stage, integrity) as page:
                page.evaluate("""navigator.serviceWorker.register('/worker.js')
                  .then(() => navigator.serviceWorker.ready)
                  .then(() => navigator.serviceWorker.controller ?? new Promise((done) =>
                    navigator.serviceWorker.addEventListener('controllerchange', () => done()))).then(() => true)""")
                page.evaluate("addKeyboard()")
                told = page.evaluate("keyboard.ready.then(() => '', (error) => error.message)")
                check(words in told, words, told)
    finally:
        with hashed(stage, right) as page:
            page.evaluate("navigator.serviceWorker.getRegistration().then((worker) => worker.unregister())")


def each_snippet_names_the_hash(_):
    """Of a keyboard in the page: one in a frame loads no module there."""
    root, count = os.path.join(BINDINGS, "..", ".."), 0
    for name in ("README.md", "Docs/Web.md", "Docs/Apple.md", "Bindings/web/README.md"):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            blocks = re.findall(r"```html\n(.*?)```", file.read(), re.S)
        for block in blocks:
            if 'src="custom-keyboard.js' in block and "/frame.html" not in block:
                count += 1
                check('src="custom-keyboard.js?integrity=sha384-' in block, name, block)
    check(count == 2, "all were found", count)


def the_policy_of_the_documentation_is_enough(stage):
    """For a page whose policy allows nothing else."""
    policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
    for more, expected in (("connect-src 'self'", "no error"), ("", error("LOAD"))):
        right = hash_of("sha384", module_of(stage))
        with mock.patch.object(stage.origins.page, "policy", lambda _: policy + more), hashed(stage, right) as page:
            page.evaluate("addKeyboard()")
            check(code_of(page, "keyboard.ready") == expected, "with %r" % more)
        if not more:
            stage.expect_violation(stage.origins.page)


def an_integrity_that_is_no_hash_is_refused(stage):
    right = hash_of("sha384", module_of(stage))
    for integrity in ("", "sha384-", "md5-" + right[7:], right[7:], right + "%20" + right, "sha256-" + right[7:],
                      right[:-4], "SHA384-" + right[7:]):
        with hashed(stage, integrity) as page:
            page.evaluate("addKeyboard()")
            check(code_of(page, "keyboard.ready") == error("LOAD"), "integrity=%r" % integrity)
    with hashed(stage, right) as page:
        page.evaluate("addKeyboard()")
        check(code_of(page, "keyboard.ready") == "no error", "control: the right one")


def no_promise_decides_which_module_is_run(stage):
    """Object.prototype.then is asked what an ArrayBuffer of a promise's is, and may say that it is another."""
    module = module_of(stage)
    right = hash_of("sha384", module)
    with serving(stage, failing(module, "CustomKeyboard_getText")), hashed(stage, right) as page:
        page.evaluate("""{ const right = Uint8Array.from(%s).buffer, kept = globalThis.kept = { asked: 0 };
          Object.defineProperty(Object.prototype, 'then', { configurable: true, get() {
            if (!(this instanceof ArrayBuffer)) return undefined;
            kept.asked++;
            return kept.isAsking ? undefined : (resolve) => { kept.isAsking = true; resolve(right); };
          } }); }""" % list(base64.b64decode(right[7:])))
        page.evaluate("addKeyboard()")
        check(code_of(page, "keyboard.ready") == error("LOAD"), "another module is not run")
        check(page.evaluate("kept.asked") == 0, "and no promise has its hash")
        page.evaluate("crypto.subtle.digest('SHA-384', new Uint8Array(1)).then(() => {})")
        check(page.evaluate("kept.asked") > 0, "control: the script is asked about a promise's")


def violations_are_noticed(stage):
    """The control of the last check of every group."""
    with stage.inline(layout="pin") as page:
        page.evaluate("{ const s = document.createElement('script'); s.textContent = '1'; document.body.append(s); }")
        report = stage.expect_violation(stage.origins.page)
        check("script-src" in report and not stage.origins.frame.violations, "it was reported", report)
        check(any("Content Security Policy" in text for text in page.console), "and is in the console", page.console)


GROUPS = [the_module_exports_nothing, calls_in_the_wrong_state_are_refused, contexts, wrong_attributes_are_refused,
          each_way_has_its_length, leaving_the_page_rejects_what_is_pending, a_page_that_is_kept_for_back_keeps_nothing,
          a_module_that_is_not_there_is_told, a_policy_that_forbids_webassembly_is_told,
          the_hash_of_the_module_is_checked, a_service_worker_replaces_no_module, each_snippet_names_the_hash,
          the_policy_of_the_documentation_is_enough, an_integrity_that_is_no_hash_is_refused,
          no_promise_decides_which_module_is_run, violations_are_noticed]
