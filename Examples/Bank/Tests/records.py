"""What is in the bank's database, whichever it is.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sqlite3

from bank import PIN, Bank, Client, check, subfolder


class SQLiteRecords:
    """A file, in a data folder that servers share."""

    name = "SQLite"

    def __init__(self):
        self.data = subfolder("data-")
        self.url = None

    def query(self, sql):
        path = os.path.join(self.data, "bank.sqlite")
        connection = sqlite3.connect(path, timeout=60)
        try:
            with connection:
                return [[str(value) for value in row] for row in connection.execute(sql)]
        finally:
            connection.close()


class PostgreSQLRecords:
    """A database of its own; servers share the folder with the keys."""

    name = "PostgreSQL"
    count = 0

    def __init__(self, server):
        PostgreSQLRecords.count += 1
        self.database = "bank%d" % PostgreSQLRecords.count
        self.server = server
        self.data = subfolder("data-")
        self.url = server.make_database(self.database)

    def query(self, sql):
        return self.server.query(self.database, sql)


def kinds_of_records(postgresql):
    """What makes a database of each kind."""
    return SQLiteRecords, lambda: PostgreSQLRecords(postgresql)


def banks(postgresql):
    """A bank on a database of each kind: what makes such a database, this one, its server, a client, the bank's key."""
    for make in kinds_of_records(postgresql):
        records = make()
        yield make, records, *opened(records)


def opened(records, *accounts, options=()):
    """A bank with these accounts: its server, a client, the bank's key."""
    server = Bank(*options, data=records.data, url=records.url)
    client = Client(server.port)
    key = client.key()
    for account in accounts:
        check(client.register(account, PIN, key)[0] == 200, "register", account)
    return server, client, key
