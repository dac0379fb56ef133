"""What a person sees of a bank that is slow, busy or gone, or that answers nonsense.

SPDX-License-Identifier: Apache-2.0
"""

import json
import threading
import time

from session import PIN, check, ready

PASSCODE = "274916"


def interrupted_login(test):
    """The passcode stays in the keyboard until the bank can be reached, and is not typed again."""
    bank = test.bank(alice=PASSCODE)
    kiosk = test.kiosk(bank, "--shuffle", "none")
    kiosk.enter(PASSCODE[:5])
    kiosk.wait_for_count(5)
    bank.stop()
    kiosk.type(PASSCODE[5:])
    kiosk.wait_until_it_says("message", "The bank cannot be reached.")
    kiosk.wait_until_hidden()
    bank.start()
    kiosk.press_button("Try again")
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    check(bank.opened == [PASSCODE], "the bank has read %s" % bank.opened)
    kiosk.end_well()


def slow_bank(test):
    """The window lives while the bank thinks. Taps meanwhile type nothing."""
    bank = test.bank(alice=PASSCODE)
    for path in ("/api/challenge", "/api/login"):
        called, released = threading.Event(), threading.Event()

        def wait():
            called.set()
            released.wait(120)
            return 200, None

        bank.answers = {path: wait}
        kiosk = ready(test, bank, "--shuffle", "none")
        page = kiosk.page(PIN)
        kiosk.type(PASSCODE)
        check(called.wait(120), "%s was not called" % path)
        kiosk.wait_until_it_says("prompt", "One moment …")
        kiosk.wait_until_hidden()
        kiosk.resize(420, 700)
        check(kiosk.wait_for(lambda: len(kiosk.keys()) == 12, "keys that are drawn anew"), "resized")
        kiosk.tap(page["1"], page["2"])
        kiosk.wait_for_count(6)
        released.set()
        kiosk.wait_until_it_says("prompt", "You are logged in.")
        kiosk.end_well()
    check(bank.opened == [PASSCODE] * 2, "the bank has read %s" % bank.opened)
    # Closed in the middle of a request.
    called.clear()
    released.clear()
    kiosk = test.kiosk(bank, "--shuffle", "none")
    kiosk.enter(PASSCODE)
    check(called.wait(120), "%s was not called" % path)
    kiosk.end_well()
    released.set()


def busy_bank(test):
    bank = test.bank(alice=PASSCODE)
    busy = {"error": "busy", "message": "Too many people are here. Try again soon."}
    bank.answers = {"/api/login": lambda: (503, busy)}
    kiosk = test.kiosk(bank, "--shuffle", "none")
    kiosk.enter(PASSCODE)
    kiosk.wait_until_it_says("message", busy["message"])
    bank.answers = {}
    kiosk.press_button("Try again")
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    kiosk.end_well()


def endless_answer(test):
    """A bank that goes on answering, a byte now and then, is given up."""
    bank = test.bank(alice=PASSCODE)

    def bytes_for_ever():
        for _ in range(240):
            yield b" "
            began = time.monotonic()
            time.sleep(1)
            pauses.append(time.monotonic() - began)

    bank.answers = {"/api/key": lambda: (200, bytes_for_ever())}
    begun, pauses = time.monotonic(), []
    kiosk = test.kiosk(bank, "--shuffle", "none")
    kiosk.wait_until_it_says("message", "The bank cannot be reached.")
    # Silence is given up after 15 s: if this machine did nothing for so long, that is right, too.
    check(time.monotonic() - begun >= 29 or max(pauses) > 10, "given up after %.0f s" % (time.monotonic() - begun))
    bank.answers = {}
    kiosk.press_button("Try again")
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.end_well()


NONSENSE = "The bank's answer makes no sense."


def wait_for_requests(kiosk, bank, count):
    """What the kiosk said before its next request is not what it says after the answer."""
    kiosk.wait_for(lambda: len(bank.requests) >= count, "%d requests" % count)
    check(len(bank.requests) == count, "the kiosk requested %s" % bank.requests)
    bank.requests.clear()


