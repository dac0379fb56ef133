"""A PostgreSQL of the test's own: a folder, a socket in it, no port. It ends with the test.

PostgreSQL refuses to run as root. Then it runs as the user that Debian's package has made.

SPDX-License-Identifier: Apache-2.0
"""

import glob
import os
import pwd
import re
import signal
import subprocess
import sys
import time

from bank import PATIENCE, spawn, subfolder


class PostgreSQL:
    def __init__(self, log_statements=False):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            sys.exit("postgresql: Debian's package postgresql is needed")
        self.programs = programs[-1]
        self.folder = subfolder("postgresql-")
        self.user = {}
        self.log_statement = "all" if log_statements else "none"
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.data = os.path.join(self.folder, "data")
        self.log_path = os.path.join(self.folder, "log")
        self.run("initdb", "--pgdata", self.data, "--auth", "trust", "--username", "bank", "--encoding", "UTF8",
                 "--locale", "C")
        self.start()

    def run(self, program, *arguments):
        path = os.path.join(self.programs, program)
        result = subprocess.run([path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                text=True, **self.user)
        if result.returncode != 0:
            raise AssertionError("%s: %s" % (program, result.stderr))
        return result.stdout

    def start(self):
        settings = ["listen_addresses=", "unix_socket_directories=" + self.folder, "max_connections=60",
                    "log_statement=" + self.log_statement, "logging_collector=off"]
        command = [os.path.join(self.programs, "postgres"), "-D", self.data]
        for setting in settings:
            command += ["-c", setting]
        with open(self.log_path, "a") as log:
            self.process = spawn(command, stdout=log, stderr=log, cwd=self.folder, **self.user)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.run("pg_isready", "--host", self.folder, "--username", "bank", "--dbname", "postgres")
                return
            except AssertionError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    with open(self.log_path) as log:
                        raise AssertionError("PostgreSQL did not start:\n" + log.read()) from None
                time.sleep(0.1)

    def stop(self):
        """At once, as a crash: it recovers at the next start."""
        self.process.send_signal(3)
        self.process.wait(PATIENCE)

    def hang(self):
        """Stops all of its processes, and returns what lets them go on: it neither answers nor ends a connection."""
        def children():
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open("/proc/%s/stat" % pid) as file:
                        if int(file.read().rsplit(")", 1)[1].split()[1]) == self.process.pid:
                            yield int(pid)
                except FileNotFoundError:
                    pass  # it has ended
        self.process.send_signal(signal.SIGSTOP)
        stopped = list(children())
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)

        def go_on():
            for pid in [*stopped, self.process.pid]:
                os.kill(pid, signal.SIGCONT)
        return go_on

    def make_database(self, name):
        self.query("postgres", "CREATE DATABASE %s" % name)
        return "postgresql:///%s?host=%s&user=bank&connect_timeout=120" % (name, self.folder)

    def hold(self, database, sql):
        """A transaction that has run this, and is not over."""
        return Transaction(self, database, sql)

    def executed(self, sql):
        """How often statements that contain this have begun, also if they still wait. Needs `log_statements`."""
        with open(self.log_path, errors="replace") as log:
            return sum(sql in line for line in log if "execute" in line)

    def parameters(self, sql, place):
        """What the statements that contain this had as a value, in their order."""
        with open(self.log_path, errors="replace") as log:
            pattern = r"execute [^\n]*%s[^\n]*(?:\n\t[^\n]*)*\n[^\n]*DETAIL:  parameters: ([^\n]*)"
            found = re.findall(pattern % re.escape(sql), log.read())
        return [re.search(r"\$%d = '([^']*)'" % place, line).group(1) for line in found]

    def query(self, database, sql):
        """Rows of strings."""
        lines = self.run("psql", "--host", self.folder, "--username", "bank", "--dbname", database, "--no-psqlrc",
                         "--quiet", "--tuples-only", "--no-align", "--field-separator", "\t", "--command", sql)
        return [line.split("\t") for line in lines.splitlines()]


class Transaction:
    """psql in the middle of a transaction."""

    def __init__(self, server, database, sql):
        command = [os.path.join(server.programs, "psql"), "--host", server.folder, "--username", "bank", "--dbname",
                   database, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]
        self.process = spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                             cwd=server.folder, **server.user)
        self.run("BEGIN; " + sql)

    def run(self, sql):
        self.process.stdin.write(sql + "; SELECT 'done';\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line == "done\n":
                return
        raise AssertionError("psql has ended")

    def end(self, sql="COMMIT"):
        self.run(sql)
        self.process.stdin.close()
        self.process.wait(PATIENCE)
