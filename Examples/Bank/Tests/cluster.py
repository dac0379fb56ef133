"""Three servers on one PostgreSQL, 48 clients at once. Servers are killed, the database is killed, and both together:
what the others answer meanwhile, how soon all is well again, and whether an attempt was lost or a challenge used twice.

    python3 cluster.py [--rounds N]        in each round a server, the database, a process of it, and both are killed

Every request goes to one server, chosen at random. A request that got no answer, or 503, is sent again to another
server, unchanged: it must not count twice. What was counted is taken from the database.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import json
import os
import random
import signal
import statistics
import time

import bank
from bank import PATIENCE, SEED, Bank, Client, Closed, check, report
from postgresql import PostgreSQL
from records import PostgreSQLRecords
from sealing import encode, seal
from storm import RIGHT, WRONG, accounts_of, attempts_are_exact, crowd

SERVERS, CLIENTS = 3, 48
DEAD = 3  # seconds that a killed server or database stays away; more, until the others have answered
SOON = 30  # seconds after which a database that is back must be used again
LONGEST = 60  # seconds that a request may take on a busy machine

Exchange = collections.namedtuple("Exchange", "begun ended place path status error")
# `begun` is before it was killed, `gone` when it was dead, `back` when it was started again, `ended` when it answered.
Death = collections.namedtuple("Death", "what place begun gone back ended")


class Cluster:
    """The servers, what was killed and when, and all that was asked and answered."""

    def __init__(self, records):
        self.records = records
        options = ["--attempts", "1000000000", "--waiting", "4096"]
        self.servers = [Bank(*options, data=records.data, url=records.url) for _ in range(SERVERS)]
        self.deaths, self.exchanges = [], []
        self.is_over = False

    def wait_for_answers(self, begun, places, path, *statuses):
        """Until each of these servers has answered so to what was asked since `begun`."""
        deadline = time.monotonic() + PATIENCE
        while not places <= {each.place for each in list(self.exchanges)
                             if each.begun > begun and each.path == path and each.status in statuses}:
            if time.monotonic() > deadline:
                return  # what is checked in the end says what is missing
            time.sleep(0.05)

    def kill_server(self, place):
        begun = time.monotonic()
        self.servers[place].kill()
        gone = time.monotonic()
        time.sleep(DEAD)
        self.wait_for_answers(gone, set(range(SERVERS)) - {place}, "/api/login", 200, 401)
        back = time.monotonic()
        self.servers[place].start()
        self.deaths.append(Death("server", place, begun, gone, back, time.monotonic()))

    def kill_database(self, place=None):
        """It ends at once, as in a crash. With a place, that server is killed meanwhile, and started after it."""
        begun = time.monotonic()
        self.records.server.stop()
        if place is not None:
            self.servers[place].kill()
        gone = time.monotonic()
        time.sleep(DEAD)
        self.wait_for_answers(gone, set(range(SERVERS)) - {place}, "/api/challenge", 503)
        back = time.monotonic()
        self.records.server.start()
        self.deaths.append(Death("database", None, begun, gone, back, time.monotonic()))
        if place is not None:
            self.servers[place].start()
            self.deaths.append(Death("server", place, begun, gone, back, time.monotonic()))

    def checkpointer(self):
        """One of PostgreSQL's processes, another one after each recovery; None while there is none."""
        try:
            return self.records.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")[0][0]
        except (AssertionError, IndexError):
            return None

    def kill_backend(self):
        """One of PostgreSQL's processes: it then ends all others, and recovers by itself."""
        begun, checkpointer = time.monotonic(), self.checkpointer()
        found = self.records.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'bank'")
        check(found, "no connection of a bank's")
        os.kill(int(random.choice(found)[0]), signal.SIGKILL)
        while self.checkpointer() in (None, checkpointer):
            time.sleep(0.05)
        self.deaths.append(Death("process", None, begun, begun, begun, time.monotonic()))


class Person:
    """A client with a connection to each server."""

    def __init__(self, cluster, seed):
        self.cluster, self.random = cluster, random.Random(seed)
        self.clients, self.ports = [None] * SERVERS, [None] * SERVERS

    def ask(self, path, body, but=None):
        """From one server: where, its status (None: it was killed) and the JSON of its answer."""
        place = self.random.choice([place for place in range(SERVERS) if place != but])
        begun = time.monotonic()
        status, answer = None, {}
        try:
            # A server that was started again has another port: the connection to the one before is of no use.
            port = self.cluster.servers[place].port
            if port is None:
                raise Closed
            if self.clients[place] is None or self.ports[place] != port:
                self.clients[place], self.ports[place] = Client(port), port
            self.clients[place].send("POST", path, body)
            status, _, text = self.clients[place].receive()
            answer = json.loads(text)
        except (Closed, OSError):
            if self.clients[place] is not None:
                self.clients[place].close()
            self.clients[place] = None
        self.cluster.exchanges.append(
            Exchange(begun, time.monotonic(), place, path, status, answer.get("error")))
        if status is None or status == 503:
            time.sleep(0.05)
        return place, status, answer

    def challenge(self, account):
        while not self.cluster.is_over:
            _, status, answer = self.ask("/api/challenge", {"account": account, "purpose": "login"})
            if status not in (None, 503):
                check(status == 200, "challenge", status, answer)
                return answer["challenge"], bank.decode(answer["context"])
        return None, None

    def log_in(self, account, pin, key):
        """What was answered to one challenge: until something else than nothing or 503 is."""
        challenge, context = self.challenge(account)
        if challenge is None:
            return None, []
        body = {"challenge": challenge, "keyId": key[1], "text": encode(seal(key[0], context, pin.encode()))}
        statuses, place = [], None
        while not statuses or statuses[-1] in (None, 503):
            place, status, _ = self.ask("/api/login", body, but=place)
            statuses.append(status)
        return challenge, statuses


