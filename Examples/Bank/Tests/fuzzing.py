"""Bodies that a hostile client might send, and what the bank must answer: a second reader of the protocol's JSON.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re

from sealing import decode, encode

NAMES = {
    "/api/challenge": {"account", "purpose"},
    "/api/login": {"challenge", "keyId", "text"},
    "/api/register": {"challenge", "keyId", "text", "again"},
    "/api/change": {"challenge", "keyId", "old", "text", "again"},
    "/api/opaque/login": {"account", "ke1"},
    "/api/opaque/register": {"account", "request"},
    "/api/opaque/record": {"step", "record", "ke1"},
    "/api/opaque/finish": {"step", "ke3"},
}
OPTIONAL = {"/api/challenge": {"keyId"}}
SEALED = range(1, 1281)
LENGTHS = {"challenge": [16], "keyId": [8], "text": SEALED, "again": SEALED, "old": SEALED, "ke1": [96],
           "request": [32], "step": [16], "record": [192], "ke3": [64]}
# Random bytes may be points of the group, names are asked for often enough to be locked, and one account exists.
POINTS = {"/api/opaque/login": {200, 422, 423}, "/api/opaque/register": {200, 409, 422, 423}}


class Malformed(Exception):
    pass


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs) or len(members) > 8:
        raise Malformed
    return members


def read(body):
    """The members of a flat object of strings, by Python's decoder."""
    try:
        members = json.loads(body.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise Malformed from None
    if type(members) is not dict or any(type(value) is not str for value in members.values()):
        raise Malformed
    if any("\ud800" <= character <= "\udfff" for text in [*members, *members.values()] for character in text):
        raise Malformed
    return members


def is_base64url(text, lengths):
    if not re.fullmatch("[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return False
    data = decode(text)
    return encode(data) == text and len(data) in lengths


def expected(path, body, key_id):
    """The statuses that are right for a body: its challenge or its step, if it has one, does not exist, and no session
    is named."""
    status = expected_status(path, body, key_id)
    return POINTS[path] if status is None else {status}


def expected_status(path, body, key_id):
    """None if it depends on more than the form."""
    if len(body) > 8192:
        return 413
    try:
        members = read(body)
    except Malformed:
        return 400
    if set(members) - OPTIONAL.get(path, set()) != NAMES[path]:
        return 400
    if not all(is_base64url(members[name], lengths) for name, lengths in LENGTHS.items() if name in members):
        return 400
    if "account" in members and not re.fullmatch("[a-z0-9._-]{1,32}", members["account"]):
        return 400
    if path in POINTS:
        return None
    if path == "/api/challenge":
        if members["purpose"] not in ("login", "register", "change"):
            return 400
        return 200 if members.get("keyId", key_id) == key_id else 409
    if path == "/api/change":
        return 401
    return 409  # Another key, or a challenge that does not exist.


# ---- Making them ----------------------------------------------------------------------------------------------------

PIECES = [b"{", b"}", b"[", b"]", b":", b",", b'"', b"\\", b"null", b"true", b"1e999", b"-0", b"NaN", b"\0", b"\x7f",
          b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\\ud800", b"\\ud83d\\ude00", b"\\u0000", b"\\x41",
          b"\n", b"\t", b" ", b"\x1f", b"account", b"purpose", b"text", b"=", b"==", b"%00", b"'", b"--", b"$1", b"/*",
          b"\xe2\x80\xa8", b"[" * 500, b'{"a":' * 200, b"A" * 1000, b"9" * 400]


def sound_body(path, random, key_id):
    """What a client sends whose challenge does not exist."""
    values = {
        "account": lambda: "".join(random.choices("abcxyz019._-", k=random.randrange(1, 33))),
        "purpose": lambda: random.choice(["login", "register", "change"]),
        "challenge": lambda: encode(random.randbytes(16)),
        "keyId": lambda: random.choice([key_id, encode(random.randbytes(8))]),
        "text": lambda: encode(random.randbytes(192)),
        "again": lambda: encode(random.randbytes(192)),
        "old": lambda: encode(random.randbytes(192)),
        "step": lambda: encode(random.randbytes(16)),
        "request": lambda: encode(random.randbytes(32)),
        "record": lambda: encode(random.randbytes(192)),
        "ke1": lambda: encode(random.randbytes(96)),
        "ke3": lambda: encode(random.randbytes(64)),
    }
    names = sorted(NAMES[path]) + sorted(OPTIONAL.get(path, ())) * random.randrange(2)
    random.shuffle(names)
    return {name: values[name]() for name in names}


def changed_members(members, random):
    """Another type, name, length or encoding of one member."""
    name = random.choice(list(members))
    value = members[name]
    other = random.choice([None, True, 0, -1, 1e300, [], {}, [value], {"a": value}, "", value * 40, value + "=",
                           value + " ", value[:-1], value[1:], value + "A", value.upper(), "\ud800" + value,
                           "\u202e" + value, value.replace("A", "+"), "é", "login\0"])
    kind = random.randrange(6)
    if kind == 0:
        members = {key: members[key] for key in members if key != name}
    elif kind == 1:
        members = {**members, random.choice(["admin", "", "Account", "verifier", "context"]): value}
    elif kind == 2:
        members = {(random.choice([key.upper(), key + "\0", "é"]) if key == name else key): members[key]
                   for key in members}
    else:
        members = {**members, name: other}
    return members


def make_body(path, random, key_id):
    members = sound_body(path, random, key_id)
    kind = random.randrange(10)
    if kind < 4:
        members = changed_members(members, random)
    body = json.dumps(members, ensure_ascii=random.random() < 0.7,
                      indent=random.choice([None, None, 1])).encode("utf-8", "surrogatepass")
    if kind == 4:
        body = body[:-1] + b',"' + random.choice(list(members)).encode() + b'":"x"}'  # One name twice.
    elif kind == 5:
        body = body.decode("utf-8", "replace").encode(random.choice(["utf-16", "utf-16-le", "utf-32", "utf-7"]))
    elif kind == 6:
        body = body[:random.randrange(len(body) + 1)]
    elif kind == 7:
        body = random.randbytes(random.randrange(600))
    elif kind in (2, 8):
        body = bytearray(body)
        for _ in range(random.randrange(1, 4)):
            place = random.randrange(len(body) + 1)
            body[place:place + random.randrange(3)] = random.choice(PIECES)
        body = bytes(body)
    elif kind == 9 and random.random() < 0.2:
        body += b" " * random.choice([8192 - len(body), 8193 - len(body), 9000])
    return body
