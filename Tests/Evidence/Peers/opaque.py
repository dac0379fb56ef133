"""OPAQUE with Rust's opaque-ke, as the package opaque-ke-py has it: registrations and logins, each end ours or theirs.

    opaque.py libcustomkeyboard.so [N]          N of each direction; opaque-ke-py from PyPI

Every fifth login is one with a wrong password. A server does not know the client's costs: where both clients are ours,
they are the least that Argon2id may have, but in every twentieth login the default, which the package has always. In
every twentieth, too, a login has other ends than the registration before it: of client and server either is ours or
theirs.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import random
import sys

import opaque_ke_py as theirs

OK, MISMATCH = 0, 9
ELEMENT, SETUP, RECORD, KE1, KE2, STATE, KEY = 32, 96, 192, 96, 320, 128, 64
library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
library.CustomKeyboard_cause.restype = ctypes.c_char_p
seed = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(62))
numbers = random.Random(seed)


class Terms(ctypes.Structure):
    size, word = ctypes.c_size_t, ctypes.c_uint32
    _fields_ = [("size", size), ("context", size * 2), ("client", size * 2), ("server", size * 2),
                ("memory", word), ("passes", word), ("lanes", word)]  # fmt: skip


cheap = Terms(ctypes.sizeof(Terms), memory=8, passes=1, lanes=1)


def call(name, *arguments):
    """Calls a function. Of its arguments bytes are followed by their length, and a number is a place of that size: it
    stands for the place, its capacity and its length. A pair is a place that has no length. Returns the code and what
    is in the places."""
    given, places = [], []
    for argument in arguments:
        if isinstance(argument, bytes):
            given += [argument, ctypes.c_size_t(len(argument))]
        elif isinstance(argument, (int, tuple)):
            has_length = isinstance(argument, int)
            size = argument if has_length else argument[0]
            places.append(ctypes.create_string_buffer(size))
            given.append(places[-1])
            if has_length:
                given += [ctypes.c_size_t(size), ctypes.byref(ctypes.c_size_t())]
        else:
            given.append(argument)
    return getattr(library, "CustomKeyboard_" + name)(*given), [place.raw for place in places]


def done(name, *arguments):
    code, places = call(name, *arguments)
    if code != OK:
        fail(f"{name}: code {code}: {library.CustomKeyboard_cause().decode()}")
    return places[0] if len(places) == 1 else places


def fail(what):
    sys.exit(f"opaque.py: {what} (SEED={seed})")


class OurClient:
    def __init__(self, password, terms):
        self.handle, self.terms = ctypes.c_uint64(), terms
        done("create", ctypes.byref(self.handle))
        done("open", self.handle)
        done("input", self.handle, password)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        library.CustomKeyboard_destroy(self.handle)

    def request(self):
        return done("opaqueRegister", self.handle, ELEMENT)

    def record(self, response):
        return done("opaqueRecord", self.handle, response, self.terms, RECORD, (KEY,))

    def ke1(self):
        return done("opaqueLogin", self.handle, KE1)

    def finish(self, ke2):
        """KE3, session key and export key; None for a wrong password."""
        code, places = call("opaqueFinish", self.handle, ke2, self.terms, KEY, (KEY,), (KEY,))
        if code not in (OK, MISMATCH):
            fail(f"opaqueFinish: code {code}")
        return places if code == OK else None


class TheirClient:
    def __init__(self, password, _):
        self.password = password

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def request(self):
        self.start = theirs.client_registration_start(self.password)
        return self.start.get_message()

    def record(self, response):
        done = theirs.client_registration_finish(self.password, self.start.get_state(), response)
        return done.get_message(), done.get_export_key()

    def ke1(self):
        self.start = theirs.client_login_start(self.password)
        return self.start.get_message()

    def finish(self, ke2):
        try:
            done = theirs.client_login_finish(self.password, self.start.get_state(), ke2)
        except Exception:  # the package has its own kinds of errors
            return None
        return done.get_message(), done.get_session_key(), done.get_export_key()


class OurServer:
    def __init__(self, setup):
        self.setup = setup[:SETUP]

    def respond(self, account, request):
        return done("opaqueRespond", self.setup, account, request, 2 * ELEMENT)

    def answer(self, account, record, ke1):
        ke2, self.state = done("opaqueAnswer", self.setup, account, record, None, ke1, KE2, STATE)
        return ke2

    def check(self, ke3):
        return done("opaqueCheck", self.state, ke3, KEY)


class TheirServer:
    def __init__(self, setup):
        self.setup = theirs.ServerSetupData.from_bytes(setup)

    def respond(self, account, request):
        return theirs.server_registration_start(self.setup, request, account).get_message()

    def answer(self, account, record, ke1):
        file = theirs.server_registration_finish(record).get_password_file()
        start = theirs.server_login_start(self.setup, file, ke1, account)
        self.state = start.get_state()
        return start.get_message()

    def check(self, ke3):
        return theirs.server_login_finish(self.state, ke3).get_session_key()


def is_right(setup, ends, password, typed, terms):
    """Whether a login goes well after a registration; `ends` are client and server of each."""
    account = bytes(numbers.getrandbits(8) for _ in range(numbers.randrange(1, 256)))
    registering, its_server, logging_in, server = ends
    with registering(password, terms) as client:
        record, registered = client.record(its_server(setup).respond(account, client.request()))
    server = server(setup)
    with logging_in(typed, terms) as client:
        finished = client.finish(server.answer(account, record, client.ke1()))
    if finished is None:
        return False
    ke3, session, export = finished
    if server.check(ke3) != session or export != registered:
        fail("the keys differ")
    return True


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    our_setup, _ = done("opaqueSetup", SETUP, ELEMENT)
    their_setup = theirs.server_setup().to_bytes()
    counts = {"their client, our server": 0, "our client, their server": 0, "mixed": 0}
    for i in range(count):
        # Theirs begins as ours does.
        setup = numbers.choice((their_setup, our_setup + their_setup[SETUP:]))
        password = "".join(numbers.choice("0123456789aé電") for _ in range(numbers.randrange(40))).encode()
        wanted = i % 5 != 4
        typed = password if wanted else numbers.choice((password + b"x", b"x" + password))
        rounds = {
            "their client, our server": (TheirClient, OurServer) * 2,
            "our client, their server": (OurClient, TheirServer) * 2,
        }
        if i % 20 in (0, 4):
            clients, servers = (OurClient, TheirClient), (OurServer, TheirServer)
            rounds["mixed"] = [numbers.choice(kinds) for kinds in (clients, servers) * 2]
        for kind, ends in rounds.items():
            terms = ctypes.byref(cheap) if kind[0] == "o" and i % 20 else None
            if is_right(setup, ends, password, typed, terms) != wanted:
                fail(f"{kind}, {[end.__name__ for end in ends]}: login {i} of {password!r} with {typed!r}")
            counts[kind] += 1
    print("opaque.py: " + ", ".join(f"{kind}: {number:,}" for kind, number in counts.items()))


main()
