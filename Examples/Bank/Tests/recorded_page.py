"""People at the bank's page in Chromium, whom somebody records: all bytes between the browser and the bank. No PIN,
right or wrong, is in them, nor a hash of one; of what the bank keeps, only the record that registers.

    recorded_page.py BUILD_DIR          with web/; BANK_PROGRAM and KEYBOARD_LIBRARY as for recorded.py

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import sys

from bank import PIN, Bank, check, free_ports, report, spawn
from recorded import Recorder, found, planted_is_found, secrets_of
from records import SQLiteRecords
from sealing import decode

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
# The account and the two PINs of login_page.py.
ACCOUNT, OTHER = "alice", "495162"


def secrets_at(records):
    """By name, all that is computed of both PINs, and what the bank keeps."""
    with open(os.path.join(records.data, "opaque.setup")) as file:
        setup = bytes.fromhex(file.read())
    record = decode(records.query("SELECT record FROM opaque_records WHERE account = '%s'" % ACCOUNT)[0][0])
    values = {name + which: value for pin, which in ((PIN, ""), (OTHER, " of a wrong PIN"))
              for name, value in secrets_of(pin, ACCOUNT, setup).items()}
    check(values["masking key"] == record[32:96], "the page computes another record than the model")
    return {**values, "record": record, "client_public_key": record[:32], "envelope": record[96:]}


def without_records(stream):
    """A stream without what registers an account."""
    return re.sub(rb'"record":\s*"[A-Za-z0-9_-]+"', b"", stream)


def main():
    build = os.path.abspath(sys.argv[1])
    records = SQLiteRecords()
    ports = free_ports(2)
    page, frame = map(Recorder, ports)
    server = Bank("--port", str(ports[0]), "--page-origin", "http://localhost:%d" % page.port,
                  "--frame-port", str(ports[1]), "--frame-origin", "http://127.0.0.1:%d" % frame.port,
                  data=records.data, keyboard=(os.path.join(ROOT, "Bindings/web"), os.path.join(build, "web")))
    browser = spawn([sys.executable, "-B", os.path.join(ROOT, "Tests/Web/browser.py"), os.path.join(build, "web"),
                     "--bank", "http://localhost:%d" % page.port, "login_page.a_person_registers_and_logs_in"])
    check(browser.wait(600) == 0, "the page")
    streams = page.taken() + frame.taken()
    for name in (b'"ke1"', b'"ke2"', b'"ke3"', b"GET /frame.html "):
        check(any(name in stream for stream in streams), name, "was not recorded")

    values = secrets_at(records)
    planted_is_found(page, values)
    hits = {name for name, _ in found(streams, values)}
    check(hits == {"record", "client_public_key", "masking key", "envelope"}, "recorded at the page:", hits)
    hits = found([without_records(stream) for stream in streams], values)
    check(not hits, "recorded besides the record that registers:", hits)
    check(server.stop() == 0, "exit status")
    print("  %d values in %d bytes between page and bank: only the record that registers" % (
        len(values), sum(map(len, streams))))
    report("bank, a recorded page")


if __name__ == "__main__":
    main()
