"""What screen readers get, and people without a pointer: the count, and a button that turns the spoken keys on; with
`accessible`, those at once.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os

from agreement import Server
from pages import Page
from places import Places
from servers import HERE
from stage import PATIENT, check
from stub import decode, encode

NAMES = "q w e r t y u i o p a s d f g h j k l shift z x c v b n m delete digits symbols space return".split()
BANK = os.path.join(HERE, "..", "..", "Examples", "Bank", "Page")
OFFER = "Use arrow keys and Enter. Keys will be spoken."


def buttons(page):
    return [name for role, name, _ in page.spoken() if role == "button"]


def the_pad_tells_only_the_count(stage):
    for page in stage.both(layout="pin", maximum="6", open="1"):
        before = page.spoken()
        check(("group", "Secure keyboard", "") in before, "the keyboard has a name", before)
        check(buttons(page) == [OFFER], "there are no keys", before)
        stage.tap_keys(page, "7309")
        page.drawn()
        names = [name for _, name, _ in page.spoken()]
        check("Characters typed: 4" in names, "the count is told", names)
        page.evaluate("keyboard.close()")
        page.drawn()
        check("Characters typed: 4" not in [name for _, name, _ in page.spoken()], "and no longer after close")


def its_words_can_be_chosen(stage):
    for page in stage.both(layout="pin", announce="%d자리 입력", aria_label="보안 키패드", offer="화살표로 입력", open="1"):
        stage.tap_keys(page, "73")
        page.drawn()
        names = [name for _, name, _ in page.spoken()]
        check({"2자리 입력", "보안 키패드", "화살표로 입력"} <= set(names), "in the page's language", names)


def accessible_keys_are_buttons(stage):
    for page in stage.both(layout="letters", accessible="", open="1"):
        check(buttons(page) == NAMES, "each key is a button", buttons(page))
        stage.tap_keys(page, "q⇧", "letters")  # fingers find keys as before
        page.drawn()
        check("capital W" in buttons(page) and "shift, on" in buttons(page), "capitals are named", buttons(page))
        stage.tap_keys(page, "w②", "letters")
        page.drawn()
        told = buttons(page)
        check(len(told) == 37 and told[:2] == ["exclamation mark", "quotation mark"], "another page", told)
        check(stage.typed(page) == b"qW", "what was tapped", stage.typed(page))
        page.evaluate("keyboard.close()")
        page.drawn()
        check(buttons(page) == [], "no keys after close", buttons(page))


def arrows_enter_and_space_type(stage):
    for page in stage.both(layout="pin", accessible="", open="1"):
        page.enter()
        check(page.becomes(lambda: page.chosen() == "1"), "the first key", page.chosen())
        for key, text, name in (("Enter", "\r", "1"), ("ArrowRight", "", "2"), (" ", " ", "2"), ("ArrowDown", "", "5"),
                                ("Enter", "\r", "5"), ("ArrowLeft", "", "4"), ("ArrowUp", "", "1"),
                                ("End", "", "delete"), ("ArrowRight", "", "1"), ("ArrowLeft", "", "delete"),
                                ("ArrowUp", "", "9"), ("ArrowDown", "", "delete"), ("Home", "", "1"),
                                ("ArrowUp", "", "1")):
            page.type_key(key, text=text)
            check(page.chosen() == name, "%s leads to %s" % (key, name), page.chosen())
        check(stage.typed(page) == b"125", "Enter and Space", stage.typed(page))
        page.inside("DIV", "function() { if (this.role === 'button') this.click(); }",
                    page.frames[-1] if page.frames else None)
        check(stage.typed(page) == b"125", "but no click of a script", stage.typed(page))
        page.click(*Places("pin", page.box()).middle("9"))
        check(stage.typed(page) == b"1259", "a mouse finds the key once, not twice", stage.typed(page))
        page.type_key("Tab")
        check(page.becomes(lambda: not page.evaluate("document.activeElement === keyboard")), "one Tab leads out")


def the_choice_stays_on_its_place(stage):
    """Another page of keys must not throw a person out of the keyboard, nor must another opening."""
    with stage.inline(layout="letters", accessible="", open="1") as page:
        page.enter()
        page.choose("digits")
        page.type_key("Enter", text="\r")
        page.drawn()
        check(page.chosen() == "1", "the digits have fewer keys: the first is chosen", page.chosen())
        page.type_key("ArrowRight")
        page.type_key("Enter", text="\r")
        check(page.chosen() == "2" and stage.typed(page) == b"2", "typing leaves the choice", page.chosen())
        page.evaluate("keyboard.close()")
        page.type_key("Enter", text="\r")
        check(page.chosen() is None, "a closed one has no keys")
        page.evaluate("keyboard.open(new Uint8Array())")
        page.drawn()
        check(page.chosen() == "q", "and the focus is there when it opens again", page.chosen())


def a_person_without_a_pointer_turns_the_keys_on(stage):
    """Whatever the app has thought of, unless it forbids that."""
    for page in stage.both(layout="pin", maximum="6", open="1"):
        page.enter()
        page.type_key("ArrowRight")
        check(buttons(page) == [OFFER], "no key before", buttons(page))
        page.type_key("Enter", text="\r")
        check(page.becomes(lambda: page.chosen() == "1"), "the first key", page.chosen())
        check(OFFER not in buttons(page) and len(buttons(page)) == 11, "the keys instead of the offer", buttons(page))
        for digit in "730952":
            page.choose(digit)
            page.type_key("Enter", text="\r")
        page.until("events.includes('complete 6')")
        check(stage.typed(page) == b"730952", "typed without a pointer")
        page.reopen()
        page.drawn()
        check(page.becomes(lambda: len(buttons(page)) == 11), "the next opening has them too", buttons(page))
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.mute = true; keyboard.open(new Uint8Array())")
        check(page.becomes(lambda: buttons(page) == []), "not if the app forbids it", buttons(page))
    for page in stage.both(layout="pin", mute="", open="1"):
        check(buttons(page) == [], "muted", buttons(page))
        page.type_key("Tab")
        check(not [node for node in page.inside("BUTTON", "function() { return 1; }",
                                                page.frames[-1] if page.frames else None)], "Tab finds nothing there")


def agreeing(stage):
    """The bank's API for OPAQUE, for one account that may be tried as often as one likes; and what was right."""
    server, right = Server(stage), []

    def register(asked):
        return {"step": "register", "response": encode(server.respond(decode(asked["request"])))}

    def record(asked):
        server.keep(decode(asked["record"]))
        return login(asked)

    def login(asked):
        return {"step": asked.get("step", "login"), "ke2": encode(server.answer(decode(asked["ke1"])))}

    def finish(asked):
        server.check(decode(asked["ke3"]))
        right.append(asked["step"])
        return {"account": "alice"}

    for path, function in (("register", register), ("record", record), ("login", login), ("finish", finish)):
        stage.origins.page.answers["/api/opaque/" + path] = lambda body, function=function: (
            200, function(json.loads(body)))
    stage.origins.page.answers["/api/logout"] = lambda body: (200, {})
    return right


