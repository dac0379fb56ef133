"""The bank's table of figures: logins a second, how long one takes, and what it costs the server.

    python3 table.py [--seconds N]        for each row

The client is this program, on the same processors: the server's own cost is the last column. Without Argon2id, accounts
have verifiers in the form for import, which the test writes into the database and only --insecure-imported-verifiers
takes: that is what everything around the hash costs.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import hashlib
import os
import time

from bank import PIN, Bank, Client, check, in_processes, in_threads, report
from postgresql import PostgreSQL
from records import PostgreSQLRecords, SQLiteRecords, opened

ACCOUNTS = 64
PROCESSES = 2


def persons(port, numbers, end):
    """Connections of one process, each a thread's; the time of each login request, without its challenge."""

    def live(number):
        client = Client(port)
        key, times = client.key(), []
        while not times or time.monotonic() < end:
            body = client.login_body("person-%d" % number, PIN, key)
            begun = time.monotonic()
            status, answer = client.ask("POST", "/api/login", body)
            times.append(time.monotonic() - begun)
            check(status == 200, status, answer)
        return times

    return sum(in_threads(live, numbers), [])


def measure(server, connections, seconds):
    """Logins a second, median and 99th percentile in ms, and ms of processor time of the server for a login."""
    processes = min(PROCESSES, connections)
    begun, cost = time.monotonic(), server.cpu_seconds()
    times = sorted(sum(in_processes(persons, [(server.port, range(first, connections, processes), begun + seconds)
                                              for first in range(processes)]), []))
    elapsed, cost = time.monotonic() - begun, server.cpu_seconds() - cost
    check(len(times) >= connections, "logins", len(times))
    return (len(times) / elapsed, 1000 * times[len(times) // 2], 1000 * times[len(times) * 99 // 100],
            1000 * cost / len(times))


def rows(records, seconds):
    people = ("person-%d" % number for number in range(ACCOUNTS))
    server, client, key = opened(records, *people, options=("--insecure-imported-verifiers", "--waiting", "4096"))
    stored = records.query("SELECT verifier FROM accounts")
    check(all(row[0].startswith("$argon2id$v=19$m=19456,t=2,p=1$") for row in stored), "Argon2id is on")
    for is_on in (True, False):
        if not is_on:
            verifier = "$sha256d$" + hashlib.sha256(hashlib.sha256(PIN.encode()).digest()).hexdigest()
            records.query("UPDATE accounts SET verifier = '%s'" % verifier)
            check(client.login("person-0", PIN, key)[0] == 200, "login without Argon2id")
            check(client.login("person-0", "495162", key)[0] == 401, "another passcode without Argon2id")
            stored = records.query("SELECT DISTINCT verifier FROM accounts")
            check(stored == [[verifier]], "Argon2id is off", stored)
        for connections in (1, 8, 64):
            figures = measure(server, connections, seconds)
            yield "| %s | %s | %d | %.0f | %.1f | %.1f | %.2f |" % (
                records.name, "on" if is_on else "off", connections, *figures)
    check(server.stop() == 0, "exit status")


def refuses_imports_otherwise(records):
    """Somebody who can write the database gets in nowhere, unless the server was started for measurements."""
    server = Bank(data=records.data, url=records.url)
    client = Client(server.port)
    check(client.login("person-0", PIN, client.key())[0] == 500, "an imported verifier was taken")
    check("verifier" in server.log(), server.log())
    check(server.stop() == 0, "exit status")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20)
    seconds = parser.parse_args().seconds
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    print("%s, %d processors, client and server on them; %g s a row; load before: %.1f" % (
        model, os.cpu_count(), seconds, os.getloadavg()[0]))
    print("| database | Argon2id | connections | logins/s | median ms | 99th percentile ms | server's CPU ms/login |")
    print("|---|---|---|---|---|---|---|")
    for records in (SQLiteRecords(), PostgreSQLRecords(PostgreSQL())):
        for row in rows(records, seconds):
            print(row, flush=True)
        refuses_imports_otherwise(records)
    report("bank, table")


if __name__ == "__main__":
    main()
