"""Two servers on one database, 64 clients at once, and a server that is killed in the middle, again and again: no
challenge is used twice, and no attempt is lost.

    python3 storm.py [--logins N]        half of them with SQLite are a tenth of N

Every request to log in is sent to both servers at the same moment. The counts are exact, and are taken from the
database: a challenge is used up if its record is gone.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import contextlib
import json
import random
import threading
import time

import bank
from bank import PIN, SEED, Bank, Client, Closed, check, report
from postgresql import PostgreSQL
from records import PostgreSQLRecords, SQLiteRecords
from sealing import encode, seal

CLIENTS = 64
RIGHT, WRONG = PIN, "495162"


class Cluster:
    """Two servers; `port` answers where each of them is now."""

    def __init__(self, records, *options):
        self.servers = [Bank(*options, data=records.data, url=records.url) for _ in range(2)]
        self.kills = 0

    def kill_one(self, random):
        server = random.choice(self.servers)
        server.kill()
        server.start()
        self.kills += 1

    def stop(self):
        for server in self.servers:
            check(server.stop() == 0, "exit status")


class Person:
    """A client with a connection to each server, that are made anew when a server was killed."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.clients = [None, None]

    def client(self, place):
        while self.clients[place] is None:
            port = self.cluster.servers[place].port
            try:
                self.clients[place] = Client(port) if port else None
            except OSError:
                pass
            if self.clients[place] is None:
                time.sleep(0.02)  # Killed, and not up again.
        return self.clients[place]

    def lose(self, place):
        if self.clients[place] is not None:
            self.clients[place].close()
            self.clients[place] = None

    def challenge(self, place, account):
        while True:
            try:
                status, answer = self.client(place).ask(
                    "POST", "/api/challenge", {"account": account, "purpose": "login"})
            except Closed:
                self.lose(place)
                place = 1 - place
                continue
            if status == 503:
                time.sleep(0.02)  # the other server has had the database for seconds
                continue
            check(status == 200, "challenge", status, answer)
            return answer["challenge"], bank.decode(answer["context"])

    def send_to_both(self, body):
        """What each of them answers: a status, or None if it was killed first. A busy server is asked again; so is one
        that had to wait too long for the database, and if it then says 409, it may have used the challenge itself."""
        waiting, answers, unsure = {0, 1}, {}, set()
        while waiting:
            for place in waiting:
                try:
                    self.client(place).send("POST", "/api/login", body)
                except Closed:
                    self.lose(place)
            for place in sorted(waiting):
                try:
                    if self.clients[place] is None:
                        raise Closed
                    status, _, text = self.clients[place].receive()
                except Closed:
                    self.lose(place)
                    status = None
                if status == 503:
                    if json.loads(text)["error"] == "unavailable":
                        unsure.add(place)
                    continue
                answers[place] = None if status == 409 and place in unsure else status
            waiting -= set(answers)
        return [answers[0], answers[1]]


@contextlib.contextmanager
def crowd(live, count):
    """Runs `live` in so many threads. Each gets its number and the list of the errors so far. At the end it joins them
    and raises the first error."""
    failures = []

    def run(number):
        try:
            live(number, failures)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield failures
    finally:
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


def accounts_of(**counts):
    """Names of accounts, with their kinds."""
    return {"%s-%d" % (kind, number): kind for kind, count in counts.items() for number in range(count)}


