"""A program in its own terminal, as a person sees it: a pty, and the part of VT100 that the pad uses.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import fcntl
import os
import platform
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

SECONDS = 60  # long, because the machine may be busy; a hang is still noticed


# Signals that end no program unless it asks for them; SIGKILL and SIGSTOP allow no handler.
HARMLESS = {getattr(signal, "SIG" + name) for name in "CHLD CONT TSTP TTIN TTOU URG WINCH".split()}
# All other signals. 32 and 33 are included: the C library reserves them, but any process can send them.
DEADLY = sorted(set(range(1, signal.SIGRTMAX + 1)) - HARMLESS - {signal.SIGKILL, signal.SIGSTOP})

libc = ctypes.CDLL(None, use_errno=True)


def set_reserved_signals(handler):
    """What signals 32 and 33 do in this process. glibc does not tell, so this asks the kernel.

    glibc's posix_spawn makes a child ignore them; so make's commands ignore them, and everything that they start.
    """
    number = {"x86_64": 13, "aarch64": 134}[platform.machine()]
    action = struct.pack("PPPP", handler, 0, 0, 0)
    for reserved in (32, 33):
        assert libc.syscall(number, reserved, action, None, 8) == 0, "rt_sigaction"


def swallow_set_dumpable():
    """Makes prctl(PR_SET_DUMPABLE) do nothing in this process and its children, so that a test may read their memory.

    A seccomp filter: it needs no privileges, unlike reading the memory of a process that is not dumpable.
    """
    number = {"x86_64": 157, "aarch64": 167}[platform.machine()]

    def step(code, yes, no, value):
        return struct.pack("HBBI", code, yes, no, value)

    # LD number; JEQ prctl; LD first argument; JEQ PR_SET_DUMPABLE; RET errno 0; RET allow.
    steps = [step(0x20, 0, 0, 0), step(0x15, 0, 3, number), step(0x20, 0, 0, 16), step(0x15, 0, 1, 4),
             step(0x06, 0, 0, 0x00050000), step(0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(steps))
    program = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code))
    assert libc.prctl(38, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS"
    assert libc.prctl(22, 2, program, 0, 0) == 0, "PR_SET_SECCOMP"


class Screen:
    """The contents of the screen, and the modes that are on."""

    TOKEN = re.compile(rb"\x1b\[([?<]?)([\d;]*)([A-Za-z])")
    # A signal handler may write in the middle of a sequence or of a character. Terminals begin anew at an escape.
    CUT = re.compile(
        rb"(\x1b(\[[?<]?[\d;]*)?|[\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})(?=\x1b)"
    )

    def __init__(self, columns, rows):
        self.modes = {25: True}
        self.styles = set()
        self.rest = b""
        self.left_behind = ""
        self.frames = 0  # The pad draws all rows completely.
        self.is_drawing = False  # A part of a picture has come: a pseudoterminal gives 2 KB at a time, or less.
        self.main = None  # The main screen's cells while the alternate screen is shown.
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.x = self.y = 0

    def feed(self, data):
        data = self.rest + data
        place = 0
        while place < len(data):
            if cut := self.CUT.match(data, place):
                place = cut.end()
                continue
            if data[place] == 0x1B:
                match = self.TOKEN.match(data, place)
                if not match:
                    assert len(data) - place < 32, "unknown sequence %r" % data[place : place + 32]
                    break
                self.sequence(match[1], match[2], match[3])
                place = match.end()
                continue
            length = 1 if data[place] < 0x80 else 2 if data[place] < 0xE0 else 3 if data[place] < 0xF0 else 4
            if place + length > len(data):
                break
            self.put(data[place : place + length].decode())
            place += length
        self.rest = data[place:]

    def put(self, character):
        if character == "\r":
            self.x = 0
        elif character == "\n":
            self.y += 1
        else:
            assert character >= " ", "control character %r" % character
            if self.y < self.rows and self.x < self.columns:
                self.cells[self.y][self.x] = character
            self.x += 1

    def sequence(self, mark, parameters, final):
        numbers = [int(number) if number else 0 for number in parameters.split(b";")]
        if final in b"hl" and mark == b"?":
            for number in numbers:
                self.modes[number] = final == b"h"
                if number == 1049:
                    self.show_alternate(final == b"h")
        elif final == b"H":
            self.y = max(numbers[0], 1) - 1
            self.x = max(numbers[1] if len(numbers) > 1 else 1, 1) - 1
            self.is_drawing = True
        elif final == b"K":
            if self.y < self.rows:
                self.cells[self.y][self.x :] = [" "] * (self.columns - len(self.cells[self.y][: self.x]))
            if self.y == self.rows - 1:
                self.frames += 1
                self.is_drawing = False
        elif final == b"J":
            self.cells = [[" "] * self.columns for _ in range(self.rows)]
        elif final == b"m":
            self.styles.update(numbers)
        else:
            raise AssertionError("unknown sequence %r %r" % (parameters, final))

    def show_alternate(self, on):
        self.is_drawing = False
        if on and self.main is None:
            self.main = self.cells
            self.cells = [[" "] * self.columns for _ in range(self.rows)]
        elif not on and self.main is not None:
            # The contents of the alternate screen can be shown again, so it must be blank.
            self.left_behind = self.text.strip()
            self.cells, self.main = self.main, None

    @property
    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    @property
    def text(self):
        return "\n".join(self.lines)


class Session:
    """Runs `arguments` in their own terminal.

    Standard input is the terminal unless `input` says otherwise; standard output and standard error go to pipes.
    With `output="terminal"` they go to the terminal too. `prepare` runs in the child before the program starts.
    """

    def __init__(self, arguments, columns=80, rows=24, environment=None, input=None, output=subprocess.PIPE,
                 prepare=None):
        self.master, self.slave = pty.openpty()
        self.screen = Screen(columns, rows)
        self.received = b""
        self.set_size(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        settings = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        settings.update(environment or {})

        def own_terminal():
            # A shell that runs the tests in the background, or nohup, ignores these, and so would every program that it
            # starts.
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)
            set_reserved_signals(signal.SIG_DFL)
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            if prepare:
                prepare()

        is_shown = output == "terminal"
        self.process = subprocess.Popen(
            arguments, stdin=self.slave if input is None else input, stdout=self.slave if is_shown else output,
            stderr=self.slave if is_shown else subprocess.PIPE, env=settings, preexec_fn=own_terminal)

    def set_size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = os.read(self.master, 65536)
        self.received += data
        self.screen.feed(data)
        return True

    def wait_for(self, condition, what):
        """Waits until something is so, and until the picture that shows it is there as a whole."""
        end = time.monotonic() + SECONDS
        while not condition() or self.screen.is_drawing:
            assert time.monotonic() < end, "no %s on:\n%s" % (what, self.screen.text)
            self.read(0.2)
            if self.process.poll() is not None and not select.select([self.master], [], [], 0)[0]:
                assert condition(), "ended (%s) before %s" % (self.process.returncode, what)
                return

    def wait_for_error(self, line):
        """Waits for a line on standard error."""
        self.wait_for(lambda: select.select([self.process.stderr], [], [], 0)[0], "%r on standard error" % line)
        found = self.process.stderr.readline()
        assert found == line, "%r, not %r, on standard error" % (found, line)

    def send(self, data):
        os.write(self.master, data)

    def frame(self, action):
        """Does something and waits until the result is drawn."""
        self.wait_for(lambda: True, "whole picture")
        frames = self.screen.frames
        action()
        self.wait_for(lambda: self.screen.frames > frames, "new picture")

    def press(self, data):
        self.frame(lambda: self.send(data))

    def resize(self, columns, rows):
        def action():
            self.screen.resize(columns, rows)
            self.set_size(columns, rows)

        self.frame(action)

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        """Waits for the end; returns the exit code, standard output and standard error."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < end, "did not end:\n%s" % self.screen.text
            self.read(0.02)
        while self.read(0):
            pass
        output = self.process.stdout.read() if self.process.stdout else b""
        errors = self.process.stderr.read() if self.process.stderr else b""
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        self.after = termios.tcgetattr(self.slave)
        os.close(self.master)
        os.close(self.slave)
        return self.process.returncode, output, errors

    def is_restored(self):
        """Whether the terminal is restored and shows no key."""
        modes = self.screen.modes
        return (
            self.after == self.before
            and modes[25]
            and not any(modes.get(m) for m in (1049, 1000, 1002, 1003, 1006, 2004))
            and not self.screen.left_behind
        )


