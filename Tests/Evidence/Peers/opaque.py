"""OPAQUE with Rust's opaque-ke, as the package opaque-ke-py has it: registrations and logins, each end ours or theirs.

    opaque.py libcustomkeyboard.so [N]          N of each kind; opaque-ke-py from PyPI

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import random
import sys

import opaque_ke_py as theirs

OK, MISMATCH = 0, 9
library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
library.CustomKeyboard_cause.restype = ctypes.c_char_p
seed = int(os.environ.get("SEED") or random.SystemRandom().getrandbits(62))
numbers = random.Random(seed)


def call(name, sizes, *arguments):
    """Calls a function; its arguments are bytes, a handle, or None for the terms, and an int in `sizes` is a place."""
    given, places = [], []
    for argument in arguments:
        if isinstance(argument, bytes):
            given += [argument, ctypes.c_size_t(len(argument))]
        elif argument is None:
            given.append(None)
        else:
            given.append(argument)
    for size in sizes:
        place, length = ctypes.create_string_buffer(size), ctypes.c_size_t()
        places.append(place)
        given += [place, ctypes.c_size_t(size), ctypes.byref(length)]
    code = getattr(library, "CustomKeyboard_" + name)(*given)
    return code, [bytes(place) for place in places]


def done(answer):
    code, places = answer
    if code != OK:
        sys.exit(f"opaque.py: code {code}: {library.CustomKeyboard_cause().decode()} (SEED={seed})")
    return places[0] if len(places) == 1 else places


class Keyboard:
    def __init__(self, password):
        handle = ctypes.c_uint64()
        library.CustomKeyboard_create(ctypes.byref(handle))
        self.handle = handle
        done((library.CustomKeyboard_open(handle), [b""]))
        done((library.CustomKeyboard_input(handle, password, ctypes.c_size_t(len(password))), [b""]))

    def register(self):
        return done(call("opaqueRegister", [32], self.handle))

    def record(self, response):
        record, length, key = ctypes.create_string_buffer(192), ctypes.c_size_t(), ctypes.create_string_buffer(64)
        code = library.CustomKeyboard_opaqueRecord(
            self.handle, response, ctypes.c_size_t(len(response)), None, record, ctypes.c_size_t(192),
            ctypes.byref(length), key)  # fmt: skip
        return done((code, [bytes(record), bytes(key)]))

    def login(self):
        return done(call("opaqueLogin", [96], self.handle))

    def finish(self, ke2):
        ke3, length = ctypes.create_string_buffer(64), ctypes.c_size_t()
        session, export = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
        code = library.CustomKeyboard_opaqueFinish(
            self.handle, ke2, ctypes.c_size_t(len(ke2)), None, ke3, ctypes.c_size_t(64), ctypes.byref(length), session,
            export)  # fmt: skip
        return code, [bytes(ke3), bytes(session), bytes(export)]

    def close(self):
        library.CustomKeyboard_destroy(self.handle)


def fail(what):
    sys.exit(f"opaque.py: {what} (SEED={seed})")


def our_server(setup, password, account, is_right):
    """Their client registers and logs in here."""
    start = theirs.client_registration_start(password)
    response = done(call("opaqueRespond", [64], setup, account, start.get_message()))
    registered = theirs.client_registration_finish(password, start.get_state(), response)
    record = registered.get_message()
    typed = password if is_right else password + b"x"
    start = theirs.client_login_start(typed)
    ke2, state = done(call("opaqueAnswer", [320, 128], setup, account, record, None, start.get_message()))
    try:
        finished = theirs.client_login_finish(typed, start.get_state(), ke2)
    except Exception:  # the package has its own kinds of errors
        return False
    key = done(call("opaqueCheck", [64], state, finished.get_message()))
    if key != finished.get_session_key() or registered.get_export_key() != finished.get_export_key():
        fail("the keys differ")
    return True


def our_client(setup, password, account, is_right):
    """A keyboard registers and logs in there."""
    server = theirs.ServerSetupData.from_bytes(setup)
    keyboard = Keyboard(password)
    response = theirs.server_registration_start(server, keyboard.register(), account).get_message()
    record, registered = keyboard.record(response)
    file = theirs.server_registration_finish(record).get_password_file()
    if not is_right:
        keyboard.close()
        keyboard = Keyboard(password + b"x")
    start = theirs.server_login_start(server, file, keyboard.login(), account)
    code, (ke3, session, export) = keyboard.finish(start.get_message())
    keyboard.close()
    if code == MISMATCH:
        return False
    if theirs.server_login_finish(start.get_state(), ke3).get_session_key() != session or export != registered:
        fail("the keys differ")
    return True


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    setup, _ = done(call("opaqueSetup", [96, 32]))
    their_setup = theirs.server_setup().to_bytes()
    checks = 0
    for i in range(count):
        password = "".join(numbers.choice("0123456789aé電") for _ in range(numbers.randrange(40))).encode()
        account = numbers.randbytes(numbers.randrange(1, 256)) if hasattr(numbers, "randbytes") else b"anna"
        is_right = i % 5 != 4
        # Each end on each setup: theirs begins as ours does.
        for found in (
            our_server(setup, password, account, is_right),
            our_server(their_setup[:96], password, account, is_right),
            our_client(their_setup, password, account, is_right),
            our_client(setup + their_setup[96:], password, account, is_right),
        ):
            checks += 1
            if found != is_right:
                fail(f"login {i} of {password!r}")
    print(f"opaque.py: {checks} checks")


main()
