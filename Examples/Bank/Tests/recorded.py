"""A login by OPAQUE that somebody records between client and bank: neither the PIN is in it, nor a hash of it, nor what
the bank keeps of it. Each search has first found all of that in the same recorder, where it was planted.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import os
import re
import socket
import threading

import opaque_model
from bank import PIN, Bank, Client, bearer, check, report
from opaque_client import USUAL, Typed, begin, end, register
from records import SQLiteRecords
from sealing import decode

ACCOUNT = "anna"


class Recorder:
    """A port in front of the bank's. It keeps every byte that passes, in both directions."""

    def __init__(self, port):
        self.port_of_bank = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.streams = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            bank = socket.create_connection(("127.0.0.1", self.port_of_bank))
            for source, target in ((client, bank), (bank, client)):
                stream = bytearray()
                self.streams.append(stream)
                threading.Thread(target=self.copy, args=(source, target, stream), daemon=True).start()

    @staticmethod
    def copy(source, target, stream):
        try:
            while data := source.recv(65536):
                stream += data
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def taken(self):
        """What has passed until now. The next search begins anew."""
        taken = [bytes(stream) for stream in self.streams]
        for stream in self.streams:
            stream.clear()
        return taken


def hashes(data):
    names = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512",
             "blake2b", "blake2s"] + [name for name in ("sm3", "ripemd160") if name in hashlib.algorithms_available]
    return {name: hashlib.new(name, data).digest() for name in names}


def secrets_of(pin, account, setup):
    """By name, all that is computed of a PIN."""
    values = {"PIN": pin.encode(), "PIN, UTF-16": pin.encode("utf-16-le"), "digits": bytes(map(int, pin))}
    for name, text in (("PIN", pin), ("account and PIN", account + pin), ("PIN and account", pin + account),
                       ("account:PIN", account + ":" + pin)):
        for kind, digest in hashes(text.encode()).items():
            values["%s of %s" % (kind, name)] = digest
            values["%s of its text" % kind + name] = hashlib.sha256(digest.hex().encode()).digest()
    values["sha256d"] = hashlib.sha256(hashlib.sha256(pin.encode()).digest()).digest()
    values["Argon2id of PIN"] = opaque_model.argon2id(pin.encode())
    return {**values, **opaque_model.stages(setup, account.encode(), pin.encode())}


def writings(value):
    """How a value may be written. Of base64, what three bytes do not begin or end in the middle of."""
    forms = {"raw": value, "hexadecimal": value.hex().encode(), "HEXADECIMAL": value.hex().upper().encode()}
    for shift in range(3):
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            text = encode(bytes(shift) + value)
            whole = text[(0, 2, 3)[shift]:(shift + len(value)) * 8 // 6]
            forms["%s, %d" % (name, shift)] = whole
    return forms


def texts_in(stream):
    """The bytes that are in base64url in a stream, as they are."""
    return [decode(text.decode()) for text in re.findall(rb'"([A-Za-z0-9_-]{2,})"', stream) if len(text) % 4 != 1]


def found(streams, values):
    """Names of values, with the form in which they were found."""
    places = [place for stream in streams for place in (stream, *texts_in(stream))]
    check(sum(map(len, streams)) > 0, "nothing was recorded")
    return {(name, form) for name, value in values.items() for form, written in writings(value).items()
            if any(written in place for place in places)}


def planted_is_found(recorder, values):
    client = Client(recorder.port)
    for value in values.values():
        for written in writings(value).values():
            check(client.ask("POST", "/api/opaque/login", b'{"account": "' + written + b'"}')[0] == 400, "planted")
    everywhere = {(name, form) for name, value in values.items() for form in writings(value)}
    missed = everywhere - found(recorder.taken(), values)
    check(not missed, "planted, and not found:", sorted(missed)[:9])
    return len(everywhere)


def main():
    records = SQLiteRecords()
    server = Bank(data=records.data)
    recorder = Recorder(server.port)
    client = Client(recorder.port)
    check(register(client, ACCOUNT, PIN, terms=USUAL)[0] == 200, "register")
    with open(os.path.join(records.data, "opaque.setup")) as file:
        setup = bytes.fromhex(file.read())
    record = decode(records.query("SELECT record FROM opaque_records")[0][0])
    values = secrets_of(PIN, ACCOUNT, setup)
    # What is searched for is what the record was made from.
    check(values["masking key"] == record[32:96], "the model computes another record")
    kept = {"client_public_key": record[:32], "masking_key": record[32:96], "envelope_nonce": record[96:128],
            "auth_tag": record[128:]}

    # A registration sends the record, and nothing else of all that.
    registration = recorder.taken()
    check({name for name, _ in found(registration, kept)} == set(kept), "the record is not found where it was sent")
    allowed = {"masking key"}
    check({name for name, _ in found(registration, values)} <= allowed, found(registration, values))

    places = planted_is_found(recorder, {**values, **kept})
    typed = Typed(PIN, USUAL)
    begun = begin(client, ACCOUNT, typed.ke1())
    made = Typed.finish
    keys = {}
    typed.finish = lambda ke2: keys.setdefault("made", made(typed, ke2))
    status, answer, session = end(client, typed, begun)
    check(status == 200, status, answer)
    values.update(kept, **{"session key": keys["made"][1], "session": decode(session)})
    login = recorder.taken()
    hits = found(login, values)
    check(not hits, "in a recorded login:", hits)
    check(found(login, {"KE3": keys["made"][0]}), "the login was not recorded")
    check(client.ask("GET", "/api/account", headers=bearer(session))[0] == 200, "the session")
    check(found(recorder.taken(), {"session": decode(session)}), "a session is found where it is used")
    # A wrong PIN is not in it either.
    wrong = secrets_of("495162", ACCOUNT, setup)
    planted_is_found(recorder, {name: wrong[name] for name in ("PIN", "sha256 of PIN", "randomized password")})
    typed = Typed("495162", USUAL)
    check(end(client, typed, begin(client, ACCOUNT, typed.ke1()))[0] is None, "a wrong PIN")
    hits = found(recorder.taken(), {**wrong, **values})
    check(not hits, "in a login with a wrong PIN:", hits)
    check(server.stop() == 0, "exit status")
    print("  %d values, planted and found in %d writings; in a login of %d bytes: none" % (
        len(values), places, sum(map(len, login))))
    report("bank, a recorded login")


if __name__ == "__main__":
    main()
