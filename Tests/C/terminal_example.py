"""Uses Examples/c-terminal: each run goes on in the device of the last one. A device that is there and cannot be read
ends the program: a new one in its place would use keys twice. And nobody else may read what it writes.

    terminal_example.py PROGRAM

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
import sys
import tempfile

program = sys.argv[1]
checks = 0


def check(condition, what):
    global checks
    checks += 1
    assert condition, what


def run(*words):
    ended = subprocess.run([program, *words], input=b"abcdefghi\n", capture_output=True)
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


def uses(device, count):
    """Runs the terminal, whose key must be this one."""
    status, said, fault = run(device)
    check((status, fault) == (0, ""), "transaction %d: %r" % (count, fault))
    number = "12345678901234560000%04x" % count
    check(re.search(r"^key serial number: +%s$" % number, said, re.M), "not %s: %s" % (number, said))
    check(re.search(r"^to the card's bank: +[0-9a-f]{16}$", said, re.M), "for the bank: " + said)


def refuses(device, reason):
    """Runs the terminal, which must say why it cannot use the device, and takes no key."""
    status, said, fault = run(device)
    check(status == 1 and said == "", "it goes on with %s: %s" % (device, said))
    check(device in fault and reason in fault, "it does not say why: %r" % fault)


def goes_on(folder):
    device = os.path.join(folder, "device")
    for count in (1, 2, 3):
        uses(device, count)
    check(os.listdir(folder) == ["device"], "it leaves a file: %s" % os.listdir(folder))


def keeps_what_it_cannot_read(folder):
    # The superuser cannot open this one, either.
    loop = os.path.join(folder, "loop")
    os.symlink("loop", loop)
    refuses(loop, "symbolic links")
    check(os.path.islink(loop), "a device that cannot be opened was replaced")
    refuses(os.path.join(folder, "device", "below"), "Not a directory")
    for size in (0, 1151):
        short = os.path.join(folder, "short")
        with open(short, "wb") as file:
            file.write(bytes(size))
        refuses(short, "1152 bytes")
        check(os.path.getsize(short) == size, "a device that is cut off was replaced")
    # The new file's name would be too long. Cut off, it would be the device's own.
    long = folder
    while len(long) < 3900:
        long += "/" + "d" * 100
    os.makedirs(long)
    refuses(long + "/" + "d" * (4094 - len(long)), "too long")


def writes_for_itself_only(folder):
    device, new, other = (os.path.join(folder, name) for name in ("device", "device.new", "other"))
    # What a crash has left, and what somebody else has put there.
    with open(new, "wb"):
        os.chmod(new, 0o666)
    uses(device, 4)
    check(os.stat(device).st_mode & 0o777 == 0o600, "others may read the device")
    os.symlink(other, new)
    uses(device, 5)
    check(not os.path.lexists(other) and not os.path.islink(device), "it was written elsewhere")


with tempfile.TemporaryDirectory() as place:
    goes_on(place)
    keeps_what_it_cannot_read(place)
    writes_for_itself_only(place)
print("terminal_example: %d checks" % checks)
