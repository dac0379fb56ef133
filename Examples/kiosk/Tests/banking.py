"""What passes between the kiosk and a bank, and what a person is told of it.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import socket
import subprocess

from session import LETTERS, Kiosk, check, ready

PASSCODE, ANOTHER = "274916", "274961"


def new_account():
    return "kiosk-" + os.urandom(6).hex()


def for_quantum_computers(test):
    """Texts for X-Wing. The kiosk's own option says the way, and a key of another way is refused."""
    bank = test.bank("xwing", alice=PASSCODE)
    kiosk = test.kiosk(bank, "--shuffle", "none", "--way", "xwing")
    for passcode, widget, words in ((ANOTHER, "message", "Wrong PIN. 4 attempts left."),
                                    (PASSCODE, "prompt", "You are logged in.")):
        kiosk.enter(passcode)
        kiosk.wait_until_it_says(widget, words)
    check(bank.opened == [ANOTHER, PASSCODE], "the bank has read %s" % bank.opened)
    kiosk.end_well()
    for way, other in (("xwing", "x25519"), ("x25519", "xwing")):
        kiosk = test.kiosk(test.bank(way), "--way", other)
        kiosk.wait_until_it_says("message", "The bank's key is not valid.")
        kiosk.end_well()


def by_opaque(test):
    """The bank gets no passcode. Its verdicts are told as those of a sealed one."""
    bank = test.bank()
    kiosk = test.kiosk(bank, "--shuffle", "none", "--register", by_opaque=True)
    for first, again, told in ((PASSCODE, ANOTHER, "The two are not the same."),
                               ("111111", "111111", "Do not repeat one character several times in a row.")):
        choose(kiosk, first, again)
        kiosk.wait_until_it_says("prompt", "Choose a PIN")
        check(kiosk.says("message") == told, kiosk.says("message"))
    check(bank.steps == {} and bank.wrong == {}, "the bank was asked")
    choose(kiosk)
    kiosk.wait_until_it_says("prompt", "You are registered.")
    kiosk.press_button("Log in")
    for passcode, widget, words in ((ANOTHER, "message", "Wrong PIN. 4 attempts left."),
                                    (ANOTHER, "message", "Wrong PIN. 3 attempts left."),
                                    (PASSCODE, "prompt", "You are logged in.")):
        kiosk.enter(passcode)
        kiosk.wait_until_it_says(widget, words)
    check(bank.opened == [] and bank.finished == [("alice", True), ("alice", False)], bank.finished)
    kiosk.press_button("Log out")
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    check(bank.sessions == set(), "a session goes on: %s" % bank.sessions)
    kiosk.end_well()


def moving_a_sealed_passcode(test):
    """It is typed once, and sent sealed once more."""
    bank = test.bank(alice=PASSCODE)
    bank.moves = {"moves": "opaque"}
    kiosk = test.kiosk(bank, "--shuffle", "none", "--way", "x25519")
    kiosk.log_in(PASSCODE)
    check(bank.opened == [PASSCODE] and bank.finished == [("alice", True)], (bank.opened, bank.finished))
    kiosk.end_well()
    kiosk = test.kiosk(bank, "--shuffle", "none", by_opaque=True)
    kiosk.log_in(PASSCODE)
    check(bank.opened == [PASSCODE] and bank.finished[1:] == [("alice", False)], (bank.opened, bank.finished))
    kiosk.end_well()


# ---- With any bank ---------------------------------------------------------------------------------------------------


def choose(kiosk, first=PASSCODE, again=PASSCODE):
    for prompt, passcode in (("Choose a PIN", first), ("Type the same PIN", again)):
        kiosk.enter(passcode, prompt)


def registering_and_logging_in(test):
    bank = test.address or test.bank()
    account = new_account()
    kiosk = test.kiosk(bank, "--shuffle", "none", "--register", "--account", account)
    kiosk.wait_until_it_says("title", "Welcome, " + account)
    choose(kiosk)
    kiosk.wait_until_it_says("prompt", "You are registered.")
    kiosk.press_button("Log in")
    kiosk.enter(ANOTHER)
    kiosk.wait_until_it_says("message", "Wrong PIN. 4 attempts left.")
    kiosk.type(PASSCODE)
    kiosk.wait_until_it_says("prompt", "You are logged in.")
    if not test.address:
        check(len(bank.sessions) == 1, "a session has begun")
    kiosk.press_button("Log out")
    kiosk.wait_until_it_says("prompt", "Enter your PIN")
    kiosk.end_well()
    if not test.address:
        check(bank.sessions == set(), "the session goes on after the person has left")
        check(bank.opened == [PASSCODE, PASSCODE, ANOTHER, PASSCODE], "the bank has read %s" % bank.opened)
        check(bank.passcodes == {account: PASSCODE}, "the bank has %s" % bank.passcodes)

    # The name is taken now.
    kiosk = test.kiosk(bank, "--shuffle", "none", "--register", "--account", account)
    choose(kiosk)
    told = kiosk.wait_for_message()
    check(test.address or told == "There is an account of this name.", told)
    kiosk.wait_until_it_says("prompt", "Choose a PIN")
    kiosk.end_well()


