#!/usr/bin/env python3
"""What bash, zsh and fish offer after each option of each command: its values, files, or nothing.

    completions.py KEYBOARD          needs bash, zsh and fish

What is expected comes from the help, not from the scripts: an option's values are listed there, and a file is called
"file".

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

keyboard = os.path.abspath(sys.argv[1])
checks = 0
FILES = ["an apple.json", "berry.pem", "cherries"]  # the last is a folder


def check(what, got, wanted):
    global checks
    checks += 1
    if got != wanted:
        sys.exit("completions: %s\n  offered %s\n  wanted  %s" % (what, got, wanted))


def help_of(*command):
    return json.loads(subprocess.run([keyboard, *command, "--experimental-dump-help"], check=True,
                                     stdout=subprocess.PIPE).stdout)["command"]


def options(path=()):
    """(the words of a command, an option, what it should offer)"""
    told = help_of(*path)
    for inner in told.get("subcommands", []):
        if inner["commandName"] != "help":
            yield from options((*path, inner["commandName"]))
    for argument in told.get("arguments", []):
        if argument["kind"] != "option":
            continue
        name = "--" + argument["preferredName"]["name"]
        values = argument.get("allValues", [])
        if (path, name) == (("generate-key",), "--way"):
            values = [value for value in values if value != "rsa"]  # those keys are made elsewhere
        if (path, name) == (("generate-key",), "--to"):
            values = [value for value in values if value != "id"]  # no form that holds a key
        if (path, name) == (("migrate",), "--seal-way"):
            values = [value for value in values if value != "sm4-gcm"]  # it has no public key
        yield path, name, FILES if argument["valueName"] == "file" else values


def bash(script, words, last=""):
    line = " ".join([*words, last])
    program = """
      source "$1"; shift
      COMP_LINE=$1; COMP_POINT=${#COMP_LINE}; shift
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
      _keyboard keyboard "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      [ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' "${COMPREPLY[@]}"
    """
    said = subprocess.run(["bash", "--norc", "-c", program, "bash", script, line, *words, last], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return said.splitlines()


class Shell:
    """A shell in a terminal of its own. Ctrl-T writes what Tab would offer into a file."""

    ZSH = """
      autoload -Uz compinit; compinit -u -D; source "$SCRIPT"; compdef _keyboard keyboard
      PS1='%%'; unsetopt zle_bracketed_paste prompt_sp 2>/dev/null; zstyle ':completion:*' list-colors
      compadd_and_tell() {
        local -a all
        [[ " $* " == *" -"[OAD]" "* ]] || { builtin compadd -A all "$@"; print -rl -- "OFFERED:"${^all} >>$OFFERS }
        builtin compadd "$@"
      }
      offer() { compadd() { compadd_and_tell "$@" }; _main_complete; unfunction compadd; print DONE >>$OFFERS }
      zle -C offer list-choices offer; bindkey '^T' offer; print READY >>$OFFERS
    """

    FISH = """
      source $SCRIPT
      function offer
        for offered in (complete --do-complete (commandline --cut-at-cursor))
          echo OFFERED:(string split --fields 1 \\t -- $offered) >>$OFFERS
        end
        echo DONE >>$OFFERS
      end
      bind \\ct offer; echo READY >>$OFFERS
    """

    def __init__(self, setup, command, script, folder):
        self.name, self.offers = command[0], os.path.join(folder, "offers." + command[0])
        open(self.offers, "w").close()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(SCRIPT=script, OFFERS=self.offers, TERM="dumb", HOME=folder, ZDOTDIR=folder)
            os.execvp(command[0], command)
        path = os.path.join(folder, "setup." + command[0])
        with open(path, "w", encoding="ascii") as file:
            file.write(setup)
        self.ask("source %s\r" % path, "READY")

    def ask(self, keys, mark):
        """Types keys, and returns what was written until the mark."""
        os.truncate(self.offers, 0)
        os.write(self.terminal, keys.encode())
        deadline, screen = time.monotonic() + 300, b""
        while time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.05)[0]:
                screen += os.read(self.terminal, 65536)
            with open(self.offers, encoding="utf-8") as file:
                lines = file.read().splitlines()
            if mark in lines:
                return [line[8:] for line in lines if line.startswith("OFFERED:")]
        sys.exit("completions: %s does not answer to %r: %r" % (self.name, keys, screen[-2000:]))

    def __call__(self, _, words, last=""):
        return self.ask("\x15" + " ".join([*words, last]) + "\x14", "DONE")

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def plain(offered):
    """Without a folder's stroke and without what quotes a space."""
    return sorted({name.rstrip("/").replace("\\", "") for name in offered if name})


def vault_rows(folder):
    """(what, words, what should be offered): the names in a vault, if its key is there, and never a secret."""
    place = os.path.join(folder, "vaults")
    os.mkdir(place, 0o700)
    vault, key = os.path.join(place, "v"), os.path.join(place, "k")
    options = ["--vault", vault, "--key-file", key]

    def run(*words, secret=b""):
        subprocess.run([keyboard, "vault", *words, *options], input=secret, check=True)

    run("init")
    for service, account in (("bank.example", "kim"), ("bank.example", "lee"), ("shop.example", "park")):
        run("add", service, account, secret=b"secret")
    for name in ("app", "bank"):
        run("passcode", "set", name, secret=b"4837")
        run("words", "new", "wallet-" + name)
    run("passcode-key", "set", secret=b"4837")
    start = ["keyboard", "vault"]
    for command in ("show", "edit", "rm", "add"):
        yield command, [*start, command, *options], ["bank.example", "shop.example"]
        yield command + " SERVICE", [*start, command, *options, "bank.example"], ["kim", "lee"]
    yield "list", [*start, "list", *options], ["bank.example", "shop.example"]
    for command in ("set", "check", "change", "reset", "state", "policy"):
        yield "passcode " + command, [*start, "passcode", command, *options], ["app", "bank"]
    for command in ("keep", "show", "rm"):
        yield "words " + command, [*start, "words", command, *options], ["wallet-app", "wallet-bank"]
    others = ["--layout", "pin", "--maximum", "4"]
    yield "other options", [*start, "show", *others, *options, "bank.example"], ["kim", "lee"]
    for option in (["--passcode"], ["--passcode-file", key]):
        yield option[0], [*start, "list", *option, *options], []
    yield "another service", [*start, "show", *options, "none"], []
    yield "the environment's", [*start, "show", "--key-file", key, "shop.example"], ["park"]
    yield "no key", [*start, "show", "--vault", vault], []
    os.chmod(key, 0o644)
    yield "a key that others may read", [*start, "show", *options], []
    yield "no vault", [*start, "show", "--vault", vault + "x", "--key-file", key], []
    if sorted(os.listdir(place)) != ["k", "v", "v-shm", "v-wal"]:
        sys.exit("completions: something was made: %s" % os.listdir(place))
    if b"tries     5\n" not in subprocess.run([keyboard, "vault", "passcode-key", "state", "--vault", vault],
                                              check=True, stdout=subprocess.PIPE).stdout:
        sys.exit("completions: a passcode was tried")


def main():
    with tempfile.TemporaryDirectory() as folder:
        scripts = {}
        for shell in ("bash", "zsh", "fish"):
            scripts[shell] = os.path.join(folder, "completions." + shell)
            with open(scripts[shell], "wb") as file:
                subprocess.run([keyboard, "--generate-completion-script", shell], check=True, stdout=file)
        os.makedirs(os.path.join(folder, "here", FILES[2]))
        os.chdir(os.path.join(folder, "here"))
        for name in FILES[:2]:
            open(name, "w").close()
        # The scripts ask the tool, as the shell finds it.
        os.environ["PATH"] = os.path.dirname(keyboard) + ":" + os.environ["PATH"]
        os.environ["KEYBOARD_VAULT"] = os.path.join(folder, "vaults", "v")
        zsh = Shell(Shell.ZSH, ["zsh", "-f", "-i"], scripts["zsh"], folder)
        fish = Shell(Shell.FISH, ["fish", "--no-config", "-i"], scripts["fish"], folder)
        shells = {"bash": bash, "zsh": zsh, "fish": fish}
        asked = list(options())
        files = sum(wanted is FILES for _, _, wanted in asked)
        valued = sum(bool(wanted) for _, _, wanted in asked) - files
        if files < 12 or valued < 15:
            sys.exit("completions: only %d options with files, %d with values" % (files, valued))
        try:
            for path, name, wanted in asked:
                words = ["keyboard", *path, name]
                for shell, offered in shells.items():
                    check("%s after %s" % (shell, " ".join(words)), plain(offered(scripts[shell], words)),
                          sorted(wanted))
            for shell, offered in shells.items():
                check(shell, plain(offered(scripts[shell], ["keyboard", "pad", "--layout"], "pin-")), ["pin-decoys"])
                check(shell, plain(offered(scripts[shell], ["keyboard"], "decr")), ["decrypt"])
            for what, words, wanted in vault_rows(folder):
                for shell, offered in shells.items():
                    check("%s, a vault: %s" % (shell, what), plain(offered(scripts[shell], words)), wanted)
        finally:
            zsh.end()
            fish.end()
    print("completions: %d checks" % checks)


main()
