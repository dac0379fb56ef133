#!/usr/bin/env python3
"""OPAQUE's server beside Rust's opaque-ke, as the package opaque-ke-py has it: both are called from Python. And the
steps of a client, whose Argon2id has the least costs that there are: it is left in.

    opaque.py libcustomkeyboard.so [--check] [SECONDS]

Each round measures both, one after the other, in changing order; the figures are medians over the rounds. The limit is
for a server's three steps together. With --check the exit status is 1 if a limit of the design is missed, and 77 if
there is no peer.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import statistics
import sys
import time

try:
    import opaque_ke_py as peer
except ImportError:
    print("OPAQUE: not compared, because this Python has no opaque-ke-py (pip install opaque-ke-py)")
    sys.exit(77 if "--check" in sys.argv else 0)

PER_ROUND = 20
AT_MOST, CLIENT_MILLISECONDS = 1.3, 1.0
PASSWORD, ACCOUNT = b"kgcx879@", b"4711"

arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
library = ctypes.CDLL(os.path.abspath(arguments[0]))
seconds = float(arguments[1]) if len(arguments) > 1 else 6
size = ctypes.c_size_t
length = ctypes.byref(size()), ctypes.byref(size())


class Terms(ctypes.Structure):
    _fields_ = [("size", size), ("texts", size * 6), ("memory", ctypes.c_uint32), ("passes", ctypes.c_uint32),
                ("lanes", ctypes.c_uint32)]  # fmt: skip


def place(count):
    return ctypes.create_string_buffer(count)


def function(name, *values):
    """A call with its arguments made before."""
    called = getattr(library, "CustomKeyboard_" + name)

    def call():
        if called(*values):
            sys.exit(f"opaque.py: {name} failed")

    return call


def timed(call):
    """Microseconds of one call: the median of some, by the thread's own clock, which other programs do not move on."""
    times = []
    for _ in range(PER_ROUND):
        began = time.thread_time_ns()
        call()
        times.append(time.thread_time_ns() - began)
    return statistics.median(times) / 1000


setup, public, request, response, record = place(96), place(32), place(32), place(64), place(192)
ke1, ke2, ke3, state, session = place(96), place(320), place(64), place(128), place(64)
terms = ctypes.byref(Terms(ctypes.sizeof(Terms), memory=8, passes=1, lanes=1))
keyboard = ctypes.c_uint64()
function("create", ctypes.byref(keyboard))()
function("open", keyboard)()
function("input", keyboard, PASSWORD, size(len(PASSWORD)))()
function("opaqueSetup", setup, size(96), length[0], public, size(32), length[1])()

account = ACCOUNT, size(len(ACCOUNT))
register = function("opaqueRegister", keyboard, request, size(32), length[0])
respond = function("opaqueRespond", setup, size(96), *account, request, size(32), response, size(64), length[0])
end = function("opaqueRecord", keyboard, response, size(64), terms, record, size(192), length[0], None)
login = function("opaqueLogin", keyboard, ke1, size(96), length[0])
answer = function("opaqueAnswer", setup, size(96), *account, record, size(192), terms, ke1, size(96), ke2, size(320),
                  length[0], state, size(128), length[1])  # fmt: skip
finish = function("opaqueFinish", keyboard, ke2, size(320), terms, ke3, size(64), length[0], session, None)
check = function("opaqueCheck", state, size(128), ke3, size(64), session, size(64), length[0])


def registered():
    register()
    respond()
    end()


def logged_in():
    login()
    answer()
    finish()


registered()
logged_in()
check()

# The peer's server, and a client of its own: a state of its login has one answer, which its end takes again and again.
# The peer keeps the server's public key with the setup, and ours computes it for each response.
their_setup = peer.ServerSetupData.from_bytes(setup.raw + peer.server_setup().to_bytes()[96:])
started = peer.client_registration_start(PASSWORD)
responded = peer.server_registration_start(their_setup, started.get_message(), ACCOUNT)
uploaded = peer.client_registration_finish(PASSWORD, started.get_state(), responded.get_message()).get_message()
file = peer.server_registration_finish(uploaded).get_password_file()
their_request, begun = started.get_message(), peer.client_login_start(PASSWORD)
their_ke1 = begun.get_message()
answered = peer.server_login_start(their_setup, file, their_ke1, ACCOUNT)
their_state = answered.get_state()
their_ke3 = peer.client_login_finish(PASSWORD, begun.get_state(), answered.get_message()).get_message()


def their_respond():
    peer.server_registration_start(their_setup, their_request, ACCOUNT).get_message()


def their_login():
    started = peer.server_login_start(their_setup, file, their_ke1, ACCOUNT)
    started.get_message(), started.get_state()
    peer.server_login_finish(their_state, their_ke3).get_session_key()


# Of ours, too, KE3 belongs to another answer than the one that is measured.
held, held_ke3 = ctypes.create_string_buffer(state.raw, 128), ctypes.create_string_buffer(ke3.raw, 64)
check_held = function("opaqueCheck", held, size(128), held_ke3, size(64), session, size(64), length[0])


def our_login():
    answer()
    check_held()


print("OPAQUE, µs a call from Python; the peer is opaque-ke by opaque-ke-py")
rounds, until = [], time.monotonic() + 2 * seconds / 3
while time.monotonic() < until or len(rounds) < 10:
    times = {}
    for call in (respond, their_respond, our_login, their_login)[:: 1 if len(rounds) % 2 else -1]:
        times[call] = timed(call)
    rounds.append(times)


def compared(name, mine, theirs):
    """Prints the medians, and returns that of the ratios."""
    both = [(sum(times[call] for call in mine), sum(times[call] for call in theirs)) for times in rounds]
    ratio = statistics.median(one / other for one, other in both)
    one, other = (statistics.median(column) for column in zip(*both))
    print(f"  {name:28} {one:7.1f}   peer {other:7.1f}   {ratio:.2f} ×", end="")
    return ratio


compared("opaqueRespond", [respond], [their_respond])
print()
compared("opaqueAnswer + opaqueCheck", [our_login], [their_login])
print()
missed = compared("together", [respond, our_login], [their_respond, their_login]) > AT_MOST
print(f" (at most {AT_MOST})  {'FALLS SHORT' if missed else 'PASS'}")


def renewed(before, step):
    """Microseconds of a step that ends what `before` has begun."""
    times, until = [], time.monotonic() + seconds / 12
    while time.monotonic() < until or len(times) < 10:
        before()
        began = time.thread_time_ns()
        step()
        times.append(time.thread_time_ns() - began)
    return statistics.median(times) / 1000


for name, before, step in (
    ("opaqueRegister", lambda: None, register), ("opaqueRecord", lambda: (register(), respond()), end),
    ("opaqueLogin", lambda: None, login), ("opaqueFinish", lambda: (login(), answer()), finish),
):  # fmt: skip
    took = renewed(before, step)
    is_met = took <= CLIENT_MILLISECONDS * 1000
    missed += not is_met
    print(f"  {name:28} {took:7.1f}   at most {CLIENT_MILLISECONDS:.0f} ms  {'PASS' if is_met else 'FALLS SHORT'}")
sys.exit(1 if missed and "--check" in sys.argv else 0)