def the_example_bank_needs_no_pointer(stage):
    """Its page, with the tests' own bank: a person registers and logs in with Tab, arrows and Enter."""
    server, files, right = stage.origins.page, {}, agreeing(stage)
    for name in ("index.html", "page.js", "page.css"):
        with open(os.path.join(BANK, name), encoding="utf-8") as file:
            text = file.read().replace("{{frame}}", stage.origins.frame.origin).replace("{{page}}", server.origin)
        text = text.replace("CustomKeyboard bank 1", "")  # the terms of this server
        files["bank-" + name] = text.replace('/page.', '/bank-page.').replace('rel="icon" href="/icon.svg"', "")
    server.texts.update(files)
    attributes = {"layout": "pin", "shuffle": "opening", "maximum": "6"}

    def enter(page, title):
        page.until("document.getElementById('title').textContent === %s && document.querySelector('custom-keyboard')"
                   "?.matches(':not(:state(closed))')" % json.dumps(title))
        page.evaluate("globalThis.keyboard = document.querySelector('custom-keyboard'); 0")
        page.enter()
        if page.becomes(lambda: page.chosen() or OFFER in buttons(page)) and not page.chosen():
            page.type_key("Enter", text="\r")
        check(page.becomes(page.chosen), "the keys are there")
        for count, digit in enumerate("730952", 1):
            page.choose(digit)
            page.type_key("Enter", text="\r")

    with stage.settings(attributes=attributes, free=[], opaque=["login", "register"]):
        with Page(stage.browser, server.origin + "/bank-index.html", early=PATIENT,
                  is_ready="document.getElementById('start')?.hidden === false") as page:
            page.type_key("Tab")
            page.call("Input.insertText", text="alice")
            for tabs, titles, said in ((2, ("Choose a PIN", "Enter it again"), "is open"),
                                       (1, ("Enter your PIN",), "You are logged in")):
                page.until("document.activeElement.id === 'account'")
                for _ in range(tabs):
                    page.type_key("Tab")
                page.type_key("Enter", text="\r")
                for title in titles:
                    enter(page, title)
                page.until("document.getElementById('message').textContent.includes(%s)" % json.dumps(said))
        check(right == ["register", "login"], "the bank finds it right", right)


def an_offer_that_a_script_takes_is_not_taken(stage):
    with stage.inline(layout="pin", open="1") as page:
        check(page.inside("BUTTON", "function() { this.click(); return 1; }") == [1], "one offer")
        page.drawn()
        check(buttons(page) == [OFFER], "a script clicks in vain", buttons(page))
        box = page.box()
        page.tap(box[0] + box[2] / 2, box[1] + 20)
        check(stage.typed(page) == b"2" and buttons(page) == [OFFER], "a finger finds the key below it")


def only_the_attribute_makes_buttons(stage):
    with stage.inline(layout="pin", open="1") as page:
        page.evaluate("keyboard.setAttribute('accessible', '')")
        stage.tap_keys(page, "1")
        check(buttons(page) == [OFFER], "not while it is up")
        page.reopen()
        page.drawn()
        check(len(buttons(page)) == 11, "at the next opening")


GROUPS = [the_pad_tells_only_the_count, its_words_can_be_chosen, accessible_keys_are_buttons,
          arrows_enter_and_space_type, the_choice_stays_on_its_place, a_person_without_a_pointer_turns_the_keys_on,
          the_example_bank_needs_no_pointer, an_offer_that_a_script_takes_is_not_taken,
          only_the_attribute_makes_buttons]
