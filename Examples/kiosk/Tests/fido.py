"""The kiosk with FIDO: keys in a folder of the device, and a passcode or pattern that no bank gets.

SPDX-License-Identifier: Apache-2.0
"""

import os
import random
import re
import signal
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time

from banking import ANOTHER, PASSCODE, choose, new_account
from display import wait_for
from secrecy import searched
from session import check
from touching import draw

for room in ("../../../Tests/Tool", "../../Bank/Tests"):
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), room))
from authority import Authority  # noqa: E402
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
    kiosk.enter(ANOTHER)
    kiosk.wait_until_it_says("message", "Wrong PIN. 4 attempts left.")
    kiosk.log_in(PASSCODE)
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
    kiosk.enter(PASSCODE)
    kiosk.wait_until_it_says("prompt", "You are registered.")
    kiosk.end_well()


def what_is_agreed_to(test):
    """The bank's text is shown, as text."""
    device, text = Device(test), "Pay <b>10 € & 5</b> to \"Bob\"?"
    device.registered().end_well()
    kiosk = device.kiosk("--confirm", text)
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.wait_until_it_says("agreement", text)
    kiosk.type(PASSCODE)
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    kiosk.end_well()
    # All of the widest text is on the screen. Of one with many lines the end must be, before anything can be typed.
    for text in ("W" * 200, "Line\\n" * 33):
        kiosk = device.kiosk("--confirm", text.replace("\\n", "\n"))
        kiosk.wait_until_it_says("agreement", text)
        if "\\n" in text:
            kiosk.wait_until_it_says("message", "Read the text to its end.")
            kiosk.wait_until_hidden()
            test.display.xdotool("mousemove", 180, 300, "click", "--repeat", 30, "--delay", 20, 5)
            kiosk.wait_until_it_says("message", " ")
            test.display.xdotool("mousemove", 790, 890)
        kiosk.type(PASSCODE)
        kiosk.wait_until_it_says("prompt", "You are logged in.")
        kiosk.end_well()


def another_authenticator(test):
    """A key that a PIN protects is not asked for with a pattern, and not made anew."""
    device = Device(test)
    device.registered().end_well()
    kiosk = device.kiosk("--layout", "pattern")
    kiosk.wait_until_it_says("message", "This device has no key of yours.")
    kiosk.wait_until_it_says("button", "Try again")
    kiosk.end_well()


def a_locked_device(test):
    """Five wrong tries lock it, and a new start of the program does not unlock it."""
    device = Device(test)
    device.registered().end_well()
    kiosk = device.kiosk()
    for left in ("4 attempts", "3 attempts", "2 attempts", "1 attempt"):
        kiosk.enter(ANOTHER)
        kiosk.wait_until_it_says("message", "Wrong PIN. %s left." % left)
    kiosk.enter(ANOTHER)
    locked = re.compile(r"Locked after too many wrong tries, for (300|2\d\d|1\d\d) more seconds\.")
    check(kiosk.wait_for(lambda: locked.fullmatch(kiosk.says("message")), "that it is locked"), "locked")
    kiosk.wait_until_it_says("button", "Try again")
    kiosk.wait_until_it_says("dots", " ")
    check(kiosk.wait_for(lambda: not kiosk.keys(), "a board without keys"), "no keys")
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
        kiosk.log_in(passcode)
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
        kiosk.wait_until_it_says("message", "The bank's certificate is not trusted.")
        kiosk.end_well()


WITH_BANK = [registering_a_key, what_is_agreed_to, another_authenticator, a_locked_device, a_pattern,
             memory_of_a_device, a_stranger_in_between]


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


