"""The page of the example bank, at a real bank: an account is opened and used by reading the shuffled keys from the
screen and tapping them, as a person does.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import json
import os
import sys
import urllib.request

from bank import cut_keys
from devtools import PATIENCE
from pages import Page
from places import Places
from stage import PATIENT, check

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Python"))
from hpke import HPKE, pad  # noqa: E402

PIN, OTHER, DIGITS = "830274", "495162", "1234567890"


def visited(stage):
    return Page(stage.browser, stage.options.bank, still=True, early=PATIENT,
                is_ready="!document.getElementById('start').hidden")


def digits_on(page):
    """What is written on the keys, without the margins around it: keys may begin between two pixels."""
    page.drawn()
    return [written(cut) for cut in cut_keys(page)]


def written(cut):
    dark = [(x, y) for y in range(cut.height) for x in range(cut.width) if max(cut.pixel(x, y)) < 128]
    if not dark:
        return None
    left, top = min(x for x, _ in dark), min(y for _, y in dark)
    return {(x - left, y - top) for x, y in dark}


def digit_like(ink, glyphs):
    """The digit that differs in the fewest pixels."""
    return DIGITS[min(range(10), key=lambda number: len((ink or set()) ^ glyphs[number]))]


def learned(stage, width, height):
    """What the digits look like on a pad of this size, by place: from one whose keys are in order."""
    with stage.inline(layout="pin", open="1") as page:
        page.evaluate("keyboard.style.cssText = 'position: fixed; left: 0; top: 0; width: %gpx; height: %gpx'"
                      % (width, height))
        return digits_on(page)


class Visit:
    """A person at the page, who has seen such a pad before."""

    def __init__(self, stage, page):
        self.page, self.orders, self.latest = page, set(), None
        self.click("login", "visitor")
        self.shows("Enter your PIN")
        page.until("document.querySelector('custom-keyboard')")
        self.glyphs = learned(stage, *page.box()[2:])
        check(all(self.glyphs), "ten digits are on the screen")
        self.click("cancel")
        page.until("!document.getElementById('start').hidden && !document.getElementById('login').disabled")

    def click(self, button, account=None):
        if account:
            self.page.evaluate("document.getElementById('account').value = %s" % json.dumps(account))
        self.page.until("!document.getElementById('%s').disabled" % button)
        self.page.evaluate("document.getElementById('%s').click()" % button)

    def shows(self, title):
        self.page.until("!document.getElementById('entry').hidden && document.getElementById('title').textContent === "
                        + json.dumps(title))

    def message(self):
        """What the bank answered, when it has."""
        self.page.until("document.getElementById('entry').hidden && document.getElementById('message').textContent")
        return self.page.evaluate("document.getElementById('message').textContent")

    def enter(self, pin):
        for _ in range(PATIENCE):
            order = "".join(digit_like(ink, self.glyphs) for ink in digits_on(self.page))
            if sorted(order) == sorted(DIGITS) and order != self.latest:  # not the last picture of the PIN before
                break
        check(sorted(order) == sorted(DIGITS), "each digit is on one key", order)
        self.orders.add(order)
        self.latest = order
        places = Places("pin", self.page.box())
        for count, digit in enumerate(pin, 1):
            self.page.tap(*places.middle(DIGITS[order.index(digit)]))
            if count < len(pin):
                self.page.until("document.querySelectorAll('#dots .full').length === %d" % count)

    def register(self, account, pin, again):
        self.click("register", account)
        self.shows("Choose a PIN")
        self.enter(pin)
        self.shows("Enter it again")
        self.enter(again)
        return self.message()

    def login(self, account, pin, button="login"):
        self.click(button, account)
        self.shows("Enter your PIN")
        self.enter(pin)
        return self.message()


def a_person_registers_and_logs_in(stage):
    with visited(stage) as page:
        visit = Visit(stage, page)
        check(visit.register("alice", PIN, OTHER).startswith("The two passcodes differ."), "two PINs")
        check(visit.register("alice", PIN, PIN) == "The account alice is open. Log in with your PIN.", "registered")
        check("Tries left: 4." in visit.login("alice", OTHER), "a wrong PIN")
        check(visit.login("alice", PIN) == "You are logged in.", "logged in")
        check(page.evaluate("document.getElementById('greeting').textContent") == "Hello, alice", "greeted")
        visit.click("logout")
        page.until("document.getElementById('message').textContent === 'You are logged out.'")
        check(len(visit.orders) > 1, "the keys change places", visit.orders)


def five_wrong_pins_lock(stage):
    with visited(stage) as page:
        visit = Visit(stage, page)
        check(visit.register("bob", PIN, PIN) == "The account bob is open. Log in with your PIN.", "registered")
        for left in (4, 3, 2, 1):
            check("Tries left: %d." % left in visit.login("bob", OTHER), "a wrong PIN is counted")
        check("locked" in visit.login("bob", OTHER), "the fifth locks")
        check(visit.login("bob", PIN).startswith("The account is locked"), "and the right one does not help")


def a_page_that_was_left_begins_anew(stage):
    """Browsers keep a page for "back": without its keyboard, and the next person must not have its session."""
    with visited(stage) as page:
        visit = Visit(stage, page)
        check(visit.register("dora", PIN, PIN).startswith("The account dora"), "registered")
        check(visit.login("dora", PIN) == "You are logged in.", "logged in")
        page.evaluate("globalThis.isTheSame = true; location.href = '/icon.svg'; 0")
        page.until("location.pathname === '/icon.svg'")
        page.evaluate("void history.back()")
        page.until("location.pathname === '/' && !globalThis.isTheSame && !document.getElementById('start').hidden")
        check(page.evaluate("document.getElementById('home').hidden"), "nobody is logged in")
        visit = Visit(stage, page)
        check(visit.login("dora", PIN) == "You are logged in.", "and the keyboard works")


def another_address_of_the_page_is_told(stage):
    address = stage.options.bank.replace("localhost", "127.0.0.1")
    with Page(stage.browser, address, is_ready="globalThis.document.getElementById('message')?.textContent") as page:
        told = page.evaluate("document.getElementById('message').textContent")
        check(told == "The keyboard works only at %s: please open that." % stage.options.bank, told)


def the_page_keeps_to_its_policy(stage):
    """The bank's headers let the page do what it must, and no script of the page sees into the frame."""
    with visited(stage) as page:
        visit = Visit(stage, page)
        check(visit.register("carol", PIN, PIN).startswith("The account carol"), "registered")
        troubles = [line for line in page.console if "error" in line.lower()]
        check(not troubles, "nothing in the console", troubles)
        refused = page.evaluate("fetch('http://localhost:1/').then(() => 'sent', (error) => error.name)")
        check(refused == "TypeError", "the page's policy allows no other server", refused)
        check(any("Content Security Policy" in line for line in page.console), "and says so", page.console)
        sent = " ".join(page.requests)
        check(visit.login("carol", PIN) == "You are logged in.", "logged in")
        sent = " ".join(page.requests)
        check(all(name in sent for name in ("ke1", "ke3", "record")), "the traffic was recorded")
        check("keyId" not in sent and "/api/challenge" not in sent, "something was sealed for the bank")