def storm(records, rounds):
    cluster = Cluster(records)
    first = Client(cluster.servers[0].port)
    key = first.key()
    accounts = accounts_of(right=8, wrong=4, nobody=2)
    for account, kind in accounts.items():
        if kind != "nobody":
            check(first.register(account, RIGHT, key)[0] == 200, "register", account)
    sent = collections.defaultdict(dict)

    def live(number, failures):
        person = Person(cluster, SEED + number)
        while not cluster.is_over and not failures:
            account = person.random.choice(sorted(accounts))
            challenge, statuses = person.log_in(account, RIGHT if accounts[account] == "right" else WRONG, key)
            if challenge is not None:
                sent[account][challenge] = statuses

    with crowd(live, CLIENTS) as failures:
        try:
            time.sleep(2 * DEAD)
            for number in range(rounds):
                for kill in (lambda: cluster.kill_server(number % SERVERS), cluster.kill_database, cluster.kill_backend,
                             lambda: cluster.kill_database((number + 1) % SERVERS)):
                    if not failures:
                        kill()
                        time.sleep(2 * DEAD)
        finally:
            cluster.is_over = True
    return cluster, accounts, sent


def answers_are_right(accounts, sent):
    """Of all answers to one challenge, one at most says that it was used; 409 only if an answer was lost before."""
    for account, challenges in sent.items():
        done = 200 if accounts[account] == "right" else 401
        for challenge, statuses in challenges.items():
            check(statuses.count(done) <= 1, "a challenge was used twice", account, challenge, statuses)
            check(set(statuses) <= {done, 409, 503, None}, account, challenge, statuses)
            check(statuses[0] != 409, "a new challenge was used", account, challenge, statuses)


def others_answer(cluster):
    """While a server is dead, the others answer as always; while the database is dead, all say 503, and soon after it
    is back, none does. Answers what was seen, for a table."""
    def during(death):
        return [each for each in cluster.exchanges if each.begun > death.gone and each.ended < death.back]

    databases = [death for death in cluster.deaths if death.what != "server"]
    for each in cluster.exchanges:
        check(each.ended - each.begun < LONGEST, "a slow answer", each)
        if each.status is None:
            check(any(death.place == each.place and each.begun < death.ended and each.ended > death.begun
                      for death in cluster.deaths), "no answer of a server that was not killed", each)
        elif each.status == 503 and each.error == "unavailable":
            check(any(each.begun < death.ended + SOON and each.ended > death.begun for death in databases),
                  "unavailable, and the database is there", each)
        else:
            check(each.status in (200, 401, 409) or each.error == "busy", each)

    alone, refused, waits = [], [], []
    for death in cluster.deaths:
        if death.what == "server" and not any(other.begun <= death.ended and other.ended >= death.begun
                                              for other in databases):
            answered = [each for each in during(death) if each.status in (200, 401)]
            check({each.place for each in answered} == set(range(SERVERS)) - {death.place}, "who answered", death)
            alone += [each for each in answered if each.path == "/api/login"]
        elif death.what != "server":
            answered = [each for each in during(death) if each.status is not None]
            check(all(each.status == 503 for each in answered), "an answer without a database", death)
            refused += answered
            for place in range(SERVERS):
                after = [each.ended for each in cluster.exchanges if each.place == place and each.ended > death.ended
                         and each.status in (200, 401)]
                check(after, "no answer after the database came back", place)
                if not any(other.place == place and other.ended > death.begun and other.begun < death.ended
                           for other in cluster.deaths):
                    waits.append(min(after) - death.ended)
    check(alone and refused and waits, "nothing was measured")
    check(max(waits) < SOON, "seconds until a server used the database again", max(waits))
    quiet = [each for each in cluster.exchanges if each.path == "/api/login" and each.status in (200, 401)
             and not any(each.ended > death.begun and each.begun < death.ended + DEAD for death in cluster.deaths)]
    return quiet, alone, refused, waits


def milliseconds(exchanges):
    times = sorted(1000 * (each.ended - each.begun) for each in exchanges)
    return "median %.0f ms, 99th percentile %.0f ms" % (statistics.median(times), times[len(times) * 99 // 100])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1)
    rounds = parser.parse_args().rounds
    records = PostgreSQLRecords(PostgreSQL())
    cluster, accounts, sent = storm(records, rounds)
    answers_are_right(accounts, sent)
    attempts_are_exact(records, accounts, sent)
    quiet, alone, refused, waits = others_answer(cluster)
    for server in cluster.servers:
        check(server.stop() == 0, "exit status")
    servers = sum(death.what == "server" for death in cluster.deaths)
    print("  %d logins; servers killed %d times, the database %d times" % (
        sum(map(len, sent.values())), servers, len(cluster.deaths) - servers))
    print("  all there: %s" % milliseconds(quiet))
    print("  a server dead: %d logins at the others, %s" % (len(alone), milliseconds(alone)))
    print("  the database dead: %d times 503, %s" % (len(refused), milliseconds(refused)))
    print("  the database back: first answer after %.1f s (median), %.1f s (longest)" % (
        statistics.median(waits), max(waits)))
    again = collections.Counter(status for challenges in sent.values() for statuses in challenges.values()
                                for status in statuses[1:])
    print("  sent again: %s" % ", ".join("%s %d" % (status or "none", count) for status, count in again.most_common()))
    report("bank, cluster")


if __name__ == "__main__":
    main()
