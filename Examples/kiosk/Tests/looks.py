"""How the keyboard looks: its pictures, the order of its keys, and both when the window changes its size.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess

from picture import Picture, difference
from session import DECOYS, LETTERS, PIN, SYMBOLS, check, ready

PASSCODE = "274916"
KEPT = {
    "pin": ["--account", "alice"], "decoys": ["--layout", "pin-decoys"], "letters": ["--layout", "letters"],
    "dark": ["--dark"],
}
PAGES = {"pin": PIN, "decoys": DECOYS, "letters": LETTERS, "dark": PIN}
CLOSE = 24  # The difference that smoothing makes is below; that of another label is above.


def options(test):
    def run(*arguments, **environment):
        return subprocess.run(
            [test.program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env={**test.display.environment, **environment})

    told = run("--help")
    check(told.returncode == 0 and not told.stderr, "--help ends with %d" % told.returncode)
    for name in ("--bank=URL", "--authority=FILE", "--account=NAME", "--layout=pin|pin-decoys|letters",
                 "--shuffle=none|opening|key", "--way=x25519|xwing", "--register", "--dark", "--size=WxH", "--help"):
        check(name in told.stdout, "--help lacks %s" % name)
    for wrong, words in (
        (["--layout", "abc"], "--layout"), (["--shuffle", "always"], "--shuffle"), (["--size", "1"], "--size"),
        (["--way", "p256"], "--way"),
        (["--size", "0x100"], "--size"), (["--account", ""], "--account"), (["--account", "Alice"], "--account"),
        (["--account", "a" * 33], "--account"), (["--account", "a\n"], "--account"), (["--bank", "bank"], "--bank"),
        (["--bank", "ftp://bank"], "--bank"), (["more"], "more"), (["--nothing"], "--nothing"),
    ):
        ended = run(*wrong)
        check(ended.returncode == 64 and words in ended.stderr and not ended.stdout, "%s: %s" % (wrong, ended))
    for path in ("/nothing", os.path.join(test.here, "looks.py")):
        ended = run("--bank", "https://127.0.0.1:1", "--authority", path)
        check(ended.returncode == 66 and "--authority" in ended.stderr, "%s as an authority: %s" % (path, ended))
    ended = run("--authority", os.path.join(test.work, "labels"), "--bank", "http://127.0.0.1:1")
    check(ended.returncode == 64 and "https" in ended.stderr, "an authority without TLS: %s" % ended)
    ended = run(DISPLAY=":65000", WAYLAND_DISPLAY="none")
    check(ended.returncode == 69 and "display" in ended.stderr, "without a display: %s" % ended)


def pictures(test):
    bank = test.bank()
    for name, more in KEPT.items():
        kiosk = ready(test, bank, "--shuffle", "none", *more)
        kiosk.page(PAGES[name])
        picture = kiosk.picture()
        check(len(picture.colours()) > 50, "%s is blank" % name)
        path = os.path.join(test.here, "Pictures", name + ".png")
        if os.environ.get("UPDATE"):
            picture.save(path)
        kept = Picture.load(path)
        picture.save(os.path.join(test.work, name + ".png"))
        worst = difference(picture, kept)
        what = "%s differs by %.1f from %s. It is in %s. UPDATE=1 keeps it." % (name, worst, path, test.work)
        check(worst < CLOSE, what)
        # The control: two keys that have changed places.
        keys = kiosk.page(PAGES[name])
        pair = ("m", "n") if name == "letters" else ("8", "9")
        check(difference(swapped(picture, *(keys[key] for key in pair)), kept) > CLOSE, "a swap is not seen")
        kiosk.end_well()


def brackets_from_right_to_left(test):
    """Whatever the person's language: a key with "(" types it."""
    bank, labels = test.bank(), []
    for environment in ({}, {"KIOSK_RIGHT_TO_LEFT": "1", "LD_PRELOAD": os.path.join(test.work, "planted.so")}):
        kiosk = ready(test, bank, "--shuffle", "none", "--layout", "letters", environment=environment)
        kiosk.tap(kiosk.page(LETTERS)["to symbols"])
        kiosk.display.xdotool("mousemove", 790, 890)
        labels.append({name: key.label for name, key in kiosk.page(SYMBOLS).items()})
        kiosk.end_well()
    check(len({labels[0][name].data for name in "()<>[]{}"}) == 8, "brackets differ")
    wrong = [name for name in SYMBOLS if labels[0][name] != labels[1][name]]
    check(not wrong, "other labels from right to left: %s" % wrong)


def swapped(picture, one, other):
    rows = [bytearray(picture.row(y)) for y in range(picture.height)]
    width = 3 * min(one.right - one.left, other.right - other.left)
    for y in range(one.top, one.bottom):
        first, second = slice(3 * one.left, 3 * one.left + width), slice(3 * other.left, 3 * other.left + width)
        rows[y][first], rows[y][second] = rows[y][second], rows[y][first]
    return Picture(picture.width, picture.height, b"".join(rows))


