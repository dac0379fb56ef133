"""Checks `keyboard opaque`: a server and a client in pipes, and what is in them: python3 opaque.py KEYBOARD.

SPDX-License-Identifier: Apache-2.0
"""

import os
import stat
import subprocess
import threading
from functools import partial

import groups
import tool
from files import file, where
from groups import check
from tool import TOOL, fails

PASSCODE = b"48372951"


def contents(name):
    return bytes.fromhex(open(where(name)).read())


def talk(command, client, server):
    """Runs both ends, and copies each line between them. Returns their codes, what they said, and the lines."""
    ends = [subprocess.Popen([TOOL, "opaque", command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True) for options in (client, server)]
    sent = [[], []]

    def copy(number):
        for line in ends[number].stdout:
            sent[number].append(line)
            try:
                ends[1 - number].stdin.write(line)
                ends[1 - number].stdin.flush()
            except BrokenPipeError:
                pass
        try:
            ends[1 - number].stdin.close()
        except BrokenPipeError:
            pass

    threads = [threading.Thread(target=copy, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    said = [end.stderr.read().decode() for end in ends]
    for thread in threads:
        thread.join()
    return [end.wait() for end in ends], said, [[bytes.fromhex(line.decode()) for line in lines] for lines in sent]


run = partial(tool.run, "opaque")


def refused(code, words, *arguments, **options):
    fails(code, words, "opaque", *arguments, **options)


check(run("setup", "--out", where("setup"), "--public-out", where("public")) == (0, b"", ""), "setup")
SERVER = ("--setup-file", where("setup"), "--account", "kim")
CLIENT = ("--passcode-file", file("passcode", PASSCODE + b"\n"))
codes, said, REGISTERED = talk(
    "register", [*CLIENT, "--export-key-out", where("export")], [*SERVER, "--record-out", where("record")])
check((codes, said) == ([0, 0], ["", ""]), "register: %s %s" % (codes, said))
RECORD = ("--record-file", where("record"))


def registrations():
    """Each message has its length and its place, files are for their owner, and the passcode is in none."""
    check([len(line) for lines in REGISTERED for line in lines] == [32, 192, 64], "messages")
    check(len(contents("setup")) == 96 and len(contents("export")) == 64, "keys")
    check(REGISTERED[1][0][32:] == contents("public"), "the server's key")
    check(REGISTERED[0][1] == contents("record"), "the record")
    for name in ("setup", "export", "record"):
        check(stat.S_IMODE(os.stat(where(name)).st_mode) == 0o600, name)
    code, output, message = run("setup")
    check((code, len(bytes.fromhex(output.decode())), message) == (0, 96, ""), "a setup on standard output")
    check(bytes.fromhex(output.decode()) != contents("setup"), "drawn anew")


def logins():
    """Both ends have one session key, another one each time, and the client the key of its registration."""
    keys, messages = set(), []
    for number in range(2):
        mine, theirs, export = ("%s%d" % (name, number) for name in ("client", "server", "export"))
        codes, said, sent = talk(
            "login", [*CLIENT, "--context", "shop-1", "--session-key-out", where(mine), "--export-key-out",
                      where(export)],
            [*SERVER, *RECORD, "--context", "shop-1", "--session-key-out", where(theirs)])
        check((codes, said) == ([0, 0], ["", "The passcode is right.\n"]), "%s %s" % (codes, said))
        check([len(line) for lines in sent for line in lines] == [96, 64, 320], "messages")
        check(contents(mine) == contents(theirs) and len(contents(mine)) == 64, "session keys")
        check(contents(export) == contents("export"), "the export key")
        for name in (mine, theirs, export):
            check(stat.S_IMODE(os.stat(where(name)).st_mode) == 0o600, name)
        keys.add(contents(mine))
        messages += sent[0] + sent[1]
    check(len(keys) == 2 and len(set(messages)) == 6, "drawn anew")


def wrong_logins():
    """Another passcode, context or setup, and an account that does not exist: 77 at both ends, and no key."""
    run("setup", "--out", where("other"))
    rows = {
        "passcode": (["--passcode-file", file("wrong", b"48372952")], [*SERVER, *RECORD]),
        "context": ([*CLIENT, "--context", "shop-1"], [*SERVER, *RECORD, "--context", "shop-2"]),
        "setup": (CLIENT, ["--setup-file", where("other"), "--account", "kim", *RECORD]),
        "account": (CLIENT, [*SERVER[:2], "--account", "lee", *RECORD]),
        "record": (CLIENT, SERVER),
    }
    for what, (client, server) in rows.items():
        codes, said, sent = talk("login", [*client, "--session-key-out", where("none")],
                                 [*server, "--session-key-out", where("nothing")])
        check(codes == [77, 77], "%s: %s %s" % (what, codes, said))
        check("passcode is wrong" in said[0] and "not shown" in said[1], "%s: %s" % (what, said))
        check([len(line) for lines in sent for line in lines] == [96, 320], "%s: messages" % what)
        check(not os.path.exists(where("none")) and not os.path.exists(where("nothing")), "%s: keys" % what)


def refusals():
    refused(64, "--setup-file and --account", "login", *SERVER[:2])
    refused(64, "--setup-file and --account", "login", "--account", "kim")
    refused(64, "to the client only", "login", *SERVER, *CLIENT)
    refused(64, "to the server only", "login", *CLIENT, *RECORD)
    refused(64, "--record-out to the server", "register", *SERVER)
    refused(64, "--record-out to the server", "register", *CLIENT, "--record-out", where("new"))
    refused(65, "exists", "register", *SERVER, *("--record-out", where("record")))
    refused(65, "exists", "setup", "--out", where("setup"))
    refused(65, "hexadecimal", "login", *SERVER, *RECORD, input=b"no\n")
    refused(66, "ended before", "login", *SERVER, *RECORD)
    refused(65, "", "login", *SERVER, *RECORD, input=b"00" * 96 + b"\n")
    refused(65, "", "login", *SERVER, "--record-file", file("short", b"00" * 191), input=b"00" * 96 + b"\n")
    refused(65, "", "login", "--setup-file", file("zero", b"00" * 96), "--account", "kim")
    refused(65, "Keep the passcode", "login", "--passcode-file", file("open", PASSCODE, 0o644))
    refused(65, "", "register", *SERVER, "--record-out", where("new"), input=b"ff" * 32 + b"\n")
    for size in (191, 193):
        text = b"%s\n%s\n" % (REGISTERED[0][0].hex().encode(), b"00" * size)
        code, output, message = run("register", *SERVER, "--record-out", where("new"), input=text)
        check((code, len(output)) == (65, 129) and "a record of 192 bytes" in message, "a record of %d bytes" % size)
    check(not os.path.exists(where("new")), "a record of nothing")


groups.run("opaque", (registrations, logins, wrong_logins, refusals))
