"""Patterns: dots that a finger joins, what is drawn meanwhile, and what is left of it.

SPDX-License-Identifier: Apache-2.0
"""

import base64

from fingers import events_of
from places import Places
from stage import check, code_of, error

DOTS = "123456789"


def draw(page, dots, leave=True, steps=4):
    """A finger goes from dot to dot, in so many moves each."""
    places = Places("pattern", page.box())
    at = places.middle(dots[0])
    page.touch("touchStart", at)
    for dot in dots[1:]:
        end = places.middle(dot)
        for i in range(1, steps + 1):
            page.touch("touchMove", tuple(a + (b - a) * i / steps for a, b in zip(at, end)))
        at = end
    if leave:
        page.touch("touchEnd")


def a_finger_joins_dots(stage):
    for page in stage.both(layout="pattern", open="1"):
        draw(page, "14789")
        check(events_of(page) == "input 1, input 2, input 3, input 4, input 5, complete 5", "each dot is told")
        check(stage.typed(page) == b"14789", "in its order", stage.typed(page))
        draw(page, "3214")
        check(events_of(page) == "input 0, input 1, input 2, input 3, input 4, complete 4", "a second one begins anew")
        check(stage.typed(page) == b"3214", "alone", stage.typed(page))
        page.evaluate("keyboard.clear()")
        check(events_of(page) == "input 0" and stage.typed(page) == b"", "cleared")


def a_dot_that_is_passed_over_is_joined(stage):
    for page in stage.both(layout="pattern", minimum="2", open="1"):
        places = Places("pattern", page.box())
        page.touch("touchStart", places.middle("1"))
        page.touch("touchMove", places.middle("9"))  # a quick finger: one move
        page.touch("touchMove", places.middle("3"))
        page.touch("touchEnd")
        check(stage.typed(page) == b"15963", "those between, too", stage.typed(page))
        draw(page, "1539", steps=1)  # 5 is taken already: from 1 to 5, to 3, by 6 to 9
        check(stage.typed(page) == b"15369", "once each", stage.typed(page))
        # Along the edge of the dots: nothing is near enough.
        x, y, width, height = places.view
        page.evaluate("keyboard.clear()")
        events_of(page)
        page.touch("touchStart", (x + 1, y + 1))
        page.touch("touchMove", (x + 1, y + height - 1))
        page.touch("touchEnd")
        check(events_of(page) == "" and stage.typed(page) == b"", "beside the dots there is nothing")


def a_busy_page_loses_no_dot(stage):
    """A browser makes one event of all moves that come while the page is busy."""
    with stage.inline(layout="pattern", minimum="2", open="1") as page:
        page.evaluate("""globalThis.moves = [0, 0];
          addEventListener('pointermove', (event) => {
            moves[0] += 1;
            moves[1] += event.getCoalescedEvents().length;
          }, true)""")
        places = Places("pattern", page.box())
        for dots in ("15369", "74125896", "3574"):
            ends = [places.middle(dot) for dot in dots]
            page.evaluate("moves = [0, 0]; 0")
            page.touch("touchStart", ends[0])
            page.touch_at_once("touchMove", [
                tuple(a + (b - a) * i / 5 for a, b in zip(start, end))
                for start, end in zip(ends, ends[1:]) for i in range(1, 6)])
            page.touch("touchEnd")
            check(stage.typed(page) == dots.encode(), "each dot of " + dots, stage.typed(page))
            events, moves = page.evaluate("moves")
            check(events < moves, "several moves were one event", events, moves)


def too_few_dots_are_no_pattern(stage):
    for page in stage.both(layout="pattern", open="1"):
        draw(page, "123")
        check(events_of(page) == "input 1, input 2, input 3, input 0", "three of four")
        check(stage.typed(page) == b"", "nothing is kept")
        for minimum, dots, ends in (("5", "1236", "input 0"), ("5", "12369", "complete 5"), ("1", "7", "complete 1")):
            page.evaluate("keyboard.close()")
            page.evaluate("keyboard.minimum = %s; keyboard.shuffle = null; keyboard.open(new Uint8Array())" % minimum)
            draw(page, dots)
            check(events_of(page).endswith(ends), "a minimum of " + minimum)
    with stage.inline(layout="pattern") as page:
        for attribute, value in (("minimum", "0"), ("minimum", "10"), ("minimum", "2.5"), ("shuffle", "key")):
            page.evaluate("keyboard.setAttribute('%s', '%s')" % (attribute, value))
            check(code_of(page, "keyboard.open(new Uint8Array())") == error("ARGUMENT"), attribute, value)
            page.evaluate("keyboard.removeAttribute('%s')" % attribute)