def pictures_for(test):
    """For the documentation: shuffled, as they are."""
    bank = test.bank()
    os.makedirs(test.folder, exist_ok=True)
    for name, count, more in (("pin", 3, []), ("letters", 5, ["--layout", "letters"]), ("dark", 3, ["--dark"]),
                              ("decoys", 2, ["--layout", "pin-decoys"])):
        kiosk = ready(test, bank, *more)
        kiosk.tap(*[key for key in kiosk.shown(0) if key.label][:count])
        kiosk.shown(count)
        kiosk.display.xdotool("mousemove", 790, 890)
        kiosk.picture().save(os.path.join(test.folder, name + ".png"))
        kiosk.end_well()


# ---- The order of the keys -------------------------------------------------------------------------------------------


def names_of(keys, known):
    """What is written on keys, found by comparing with labels that are known; a label may be known for one key only."""
    found = {}
    for key in keys:
        names = [name for name, label in known.items() if label == key.label]
        assert len(names) == 1 and names[0] not in found, "a key like %s" % names
        found[names[0]] = key
    return found


def labels_of_pin(test, bank):
    kiosk = ready(test, bank, "--shuffle", "none")
    known = {name: key.label for name, key in kiosk.page(PIN).items()}
    kiosk.end_well()
    check(len({label and label.data for label in known.values()}) == 12, "two keys look the same")
    return known


def shuffled_keys(test):
    """The digits are found as a person finds them, by how they look."""
    bank = test.bank(alice=PASSCODE)
    known = labels_of_pin(test, bank)
    orders = set()
    for _ in range(4):
        kiosk = ready(test, bank)
        for again in range(2):
            keys = names_of(kiosk.shown(0), known)
            orders.add(tuple(sorted(keys, key=lambda name: (keys[name].top, keys[name].left))))
            if not again:  # The order of the second opening is another one.
                kiosk.tap(*(keys[digit] for digit in "000000"))
                kiosk.wait_for_message()
                kiosk.wait_until_it_says("prompt", "Enter your PIN")
        kiosk.tap(*(keys[digit] for digit in PASSCODE))
        kiosk.wait_until_it_says("prompt", "You are logged in.")
        kiosk.end_well()
    check(bank.opened == ["000000", PASSCODE] * 4, "the bank has read %s" % bank.opened)
    check(len(orders) == 8, "only %d orders in 8 openings" % len(orders))
    check(all(order[9] == "blank" and order[11] == "delete" for order in orders), "another place of delete")


def shuffled_after_each_key(test):
    bank = test.bank(alice=PASSCODE)
    known = labels_of_pin(test, bank)
    kiosk = ready(test, bank, "--shuffle", "key")
    orders = []
    for count, digit in enumerate(PASSCODE):
        keys = names_of(kiosk.shown(count), known)
        orders.append(tuple(sorted(keys, key=lambda name: (keys[name].top, keys[name].left))))
        kiosk.tap(keys[digit])
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    check(bank.opened == [PASSCODE], "the bank has read %s" % bank.opened)
    check(len(set(orders)) == 6, "only %d orders" % len(set(orders)))
    kiosk.end_well()


def resizing_while_typing(test):
    """The window grows and shrinks; the keys have other places, and the same order."""
    bank = test.bank(alice=PASSCODE)
    kiosk = ready(test, bank)
    known = None
    sizes = [(360, 600), (300, 480), (700, 500), (420, 880), (360, 600), (500, 640)]
    places = set()
    for count, size in enumerate(sizes):
        kiosk.resize(*size)
        keys = kiosk.shown(count)
        places.add((keys[0].x, keys[11].y))
        if size == (360, 600):
            labels = [key.label for key in keys]
            known = known or labels
            check(labels == known, "the keys have changed places")
        kiosk.tap(keys[(0, 4, 8, 10, 1, 3)[count]])
    kiosk.wait_for_message()
    digits = [{label.data: name for name, label in labels_of_pin(test, bank).items() if label}.get(label and label.data)
              for label in known]
    wanted = "".join(digits[index] for index in (0, 4, 8, 10, 1, 3))
    check(bank.opened == [wanted], "the bank has read %s, not %s" % (bank.opened, wanted))
    check(len(places) == 5, "the keys have only %d places" % len(places))
    kiosk.end_well()
    kiosk = ready(test, bank, "--size", "444x555")
    geometry = kiosk.display.xdotool("getwindowgeometry", kiosk.window)
    check("444x555" in geometry, "--size 444x555 gives %s" % geometry)
    kiosk.end_well()


GROUPS = [options, pictures, brackets_from_right_to_left, shuffled_keys, shuffled_after_each_key, resizing_while_typing]
