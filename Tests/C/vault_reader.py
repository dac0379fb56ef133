#!/usr/bin/env python3
"""Reads a vault's file as Docs/Vault.md describes it, without the library: another program can. The library makes the
vault that is read.

    vault_reader.py libcustomvault.so          needs the Python package `cryptography`

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import hashlib
import hmac
import os
import sqlite3
import struct
import sys
import tempfile

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        sys.exit("vault_reader: " + what)


# ---- The format ------------------------------------------------------------------------------------------------------

ROOT, STATE, ITEM, PASSCODE, WORDS, PASSCODE_KEY = range(1, 7)
ONLY, META, DATA = 0, 1, 2


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def binding(table, column, version, place):
    return struct.pack("<BBq", table, column, version) + place


class Keys:
    def __init__(self, root):
        self.seal, self.name, self.sum = (mac(root, b"CustomVault 1 " + use) for use in (b"seal", b"name", b"sum"))

    def open(self, seal, text, *place):
        nonce, tag = seal[:12], seal[12:]
        return AESGCM(self.seal).decrypt(nonce, text + tag, binding(*place))

    def place(self, service, account, table=ITEM):
        start = bytes([table]), bytes([1]), bytes([len(service)]), service
        whole = bytes([table]), bytes([2]), bytes([len(service)]), service, account
        return mac(self.name, *start)[:16] + mac(self.name, *whole)[:16]


def read_vault(path, key):
    """The items of a vault: service and account, and label, kind and data."""
    database = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    epoch, generation, root, state = database.execute("SELECT epoch,generation,root,state FROM head").fetchone()
    head = epoch + bytes(16)
    keys = Keys(Keys(key).open(root[:28], root[28:], ROOT, ONLY, 0, head))
    state = keys.open(state[:28], state[28:], STATE, ONLY, generation, head)
    stated, _, rows = struct.unpack("<qqq", state[:24])
    check(stated == generation, "the generation")
    items, found, total = {}, 0, 0
    tables = (("item", ITEM), ("passcode", PASSCODE), ("words", WORDS))
    for table, row in ((table, row) for name, table in tables
                       for row in database.execute("SELECT id,version,seals,meta,data FROM " + name)):
        place, version, seals, meta, data = row
        meta = keys.open(seals[:28], meta, table, META, version, place)
        data = keys.open(seals[28:], data, table, DATA, version, place)
        created, modified, length, *counts = struct.unpack("<qqq4B", meta[:28])
        texts, end = [], 28
        for count in counts:
            texts.append(meta[end : end + count])
            end += count
        check(end == len(meta) and length == len(data) and created <= modified, "a meta")
        check(place == keys.place(texts[0], texts[1], table), "the id of a row")
        total += int.from_bytes(mac(keys.sum, binding(table, ONLY, version, place), seals), "little")
        found += 1
        if table == ITEM:
            items[texts[0].decode(), texts[1].decode()] = texts[2].decode(), texts[3].decode(), data
        elif table == WORDS:
            check(len(data) == 33 and not any(data[1 + data[0] :]), "the data of words")
            items["words", texts[1].decode()] = data[1 : 1 + data[0]]
        else:
            tries_to_lock, seconds, locks, memory, passes, tries, locked = struct.unpack("<5I32x2I", data[:60])
            check(len(data) == 192 and (memory, passes, tries, locked) == (19456, 2, 0, 0), "the data of a passcode")
            items["passcode", texts[1].decode()] = tries_to_lock, seconds, locks
    for version, settings, root in database.execute("SELECT version,settings,root FROM passcode_key"):
        term = mac(keys.sum, binding(PASSCODE_KEY, ONLY, version, head), root, settings)
        total += int.from_bytes(term, "little")
        found += 1
    database.close()
    check(rows == found, "the number of rows")
    check(state[24:] == (total % 2**256).to_bytes(32, "little"), "the sum over all rows")
    return items


# ---- The library -----------------------------------------------------------------------------------------------------


def main():
    library = ctypes.CDLL(os.path.abspath(sys.argv[1]))

    def call(name, *arguments):
        check(getattr(library, "CustomVault_" + name)(*arguments) == 0, name + " failed")

    def size(number):
        return ctypes.c_size_t(number)

    with tempfile.TemporaryDirectory() as folder:
        path, key, vault = os.path.join(folder, "vault"), os.urandom(32), ctypes.c_uint64()
        call("open", ctypes.byref(vault), path.encode(), key, size(32))
        expected = {}
        for i, length in enumerate((0, 1, 15, 16, 17, 1000, 65536)):
            service, account, data = "bank %d" % (i % 2), "한글 %d" % i, os.urandom(length)
            call("addItem", vault, service.encode(), account.encode(), b"label" * i, None, data, size(length))
            expected[service, account] = "label" * i, "password", data
        call("deleteItem", vault, "bank 1".encode(), "한글 1".encode())
        del expected["bank 1", "한글 1"]
        call("updateItem", vault, "bank 0".encode(), "한글 2".encode(), None, b"token", b"new", size(3))
        expected["bank 0", "한글 2"] = "label" * 2, "token", b"new"
        keyboard = ctypes.c_uint64()
        core = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "libcustomkeyboard.so"))
        check(core.CustomKeyboard_create(ctypes.byref(keyboard)) == 0, "a keyboard")
        check(core.CustomKeyboard_open(keyboard) == 0, "a keyboard")
        check(core.CustomKeyboard_input(keyboard, b"4711", size(4)) == 0, "a keyboard")
        call("setPasscode", vault, b"PIN", keyboard, None)
        expected["passcode", "PIN"] = 5, 300, 0
        call("keepWords", vault, b"wallet", b"zoo " * 11 + b"wrong")
        expected["words", "wallet"] = b"\xff" * 16
        call("setPasscodeKey", vault, keyboard, None, size(0), None)
        call("close", vault)
        check(read_vault(path, key) == expected, "the items")
        other = os.urandom(32)
        call("open", ctypes.byref(vault), path.encode(), key, size(32))
        call("changeKey", vault, other, size(32))
        call("close", vault)
        check(read_vault(path, other) == expected, "the items after a change of the key")
        try:
            read_vault(path, key)
            check(False, "the old key opens the vault")
        except InvalidTag:
            check(True, "")
    print("vault_reader: %d checks" % checks)


if __name__ == "__main__":
    main()
