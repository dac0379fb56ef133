"""Very many strangers at once: each kind of request waits by itself and in a queue that has an end, and addresses take
turns. No clock decides: what strangers want stops in the middle, until the test lets the database go on.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
import select
import socket
import urllib.request

from bank import PATIENCE, PIN, Bank, Client, check, report
from postgresql import PostgreSQL
from protocol import wait_for
from records import PostgreSQLRecords

CONNECTIONS, THREADS, WAITING = 8, 2, 40
ANSWERED = CONNECTIONS // 2 + WAITING
ADD_CHALLENGE = "INSERT INTO challenges"
BUSY = (503, "busy")


class Flooded:
    """A bank whose database waits as long as the test wants."""

    def __init__(self, postgresql, *options, connections=CONNECTIONS):
        self.running = connections // 2  # of challenges; what waits has places of its own
        self.postgresql, self.records = postgresql, PostgreSQLRecords(postgresql)
        self.bank = Bank("--connections", str(connections), "--verifications", str(THREADS), "--waiting", str(WAITING),
                         "--operator-port", "0", *options, data=self.records.data,
                         url=self.records.url + "&options=-c%20lock_timeout%3D600000")
        self.port = self.bank.port
        self.operator = self.bank.process.stdout.readline().decode().split()[1]
        for table in ("challenges", "accounts"):
            self.records.query("CREATE FUNCTION wait_%s() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN "
                               "PERFORM pg_advisory_xact_lock_shared(hashtext('%s')); RETURN NEW; END $body$"
                               % (table, table))
            self.records.query("CREATE TRIGGER waits BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION wait_%s()"
                               % (table, table))

    def load(self, state, kind):
        with urllib.request.urlopen(self.operator + "/metrics") as answer:
            text = answer.read().decode()
        return int(re.search(r'^bank_%s\{kind="%s"\} (\d+)$' % (state, kind), text, re.M).group(1))

    def wait_for_load(self, kind, running, waiting):
        def is_there():
            return (self.load("running", kind), self.load("waiting", kind)) == (running, waiting)

        wait_for(is_there, kind, running, "running", waiting, "waiting")

    def wait_until_full(self, kind, strangers):
        """Every request has arrived: it runs, waits, or was refused. Those refused are taken out of the list."""
        refused = collect(strangers, len(strangers) - self.running - WAITING)
        check(refused == {BUSY}, kind, refused)
        self.wait_for_load(kind, self.running, WAITING)

    def hold(self, table):
        """Nothing can be inserted into the table before the end of this."""
        return self.postgresql.hold(self.records.database, "SELECT pg_advisory_xact_lock(hashtext('%s'))" % table)


class Stranger(Client):
    """A client with an address of its own: this machine has sixteen million."""

    def __init__(self, port, address):
        super().__init__(port)
        self.close()
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(address, 0))

    def ask_for_challenge(self, account="somebody", headers=""):
        self.send("POST", "/api/challenge", {"account": account, "purpose": "login"}, headers=headers)

    def verdict(self):
        status, fields, body = self.receive()
        error = json.loads(body).get("error")
        if (status, error) == BUSY:
            check(fields.get("retry-after") == "1", "a busy bank does not say when to come again", fields)
        return (status, error)


def addresses(count):
    return ["127.0.%d.%d" % (1 + number // 200, 1 + number % 200) for number in range(count)]


# ---- Kinds ----------------------------------------------------------------------------------------------------------


def challenges_delay_no_login(flooded):
    """Strangers who want challenges get half of the database's connections, and a queue with an end."""
    person = Client(flooded.port)
    key = person.key()
    check(person.register("alice", PIN, key)[0] == 200, "register")
    body = person.login_body("alice", PIN, key)
    held = flooded.hold("challenges")
    strangers = [Stranger(flooded.port, address) for address in addresses(100)]
    for stranger in strangers:
        stranger.ask_for_challenge()
    flooded.wait_until_full("challenge", strangers)
    # A login goes on beside them.
    check(person.ask("POST", "/api/login", body)[0] == 200, "login")
    held.end()
    check([stranger.verdict() for stranger in strangers] == [(200, None)] * ANSWERED, "challenges")


