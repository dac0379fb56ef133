"""What touching the keyboard does: keys and gaps, pressed keys, pages, capitals, a held delete key, two fingers.

SPDX-License-Identifier: Apache-2.0
"""

import os
import time

from broadway import BEGIN, END, MOVE, Broadway
from secrecy import told_labels
from session import DIGITS, LETTERS, PIN, PRESSED, SYMBOLS, check, ready

PASSCODE = "274916"


def gaps(test):
    """Every point of the board belongs to the key that is nearest to it."""
    bank = test.bank()
    kiosk = ready(test, bank, "--shuffle", "none")
    page = kiosk.page(PIN)
    width, height = kiosk.size
    top = page["1"].top - 8
    one, two, four, five, nine = (page[digit] for digit in "12459")
    points = [
        (0, top, "1"), (width - 1, top, "3"), (one.x, top + 2, "1"), (0, four.y, "4"), (width - 1, nine.y, "9"),
        (page["0"].x, height - 1, "0"), (one.right + 1, one.y, "1"), (two.left - 2, one.y, "2"),
        (one.x, one.bottom + 1, "1"), (one.x, four.top - 2, "4"), (five.left - 2, five.bottom - 1, "5"),
        (nine.x, nine.bottom + 1, "9"),
    ]
    for half in (points[:6], points[6:]):
        kiosk.wait_until_it_says("prompt", "Enter your PIN")
        before = len(bank.opened)
        kiosk.display.tap(*((x, y) for x, y, _ in half))
        kiosk.wait_for(lambda: len(bank.opened) > before, "six digits")
        wanted = "".join(digit for _, _, digit in half)
        check(bank.opened[-1] == wanted, "taps at %s typed %s" % (half, bank.opened[-1]))
    # There is no key above the board; the right and the middle button type nothing.
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.tap(page["1"])
    kiosk.wait_for_count(1)
    kiosk.display.tap((page["1"].x, top - 3))
    for button in (2, 3):
        kiosk.display.xdotool("mousemove", page["1"].x, page["1"].y, "click", button)
    kiosk.tap(page["blank"], page["2"])
    kiosk.wait_for_count(2)
    kiosk.end_well()


def pressed_keys(test):
    bank = test.bank()
    kiosk = ready(test, bank, "--shuffle", "none")
    page = kiosk.page(PIN)
    for name in ("5", "delete", "blank"):
        kiosk.display.xdotool("mousemove", page[name].x, page[name].y, "mousedown", 1)
        pressed = kiosk.wait_for(
            lambda: [key for key in zip(PIN, kiosk.keys()) if key[1].fill == PRESSED], "%s looks pressed" % name)
        check([key[0] for key in pressed] == [name], "%s look pressed, not %s" % (pressed, name))
        kiosk.display.xdotool("mouseup", 1)
        kiosk.wait_for(lambda: all(key.fill != PRESSED for key in kiosk.keys()), "%s looks released" % name)
        check(True, name)
    # A switch of pages is not under the finger any more when its page has gone.
    kiosk.end()
    kiosk = ready(test, bank, "--shuffle", "none", "--layout", "letters")
    place = kiosk.page(LETTERS)["to digits"]
    kiosk.display.xdotool("mousemove", place.x, place.y, "mousedown", 1)
    keys = kiosk.page(DIGITS).values()
    check(all(key.fill != PRESSED for key in keys), "a key of the new page looks pressed")
    kiosk.display.xdotool("mouseup", 1)
    kiosk.end_well()


def pages_and_capitals(test):
    bank = test.bank()
    kiosk = ready(test, bank, "--shuffle", "none", "--layout", "letters")
    page = kiosk.page(LETTERS)
    small = page["shift"].label
    kiosk.type("a", LETTERS)
    kiosk.tap(page["shift"])
    once = kiosk.wait_for(lambda: page_if_changed(kiosk, "shift", small), "shift")
    kiosk.tap(once["b"], once["c"])  # One capital only.
    kiosk.tap(page["shift"], page["shift"])
    locked = kiosk.wait_for(lambda: page_if_changed(kiosk, "shift", small, once["shift"].label), "caps lock")
    check(locked["q"].label != page["q"].label, "letters stay small")
    kiosk.tap(locked["d"], locked["e"], locked["shift"], page["f"], page["space"])
    kiosk.tap(page["to digits"])
    kiosk.type("90", DIGITS)
    kiosk.tap(kiosk.page(DIGITS)["to symbols"])
    kiosk.type("!\\}~", SYMBOLS)
    kiosk.tap(kiosk.page(SYMBOLS)["to letters"])
    kiosk.type("z", LETTERS)
    kiosk.tap(page["return"])
    kiosk.wait_for_message()
    check(bank.opened == ["aBcDEf 90!\\}~z"], "the bank has read %s" % bank.opened)
    kiosk.end_well()


def page_if_changed(kiosk, name, *known):
    page = dict(zip(LETTERS, kiosk.keys()))
    return page if page[name].label not in known else None


