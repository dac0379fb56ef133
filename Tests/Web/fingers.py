"""Fingers and mice: which key they press, when, and what that does.

SPDX-License-Identifier: Apache-2.0
"""

import os
import random

from bank import cut_keys, drawn_keys, read_order, shuffled
from places import Places
from stage import CLOCK, check, code_of, error

SEED = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(32))


def events_of(page):
    """The events since the last call. Messages of a frame come in order: with an answer, all before it are there."""
    return page.evaluate("keyboard.getText().then(() => events.splice(0).join(', '))")


def letters_cases_and_pages(stage):
    """Shift for one letter, caps lock, and the switches to digits and symbols and back."""
    for page in stage.both(layout="letters", open="1"):
        for layout, keys in (("letters", "ab⇧cd⇧⇧ef⇧g␣①"), ("digits", "12Ⓐ"), ("letters", "h②"), ("symbols", "@#Ⓐ"),
                             ("letters", "⇧i①"), ("digits", "②"), ("symbols", "-~Ⓐ"), ("letters", "x⌫y⏎")):
            stage.tap_keys(page, keys, layout)
        check(stage.typed(page) == b"abCdEFg 12h@#I-~y", "letters, cases and pages", stage.typed(page))
        check(page.evaluate("events.at(-1)") == "complete 17", "return completes", events_of(page))


def a_new_page_is_known_before_it_is_drawn(stage):
    """A quick finger: shift, which acts when the finger comes down, was where the question mark is now."""
    early = "globalThis.requestAnimationFrame = () => 0;"
    with stage.inline(layout="letters", look={"early": early, "is_ready": "globalThis.keyboard"}) as page:
        page.until("keyboard.ready.then(() => true)")
        page.evaluate("keyboard.open(new Uint8Array())")
        stage.tap_keys(page, "②", "letters")
        page.touch("touchStart", Places("symbols", page.box()).middle("?"))
        check(page.evaluate("keyboard.count") == 0, "it is typed when the finger leaves")
        page.touch("touchEnd")
        check(stage.typed(page) == b"?", "and is the key of the new page")


