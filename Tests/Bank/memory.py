"""No PIN is in the bank's memory, in its log, or in its database, while people register and log in.

Every search is preceded by one that finds a planted PIN in the same place: as the name of an account, which the bank
holds, stores and logs like any other.

SPDX-License-Identifier: Apache-2.0
"""

import os
import random
import signal
import threading

import bank
from bank import SEED, Bank, Client, check, report
from postgresql import PostgreSQL
from records import PostgreSQLRecords, SQLiteRecords

MEMORY_STEP = 1 << 24


def writings(pin):
    """How a PIN could be in memory: ASCII, UTF-16, UTF-32, digits as numbers, in base64url, in hexadecimal, reversed."""
    text = pin.encode()
    numbers = bytes(int(digit) for digit in pin)
    return {
        "ASCII": text, "reversed": text[::-1], "UTF-16": pin.encode("utf-16-le"), "UTF-32": pin.encode("utf-32-le"),
        "numbers": numbers, "base64url": bank.encode(text).encode(), "hexadecimal": text.hex().encode(),
    }


def memory_of(process):
    """All that can be read of a stopped process, in pieces that overlap."""
    os.kill(process.pid, signal.SIGSTOP)
    try:
        with open("/proc/%d/maps" % process.pid) as maps, open("/proc/%d/mem" % process.pid, "rb", 0) as memory:
            for line in maps:
                first, last = (int(address, 16) for address in line.split()[0].split("-"))
                if "r" not in line.split()[1] or "[v" in line:
                    continue
                for place in range(first, last, MEMORY_STEP):
                    try:
                        memory.seek(place)
                        yield memory.read(min(last - place, MEMORY_STEP + 64))
                    except OSError:
                        continue  # Guard pages around locked memory.
    finally:
        os.kill(process.pid, signal.SIGCONT)


def files_below(path):
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    yield file.read()
            except FileNotFoundError:
                pass  # A temporary file of the database.


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


def people(server, pins, rounds):
    """Registers an account for each PIN, and logs in, rightly and wrongly. Answers when asked to stop."""
    client = Client(server.port)
    key = client.key()
    for number, pin in enumerate(pins):
        account = "person-%d" % number
        check(client.register(account, pin, key)[0] == 200, account)
        for _ in range(rounds):
            check(client.login(account, pin, key)[0] == 200, account)
            check(client.login(account, pins[number - 1], key)[0] == 401, account)


def sound_pins(count):
    """PINs that the rules accept, and that are no part of a number that is there anyway."""
    generator = random.Random(SEED)
    pins = []
    while len(pins) < count:
        digits = [generator.randrange(10) for _ in range(6)]
        steps = [second - first for first, second in zip(digits, digits[1:])]
        if len(set(digits)) == 6 and not any(step in (-1, 0, 1) for step in steps) and digits[0] != 1:
            pins.append("".join(map(str, digits)))
    return pins


def search(records, places):
    """`places` are the database's files."""
    server = Bank("--insecure-dumpable", "--attempts", "1000", data=records.data, url=records.url)
    pins = sound_pins(12)
    planted, pins, typed = pins[0], pins[1:11], pins[11]
    client = Client(server.port)

    # The controls: a PIN that the bank does hold.
    check(client.challenge(planted, "login"), planted)
    check(client.ask("GET", "/" + planted)[0] == 404, planted)
    check((planted, "ASCII") in found(memory_of(server.process), [planted]), "the planted PIN is not in memory")
    check((planted, "ASCII") in found([server.log().encode()], [planted]), "the planted PIN is not in the log")
    check((planted, "ASCII") in found(places(), [planted]), "the planted PIN is not in the database")

    # While they log in, and afterwards. Accounts without a match are searched too: a wrong PIN is one.
    thread = threading.Thread(target=people, args=(server, pins, 3), daemon=True)
    thread.start()
    searches = 0
    while True:
        is_last = not thread.is_alive()
        hits = found(memory_of(server.process), pins + [typed])
        check(not hits, "in memory:", hits)
        searches += 1
        if is_last:
            break
    check(searches > 1, "nobody logged in during a search")
    check(len(records.query("SELECT * FROM sessions")) == 3 * len(pins), "people who have logged in")
    # Refused PINs, and one in a text for another context.
    key = client.key()
    check(client.register("refused", typed, key, again=pins[0])[0] == 422, "mismatch")
    check(client.login("refused", typed, key)[0] == 401, "nobody")
    for place, pieces in (("memory", memory_of(server.process)), ("log", [server.log().encode()]),
                          ("database", places())):
        hits = found(pieces, pins + [typed])
        check(not hits, "in the", place, hits)
    check(server.stop() == 0, "exit status")
    hits = found(places(), pins + [typed])
    check(not hits, "in the database of a bank that has ended", hits)
    print("  %s: %d searches of the memory, %d PINs" % (records.name, searches + 1, len(pins) + 1))


def is_closed_to_others():
    """Without the option for tests, nobody of the same user reads the memory, and there are no core dumps."""
    server = Bank()
    with open("/proc/%d/limits" % server.process.pid) as limits:
        line = next(line for line in limits if line.startswith("Max core file size"))
    check(line.split()[4:6] == ["0", "0"], line)
    # A process that is not dumpable belongs to root, whoever runs it. Root itself can always read it.
    owner = os.stat("/proc/%d/mem" % server.process.pid).st_uid
    check(owner == 0, "owner", owner)
    if os.geteuid() != 0:
        try:
            open("/proc/%d/mem" % server.process.pid, "rb").close()
            check(False, "the memory can be opened")
        except PermissionError:
            check(True)
    check(server.stop() == 0, "exit status")


def main():
    sqlite = SQLiteRecords()
    search(sqlite, lambda: files_below(sqlite.data))
    postgresql = PostgreSQL(log_statements=True)
    search(PostgreSQLRecords(postgresql), lambda: files_below(postgresql.folder))
    is_closed_to_others()
    report("bank, memory")


if __name__ == "__main__":
    main()
