"""Uses Examples/c-vault as a person does, and as somebody who guesses: five wrong PINs lock it, also if the program is
killed with SIGKILL at any moment, and what it said was kept is kept.

    vault_example.py PROGRAM [KILLS]

SPDX-License-Identifier: Apache-2.0
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

program, kills = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40
checks = 0
seed = int(os.environ.get("SEED") or random.getrandbits(32))
chance = random.Random(seed)


def check(condition, what):
    global checks
    checks += 1
    assert condition, "%s (SEED=%d)" % (what, seed)


def run(folder, *words, pin):
    ended = subprocess.run([program, folder, *words], input=pin + b"\n", capture_output=True)
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


def killed(folder, *words, pin, after):
    """What it said before it was killed, or all of it."""
    with subprocess.Popen([program, folder, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        process.stdin.write(pin + b"\n")
        process.stdin.close()
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        return process.stdout.read().decode()


def keeps_and_locks():
    with tempfile.TemporaryDirectory() as folder:
        check(run(folder, "get", pin=b"1")[0] == 1, "a token before there is one")
        check(run(folder, "set", "first token", pin=b"483725") == (0, "Kept.\n", ""), "set")
        check(run(folder, "set", "a token", pin=b"483725") == (0, "Kept.\n", ""), "set again")
        check(run(folder, "get", pin=b"483725") == (0, "a token\n", ""), "get")
        for left in (4, 3):
            check(run(folder, "get", pin=b"1") == (1, "Wrong PIN. Tries left: %d\n" % left, ""), "a wrong PIN")
        check(run(folder, "get", pin=b"483725") == (0, "a token\n", ""), "the right PIN ends the count")
        for left in (4, 3, 2, 1):
            check(run(folder, "set", "x", pin=b"1") == (1, "Wrong PIN. Tries left: %d\n" % left, ""), "a wrong PIN")
        for pin in (b"1", b"1", b"483725"):
            check(run(folder, "get", pin=pin) == (1, "Locked for 5 minutes.\n", ""), "it is not locked")
        everything = b"".join(open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder))
        check(b"token" not in everything and b"483725" not in everything, "a secret is in a file")


def survives_kills():
    """What was said to be kept is there after a kill, and otherwise it or the token before."""
    with tempfile.TemporaryDirectory() as folder:
        check(run(folder, "set", "token 0", pin=b"483725")[0] == 0, "set")
        possible = {"token 0"}
        for number in range(1, kills + 1):
            token = "token %d" % number
            said = killed(folder, "set", token, pin=b"483725", after=chance.uniform(0, 0.12))
            possible = {token} if said == "Kept.\n" else possible | {token}
            code, got, message = run(folder, "get", pin=b"483725")
            check(code == 0 and got.strip() in possible, "after kill %d: %r %s" % (number, got, message))
            possible = {got.strip()}


def gives_no_free_try():
    """A guess that is killed before it can say anything counts, if it was checked; no answer is free."""
    with tempfile.TemporaryDirectory() as folder:
        check(run(folder, "set", "a token", pin=b"483725")[0] == 0, "set")
        answers = 0
        for _ in range(60):
            said = killed(folder, "get", pin=b"1", after=chance.uniform(0, 0.12))
            answers += said.startswith("Wrong PIN") or said.startswith("Locked")
            if said.startswith("Locked"):
                break
        for _ in range(5):
            run(folder, "get", pin=b"1")
        check(answers <= 5, "%d answers" % answers)
        check(run(folder, "get", pin=b"483725")[1] == "Locked for 5 minutes.\n", "it is not locked")


keeps_and_locks()
survives_kills()
gives_no_free_try()
print("vault_example: %d checks" % checks)