def a_sealed_pin_moves(stage):
    """An account from before: its owner says so once, types once, and the bank then has no PIN of it."""
    def ask(path, **body):
        request = urllib.request.Request(stage.options.bank + path, json.dumps(body).encode() if body else None,
                                         {"Content-Type": "application/json"})
        return json.loads(urllib.request.urlopen(request, timeout=PATIENCE).read())

    def decode(text):
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

    key = ask("/api/key")
    asked = ask("/api/challenge", account="luise", purpose="register")
    texts = [HPKE(key["way"]).seal(decode(key["key"]), decode(asked["context"]), pad(PIN.encode())) for _ in range(2)]
    text, again = (base64.urlsafe_b64encode(text).decode().rstrip("=") for text in texts)
    ask("/api/register", challenge=asked["challenge"], keyId=key["keyId"], text=text, again=again)
    with visited(stage) as page:
        visit = Visit(stage, page)
        check("Tries left: 4." in visit.login("luise", PIN), "by OPAQUE, there is no such account")
        check(visit.login("luise", PIN, "sealed") == "You are logged in.", "with a sealed PIN")
        check(not any("not moved" in line for line in page.console), page.console)
        visit.click("logout")
        page.until("document.getElementById('message').textContent === 'You are logged out.'")
        check(visit.login("luise", PIN) == "You are logged in.", "by OPAQUE, with the same PIN")
        visit.click("logout")
        page.until("document.getElementById('message').textContent === 'You are logged out.'")
        check("Tries left: 4." in visit.login("luise", PIN, "sealed"), "and nobody gets in with a sealed one")


