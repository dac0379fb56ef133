"""New vaults, and commands of `keyboard vault` that succeed or fail, for the programs that check them.

SPDX-License-Identifier: Apache-2.0
"""

import os
from functools import partial
from pathlib import Path

import tool
from files import folder

os.environ.pop("KEYBOARD_VAULT", None)
run, works = partial(tool.run, "vault"), partial(tool.works, "vault")


def fails(code, words, *arguments, **options):
    tool.fails(code, words, "vault", *arguments, **options)


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
