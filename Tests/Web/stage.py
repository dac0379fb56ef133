"""What all tests of the element share: a browser, two origins, a bank, and a person who taps.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import json
import urllib.parse

from devtools import Browser
from pages import Page
from places import Places
from servers import Origins
from stub import Bank, decode

checks = 0
ENDLESS = "128"  # a pad without a return key needs a maximum; nobody types so much
# Runs before everything else in a page: time passes only when the test says so.
CLOCK = """(() => {
  let time = 1000, number = 0;
  const due = new Map();
  performance.now = () => time;
  globalThis.setTimeout = (f, after = 0) => (due.set(++number, { f, at: time + after }), number);
  globalThis.clearTimeout = (number) => due.delete(number);
  const requestFrame = globalThis.requestAnimationFrame;
  globalThis.nextFrame = () => new Promise((done) => requestFrame(() => requestFrame(done)));
  globalThis.pass = (milliseconds) => {
    for (const end = time + milliseconds; ;) {
      const [next] = [...due].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (!next) { time = end; return; }
      due.delete(next[0]);
      time = Math.max(time, next[1].at);
      next[1].f();
    }
  };
})();"""

# The element gives up a frame of which it has heard nothing for 3 s: no time for a machine that is busy.
PATIENT = "globalThis.setTimeout = ((set) => (f, after) => set(f, after === 3000 ? 100000 : after))(setTimeout);"


def check(condition, what, *inputs):
    """Ends the test if a condition does not hold."""
    global checks
    checks += 1
    if not condition:
        raise AssertionError(what + "".join("\n    " + repr(value)[:2000] for value in inputs))


class Stage:
    def __init__(self, module, scale=2, arguments=(), way="x25519"):
        self.origins, self.bank = Origins(module), Bank(way)
        self.bank.serve(self.origins.page)
        self.origins.set_frame_key(way, self.bank.recipient.key)
        self.browser = Browser(scale, arguments)

    def close(self):
        self.browser.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def inline(self, shuffle="none", look=None, **attributes):
        """A page with keyboards in it. `look` is for Page."""
        if "public_key" not in attributes:
            attributes.setdefault("key", self.bank.recipient.key)
        return Page(self.browser, self.address(self.origins.page.origin + "/inline.html", shuffle, attributes),
                    **(look or {}))

    def framed(self, shuffle="none", look=None, **attributes):
        """A page with a keyboard in a frame of another origin."""
        attributes.setdefault("src", self.origins.frame.origin + "/frame.html")
        look = {**(look or {}), "early": PATIENT + (look or {}).get("early", "")}
        page = Page(self.browser, self.address(self.origins.page.origin + "/framed.html", shuffle, attributes),
                    **look)
        if "is_ready" not in look and attributes.get("keyboards") != "0":
            page.until("true", page.frames[0])
        return page

    @staticmethod
    def address(page, shuffle, attributes):
        if attributes.get("layout") == "pin":
            attributes.setdefault("maximum", ENDLESS)
        attributes = {name.replace("_", "-"): value for name, value in attributes.items() if value is not None}
        return page + "?" + urllib.parse.urlencode({"shuffle": shuffle, **attributes})

    @contextlib.contextmanager
    def settings(self, without=(), **changes):
        """The frame has a keyboard.json with these members changed, and without some."""
        members = {**json.loads(self.origins.frame.texts["keyboard.json"]), **changes}
        with self.settings_text(json.dumps({name: members[name] for name in members if name not in without})):
            yield

    @contextlib.contextmanager
    def settings_text(self, text):
        """The frame has this text as keyboard.json; with None it has no such file."""
        texts = self.origins.frame.texts
        kept = texts.pop("keyboard.json")
        texts.update({} if text is None else {"keyboard.json": text})
        try:
            yield
        finally:
            texts["keyboard.json"] = kept

    def both(self, **attributes):
        """The two forms of the element, one after the other."""
        for form in (self.inline, self.framed):
            with form(**attributes) as page:
                yield page

    # ---- A person

    def tap_keys(self, page, names, layout="pin", selector="custom-keyboard"):
        places = Places(layout, page.box(selector))
        for name in names:
            page.tap(*places.middle(name))

    def wait_for_touches(self, page, names):
        """Until a frame that is new, or at another place, gets the touches at these keys of a PIN pad."""
        page.drawn()
        page.reached(*map(Places("pin", page.box()).middle, names))

    def typed(self, page, keyboard="keyboard", context=b""):
        """What is in the sealed text that a keyboard makes."""
        return self.bank.recipient.open(decode(page.evaluate("%s.getText().then(encode)" % keyboard)), context)

    def expect_violation(self, server):
        """Waits until a server has got the browser's one report of what its policy forbids, and forgets it."""
        self.browser.becomes(lambda: server.violations)
        check(len(server.violations) == 1, "one report", server.violations)
        return server.violations.pop()

    def answer(self, page, purpose, account, *passcodes):
        """Logs in or registers by tapping, and returns the bank's answer."""
        opened = page.evaluate("globalThis.opened ?? 0")
        page.evaluate("void call(%s, %s)" % (json.dumps(purpose), json.dumps(account)))
        for passcode in passcodes:
            opened += 1
            page.until("globalThis.opened === %d" % opened)
            page.drawn()
            self.tap_keys(page, passcode)
        page.until("globalThis.answered")
        return page.evaluate("answered")


def code_of(page, expression):
    """The code of the error that a promise is rejected with."""
    return page.evaluate("(%s).then(() => 'no error', (error) => `${error.name} ${error.code}`)" % expression)


def error(code):
    return "CustomKeyboardError " + code