def a_finger_that_is_interrupted_ends_nothing(stage):
    for page in stage.both(layout="pattern", open="1"):
        draw(page, "12369", leave=False)
        page.touch("touchCancel")
        check("complete" not in events_of(page), "no pattern")
        draw(page, "4561")
        check(events_of(page).endswith("complete 4") and stage.typed(page) == b"4561", "the next one is whole")
        draw(page, "12369", leave=False)
        page.evaluate("keyboard.close()")
        page.touch("touchEnd")
        check(not page.console, "a keyboard that closes under the finger is not an error", page.console)


def the_way_is_shown_while_it_is_drawn(stage):
    for discreet in (None, ""):
        with stage.inline(layout="pattern", discreet=discreet, open="1") as page:
            page.drawn()
            before = page.board()
            places = Places("pattern", page.box())
            draw(page, "1236", leave=False)
            page.drawn()
            during = page.board()
            # Half-way between two dots that are joined, and between two that are not.
            x, y = page.box()[:2]
            at = lambda one, other: tuple(  # noqa: E731
                round(page.ratio * (middle - start)) for middle, start in zip(
                    ((a + b) / 2 for a, b in zip(places.middle(one), places.middle(other))), (x, y)))
            for pair, is_joined in (("12", True), ("23", True), ("36", True), ("45", False), ("58", False)):
                changed = during.pixel(*at(*pair)) != before.pixel(*at(*pair))
                check(changed == (is_joined and discreet is None), "the line of " + pair, discreet)
            check((during.rows != before.rows) == (discreet is None), "a discreet board stays as it was")
            page.touch("touchEnd")
            page.drawn()
            check(page.board().rows == before.rows, "nothing of it is left on the screen")


def people_without_a_finger(stage):
    for page in stage.both(layout="pattern", accessible="", open="1"):
        buttons = [name for role, name, _ in page.spoken() if role == "button"]
        check(buttons == ["dot %s" % dot for dot in DOTS] + ["return"], "each dot is a button", buttons)
        page.enter()
        for dot in ("1", "2", "3", "6"):
            page.choose("dot " + dot)
            page.type_key("Enter", text="\r")
        names = [name for _, name, _ in page.spoken()]
        check("Dots joined: 4" in names, "the count is told", names)
        check("complete" not in events_of(page), "it is not over yet")
        page.choose("return")
        page.type_key("Enter", text="\r")
        check(events_of(page).endswith("complete 4") and stage.typed(page) == b"1236", "until return")


def it_is_in_no_heap(stage):
    """A pattern of nine dots, as a text or as a list of numbers, and its places on the screen."""
    pattern = "147852369"
    for page in stage.both(layout="pattern", open="1"):
        draw(page, pattern, leave=False)
        heap, document = page.heap(), page.document()
        page.touch("touchEnd")
        check(stage.typed(page) == pattern.encode(), "it was drawn", stage.typed(page))
        for text in (pattern, ",".join(pattern), ",".join(str(int(dot) - 1) for dot in pattern)):
            check(text not in heap and text not in document, "not in a heap", text)
        planted = "[%s].map((c) => String.fromCharCode(c - 1)).join('')" % ", ".join(str(ord(c) + 1) for c in pattern)
        page.evaluate("globalThis.planted = %s; 0" % planted)
        check(pattern in page.heap(), "control: a property")


def a_bank_gets_it(stage):
    for page in stage.both(layout="pattern", minimum="9"):
        page.evaluate("void sealed(Uint8Array.from('a challenge', (c) => c.charCodeAt(0)))"
                      ".then((text) => { globalThis.answered = text; })")
        page.until("globalThis.opened === 1")
        page.drawn()
        draw(page, "123654789")
        page.until("globalThis.answered")
        sealed = base64.urlsafe_b64decode(page.evaluate("answered") + "==")
        check(stage.bank.recipient.open(sealed, b"a challenge") == b"123654789", "sealed for the challenge")
        check(page.evaluate("keyboard.count") == 0, "and then closed")


GROUPS = [a_finger_joins_dots, a_dot_that_is_passed_over_is_joined, a_busy_page_loses_no_dot,
          too_few_dots_are_no_pattern, a_finger_that_is_interrupted_ends_nothing, the_way_is_shown_while_it_is_drawn,
          people_without_a_finger, it_is_in_no_heap, a_bank_gets_it]
