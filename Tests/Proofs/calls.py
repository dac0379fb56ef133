"""Which functions a compiled function calls, and how deep the stack is under it.

What is called through a register is one of the functions whose addresses were taken by the functions that are on the
stack, before they called: closures do not outlive what makes them. All of those are tried, but for those that run
already, and those under which nobody would be left to call. Where that leaves none, there is no answer.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import os
import re
import subprocess
import tempfile

from frames import Frame
from listing import Library, run
from machine import NotRead

# Bytes for a function of libc; and for those that are assembly without a frame, what calls it, and calls of the system.
LIBC = 512
LIBC_LEAVES, LEAF = (r"^(mem(set|cpy|move)|explicit_bzero|strcmp|__errno_location|syscall|getrandom|m(un)?map|mprotect"
                     r"|madvise|mlock|pthread_setcancel(state|type)|pthread_self|pthread_mutex_(un)?lock)$"), 128
# This function calls itself, so often: `Portable.cryptMany` wipes the frames of 32 blocks with it.
CLEANER, TIMES = r"Portable\w*wipeFrames", 3
# Frames whose size is a number of the source: a verifier, a salt and a hash; 16 jobs and four groups.
SIZES = {r"VerifierV9checkForm\w*U_$": 640, r"LaneGroupsV10withMemory": 1024}


class Unnamed(NotRead):
    """Nobody on the stack has taken an address that a register could hold."""


class Calls:
    """All functions of an object file, and of mbedTLS."""

    def __init__(self, path, archive):
        self.library = Library(path)
        self.pointers = {self.library: self.library.pointers()}
        self.others = self._read_archive(archive)
        self.frames, self.memo = {}, {}
        self.taken = {name: frozenset().union(*map(self._takes, self.library.function(name)))
                      for name in self.library.listings}
        self.wiping = {}
        self.callers = collections.defaultdict(set)
        self.needs_context = self._needs_context()

    def _read_archive(self, archive):
        functions = {}
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["ar", "x", os.path.abspath(archive)], cwd=folder, check=True)
            for name in sorted(os.listdir(folder)):
                if name.startswith(("aes", "des", "chacha", "poly1305", "platform_util")):
                    other = Library(os.path.join(folder, name))
                    self.pointers[other] = other.pointers()
                    functions.update((symbol, other) for symbol in other.listings)
        return functions

    def library_of(self, symbol):
        return self.library if symbol in self.library.listings else self.others.get(symbol)

    def frame(self, symbol):
        if symbol not in self.frames:
            self.frames[symbol] = self._read(symbol)
        return self.frames[symbol]

    def _read(self, symbol):
        library = self.library_of(symbol)
        return Frame(symbol, library.function(symbol), self.pointers[library], self._takes)

    def _takes(self, instruction):
        """The functions whose addresses an instruction takes, or a table with them."""
        if not instruction.target or instruction.name.startswith(("call", "j")):
            return frozenset()
        name = instruction.target.removeprefix(".text.")
        return frozenset([name] if name in self.library.listings else self._tables().get(name, ()))

    def _tables(self):
        """The functions that data point to, by the section and by each symbol of it."""
        if not hasattr(self, "_pointed"):
            self._pointed = {}
            for section, places in self.pointers[self.library].items():
                names = {symbol.removeprefix(".text.") for _, kind, symbol, _ in places if kind == "R_X86_64_64"}
                self._pointed[section] = names & set(self.library.listings)
            for line in run("objdump", "-t", self.library.path).splitlines():
                fields = line.split()
                if len(fields) > 4 and fields[-3] in self._pointed:
                    self._pointed[fields[-1]] = self._pointed[fields[-3]]
        return self._pointed

    def _needs_context(self):
        """Functions under which an address in a register is called."""
        callers, found = self.callers, set()
        for symbol in self.library.listings:
            try:
                for _, target, _ in self.frame(symbol).calls:
                    if target is None:
                        found.add(symbol)
                    callers[target].add(symbol)
            except NotRead:
                pass
        todo = list(found)
        while todo:
            for caller in callers[todo.pop()] - found:
                found.add(caller)
                todo.append(caller)
        return found

    def deepest(self, called, caller, skipped, lent=frozenset(), above=frozenset()):
        """The deepest stack under some functions that a function calls, each with what was taken before: `caller`, or
        the one that `above` begins with. What it calls in a register may have been passed to it, by each of those that
        call it."""
        above = above | {caller}
        try:
            return max((self.depth(symbol, lent | taken, frozenset([symbol]), frozenset(), skipped)
                        for symbol, taken in called), default=(0, ()))
        except Unnamed as problem:
            callers = self.callers[caller] | {name for name, taken in self.taken.items() if caller in taken}
            found = []
            for name in sorted(callers - above):
                try:
                    found.append(self.deepest(called, name, skipped, lent | self.taken[name], above))
                except Unnamed:
                    pass
            if not found:
                raise problem
            return max(found)

    def depth(self, symbol, lent, running, path, skipped):
        """The deepest stack under a function, and the functions that lead there.

        - `lent`: functions whose addresses those on the stack have taken. `running`: those that were called so.
        - `path`: functions on the stack since the last one that was called so.
        - `skipped`: a pattern of functions that are not looked into.
        """
        state = lent, running, path, skipped
        library = self.library_of(symbol)
        if re.search(skipped, symbol):
            return 8, (symbol,)
        if library is None:
            return LEAF if re.search(LIBC_LEAVES, symbol) else LIBC, (symbol,)
        for pattern, size in SIZES.items():
            if re.search(pattern, symbol):
                return self._below(symbol, size, self._calls_in(symbol, library, size), state)
        if re.search(CLEANER, symbol):
            return TIMES * max(depth for depth, _, _ in self.frame(symbol).calls), (symbol,)
        frame = self.frame(symbol)
        if symbol in self.wiping:  # what it calls is wiped when it returns, and has a row of its own
            return frame.deepest, (symbol,)
        return self._below(symbol, frame.deepest, frame.calls, state)

    def _calls_in(self, symbol, library, size):
        """All calls of a function whose frame cannot be read: at its deepest."""
        return {(size, Frame.callee(i.operands, i.target), self.taken[symbol])
                for i in library.function(symbol) if i.name.startswith("call")}

    def _below(self, symbol, deepest, calls, state):
        lent, running, path, skipped = state
        if symbol in path:
            raise NotRead("%s calls itself" % symbol)
        context = symbol in self.needs_context
        lent = lent if context else frozenset()
        key = symbol, lent, running & (lent | self.taken.get(symbol, frozenset())), skipped
        if key not in self.memo:
            best = deepest, (symbol,)
            try:
                for depth, target, taken in sorted(calls, key=str):
                    state = lent | taken if context else lent, running, path | {symbol}, skipped
                    below, chain = self.depth(target, *state) if target else self._in_register(symbol, *state)
                    best = max(best, (depth + below, (symbol,) + chain))
            except Unnamed as problem:
                best = problem
            self.memo[key] = best
        if isinstance(self.memo[key], Unnamed):
            raise self.memo[key]
        return self.memo[key]

    def _in_register(self, symbol, lent, running, _, skipped):
        """The deepest that a function whose address is in a register may be. One under whom there would be nobody to
        call is not meant."""
        if symbol in self.others:
            return LEAF, ("memset",)  # mbedTLS: nobody has replaced it
        possible = []
        for callee in sorted(lent - running):
            try:
                possible.append(self.depth(callee, lent, running | {callee}, frozenset(), skipped))
            except Unnamed:
                pass
        if not possible:
            raise Unnamed("who is called in a register by %s?" % symbol)
        return max(possible)