def registrations_delay_no_login(flooded):
    """Strangers who register get half of the threads that check passcodes."""
    person = Client(flooded.port)
    key = person.key()
    check(person.register("berta", PIN, key)[0] == 200, "register")
    body = person.login_body("berta", PIN, key)
    strangers = [Stranger(flooded.port, address) for address in addresses(WAITING)]
    bodies = [stranger.texts_body("stranger-%d" % number, "register", key, text=PIN, again=PIN)
              for number, stranger in enumerate(strangers)]
    held = flooded.hold("accounts")
    for stranger, given in zip(strangers, bodies):
        stranger.send("POST", "/api/register", given)
    flooded.wait_for_load("registration", THREADS // 2, WAITING - THREADS // 2)
    check(person.ask("POST", "/api/login", body)[0] == 200, "login")
    held.end()
    check([stranger.verdict() for stranger in strangers] == [(200, None)] * WAITING, "registrations")


def sessions_delay_no_login(flooded):
    """So do those who ask whether a session is one."""
    person = Client(flooded.port)
    key = person.key()
    check(person.register("carla", PIN, key)[0] == 200, "register")
    body = person.login_body("carla", PIN, key)
    end_of_login = "UPDATE accounts SET verifier = verifier"
    before = flooded.postgresql.executed(end_of_login)
    held = flooded.postgresql.hold(flooded.records.database, "LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE")
    strangers = [Stranger(flooded.port, address) for address in addresses(100)]
    for number, stranger in enumerate(strangers):
        path = ("/api/account", "/api/logout", "/api/logout-everywhere")[number % 3]
        stranger.send("POST" if number % 3 else "GET", path, headers="Authorization: Bearer %s\r\n" % ("A" * 22))
    flooded.wait_until_full("session", strangers)
    person.send("POST", "/api/login", body)
    # As far as to the table that is locked.
    wait_for(lambda: flooded.postgresql.executed(end_of_login) > before, "the login, its passcode checked")
    held.end()
    check(person.receive()[0] == 200, "login")
    check([stranger.verdict() for stranger in strangers] == [(401, "session")] * ANSWERED, "sessions")


# ---- Addresses ------------------------------------------------------------------------------------------------------


def addresses_take_turns(postgresql):
    """One address fills all places to wait. Another gets one of them, and its turn comes next."""
    flooded = Flooded(postgresql, connections=2)  # one connection: what comes next is next in the database, too
    before = flooded.postgresql.executed(ADD_CHALLENGE)
    held = flooded.hold("challenges")
    greedy = [Stranger(flooded.port, "127.0.9.9") for _ in range(100)]
    for stranger in greedy:
        stranger.ask_for_challenge("greedy")
    flooded.wait_until_full("challenge", greedy)
    modest = Stranger(flooded.port, "127.0.8.8")
    modest.ask_for_challenge("modest")
    # Its request gets a place, and the latest of the other address is told to come again.
    verdicts = collect(greedy, 1)
    check(verdicts == {BUSY}, verdicts)
    check(flooded.load("waiting", "challenge") == WAITING, "the places to wait")
    held.end()
    check(modest.verdict() == (200, None), "the modest address")
    wait_for(lambda: flooded.postgresql.executed(ADD_CHALLENGE) == before + 1 + WAITING, "all of them")
    names = flooded.postgresql.parameters(ADD_CHALLENGE, 3)[before:]
    # First the one that ran already. Then two addresses take turns.
    check("modest" in names[:3], names)
    check(flooded.bank.stop() == 0, "exit status")


def collect(clients, count):
    """Takes the first clients that are answered out of the list, and answers their verdicts."""
    verdicts = []
    while len(verdicts) < count:
        ready = select.select([client.socket for client in clients], [], [], PATIENCE)[0]
        check(ready, "answers:", len(verdicts), "of", count)
        for client in [client for client in clients if client.socket in ready]:
            clients.remove(client)
            verdicts.append(client.verdict())
    check(len(verdicts) == count, "answers:", len(verdicts))
    return set(verdicts)


def believes_its_proxy_only(postgresql):
    """The proxy names its clients; of IPv6, 64 bits are one client. Nobody else who names addresses is believed."""
    for options, others in ((("--proxy", "127.0.0.1"), {"2001:db8:1:3::1", "192.0.2.7"}), ((), set())):
        flooded = Flooded(postgresql, *options)
        held = flooded.hold("challenges")
        greedy = [Stranger(flooded.port, "127.0.0.1") for _ in range(100)]
        for number, client in enumerate(greedy):
            client.ask_for_challenge(headers="X-Real-IP: 2001:db8:1:2::%x\r\n" % number)
        flooded.wait_until_full("challenge", greedy)
        for address in ("2001:db8:1:2:ffff::1", "2001:db8:1:3::1", "192.0.2.7"):
            client = Stranger(flooded.port, "127.0.0.1")
            client.ask_for_challenge(headers="X-Real-IP: %s\r\n" % address)
            # One is refused: the one who comes, or the latest of an address that has more.
            refused = collect(greedy if address in others else [client], 1)
            check(refused == {BUSY}, options, address, refused)
        held.end()
        check(flooded.bank.stop() == 0, "exit status")


def main():
    postgresql = PostgreSQL(log_statements=True)
    flooded = Flooded(postgresql)
    challenges_delay_no_login(flooded)
    registrations_delay_no_login(flooded)
    sessions_delay_no_login(flooded)
    check(flooded.bank.stop() == 0, "exit status")
    addresses_take_turns(postgresql)
    believes_its_proxy_only(postgresql)
    report("bank, floods")


if __name__ == "__main__":
    main()