def refused_passcodes(test):
    bank = test.address or test.bank()
    if not test.address:
        bank.rule = lambda passcode: "Three in a row are the same." if re.search(r"(.)\1\1", passcode) else None
    kiosk = test.kiosk(bank, "--shuffle", "none", "--register", "--account", new_account())
    for first, second, told in ((PASSCODE, ANOTHER, "The two are not the same."),
                                ("111111", "111111", "Three in a row are the same.")):
        choose(kiosk, first, second)
        kiosk.wait_until_it_says("prompt", "Choose a PIN")
        said = kiosk.says("message")
        check(said == told or test.address and re.fullmatch(r"[A-Z].{9,}\.", said), "for %s: %r" % (first, said))
        print("  the bank says:", said)
    # The message goes when typing begins.
    kiosk.type("2")
    kiosk.wait_until_it_says("message", " ")
    kiosk.end_well()


def locking(test):
    bank = test.address or test.bank()
    account = new_account()
    kiosk = test.kiosk(bank, "--shuffle", "none", "--register", "--account", account)
    choose(kiosk)
    kiosk.press_button("Log in")
    for left in ("4 attempts", "3 attempts", "2 attempts", "1 attempt"):
        kiosk.enter(ANOTHER)
        kiosk.wait_until_it_says("message", "Wrong PIN. %s left." % left)
    # The fifth locks the account: a bank may say so at once, or to the next one, which is right.
    kiosk.enter(ANOTHER)
    kiosk.wait_for(lambda: "1 attempt " not in kiosk.wait_for_message(), "the fifth verdict")
    if kiosk.says("message") == "Wrong PIN. 0 attempts left.":
        kiosk.enter(PASSCODE)
        kiosk.wait_for(lambda: "0 attempts" not in kiosk.wait_for_message(), "the sixth verdict")
    told = kiosk.says("message")
    check("lock" in told.lower(), told)
    kiosk.wait_until_it_says("button", "Try again")
    kiosk.wait_until_hidden()
    kiosk.end_well()


def unreachable_bank(test):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        kiosk = test.kiosk("http://127.0.0.1:%d" % closed.getsockname()[1])
        for _ in range(2):
            kiosk.wait_until_it_says("message", "The bank cannot be reached.")
            kiosk.press_button("Try again")
        check(kiosk.keys() == [], "there are keys without a bank")
    kiosk.end_well()


def an_unknown_authority(test):
    """The system trusts nobody who has signed the bank's certificate."""
    kiosk = Kiosk(test.display, test.program, test.address)
    kiosk.wait_until_it_says("message", "The bank's certificate is not trusted.")
    check(kiosk.keys() == [], "there are keys without a bank")
    kiosk.end_well()


def the_persons_language(test):
    """The bank is told what the person reads, and says in that language which rule refuses a PIN."""
    for language, asked in (("ko_KR", "ko-kr"), ("de", "de")):
        bank = test.bank(alice=PASSCODE)
        kiosk = test.kiosk(bank, "--shuffle", "none", environment={"LANGUAGE": language})
        kiosk.log_in(PASSCODE)
        kiosk.end_well()
        check(len(bank.languages) == 1 and bank.languages.pop().lower().startswith(asked), bank.languages)


def a_bank_elsewhere_without_tls(test):
    """An attacker between the two could answer with another key. The kiosk does not even begin."""
    for address in ("http://bank.example", "http://192.0.2.7:8080", "http://127.0.0.1.bank.example", "http://0.0.0.0",
                    "http://127.0.0.1@bank.example", "http://[2001:db8::1]", "http://localhost.bank.example",
                    "http://xlocalhost", "HTTP://bank.example", "http://", "ftp://127.0.0.1", "bank.example", ""):
        ended = subprocess.run([test.program, "--bank", address], capture_output=True, text=True, timeout=120,
                               env=test.display.environment)
        check(ended.returncode == 64 and "http:// only to this machine" in ended.stderr, "%s: %s" % (address, ended))
    # The controls: this machine, by other names; and nobody else is asked to bring the request there.
    bank = test.bank(alice=PASSCODE)
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.settimeout(0)
        environment = {name: "http://127.0.0.1:%d" % proxy.getsockname()[1] for name in ("http_proxy", "all_proxy")}
        for host in ("localhost", "127.0.0.1"):
            address = "http://%s:%d" % (host, bank.port)
            kiosk = ready(test, address, "--shuffle", "none", environment={**environment, "no_proxy": "none"})
            kiosk.end_well()
        try:
            proxy.accept()
            check(False, "a proxy is asked for the key")
        except BlockingIOError:
            check(True, "nobody else is asked")


# ---- With the test's own bank ----------------------------------------------------------------------------------------


def a_password(test):
    bank = test.bank()
    kiosk = test.kiosk(bank, "--shuffle", "none", "--layout", "letters", "--register")
    for prompt in ("Choose a password", "Type the same password"):
        kiosk.wait_until_it_says("prompt", prompt)
        kiosk.tap(kiosk.page(LETTERS)["return"])  # Nothing typed, nothing sent.
        kiosk.type("correct horse battery staple", LETTERS)
        kiosk.wait_for_count(28)
        kiosk.tap(kiosk.page(LETTERS)["return"])
    kiosk.wait_until_it_says("prompt", "You are registered.")
    kiosk.press_button("Log in")
    kiosk.wait_until_it_says("prompt", "Enter your password")
    kiosk.type("correct horse battery stable", LETTERS)
    kiosk.tap(kiosk.page(LETTERS)["return"])
    kiosk.wait_until_it_says("message", "Wrong password. 4 attempts left.")
    check(bank.passcodes == {"alice": "correct horse battery staple"}, "the bank has %s" % bank.passcodes)
    kiosk.end_well()


ANY_BANK = [registering_and_logging_in, refused_passcodes, locking, unreachable_bank]
GROUPS = [by_opaque, moving_a_sealed_passcode, for_quantum_computers, a_password, a_bank_elsewhere_without_tls,
          the_persons_language]