def count_of(kiosk):
    return int(kiosk.says("dots").split()[0])


def held_delete(test):
    """A tap removes one character; a finger that stays removes one after another, until it goes."""
    bank = test.bank()
    kiosk = ready(test, bank, "--shuffle", "none", "--layout", "letters")
    page = kiosk.page(LETTERS)
    text = "qwertyuiop" * 12 + "asdfghjk"
    kiosk.type(text, LETTERS)
    kiosk.wait_for_count(128)
    kiosk.type("l", LETTERS)  # There is no room for it.
    for _ in range(5):
        kiosk.tap(page["delete"], page["delete"])
        kiosk.wait_for(lambda: count_of(kiosk) <= 126, "fewer characters")
        time.sleep(1)
        if count_of(kiosk) == 126:
            break
        # The machine did nothing while a finger was on the key: it was held for long enough to repeat.
        kiosk.type(text[count_of(kiosk):], LETTERS)
        kiosk.wait_for_count(128)
    check(count_of(kiosk) == 126, "a tap removes one character: %d" % count_of(kiosk))
    kiosk.display.xdotool("mousemove", page["delete"].x, page["delete"].y, "mousedown", 1)
    kiosk.wait_for(lambda: count_of(kiosk) < 110, "fewer characters")
    kiosk.display.xdotool("mouseup", 1)
    # It would go on in this time, and does not.
    time.sleep(1)
    left = kiosk.says("dots")
    time.sleep(1)
    check(kiosk.says("dots") == left, "it goes on without a finger: %s, %s" % (left, kiosk.says("dots")))
    kiosk.type("zz", LETTERS)
    kiosk.tap(page["return"])
    kiosk.wait_for_message()
    wanted = text[: int(left.split()[0])] + "zz"
    check(bank.opened == [wanted], "the bank has read %s, not %s" % (bank.opened, wanted))
    kiosk.end_well()