def a_person_changes_the_pin(stage):
    with visited(stage) as page:
        visit = Visit(stage, page)
        check(visit.register("erna", PIN, PIN).startswith("The account erna"), "registered")
        check(visit.login("erna", PIN) == "You are logged in.", "logged in")
        for told, *pins in (("Tries left: 4.", OTHER), ("That is the old passcode.", PIN, PIN, PIN),
                            ("differ", PIN, OTHER, PIN), ("Your PIN is changed.", PIN, OTHER, OTHER)):
            visit.click("change")
            for title, pin in zip(("Enter your PIN", "Choose another PIN", "Enter it again"), pins):
                visit.shows(title)
                visit.enter(pin)
            said = visit.message()
            check(told in said, told, said)
            check(not page.evaluate("document.getElementById('home').hidden"), "still logged in")
        visit.click("everywhere")
        page.until("document.getElementById('message').textContent === 'You are logged out everywhere.'")
        check("Tries left: 4." in visit.login("erna", PIN), "the old PIN")
        check(visit.login("erna", OTHER) == "You are logged in.", "the new PIN")


# The page's own `fetch`, in front of which a proxy refuses requests of one path for some time.
REFUSING = """
  globalThis.asked = 0;
  const original = fetch;
  globalThis.fetch = (path, options) => {
    if (path !== '%s') return original(path, options);
    globalThis.asked += 1;
    const headers = { 'Content-Type': 'application/json', %s };
    const body = '{"error": "%s", "message": "Not now."}';
    if (globalThis.asked > %d) return original(path, options);
    return Promise.resolve(new Response(body, { status: %d, headers }));
  };
"""


def a_busy_bank_is_asked_again(stage):
    """When it says so, and as often as it makes sense; and what it may have begun is not sent twice."""
    busy = ("'Retry-After': '0'", "busy")
    for account, path, (field, error), times, status, asked, told in (
            ("fritz", "/api/opaque/finish", busy, 3, 429, 4, "You are logged in."),
            ("greta", "/api/opaque/login", busy, 2, 503, 3, "You are logged in."),
            ("helga", "/api/opaque/login", busy, 99, 503, 6, "Not now."),
            ("ivan", "/api/opaque/login", ("'X-None': '0'", "busy"), 1, 503, 1, "Not now."),
            ("jost", "/api/opaque/finish", ("'Retry-After': '0'", "unavailable"), 1, 503, 1, "Not now."),
            ("karl", "/api/opaque/finish", ("'Retry-After': '900'", "busy"), 1, 503, 1, "Not now.")):
        with visited(stage) as page:
            visit = Visit(stage, page)
            check(visit.register(account, PIN, PIN).startswith("The account " + account), "registered")
            page.evaluate(REFUSING % (path, field, error, times, status))
            visit.click("login", account)
            page.until("!document.getElementById('entry').hidden")
            visit.shows("Enter your PIN")
            visit.enter(PIN)
            said = visit.message()
            check(said == told, account, said)
            check(page.evaluate("asked") == asked, account, "was asked", page.evaluate("asked"))


GROUPS = [a_person_registers_and_logs_in, a_sealed_pin_moves, a_person_changes_the_pin, a_busy_bank_is_asked_again,
          five_wrong_pins_lock, a_page_that_was_left_begins_anew, another_address_of_the_page_is_told,
          the_page_keeps_to_its_policy]
