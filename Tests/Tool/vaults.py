"""New vaults, and commands of `keyboard vault` that succeed or fail, for the programs that check them.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from groups import check

TOOL = sys.argv[1]
folder = TemporaryDirectory()


def run(*arguments, input=b"", **environment):
    environment = {**{name: value for name, value in os.environ.items() if name != "KEYBOARD_VAULT"}, **environment}
    ended = subprocess.run([TOOL, "vault", *arguments], input=input, capture_output=True, start_new_session=True,
                           env=environment)
    return ended.returncode, ended.stdout, ended.stderr.decode()


def works(*arguments, input=b"", **environment):
    code, output, message = run(*arguments, input=input, **environment)
    check((code, message) == (0, ""), "%s: %d %s" % (arguments, code, message))
    return output


def fails(code, words, *arguments, input=b"", **environment):
    """It fails with this code and a message that says what to do, and prints nothing on standard output."""
    ended, output, message = run(*arguments, input=input, **environment)
    check(ended == code, "%s: exit code %d, not %d: %s" % (arguments, ended, code, message))
    check(not output and words in message, "%s: %r %r" % (arguments, output, message))


made = 0


class New:
    """A new vault in a folder of its own; called, it runs a command on it."""

    def __init__(self, *items, passcode=None):
        global made
        made += 1
        self.folder = Path(folder.name) / str(made)
        self.folder.mkdir(mode=0o700)
        self.path, self.key = str(self.folder / "vault"), str(self.folder / "vault.key")
        if passcode is None:
            works("init", "--vault", self.path)
        else:
            works("init", "--vault", self.path, "--passcode", input=passcode)
        for service, account, secret in items:
            self("add", service, account, input=secret)

    def __call__(self, command, *arguments, **options):
        return works(command, *arguments, "--vault", self.path, **options)

    def fails(self, code, words, command, *arguments, **options):
        fails(code, words, command, *arguments, "--vault", self.path, **options)

    def file(self, name, contents, mode=0o600):
        path = self.folder / name
        path.write_bytes(contents)
        path.chmod(mode)
        return str(path)