def two_signals(test):
    """The second one comes when the window is gone, and the program not yet."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for _ in range(15):
            kiosk = Device(test, "http://127.0.0.1:%d" % silent.getsockname()[1]).kiosk()
            connection = silent.accept()[0]
            connection.recv(64)
            for _ in range(2):
                kiosk.process.terminate()
            kiosk.end_well()
            connection.close()


def requests_that_come(listener):
    """To a bank that says each time that it is not the one."""
    connection, requests = listener.accept()[0], 0
    connection.settimeout(2)
    try:
        while data := connection.recv(1 << 16):
            requests += data.count(b"POST ")
            connection.sendall(b"HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n")
    except (ConnectionError, TimeoutError):
        pass
    connection.close()
    return requests


def nothing_is_sent_twice(test):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        kiosk = Device(test, "http://127.0.0.1:%d" % listener.getsockname()[1]).kiosk()
        count = requests_that_come(listener)
        check(count == 1, "%d requests" % count)
        kiosk.wait_until_it_says("button", "Try again")
        kiosk.end_well()


def a_certificate_that_is_too_long(test):
    """Its name could not be signed, and then nobody would notice somebody in between."""
    for names, is_refused in ((1, False), (400, True)):
        folder = tempfile.mkdtemp(dir=test.display.folder)
        authority = Authority(folder, ["localhost", *("name%d.bank.example" % i for i in range(names))])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.certificate_path, authority.key_path)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            device = Device(test, "https://localhost:%d" % listener.getsockname()[1])
            kiosk = device.kiosk("--authority", authority.path)
            with context.wrap_socket(listener.accept()[0], server_side=True) as connection:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/fido+uaf\r\n"
                                   b"Content-Length: 2\r\n\r\n{}")
                told = kiosk.wait_for_message()
                check((told == "The bank cannot be reached.") == is_refused, told)
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
    lost, shown, stuck = (tempfile.mkdtemp(dir=test.display.folder) for _ in range(3))
    open(os.path.join(lost, "vault"), "w").close()
    with open(os.path.join(shown, "key"), "wb") as key:
        key.write(bytes(32))
    os.chmod(key.name, 0o604)
    os.mkfifo(os.path.join(stuck, "key"), 0o600)
    for options, status, words in (
            (("--fido", folder, "--layout", "pin-decoys"), 64, "pin, letters, pattern"),
            (("--fido", folder, "--shuffle", "key"), 64, "none or opening"),
            (("--fido", folder, "--way", "xwing"), 64, "nothing is sealed"),
            (("--confirm", "text"), 64, "needs --fido"),
            (("--fido", folder, "--confirm", b"\xff"), 64, "not UTF-8"),
            (("--fido", file), 73, file),
            (("--fido", lost), 73, "not a key that only you can read"),
            (("--fido", shown), 73, "not a key that only you can read"),
            (("--fido", stuck), 73, "not a key that only you can read"),
            (("--fido", open_to_all), 73, "not yours alone"),
            (("--fido", folder, "--bank", "http://bank.localhost:1"), 73, "only to localhost")):
        ended = subprocess.run([test.program, *options], capture_output=True, text=True, timeout=120,
                               env=test.display.environment)
        check(ended.returncode == status and words in ended.stderr, "%s: %s" % (options, ended))
    check(not os.listdir(open_to_all), "something was made")


def is_ready_to_end(pid):
    """Whether a kiosk handles SIGTERM: it does so when it has opened the vault."""
    with open("/proc/%d/status" % pid) as file:
        caught = next(line for line in file if line.startswith("SigCgt:")).split()[1]
    return int(caught, 16) >> signal.SIGTERM - 1 & 1


def two_devices_at_once(test):
    """Programs that make the same vault at the same time have the same key; and none writes to a file that is there."""
    folder, file = os.path.join(test.display.folder, "at-once"), os.path.join(test.display.folder, "file")
    os.mkdir(folder, 0o700)
    open(file, "w").close()
    os.link(file, os.path.join(folder, "key.new"))
    command = [test.program, "--fido", folder, "--bank", "http://127.0.0.1:1"]
    kiosks = [subprocess.Popen(command, stderr=subprocess.PIPE, env=test.display.environment) for _ in range(4)]
    for kiosk in kiosks:
        wait_for(lambda: is_ready_to_end(kiosk.pid), "a kiosk that has opened the vault", kiosk)
    for kiosk in kiosks:
        kiosk.terminate()
    ends = [(kiosk.communicate(timeout=60)[1], kiosk.returncode) for kiosk in kiosks]
    check(ends == [(b"", 0)] * 4, ends)
    check(sorted(name for name in os.listdir(folder) if "key" in name) == ["key", "key.new"], "a draft of the key")
    check(os.path.getsize(file) == 0, "another file was written to")


GROUPS = [a_silent_bank, two_signals, nothing_is_sent_twice, a_certificate_that_is_too_long, a_bank_that_lies,
          options_of_fido, two_devices_at_once]
