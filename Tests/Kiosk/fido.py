"""The kiosk with FIDO: keys in a folder of the device, and a passcode or pattern that no bank gets.

SPDX-License-Identifier: Apache-2.0
"""

import os
import random
import re
import socket
import stat
import subprocess
import sys
import tempfile
import time

from banking import ANOTHER, PASSCODE, choose, new_account
from secrecy import searched
from session import check
from touching import draw

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tool"))
from terminal import swallow_set_dumpable  # noqa: E402


class Device:
    """A folder, and kiosks that keep their keys in it."""

    def __init__(self, test, address=None, account=None):
        self.test, self.address = test, address or test.address
        self.account, self.folder = account or new_account(), tempfile.mkdtemp(dir=test.display.folder)

    def kiosk(self, *options, **more):
        options = ("--account", self.account, "--fido", self.folder, "--shuffle", "none", *options)
        authority = self.test.own_options
        if self.address.startswith("https") and "--authority" in authority:
            options += ("--authority", authority[authority.index("--authority") + 1])
        return self.test.kiosk(self.address + "/", *options, **more)

    def registered(self, *options, **more):
        kiosk = self.kiosk("--register", *options, **more)
        choose(kiosk)
        kiosk.wait_until_it_says("prompt", "You are registered.")
        return kiosk


# ---- With a bank that speaks FIDO ------------------------------------------------------------------------------------


def registering_a_key(test):
    device = Device(test)
    kiosk = device.kiosk()
    kiosk.wait_until_it_says("message", "This device has no key of yours.")
    kiosk.wait_until_it_says("button", "Try again")
    kiosk.end_well()
    kiosk = device.kiosk("--register")
    kiosk.wait_until_it_says("title", "Welcome, " + device.account)
    choose(kiosk, PASSCODE, ANOTHER)
    kiosk.wait_until_it_says("message", "The two are not the same.")
    choose(kiosk)
    kiosk.wait_until_it_says("prompt", "You are registered.")
    kiosk.press_button("Log in")
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.type(ANOTHER)
    kiosk.wait_until_it_says("message", "Wrong PIN. 4 attempts left.")
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.type(PASSCODE)
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    kiosk.press_button("Log out")
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.end_well()
    for name in os.listdir(device.folder):
        path = os.path.join(device.folder, name)
        with open(path, "rb") as file:
            found = [text for text in (PASSCODE, device.account) if text.encode() in file.read()]
        check(stat.S_IMODE(os.stat(path).st_mode) == 0o600 and not found, "%s: %s" % (name, found))
    # Another key on the same device has the same passcode, which is there already.
    kiosk = Device(test, account=new_account())
    kiosk.folder = device.folder
    kiosk = kiosk.kiosk("--register")
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.type(PASSCODE)
    kiosk.wait_until_it_says("prompt", "You are registered.")
    kiosk.end_well()


def what_is_agreed_to(test):
    """The bank's text is shown, as text."""
    device, text = Device(test), "Pay <b>10 € & 5</b> to \"Bob\"?"
    device.registered().end_well()
    kiosk = device.kiosk("--confirm", text)
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.wait_until_it_says("title", text)
    kiosk.type(PASSCODE)
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    kiosk.end_well()


def a_locked_device(test):
    """Five wrong tries lock it, and a new start of the program does not unlock it."""
    device = Device(test)
    device.registered().end_well()
    kiosk = device.kiosk()
    for left in ("4 attempts", "3 attempts", "2 attempts", "1 attempt"):
        kiosk.wait_until_it_says("prompt", "Enter your PIN")
        kiosk.type(ANOTHER)
        kiosk.wait_until_it_says("message", "Wrong PIN. %s left." % left)
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.type(ANOTHER)
    locked = re.compile(r"Locked after too many wrong tries, for (300|2\d\d|1\d\d) more seconds\.")
    check(kiosk.wait_for(lambda: locked.fullmatch(kiosk.says("message")), "that it is locked"), "locked")
    kiosk.wait_until_it_says("button", "Try again")
    kiosk.wait_until_hidden()
    kiosk.end_well()
    kiosk = device.kiosk()
    check(kiosk.wait_for(lambda: locked.fullmatch(kiosk.says("message")), "that it is still locked"), "locked")
    kiosk.wait_until_it_says("button", "Try again")
    kiosk.end_well()


def a_pattern(test):
    device = Device(test)
    kiosk = device.kiosk("--layout", "pattern", "--register")
    for prompt in ("Choose a pattern", "Type the same pattern"):
        kiosk.wait_until_it_says("prompt", prompt)
        draw(kiosk, "14789")
    kiosk.wait_until_it_says("prompt", "You are registered.")
    kiosk.press_button("Log in")
    kiosk.wait_until_it_says("prompt", "Enter your pattern")
    draw(kiosk, "12369")
    kiosk.wait_until_it_says("message", "Wrong pattern. 4 attempts left.")
    kiosk.wait_until_it_says("prompt", "Enter your pattern")
    draw(kiosk, "14789")
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    kiosk.end_well()