def nonsense_from_the_bank(test):
    """Whatever a bank answers, the kiosk says one sentence and lives."""
    bank = test.bank(alice=PASSCODE)
    good, deep = bank.key(None), b"[" * 200_000  # JSON-GLib would run out of stack
    good_key, nested = good["key"], {**good, "more": [[[[[[[[[[]]]]]]]]]]}
    low_order = "A" * 43
    key_faults = [
        ((200, b""), NONSENSE), ((200, b"<html>"), NONSENSE), ((200, b"null"), NONSENSE), ((200, b"[]"), NONSENSE),
        ((200, deep), NONSENSE), ((200, deep[:4000]), NONSENSE), ((200, nested), NONSENSE),
        ((200, json.dumps(good).encode() + b" " * 4096), NONSENSE),
        ((200, b"\xff\0{}"), NONSENSE), ((200, {}), NONSENSE),
        ((200, {"key": 5, "keyId": "x"}), NONSENSE), ((200, {"key": None, "keyId": "x"}), NONSENSE),
        ((200, {"key": {"a": []}, "keyId": "x"}), NONSENSE), ((200, {"key": good_key}), NONSENSE),
        ((200, {"key": low_order, "keyId": "x"}), "The bank's key is not valid."),
        ((200, {"key": good_key[:-1], "keyId": "x"}), "The bank's key is not valid."),
        ((200, {"key": "!?", "keyId": "x"}), "The bank's key is not valid."),
        ((200, {"key": "", "keyId": "x"}), "The bank's key is not valid."),
        ((500, {"message": "<b>Out of order</b> & more."}), "<b>Out of order</b> & more."),
        ((404, b"not here"), NONSENSE), ((302, {"message": ["a"]}), NONSENSE), ((423, {}), NONSENSE),
        ((401, {"attemptsLeft": "many"}), "Wrong PIN."), ((401, b""), "Wrong PIN."),
        ((401, {"attemptsLeft": [7]}), "Wrong PIN."), ((502, b"<html>"), "The bank cannot be reached."),
    ]
    planned = [key_faults[0][0]]
    bank.answers = {"/api/key": lambda: planned[0]}
    kiosk = test.kiosk(bank, "--shuffle", "none")
    for number, (answer, told) in enumerate(key_faults):
        planned[0] = answer
        if number:
            kiosk.press_button("Try again")
        wait_for_requests(kiosk, bank, 1)
        kiosk.wait_until_it_says("message", told)
    bank.answers = {}
    kiosk.press_button("Try again")
    wait_for_requests(kiosk, bank, 1)

    long = "A" * 400
    challenge_faults = [
        ((200, {"challenge": "x"}), NONSENSE), ((200, {"challenge": 1, "context": "AAAA"}), NONSENSE),
        ((200, {"challenge": "x", "context": long}), "The bank's challenge cannot be used."),
    ]
    for answer, told in challenge_faults:
        kiosk.wait_until_it_says("prompt", "Enter your PIN")
        bank.answers = {"/api/challenge": lambda: answer}
        kiosk.type(PASSCODE)
        wait_for_requests(kiosk, bank, 1)
        kiosk.wait_until_it_says("message", told)
        kiosk.press_button("Try again")
        wait_for_requests(kiosk, bank, 1)
    for answer, told in (
        ((200, {}), NONSENSE), ((200, {"session": 1}), NONSENSE), ((401, {"attemptsLeft": -7}), "Wrong PIN."),
        ((401, {"attemptsLeft": 1 << 40}), "Wrong PIN. 2147483647 attempts left."),
    ):
        bank.answers = {"/api/login": lambda: answer}
        kiosk.enter(PASSCODE)
        wait_for_requests(kiosk, bank, 3)  # A challenge, the login, and the key for what is typed next.
        kiosk.wait_until_it_says("message", told)
    check(bank.opened == [], "a text was sent for a bad challenge")
    # No text goes to another bank, and no key comes from there, not even by order of this one.
    other = test.bank(alice=PASSCODE)
    for path, status, count in (("/api/login", 307, 3), ("/api/login", 303, 3), ("/api/key", 302, 1)):
        bank.answers = {path: lambda: (status, {}, {"Location": other.address + path})}
        if path == "/api/login":
            kiosk.enter(PASSCODE)
        else:
            kiosk.end_well()
            kiosk = test.kiosk(bank)
        wait_for_requests(kiosk, bank, count)
        kiosk.wait_until_it_says("message", NONSENSE)
    check(other.requests == [], "a redirection was followed: %s" % other.requests)
    kiosk.end_well()


GROUPS = [interrupted_login, slow_bank, busy_bank, endless_answer, nonsense_from_the_bank]
