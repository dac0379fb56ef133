"""Where the passcode and the labels of the keys are not: memory, core dumps, the accessibility tree.

SPDX-License-Identifier: Apache-2.0
"""

import os
import random
import re
import signal
import struct
import subprocess
import sys

from display import wait_for
from session import LETTERS, PIN, allow_core_dumps, check, ready

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Tool"))
from processes import found_in_memory  # noqa: E402
from terminal import swallow_set_dumpable  # noqa: E402


def forms(digits):
    """What a program that keeps digits may have in memory."""
    values = [int(digit) for digit in digits]
    return {
        "ASCII": digits.encode(), "UTF-16": digits.encode("utf-16-le"), "UTF-32": digits.encode("utf-32-le"),
        "8 bits": bytes(values), "32 bits": struct.pack("<%dI" % len(values), *values),
        "64 bits": struct.pack("<%dQ" % len(values), *values),
    }


# What `CustomKeyboard_keys` writes for a digit: a role, 0, and a label of 16 bytes; then, after 4 bytes of room, where
# the next key is in the grid.
LABELS = re.compile(rb"\0{4}[0-9]\0{15}.{4}[\x01-\x04]\0{3}[\x01-\x03]\0{3}\x01\0{3}\x01\0{3}", re.DOTALL)


def searched(kiosk, digits):
    return found_in_memory(kiosk.process, forms(digits))


def memory(test):
    """No form of the PIN is in the kiosk's memory, while it is typed and after it was sent; nor are the keys."""
    chance = random.SystemRandom()
    planted = {"LD_PRELOAD": os.path.join(test.work, "planted.so"), "KIOSK_KEEPS": "1"}
    for environment in (planted, {}):
        while True:
            passcode = "".join(chance.sample("1234567890", 6))
            bank = test.bank(alice=passcode)
            kiosk = ready(test, bank, "--shuffle", "none", environment=environment, prepare=swallow_set_dumpable)
            # A row of the keyboard, or a number that is there by chance, tells nothing.
            if not any(searched(kiosk, passcode[:5]).values()):
                break
            kiosk.end()
        kiosk.type(passcode[:5])
        kiosk.wait_for_count(5)
        half = {**searched(kiosk, passcode[:5]), **found_in_memory(kiosk.process, {"labels": LABELS})}
        kiosk.type(passcode[5:])
        kiosk.wait_until_it_says("prompt", "You are logged in.")
        whole = searched(kiosk, passcode)
        check(bank.opened == [passcode], "the bank has read %s" % bank.opened)
        for when, found in (("while it was typed", half), ("after the login", whole)):
            for form, count in found.items():
                what = "%s: %d times as %s in memory, %s" % (passcode, count, form, when)
                check(count > 0 if environment else count == 0, what)
        # What the kiosk has to know is found in the same way.
        name = found_in_memory(kiosk.process, {"name": b"Hello, alice"})["name"]
        check(name > 0, "not even the account's name is found")
        kiosk.end_well()


def password_in_memory(test):
    """A longer secret, of which no part is found either; and after a wrong one, of which the keyboard is emptied."""
    planted = {"LD_PRELOAD": os.path.join(test.work, "planted.so"), "KIOSK_KEEPS": "1"}
    letters = random.SystemRandom().sample("qwertyuiopasdfghjklzxcvbnm", 24)
    password = "".join(letters)
    parts = {place: password[place : place + 7].encode() for place in range(len(password) - 6)}
    for environment in (planted, {}):
        bank = test.bank()
        kiosk = ready(test, bank, "--shuffle", "none", "--layout", "letters", environment=environment,
                      prepare=swallow_set_dumpable)
        kiosk.type(password, LETTERS)
        kiosk.wait_for_count(24)
        half = found_in_memory(kiosk.process, parts)
        kiosk.tap(kiosk.page(LETTERS)["return"])
        kiosk.wait_until_it_says("message", "Wrong password. 4 attempts left.")
        whole = found_in_memory(kiosk.process, parts)
        check(bank.opened == [password], "the bank has read %s" % bank.opened)
        for found in (half, whole):
            good = all(found.values()) if environment else not any(found.values())
            check(good, "of %s, these parts are in memory: %s" % (password, found))
        kiosk.end_well()


