"""No PIN is in the bank's memory, in its log, or in its database, while people register and log in.

Every search is preceded by one that finds a planted PIN in the same place: as the name of an account, which the bank
holds, stores and logs like any other.

    python3 memory.py [--searches N]

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import os
import random
import signal
import threading
import time

import bank
from bank import SEED, Bank, Client, check, report
from postgresql import PostgreSQL
from records import PostgreSQLRecords, SQLiteRecords

PAGE = 1 << 12


def writings(pin):
    """How a PIN could be in memory."""
    text = pin.encode()
    numbers = bytes(int(digit) for digit in pin)
    return {
        "ASCII": text, "reversed": text[::-1], "UTF-16": pin.encode("utf-16-le"), "UTF-32": pin.encode("utf-32-le"),
        "numbers": numbers, "base64url": bank.encode(text).encode(), "hexadecimal": text.hex().encode(),
    }


def memory_of(process):
    """What the process can write, but for pages of zeros: the library's own memory, and everything else.

    The library's is locked, left out of dumps, and emptied by a fork (lo, dd, wf). It holds a passcode in the clear
    while a call computes with it. The process is stopped only while it is copied.
    """
    library, others = [], []
    os.kill(process.pid, signal.SIGSTOP)
    try:
        with open("/proc/%d/smaps" % process.pid) as smaps, open("/proc/%d/mem" % process.pid, "rb", 0) as memory:
            for line in smaps:
                words = line.split()
                if "-" in words[0] and not words[0].endswith(":"):
                    first, last = (int(address, 16) for address in words[0].split("-"))
                    is_writable = "w" in words[1]
                elif words[0] == "VmFlags:" and is_writable:
                    regions = library if {"lo", "dd", "wf"} <= set(words) else others
                    regions.append(b"".join(pages(memory, first, last)))
    finally:
        os.kill(process.pid, signal.SIGCONT)
    check(library and others, "nothing was searched")
    return library, others


def pages(memory, first, last):
    """The pages of a region; a page of zeros is left out if the one before it was, too."""
    zeros = bytes(PAGE)
    was_zero = False
    for place in range(first, last, PAGE):
        try:
            memory.seek(place)
            data = memory.read(min(last - place, PAGE))
        except OSError:
            continue  # Guard pages around locked memory.
        is_zero = data == zeros
        if not (is_zero and was_zero):
            yield data
        was_zero = is_zero


def files_below(path):
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    yield file.read()
            except OSError:
                pass  # A socket, or a temporary file of the database that is gone.


def found(pieces, pins):
    """Which PINs are in which writing."""
    needles = [(pin, name, writing) for pin in pins for name, writing in writings(pin).items()]
    hits = set()
    length = 0
    for piece in pieces:
        length += len(piece)
        hits.update((pin, name) for pin, name, writing in needles if writing in piece)
    check(length > 0, "nothing was searched")
    return hits


def people(server, pins, end, counts):
    """Registers an account for each PIN, and logs in, rightly and wrongly, until it is the end."""
    client = Client(server.port)
    key = client.key()
    for number, pin in enumerate(pins):
        check(client.register("person-%d" % number, pin, key)[0] == 200, "register")
    while not end.is_set():
        for number, pin in enumerate(pins):
            check(client.login("person-%d" % number, pin, key)[0] == 200, "login")
            check(client.login("person-%d" % number, pins[number - 1], key)[0] == 401, "another PIN")
            counts.append(pin)


def sound_pins(count):
    """PINs that the rules accept."""
    generator = random.Random(SEED)
    pins = []
    while len(pins) < count:
        digits = [generator.randrange(10) for _ in range(6)]
        steps = list(zip(digits, digits[1:]))
        # Walks on a keypad are on the list of common ones, such as 968574.
        if (len(set(digits)) == 6 and not any(abs(second - first) < 2 for first, second in steps) and digits[0] != 1
                and 2 <= sum(is_far(first, second) for first, second in steps) <= 4):
            pins.append("".join(map(str, digits)))
    return pins


def is_far(first, second):
    """Whether another key is between two digits on a keypad."""
    (row, column), (other_row, other_column) = ((3, 1) if digit == 0 else divmod(digit - 1, 3)
                                                for digit in (first, second))
    return max(abs(row - other_row), abs(column - other_column)) > 1


def search(records, places, count):
    """`places` are the database's files; `count` is how often memory is searched while people log in."""
    server = Bank("--insecure-dumpable", "--attempts", "1000", data=records.data, url=records.url)
    # Nobody has typed anything: a PIN that is there already is a part of something else, as 417025 is of the table of
    # characters in Swift's library.
    pins = sound_pins(24)
    there = {pin for pin, _ in found(sum(memory_of(server.process), []), pins)}
    pins = [pin for pin in pins if pin not in there][:12]
    planted, pins, typed = pins[0], pins[1:11], pins[11]
    client = Client(server.port)

    # The controls: a PIN that the bank does hold.
    check(client.challenge(planted, "login"), planted)
    check(client.ask("GET", "/" + planted)[0] == 404, planted)
    check((planted, "ASCII") in found(memory_of(server.process)[1], [planted]), "the planted PIN is not in memory")
    check((planted, "ASCII") in found([server.log().encode()], [planted]), "the planted PIN is not in the log")
    check((planted, "ASCII") in found(places(), [planted]), "the planted PIN is not in the database")

    # While they log in: nowhere but in the library's memory. That one is searched too, and is a control: what is found
    # there is found because the process was stopped in the middle of a call.
    end, logins = threading.Event(), []
    thread = threading.Thread(target=people, args=(server, pins, end, logins), daemon=True)
    thread.start()
    searches = calls = 0
    while searches < count or len(logins) < len(pins):
        check(thread.is_alive(), "nobody logs in")
        library, others = memory_of(server.process)
        hits = found(others, pins)
        check(not hits, "in memory:", hits)
        searches += 1
        calls += len(found(library, pins))
    end.set()
    thread.join()
    # When nobody logs in: nowhere at all.
    check(len(records.query("SELECT * FROM sessions")) == len(logins), "people who have logged in")
    # Refused PINs, and one in a text for another context.
    key = client.key()
    check(client.register("refused", typed, key, again=pins[0])[0] == 422, "mismatch")
    check(client.login("refused", typed, key)[0] == 401, "nobody")
    for place, pieces in (("memory", sum(memory_of(server.process), [])), ("log", [server.log().encode()]),
                          ("database", places())):
        hits = found(pieces, pins + [typed])
        check(not hits, "in the", place, hits)
    check(server.stop() == 0, "exit status")
    hits = found(places(), pins + [typed])
    check(not hits, "in the database of a bank that has ended", hits)
    print("  %s: %d searches of the memory during %d logins; in the library's locked memory, in the middle of a call: "
          "%d" % (records.name, searches, len(logins), calls))