def memory_of_a_device(test):
    """No form of the PIN is in the kiosk's memory, while it is typed and after the login."""
    planted = {"LD_PRELOAD": os.path.join(test.work, "planted.so"), "KIOSK_KEEPS": "1"}
    for environment in (planted, {}):
        device, passcode = Device(test), "".join(random.SystemRandom().sample("1234567890", 6))
        kiosk = device.kiosk("--register", environment=environment, prepare=swallow_set_dumpable)
        kiosk.wait_until_it_says("prompt", "Choose a PIN")
        by_chance = {form: count for form, count in searched(kiosk, passcode).items() if count}
        kiosk.type(passcode)
        kiosk.wait_until_it_says("prompt", "Type the same PIN")
        half = searched(kiosk, passcode)
        kiosk.type(passcode)
        kiosk.wait_until_it_says("prompt", "You are registered.")
        kiosk.press_button("Log in")
        kiosk.wait_until_it_says("prompt", "Enter your PIN")
        kiosk.type(passcode)
        kiosk.wait_until_it_says("prompt", "You are logged in.")
        for found in (half, searched(kiosk, passcode)):
            for form in found:
                what = "%s: %d times as %s" % (passcode, found[form], form)
                check(form in by_chance or (found[form] > 0 if environment else found[form] == 0), what)
        kiosk.end_well()


def a_stranger_in_between(test):
    """Somebody whose certificate the kiosk does not trust."""
    if test.address.startswith("https"):
        device = Device(test)
        kiosk = test.kiosk(test.address + "/", "--fido", device.folder, "--account", device.account)
        kiosk.wait_until_it_says("message", "The bank cannot be reached.")
        kiosk.end_well()


WITH_BANK = [registering_a_key, what_is_agreed_to, a_locked_device, a_pattern, memory_of_a_device,
             a_stranger_in_between]


# ---- Without one -----------------------------------------------------------------------------------------------------


def a_silent_bank(test):
    """It cannot be reached, or takes the request and does not answer: the window can be closed all the same."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        device = Device(test, "http://127.0.0.1:%d" % silent.getsockname()[1])
        kiosk = device.kiosk()
        connection = silent.accept()[0]
        kiosk.wait_until_it_says("prompt", "One moment …")
        check(connection.recv(64).startswith(b"POST /uaf/request "), "a request")
        began = time.monotonic()
        kiosk.end_well()
        check(time.monotonic() - began < 25, "the window waits for the bank")
        connection.close()
    kiosk = device.kiosk()
    for _ in range(2):
        kiosk.wait_until_it_says("message", "The bank cannot be reached.")
        kiosk.press_button("Try again")
    kiosk.end_well()


def a_bank_that_lies(test):
    """Answers that are too long, or no answers to what was asked, end nothing."""
    for body in (b"{" * 100_000, b"[]", b"{}", b"null", b'{"statusCode":1200}', b'{"statusCode":1200,"uafRequest":"x"}',
                 b"x" * (1 << 20)):
        with socket.create_server(("127.0.0.1", 0)) as liar:
            device = Device(test, "http://127.0.0.1:%d" % liar.getsockname()[1])
            kiosk = device.kiosk()
            connection = liar.accept()[0]
            connection.recv(1 << 16)
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/fido+uaf\r\n"
                                   b"Content-Length: %d\r\n\r\n" % len(body) + body)
            except ConnectionError:
                pass  # It has read enough.
            kiosk.wait_for(lambda: kiosk.says("message").strip(), "a message")
            kiosk.wait_until_it_says("button", "Try again")
            kiosk.end_well()
            connection.close()


def options_of_fido(test):
    folder = tempfile.mkdtemp(dir=test.display.folder)
    open_to_all = tempfile.mkdtemp(dir=test.display.folder)
    os.chmod(open_to_all, 0o777)
    file = os.path.join(folder, "file")
    open(file, "w").close()
    lost = tempfile.mkdtemp(dir=test.display.folder)
    open(os.path.join(lost, "vault"), "w").close()
    for options, status, words in (
            (("--fido", folder, "--layout", "pin-decoys"), 64, "pin, letters, pattern"),
            (("--fido", folder, "--shuffle", "key"), 64, "none or opening"),
            (("--fido", folder, "--way", "xwing"), 64, "nothing is sealed"),
            (("--confirm", "text"), 64, "needs --fido"),
            (("--fido", folder, "--confirm", b"\xff"), 64, "no UTF-8"),
            (("--fido", file), 73, file),
            (("--fido", lost), 73, "the key cannot be read"),
            (("--fido", open_to_all), 73, "vault: ")):
        ended = subprocess.run([test.program, *options], capture_output=True, text=True, timeout=120,
                               env=test.display.environment)
        check(ended.returncode == status and words in ended.stderr, "%s: %s" % (options, ended))
    check(sorted(os.listdir(folder)) == ["file"], "something was made")


GROUPS = [a_silent_bank, a_bank_that_lies, options_of_fido]