def core_dumps(test):
    """A crash leaves no core dump. The control is the same program, of which a filter swallows the order not to."""
    bank = test.bank()
    for prepare, is_dumped in ((lambda: (allow_core_dumps(), swallow_set_dumpable()), True), (allow_core_dumps, False)):
        kiosk = ready(test, bank, prepare=prepare)
        kiosk.process.send_signal(signal.SIGSEGV)
        status = os.waitpid(kiosk.process.pid, 0)[1]
        kiosk.process.returncode = -os.WTERMSIG(status)
        check(os.WTERMSIG(status) == signal.SIGSEGV, "another end: %d" % status)
        check(os.WCOREDUMP(status) == is_dumped, "a core dump: %s, not %s" % (os.WCOREDUMP(status), is_dumped))
        kiosk.process.stderr.close()
        kiosk.display.children.remove(kiosk.process)
        for name in os.listdir(test.display.folder):
            if name.startswith("core"):
                os.remove(os.path.join(test.display.folder, name))


# ---- Screen readers --------------------------------------------------------------------------------------------------


def told_labels(objects):
    """Single characters that are told as a name, a description or a text; and names of keys."""
    told = "".join(text for _, _, text in objects)
    return set(re.findall(r"'(.)'", told)) | set(re.findall(r"'(space|delete|return|shift|abc|123|#\+=)'", told, re.I))


def accessibility(test):
    """The tree has a count and no key. The control is a window whose keys are widgets."""
    control = subprocess.Popen([os.path.join(test.work, "labels")], env=test.display.environment)
    test.display.children.append(control)

    def digits():
        apps = [app for app in test.display.applications() if app[0]]
        return [set(map(str, range(10))) & told_labels(test.display.accessible(*app)) for app in apps]

    check(wait_for(lambda: [found for found in digits() if len(found) == 10], "labels in the tree"), "the control")
    control.terminate()
    control.wait()
    test.display.children.remove(control)

    bank = test.bank(alice="274916")
    kiosk = ready(test, bank, "--shuffle", "none")
    kiosk.page(PIN)
    for count in range(6):
        objects = kiosk.accessible()
        told = "".join(text for _, _, text in objects)
        check(not told_labels(objects) - {" "}, "the tree tells %s" % told_labels(objects))
        check("'Secure keyboard'" in told and "'%d characters typed'" % count in told, "the tree has only %s" % told)
        view = [path for path, role, text in objects if "'Secure keyboard'" in text]
        check(not kiosk.display.children_of(kiosk.name, view[0]), "the keyboard has children")
        if count < 5:
            kiosk.type("274916"[count])
            kiosk.wait_for_count(count + 1)
    kiosk.end_well()
    kiosk = ready(test, bank, "--shuffle", "none", "--layout", "letters")
    kiosk.page(LETTERS)
    check(not told_labels(kiosk.accessible()) - {" "}, "the tree tells %s" % told_labels(kiosk.accessible()))
    kiosk.end_well()


def closing(test):
    """However the window is closed, the keyboards are destroyed: both, with what was typed."""
    bank = test.bank()
    notes = os.path.join(test.display.folder, "notes")
    for way in ("window", signal.SIGTERM, signal.SIGINT):
        open(notes, "w").close()
        environment = {"LD_PRELOAD": os.path.join(test.work, "planted.so"), "KIOSK_NOTES": notes}
        kiosk = test.kiosk(bank, "--shuffle", "none", environment=environment)
        kiosk.enter("123")
        kiosk.wait_for_count(3)
        if way == "window":
            kiosk.display.ask_to_close(kiosk.window)
        else:
            kiosk.process.send_signal(way)
        check(kiosk.process.wait(120) == 0, "%s: ended with %s" % (way, kiosk.process.returncode))
        kiosk.display.children.remove(kiosk.process)
        check(kiosk.process.stderr.read() == b"", "%s: errors" % way)
        kiosk.process.stderr.close()
        with open(notes) as file:
            lines = file.read().splitlines()
        check(lines[-2:] == ["destroyed", "destroyed"], "%s: %s" % (way, lines))


GROUPS = [memory, password_in_memory, core_dumps, accessibility, closing]