def is_closed_to_others():
    """Without the option for tests, nobody of the same user reads the memory, and there are no core dumps."""
    server = Bank()
    with open("/proc/%d/limits" % server.process.pid) as limits:
        line = next(line for line in limits if line.startswith("Max core file size"))
    check(line.split()[4:6] == ["0", "0"], line)
    # A process that is not dumpable belongs to root, even if another user runs it. Root itself can always read it.
    owner = os.stat("/proc/%d/mem" % server.process.pid).st_uid
    check(owner == 0, "owner", owner)
    if os.geteuid() != 0:
        try:
            open("/proc/%d/mem" % server.process.pid, "rb").close()
            check(False, "the memory can be opened")
        except PermissionError:
            check(True)
    check(server.stop() == 0, "exit status")
    # Swift's report of a crash shows registers and memory. There is none. The control is a bank with the option, whose
    # reporter takes the signal, and the bank goes on, because it was not a fault.
    server = Bank("--insecure-dumpable", crash_reports=True)
    server.process.send_signal(signal.SIGSEGV)
    deadline = time.monotonic() + bank.PATIENCE
    while "Program crashed" not in server.log():
        check(time.monotonic() < deadline, "no report of a crash", server.log())
        time.sleep(0.1)
    server.kill()
    server = Bank(crash_reports=True)
    server.process.send_signal(signal.SIGSEGV)
    check(server.process.wait(bank.PATIENCE) == -signal.SIGSEGV, "exit status", server.process.returncode)
    check(server.log() == "", "a report", server.log())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--searches", type=int, default=30)
    count = parser.parse_args().searches
    sqlite = SQLiteRecords()
    search(sqlite, lambda: files_below(sqlite.data), count)
    postgresql = PostgreSQL(log_statements=True)
    search(PostgreSQLRecords(postgresql), lambda: files_below(postgresql.folder), count)
    is_closed_to_others()
    report("bank, memory")


if __name__ == "__main__":
    main()