class Keys:
    """The keys on a pad's screen, found as a person finds them: by the contents of the boxes."""

    BOX = re.compile("[│┃]([^│┃]+)[│┃]")

    def __init__(self, screen):
        self.places = {}
        self.selected = None
        for y, line in enumerate(screen.lines):
            place = 0
            while match := self.BOX.search(line, place):
                label, place = match[1].strip(), match.end()
                if not label:
                    continue
                assert label not in self.places, "%s twice on:\n%s" % (label, screen.text)
                self.places[label] = ((match.start() + match.end()) // 2, y)
                if line[match.start()] == "┃":
                    self.selected = label


ARROWS = {"up": b"\x1b[A", "down": b"\x1b[B", "right": b"\x1b[C", "left": b"\x1b[D"}


def go(session, label):
    """Moves the selection to a key: first to its row, then along the row."""
    for _ in range(40):
        keys = Keys(session.screen)
        (x, y), (to_x, to_y) = keys.places[keys.selected], keys.places[label]
        if (x, y) == (to_x, to_y):
            return
        session.press(ARROWS["up" if to_y < y else "down" if to_y > y else "left" if to_x < x else "right"])
    raise AssertionError("%s was not reached on:\n%s" % (label, session.screen.text))


def click(session, label, dx=0, dy=0, wait=True):
    x, y = Keys(session.screen).places[label]
    report = b"\x1b[<0;%d;%dM\x1b[<0;%d;%dm" % (x + dx + 1, y + dy + 1, x + dx + 1, y + dy + 1)
    session.press(report) if wait else session.send(report)
