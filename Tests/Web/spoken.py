"""What screen readers get: the count; and with `accessible`, a button for each key.

SPDX-License-Identifier: Apache-2.0
"""

from places import Places
from stage import check

NAMES = "q w e r t y u i o p a s d f g h j k l shift z x c v b n m delete digits symbols space return".split()


def the_pad_tells_only_the_count(stage):
    for page in stage.both(layout="pin", maximum="6", open="1"):
        before = page.spoken()
        check(("group", "Secure keyboard", "") in before, "the keyboard has a name", before)
        check(not [node for node in before if node[0] == "button"], "there are no keys", before)
        stage.tap_keys(page, "7309")
        page.drawn()
        names = [name for _, name, _ in page.spoken()]
        check("Characters typed: 4" in names, "the count is told", names)
        page.evaluate("keyboard.close()")
        page.drawn()
        check("Characters typed: 4" not in [name for _, name, _ in page.spoken()], "and no longer after close")


def its_words_can_be_chosen(stage):
    for page in stage.both(layout="pin", announce="%d자리 입력", aria_label="보안 키패드", open="1"):
        stage.tap_keys(page, "73")
        page.drawn()
        names = [name for _, name, _ in page.spoken()]
        check("2자리 입력" in names and "보안 키패드" in names, "in the page's language", names)


def accessible_keys_are_buttons(stage):
    for page in stage.both(layout="letters", accessible="", open="1"):
        buttons = [name for role, name, _ in page.spoken() if role == "button"]
        check(buttons == NAMES, "each key is a button", buttons)
        stage.tap_keys(page, "q⇧", "letters")  # fingers find keys as before
        page.drawn()
        buttons = [name for role, name, _ in page.spoken() if role == "button"]
        check("capital W" in buttons and "shift, on" in buttons, "capitals are named", buttons)
        stage.tap_keys(page, "w②", "letters")
        page.drawn()
        buttons = [name for role, name, _ in page.spoken() if role == "button"]
        check(len(buttons) == 37 and buttons[:2] == ["exclamation mark", "quotation mark"], "another page", buttons)
        check(stage.typed(page) == b"qW", "what was tapped", stage.typed(page))
        page.evaluate("keyboard.close()")
        page.drawn()
        check(not [node for node in page.spoken() if node[0] == "button"], "no keys after close")


def accessible_keys_obey_the_keyboard_and_the_screen_reader(stage):
    for page in stage.both(layout="pin", accessible="", open="1"):
        page.tap(page.width / 2, 100)  # the page has the focus; Tab goes on from here
        session = page.frames[-1] if page.frames else page.session
        page.inside("BUTTON", "function() { if (this.ariaLabel === '1') this.focus(); }", session)
        for key, text in (("Enter", "\r"), ("Tab", ""), (" ", " "), ("Tab", ""), ("Enter", "\r")):
            page.type_key(key, text=text)
        check(stage.typed(page) == b"123", "Tab, Enter and Space", stage.typed(page))
        page.inside("BUTTON", "function() { this.click(); }", session)
        check(stage.typed(page) == b"123", "but no click of a script", stage.typed(page))
        button = Places("pin", page.box()).middle("9")
        page.click(*button)
        check(stage.typed(page) == b"1239", "a mouse finds the key once, not twice", stage.typed(page))


def a_focus_stays_on_its_place(stage):
    """Another page of keys must not throw a person out of the keyboard."""
    with stage.inline(layout="letters", accessible="", open="1") as page:
        page.inside("BUTTON", "function() { if (this.ariaLabel === 'digits') this.focus(); }")
        page.type_key("Enter", text="\r")
        page.drawn()
        focus = lambda: [name for name in page.inside(  # noqa: E731
            "BUTTON", "function() { return this.matches(':focus') ? this.ariaLabel : null; }") if name]
        check(focus() == ["1"], "the digits have fewer keys: the first has the focus", focus())
        page.type_key("Tab")
        page.type_key("Enter", text="\r")
        check(focus() == ["2"] and stage.typed(page) == b"2", "typing leaves the focus", focus())


def only_the_attribute_makes_buttons(stage):
    with stage.inline(layout="pin", open="1") as page:
        page.evaluate("keyboard.setAttribute('accessible', '')")
        stage.tap_keys(page, "1")
        check(page.inside("BUTTON", "function() { return 1; }") == [], "not while it is up")
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.open(new Uint8Array())")
        check(len(page.inside("BUTTON", "function() { return 1; }")) == 12, "at the next opening")


GROUPS = [the_pad_tells_only_the_count, its_words_can_be_chosen, accessible_keys_are_buttons,
          accessible_keys_obey_the_keyboard_and_the_screen_reader, a_focus_stays_on_its_place,
          only_the_attribute_makes_buttons]