def every_page_has_its_keys(stage):
    for layout, keys in (("digits", "1234567890"), ("symbols", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")):
        with stage.inline(layout=layout, open="1") as page:
            stage.tap_keys(page, keys, layout)
            check(stage.typed(page) == keys.encode(), "the page of " + layout, stage.typed(page))


def gaps_belong_to_the_nearest_key(stage):
    numbers = random.Random(SEED)
    with stage.inline(layout="letters", open="1") as page:
        places = Places("letters", page.box())
        left, top, width, height = places.view
        expected = ""
        # Between keys, beside the second row, on the edges, and around all keys.
        points = [(left + width / 2 + 1, top + 60), (left + 4, top + height * 0.4), (left - 2, top - 8),
                  (left + width - 2, top + height * 0.4), (left + width + 2, top + height * 0.15),
                  (left + 17, top + 50)]
        points += [(left + numbers.random() * width, top + numbers.random() * height) for _ in range(120)]
        for x, y in points:
            x, y = round(x, 2), round(y, 2)
            name = places.nearest(min(max(x, left), left + width), min(max(y, top), top + height))
            if name.isascii() and name.isalpha():
                page.tap(x, y)
                expected += name
        check(len(expected) > 60, "most points are nearest to a letter (SEED=%d)" % SEED)
        check(stage.typed(page) == expected.encode(), "SEED=%d" % SEED, expected, stage.typed(page))


def far_from_all_keys_is_nothing(stage):
    with stage.inline(layout="pin", open="1", look={"width": 1200, "height": 800}) as page:
        x, y, width, height = page.box()
        places = Places("pin", page.box())
        check(places.view[2] == 480, "on a wide screen, the pad stays narrow")
        page.tap(x + 100, y + height / 2)
        page.tap(x + width - 100, y + height / 2)
        check(page.evaluate("keyboard.count") == 0, "the board beside it is not a key")
        page.tap(places.view[0] - 10, y + height / 2)
        check(page.evaluate("keyboard.count") == 1, "the edge of a key is a little wider than it looks")


def the_key_under_the_finger_is_typed_when_it_leaves(stage):
    for page in stage.both(layout="letters", open="1"):
        places = Places("letters", page.box())
        page.touch("touchStart", places.middle("q"))
        check(page.evaluate("keyboard.count") == 0, "nothing is typed while the finger is down")
        for name in "wert":
            page.touch("touchMove", places.middle(name))
        page.touch("touchEnd")
        page.touch("touchStart", places.middle("a"))
        page.touch("touchMove", (places.middle("a")[0], places.view[1] - 200))
        page.touch("touchEnd")  # slid away from the keyboard: nothing
        page.touch("touchStart", places.middle("s"))
        page.touch("touchCancel")
        page.touch("touchStart", places.middle("⇧"))
        page.touch("touchMove", places.middle("z"))
        page.touch("touchEnd")  # shift acts at once, and its finger types nothing
        stage.tap_keys(page, "k", "letters")
        check(stage.typed(page) == b"tK", "slides", stage.typed(page))


def two_thumbs(stage):
    """The second finger comes down before the first is up: both keys are typed, in the order of coming down."""
    with stage.inline(layout="letters", open="1") as page:
        places = Places("letters", page.box())
        for first, second in ("qp", "al", "zm"):
            page.touch("touchStart", places.middle(first))
            page.touch("touchStart", places.middle(first), places.middle(second))
            page.touch("touchEnd", places.middle(second))
            page.touch("touchEnd")
        check(len(stage.typed(page)) == 6 and stage.typed(page) == b"qpalzm", "two thumbs", stage.typed(page))


def delete_repeats_while_it_is_held(stage):
    with stage.inline(layout="letters", open="1", look={"early": CLOCK}) as page:
        places = Places("letters", page.box())
        stage.tap_keys(page, "qwertyuiop", "letters")
        count = lambda: page.evaluate("keyboard.count")  # noqa: E731
        page.touch("touchStart", places.middle("⌫"))
        check(count() == 9, "the first at once")
        page.evaluate("pass(490)")
        check(count() == 9, "then it waits")
        page.evaluate("pass(20)")
        check(count() == 8, "then it repeats")
        page.evaluate("pass(400)")
        check(3 <= count() <= 5, "faster", count())
        before = count()
        page.touch("touchEnd")
        page.evaluate("pass(5000)")
        check(count() == before, "until the finger leaves")
        check(stage.typed(page) == b"qwertyuiop"[:before], "the rest is still there")
        page.touch("touchStart", places.middle("⌫"))
        page.touch("touchMove", places.middle("m"))
        page.evaluate("pass(5000)")
        page.touch("touchEnd")
        check(count() == before - 1, "or slides away")
        page.touch("touchStart", places.middle("⌫"))
        page.evaluate("pass(5000)")
        check(count() == 0, "until nothing is left")
        page.evaluate("void events.splice(0); pass(1000)")
        check(page.evaluate("events.length") == 0, "and is then silent")
        page.evaluate("keyboard.close()")
        page.evaluate("pass(1000)")
        page.touch("touchEnd")
        check(not page.console, "a keyboard that closes under the finger is not an error", page.console)


def a_mouse(stage):
    for page in stage.both(layout="pin", open="1", look={"mobile": False}):
        places = Places("pin", page.box())
        for digit in "159":
            page.click(*places.middle(digit))
        page.click(*places.middle("2"), button="right")
        page.click(*places.middle("2"), button="middle")
        page.mouse("mousePressed", *places.middle("4"))
        page.mouse("mouseMoved", *places.middle("6"))
        page.mouse("mouseReleased", *places.middle("6"))
        page.mouse("mousePressed", *places.middle("7"))
        page.mouse("mouseMoved", 200, 100)
        page.mouse("mouseReleased", 200, 100)  # outside: nothing is typed, whether the page's or the frame's
        page.click(*places.middle("3"))
        check(stage.typed(page) == b"15963", "a mouse", stage.typed(page))


def physical_keyboards_are_ignored(stage):
    for page in stage.both(layout="letters", open="1"):
        stage.tap_keys(page, "a", "letters")
        for key in "bB1 ":
            page.type_key(key, text=key)
        page.type_key("Enter", text="\r")
        page.type_key("Tab")
        page.type_key("Enter", text="\r")
        check(events_of(page) == "input 1", "keys of a real keyboard do nothing")
        check(stage.typed(page) == b"a", "keys of a real keyboard do nothing")


def a_maximum_completes(stage):
    for page in stage.both(layout="pin", maximum="4", open="1"):
        stage.tap_keys(page, "1234")
        check(events_of(page) == "input 1, input 2, input 3, input 4, complete 4", "the fourth completes")
        stage.tap_keys(page, "56")
        check(events_of(page) == "", "more is ignored")
        stage.tap_keys(page, "⌫⌫78")
        check(events_of(page) == "input 3, input 2, input 3, input 4, complete 4", "it completes again")
        check(stage.typed(page) == b"1278", "what is there")
        page.evaluate("keyboard.clear()")
        check(events_of(page) == "input 0" and page.evaluate("keyboard.count") == 0, "cleared")
        check(stage.typed(page) == b"", "cleared")


def decoys(stage):
    """Blank keys do nothing, and change places with the digits."""
    for page in stage.both(layout="pin-decoys", maximum="4", open="1"):
        places = "1234567890□△◇○"
        glyphs = drawn_keys(page, places, "pin-decoys")[:11]
        stage.tap_keys(page, "□1△2◇3○90⌫□5", "pin-decoys")
        check(events_of(page) == "input 1, input 2, input 3, input 4, complete 4, input 3, input 4, complete 4",
              "blank keys are silent")
        check(stage.typed(page) == b"1235", "digits", stage.typed(page))
        orders = set()
        for _ in range(2):
            order = shuffled(page, glyphs, places, "1234567890□", "pin-decoys")
            orders.add(order)
            stage.tap_keys(page, [places[order.index(digit)] for digit in "7064"], "pin-decoys")
            check(stage.typed(page) == b"7064", "what was read is what was typed", order)
        check(len(orders) > 1, "they change places", orders)
        stage.tap_keys(page, "⏎", "pin-decoys")
        check(events_of(page).endswith("complete 4"), "return completes")


def nothing_is_lost_at_128_characters(stage):
    with stage.inline(layout="pin", open="1") as page:
        stage.tap_keys(page, "12345678" * 16 + "99")
        check(page.evaluate("keyboard.count") == 128 and not page.console, "more is ignored", page.console)
        check(stage.typed(page) == b"12345678" * 16, "128 characters")


def keys_change_places_after_each_press(stage):
    with stage.inline(layout="pin", shuffle="none", open="1") as page:
        glyphs = cut_keys(page)
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.setAttribute('shuffle', 'key'); keyboard.open(new Uint8Array())")
        orders, typed = [], ""
        for place in "1592":
            page.evaluate("new Promise((done) => setTimeout(done, 400))")  # the pressed key has faded
            page.drawn()
            orders.append(read_order(cut_keys(page), glyphs))
            stage.tap_keys(page, place)
            typed += orders[-1]["1234567890".index(place)]
        check(len(set(orders)) == 4, "each press shuffles", orders)
        check(stage.typed(page) == typed.encode(), "the key that was seen is the key that was pressed", orders)


def an_event_of_a_script_is_no_finger(stage):
    with stage.inline(layout="pin", open="1") as page:
        x, y = Places("pin", page.box()).middle("5")
        # Twice, because Chromium puts such events elsewhere where a point has several pixels.
        page.evaluate("""for (const scale of [1, devicePixelRatio]) for (const type of ['pointerdown', 'pointermove',
          'pointerup', 'mousedown', 'mouseup', 'click', 'touchstart', 'touchend', 'keydown', 'beforeinput']) {
          const Kind = type.startsWith('p') ? PointerEvent : type.startsWith('k') ? KeyboardEvent : MouseEvent;
          keyboard.dispatchEvent(new Kind(type, { clientX: %f * scale, clientY: %f * scale, pointerId: 1,
            isPrimary: true, buttons: 1, bubbles: true, cancelable: true, composed: true, key: '5' }));
        }
        keyboard.click(); keyboard.focus()""" % (x, y))
        check(page.evaluate("keyboard.count") == 0, "only a person types")
        page.tap(x, y)
        check(page.evaluate("keyboard.count") == 1, "a person does")
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("OP_DISABLE"), "it is still up")


GROUPS = [letters_cases_and_pages, a_new_page_is_known_before_it_is_drawn, every_page_has_its_keys,
          gaps_belong_to_the_nearest_key,
          far_from_all_keys_is_nothing, the_key_under_the_finger_is_typed_when_it_leaves, two_thumbs,
          delete_repeats_while_it_is_held, a_mouse,
          physical_keyboards_are_ignored, a_maximum_completes, decoys, nothing_is_lost_at_128_characters,
          keys_change_places_after_each_press, an_event_of_a_script_is_no_finger]