def storm(records, logins, accounts, attempts, kills):
    """Many logins, right and wrong, while servers are killed. Answers what was sent: challenges and statuses."""
    cluster = Cluster(records, "--attempts", str(attempts), "--lock-seconds", "86400", "--waiting", "4096")
    key = Client(cluster.servers[0].port).key()
    for account, kind in accounts.items():
        if kind != "nobody":
            check(Client(cluster.servers[0].port).register(account, RIGHT, key)[0] == 200, "register", account)
    work = [account for account in accounts for _ in range(logins // len(accounts))]
    random.Random(SEED).shuffle(work)
    total = len(work)
    sent = collections.defaultdict(dict)
    lock = threading.Lock()

    def live(number, failures):
        person = Person(cluster)
        generator = random.Random(SEED + number)
        while True:
            with lock:
                if not work or failures:
                    return
                account = work.pop()
            challenge, context = person.challenge(generator.randrange(2), account)
            pin = RIGHT if accounts[account] == "right" else WRONG
            text = encode(seal(key[0], context, pin.encode()))
            answers = person.send_to_both({"challenge": challenge, "keyId": key[1], "text": text})
            with lock:
                sent[account][challenge] = answers

    # A kill each time so many logins are done.
    generator = random.Random(SEED)
    with crowd(live, CLIENTS) as failures:
        for number in range(kills):
            while len(work) > total * (kills - number) // (kills + 1) and not failures:
                time.sleep(0.01)
            cluster.kill_one(generator)
    check(cluster.kills == kills, "kills", cluster.kills)
    return cluster, sent


def check_answers(accounts, sent):
    """Of the two answers to one challenge, one at most says that it was used."""
    counts = collections.Counter()
    for account, challenges in sent.items():
        allowed = {200, 423} if accounts[account] == "right" else {401, 423}
        for challenge, answers in challenges.items():
            used = [status for status in answers if status is not None and status != 409]
            check(len(used) <= 1, "a challenge was used twice", account, challenge, answers)
            check(set(used) <= allowed, account, challenge, answers)
            # Nobody answers that it was used only if the server that used it was killed.
            check(used or None in answers, "a challenge that nobody has used", account, challenge, answers)
            counts.update(answers)
    return counts


def attempts_are_exact(records, accounts, sent):
    """Without a lock, every challenge that is used up is an attempt that was counted, or a session. Answers how many
    logins have ended between the two."""
    left = {row[0] for row in records.query("SELECT challenge FROM challenges")}
    failed = {row[0]: int(row[1]) for row in records.query("SELECT account, failed FROM attempts")}
    sessions = collections.Counter(row[0] for row in records.query("SELECT account FROM sessions"))
    cut = 0
    for account, kind in accounts.items():
        used = len(set(sent[account]) - left)
        answered = sum(200 in statuses or 401 in statuses for statuses in sent[account].values())
        check(answered <= used, account, "answered", answered, "used", used)
        if kind == "right":
            # More sessions than answers: the server was killed between the two. Fewer sessions than challenges: between
            # the attempt and its end.
            check(answered <= sessions[account] <= used, account, answered, sessions[account], used)
            check(failed.get(account, 0) <= used - sessions[account], account, failed.get(account), used)
            cut += used - sessions[account]
        else:
            check(failed.get(account, 0) == used, "attempts of", account, failed.get(account), "challenges used", used)
            check(sessions[account] == 0, account)
    return cut


def counts_exactly(records, logins, kills):
    accounts = accounts_of(right=8, wrong=4, nobody=2)
    begun = time.monotonic()
    cluster, sent = storm(records, logins, accounts, 1_000_000_000, kills)
    seconds = time.monotonic() - begun
    counts = check_answers(accounts, sent)
    cluster.stop()
    cut = attempts_are_exact(records, accounts, sent)
    check(cut <= CLIENTS * kills, "logins that were cut", cut)
    done = sum(len(challenges) for challenges in sent.values())
    print("  %s: %d logins in %d s, %d kills; answers: %s" % (
        records.name, done, seconds, kills, ", ".join("%s %d" % (status or "none", count)
                                                      for status, count in counts.most_common())))


def locks_exactly(records, logins, kills):
    """Five wrong passcodes lock, however many come at once, and even if a server is killed."""
    accounts = accounts_of(wrong=8, nobody=4)
    cluster, sent = storm(records, logins, accounts, 5, kills)
    check_answers(accounts, sent)
    # If both servers are killed at nearly the same moment, nobody has used what waited in them.
    left = {row[0] for row in records.query("SELECT challenge FROM challenges")}
    failed = {row[0]: int(row[1]) for row in records.query("SELECT account, failed FROM attempts")}
    client = Client(cluster.servers[0].port)
    locked = 0
    for account in accounts:
        statuses = collections.Counter(status for answers in sent[account].values() for status in answers)
        used = len(set(sent[account]) - left)
        check(statuses[401] <= 5, account, statuses)
        check(failed.get(account, 0) == min(5, used), account, failed.get(account), "challenges used", used)
        if used >= 5:
            locked += 1
            check(client.login(account, RIGHT, client.key())[0] == 423, account, "is not locked")
    check(locked >= len(accounts) // 2, "accounts that were locked:", locked)
    cluster.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--logins", type=int, default=10_000)
    logins = parser.parse_args().logins
    postgresql = PostgreSQL()
    counts_exactly(PostgreSQLRecords(postgresql), logins, kills=4)
    counts_exactly(SQLiteRecords(), logins // 10, kills=2)
    locks_exactly(PostgreSQLRecords(postgresql), logins // 10, kills=2)
    locks_exactly(SQLiteRecords(), logins // 10, kills=2)
    report("bank, storm")


if __name__ == "__main__":
    main()
