"""Registering and logging in with a PIN that is tapped, in both forms of the element.

SPDX-License-Identifier: Apache-2.0
"""

from places import Places
from stage import check
from stub import Recipient, decode

PIN, OTHER = "730952", "160274"


def register_and_log_in(stage):
    for number, page in enumerate(stage.both(layout="pin", maximum="6")):
        account = "alice%d" % number
        check(stage.answer(page, "register", account, PIN, OTHER)[0] == 422, "two different PINs are refused")
        check(stage.answer(page, "register", account, PIN, PIN) == [200, {"account": account}], "registered")
        check(stage.bank.passcodes[account] == PIN.encode(), "the bank got what was tapped")
        check(stage.answer(page, "register", account, OTHER, OTHER)[0] == 409, "the account exists")
        status, answer = stage.answer(page, "login", account, PIN)
        check(status == 200 and answer["account"] == account, "logged in", status, answer)
        check(page.evaluate("events.filter((e) => e === 'complete 6').length") == 7, "each PIN was completed once")


def five_wrong_attempts_lock(stage):
    for number, page in enumerate(stage.both(layout="pin", maximum="6")):
        account = "bob%d" % number
        stage.answer(page, "register", account, PIN, PIN)
        for left in (4, 3, 2, 1, 0):
            status, answer = stage.answer(page, "login", account, OTHER)
            check((status, answer["attemptsLeft"]) == (401, left), "a wrong PIN is counted", status, answer)
        check(stage.answer(page, "login", account, PIN)[0] == 423, "then the right one does not help")


def replays_are_refused(stage):
    for number, page in enumerate(stage.both(layout="pin", maximum="6")):
        account = "carol%d" % number
        stage.answer(page, "register", account, PIN, PIN)
        check(stage.answer(page, "login", account, PIN)[0] == 200, "logged in")
        status, answer = page.evaluate("sendAgain()")
        check((status, answer["error"]) == (409, "challenge"), "a replay is refused")
        # The old text for a new challenge: it was sealed for the old one.
        page.evaluate("""(async () => {
          const body = JSON.stringify({ account: '%s', purpose: 'login' });
          lastRequest[1].challenge = (await (await fetch('/api/challenge', { method: 'POST', body })).json()).challenge;
        })()""" % account)
        check(page.evaluate("sendAgain()")[0] == 422, "a text is valid only in its context")


def texts_are_sealed_for_each_way(stage):
    """What our own side cannot open (SM2), other tests open; here its length."""
    for way in ("p256", "rsa", "xwing"):
        recipient = Recipient(way)
        with stage.inline(layout="pin", way=way, key=recipient.key, open="1") as page:
            stage.tap_keys(page, PIN)
            text = page.evaluate("keyboard.getText().then(encode)")
            check(recipient.open(decode(text), b"") == PIN.encode(), "%s opens" % way)
            check(text != page.evaluate("keyboard.getText().then(encode)"), "%s is never the same" % way)


def a_shuffled_pin_is_read_from_the_screen(stage):
    """A person sees where the digits are; so does this test, by comparing pixels with those of a pad in order."""
    for page in stage.both(layout="pin", maximum="6", open="1"):
        glyphs = drawn_keys(page)
        orders = set()
        for _ in range(2):
            order = shuffled(page, glyphs, context=[1, 2, 3])
            orders.add(order)
            stage.tap_keys(page, ["1234567890"[order.index(digit)] for digit in PIN])
            check(stage.typed(page, context=bytes([1, 2, 3])) == PIN.encode(), "what was read is what was typed", order)
        check(len(orders) > 1, "the order changes", orders)


def shuffled(page, glyphs, places="1234567890", names="1234567890", layout="pin", context=()):
    """Opens the keyboard with its keys in another order, and reads it from the screen. Blank keys are the last name."""
    page.evaluate("keyboard.close()")
    check(page.becomes(lambda: page.board().colors() == 1), "an empty board")  # not the order before
    page.evaluate("keyboard.setAttribute('shuffle', 'opening'); keyboard.open(new Uint8Array(%s))" % list(context))
    expected, order = sorted(names + names[-1] * (len(places) - len(names))), ""

    def is_read():
        nonlocal order
        order = read_order(cut_keys(page, places, layout), glyphs, names)
        return sorted(order) == expected
    check(page.becomes(is_read), "each digit is on one key", order)
    return order


def drawn_keys(page, digits="1234567890", layout="pin"):
    """The pictures of the keys of an open keyboard, as soon as it is drawn."""
    check(page.becomes(lambda: page.board().colors() > 1), "a board with keys")
    return cut_keys(page, digits, layout)


def cut_keys(page, digits="1234567890", layout="pin"):
    """The pictures of the keys of a PIN pad, by place."""
    box = page.box()
    board, scale = page.picture(*box), page.ratio
    places = Places(layout, (0, 0, box[2], box[3]))
    cuts = []
    for name in digits:
        x, y = places.middle(name)
        cuts.append(board.cut(round((x - 12) * scale), round((y - 14) * scale), 24 * scale, 28 * scale))
    return cuts


def read_order(cuts, glyphs, names="1234567890"):
    """For each place, the digit whose picture is most like the one there."""
    return "".join(names[min(range(len(names)), key=lambda i: cut.difference(glyphs[i]))] for cut in cuts)


GROUPS = [register_and_log_in, five_wrong_attempts_lock, replays_are_refused, texts_are_sealed_for_each_way,
          a_shuffled_pin_is_read_from_the_screen]