def fingers(test):
    """Touches, two at a time. They come through GTK's Broadway: see broadway.py."""
    bank = test.bank(alice=PASSCODE)
    notes = os.path.join(test.display.folder, "touches")
    open(notes, "w").close()
    broadway = Broadway(os.path.join(test.display.folder, "runtime"), test.display.environment)
    more = {"LD_PRELOAD": os.path.join(test.work, "planted.so"), "KIOSK_NOTES": notes}
    try:
        kiosk = test.kiosk(bank, "--shuffle", "none", environment={**broadway.environment, **more}, has_window=False)

        def noted(word):
            assert not broadway.failure, broadway.failure
            with open(notes) as file:
                return [tuple(map(float, line.split()[1:])) for line in file if line.startswith(word)]

        def touches():
            return noted("touch")

        kiosk.wait_for(lambda: [s for s in broadway.surfaces.values() if s[2] > 300], "a window")
        # Where the board is in the window is seen from a touch of the blank key.
        width, height = broadway.surfaces[min(broadway.surfaces)][2:]

        def first_touch():
            if not touches():
                broadway.finger(BEGIN, 1, width // 4, height - 60)
                broadway.finger(END, 1, width // 4, height - 60)
            return touches()

        x, y = kiosk.wait_for(first_touch, "a touch")[0]
        left, top = width // 4 - x, height - 60 - y
        pitch, row = (360 - 16 + 6) / 3, (300 - 16 + 8) / 4

        def place(digit):
            index = PIN.index(digit)
            return left + pitch * (index % 3) + 40, top + row * (index // 3) + 30

        # Delete is held by the second finger, and the first one that goes does not end that.
        broadway.finger(BEGIN, 1, *place("2"))
        broadway.finger(BEGIN, 2, *place("delete"))
        broadway.finger(END, 1, *place("2"))
        check(kiosk.wait_for(lambda: len(noted("press")) >= 3, "delete, again and again"), "held")
        broadway.finger(END, 2, *place("delete"))

        count = len(touches())
        # Each finger comes down before the one in front of it goes.
        down = None
        for which, digit in enumerate(PASSCODE):
            broadway.finger(BEGIN, which, *place(digit))
            if down is not None:
                broadway.finger(MOVE, which - 1, *place("0"))
                broadway.finger(END, which - 1, *place("0"))
            down = which
        broadway.finger(END, down, *place("0"))
        kiosk.wait_for(lambda: bank.opened, "a sealed text")
        check(bank.opened == [PASSCODE], "the bank has read %s" % bank.opened)
        check(len(touches()) == count + 6, "%d touches in place of 6" % (len(touches()) - count))
        check(kiosk.end()[0] == 0, "an end with errors")
    finally:
        broadway.end()


def dots_of_pattern(kiosk):
    """Where the nine dots are: cells of a third of the board's shorter side, in its middle."""
    width, height = kiosk.size
    board = height // 2
    cell = (min(width, board) - 16) / 3
    return [(round(width / 2 + (i % 3 - 1) * cell), round(height - board / 2 + (i // 3 - 1) * cell)) for i in range(9)]


def draw(kiosk, dots, leave=True):
    """A mouse that is held down goes from dot to dot."""
    places = dots_of_pattern(kiosk)
    words = []
    for i, dot in enumerate(dots):
        words += ["mousemove", *places[int(dot) - 1]] + (["mousedown", 1] if i == 0 else [])
    kiosk.display.xdotool(*words, *(["mouseup", 1] if leave else []))


def patterns(test):
    """Dots that are joined; few of them are not a pattern; the way is shown until the finger leaves."""
    bank = test.bank()
    kiosk = ready(test, bank, "--layout", "pattern")
    kiosk.display.xdotool("mousemove", 5, 5)
    empty = kiosk.picture()
    draw(kiosk, "123")
    kiosk.wait_until_it_says("message", "Join at least 4 dots.")
    kiosk.wait_for_count(0)
    check(not bank.opened, "three dots were sent")
    draw(kiosk, "1478", leave=False)
    kiosk.wait_for_count(4)
    (x, y), (_, below) = (dots_of_pattern(kiosk)[i] for i in (0, 3))
    shown = kiosk.picture()
    blue = bytes.fromhex("1f5fd0")
    check(shown.pixel(x, (y + below) // 2) == blue, "the way from 1 to 4 is not shown")
    check(shown.pixel(*dots_of_pattern(kiosk)[7]) == blue, "the last dot is not shown")
    check(shown.pixel(*dots_of_pattern(kiosk)[1]) != blue, "a dot is shown that was not joined")
    kiosk.display.xdotool("mouseup", 1)
    kiosk.wait_for(lambda: bank.opened, "a sealed text")
    check(bank.opened == ["1478"], "the bank has read %s" % bank.opened)
    kiosk.wait_until_it_says("prompt", "Enter your pattern")
    kiosk.display.xdotool("mousemove", 5, 5)
    rest = lambda picture: picture.crop(0, 300, 360, 300)  # noqa: E731
    check(rest(kiosk.picture()) == rest(empty), "the way is there yet")
    # A quick finger: from 1 to 9 by 5, and to 3 by 6.
    draw(kiosk, "193")
    kiosk.wait_for(lambda: len(bank.opened) == 2, "another sealed text")
    check(bank.opened[1] == "15963", "the bank has read %s" % bank.opened)
    # Beside the dots there is nothing.
    kiosk.wait_until_it_says("prompt", "Enter your pattern")
    kiosk.display.xdotool("mousemove", 3, 597, "mousedown", 1, "mousemove", 3, 305, "mouseup", 1)
    draw(kiosk, "7", leave=False)
    kiosk.wait_for_count(1)
    check(len(bank.opened) == 2, "something was sent: %s" % bank.opened)
    kiosk.display.xdotool("mouseup", 1)
    kiosk.end_well()


def without_a_pointer(test):
    """With Tab, Enter and arrows. A screen reader gets the chosen key, once the person has asked for that, and until
    another one may have come."""
    bank = test.bank(alice="274916")
    kiosk = ready(test, bank, "--shuffle", "none")
    kiosk.page(PIN)
    press = lambda *keys: kiosk.display.xdotool("key", "--delay", "30", *keys)  # noqa: E731
    kiosk.display.xdotool("windowfocus", "--sync", kiosk.window)
    press("Tab")
    told = lambda: told_labels(kiosk.accessible()) - {" "}  # noqa: E731
    check(not told(), "before: %s" % told())
    press("Return")
    kiosk.wait_for(lambda: told() == {"1"}, "the first key, and no other")

    def type_by_arrows(digits):
        chosen, order = 0, [name for name in PIN if name != "blank"]
        for count, digit in enumerate(digits, 1):
            steps = (order.index(digit) - chosen) % len(order)
            chosen = order.index(digit)
            press(*steps * ["Right"], "space")
            if count < 6:
                kiosk.wait_for(lambda: told() == {digit}, "the chosen key, and no other")

    type_by_arrows("111111")
    kiosk.wait_until_it_says("message", "Wrong PIN. 4 attempts left.")
    kiosk.wait_for(lambda: told() == {"1"}, "the first key again, for the same person")
    type_by_arrows("274916")
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    check(bank.opened == ["111111", "274916"], "the bank has read %s" % bank.opened)
    kiosk.press_button("Log out")
    # Not the page: the keyboard may have the focus, and then the offer is in the picture.
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    check(not told(), "to the next person: %s" % told())
    press("Right")
    check(not told(), "to the next person, after an arrow: %s" % told())
    press("Tab", "Return")
    kiosk.wait_for(lambda: told() == {"1"}, "the first key, for a person who asks, too")
    kiosk.end_well()


GROUPS = [gaps, pressed_keys, pages_and_capitals, held_delete, fingers, patterns, without_a_pointer]
