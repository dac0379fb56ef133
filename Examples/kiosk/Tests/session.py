"""The kiosk on a test's screen: what it shows, what it says, and where its keys are.

SPDX-License-Identifier: Apache-2.0
"""

import resource
import subprocess
import sys

from display import SECONDS, ends_with_the_test, wait_for
from picture import dots_of, keys_of

BOARD = {"light": bytes.fromhex("e4e7ed"), "dark": bytes.fromhex("1d1f23")}
DOT = {"light": bytes.fromhex("1f5fd0"), "dark": bytes.fromhex("5b92f5")}
PRESSED = bytes.fromhex("aab4c6")

# The pages without shuffling, from the upper left to the lower right.
PIN = [*"123456789", "blank", "0", "delete"]
DECOYS = [*"1234567890", "blank", "blank 2", "blank 3", "blank 4", "delete", "return"]
LETTERS = [*"qwertyuiopasdfghjkl", "shift", *"zxcvbnm", "delete", "to digits", "to symbols", "space", "return"]
DIGITS = [*"1234567890", "to letters", "to symbols", "space", "delete", "return"]
SYMBOLS = [*"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{", "delete", "to letters", "to digits", *"|}~", "space", "return"]

_count = 0


def checks():
    return _count


def check(condition, what):
    global _count
    _count += 1
    assert condition, what


class Kiosk:
    """`environment` is added to the display's; `prepare` runs in the child before the program starts. `has_window` is
    false if its window is on another screen."""

    SIZES = {"pin": (360, 600), "pin-decoys": (360, 600), "letters": (480, 520), "pattern": (360, 600)}

    def __init__(self, display, program, bank, *options, environment=None, prepare=None, has_window=True):
        def before():
            ends_with_the_test()
            if prepare:
                prepare()

        self.display = display
        self.layout = options[options.index("--layout") + 1] if "--layout" in options else "pin"
        self.size = self.SIZES[self.layout]
        colours = "dark" if "--dark" in options else "light"
        self.board, self.dot = BOARD[colours], DOT[colours]
        self.labels = None
        self.process = subprocess.Popen(
            [program, "--bank", bank, *options], env={**display.environment, **(environment or {})},
            preexec_fn=before, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=display.folder)
        display.children.append(self.process)
        try:
            if has_window:
                self.name = self.wait_for(self.find_name, "its place on the bus")
                self.window = self.wait_for(self.find_window, "its window")
        except BaseException:
            print(self.end(kill=True)[1], file=sys.stderr)
            raise

    def wait_for(self, condition, what):
        return wait_for(condition, what, self.process)

    def find_window(self):
        found = self.display.xdotool("search", "--maxdepth", "1", "--onlyvisible", "--name", "") .split()
        return found and int(found[-1])

    def find_name(self):
        for name, _ in self.display.applications():
            answer = self.display.call(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus.GetConnectionUnixProcessID", name)
            if answer.strip("(,)\n").split()[-1:] == [str(self.process.pid)]:
                return name
        return None

    # ---- What it says

    def accessible(self):
        return self.display.accessible(self.name, "/org/a11y/atspi/accessible/root")

    def find_labels(self):
        """The window's first box has the labels and the button."""
        path = "/org/a11y/atspi/accessible/root"
        for depth in range(3):
            found = self.display.children_of(self.name, path)
            if not found:
                return None
            path = found[0][1]
        return self.display.children_of(self.name, path)

    def says(self, place):
        """What a screen reader reads out: of the title, the prompt, the dots, the message or the button."""
        index = ("title", "prompt", "dots", "message", "button").index(place)
        labels = self.find_labels() if index == 4 or not self.labels else self.labels
        if not labels or len(labels) <= index:
            return None
        self.labels = labels
        return self.said_by(*labels[index])

    def said_by(self, name, path):
        answer = self.display.call(
            name, path, "org.freedesktop.DBus.Properties.Get", "org.a11y.atspi.Accessible", "Name")
        return answer.strip()[3:-4]  # (<'…'>,)

    def agreement(self):
        """The text above the keys that a person agrees to by typing; it is in a frame of its own."""
        path = "/org/a11y/atspi/accessible/root"
        for place in (0, 0, 1):
            found = self.display.children_of(self.name, path)
            if len(found) <= place:
                return None
            path = found[place][1]
        while found:
            label, found = path, self.display.children_of(self.name, path)
            path = found[0][1] if found else label
        return self.said_by(self.name, label)

    def wait_until_it_says(self, place, text):
        said = []

        def says():
            said.append(self.agreement() if place == "agreement" else self.says(place))
            return said[-1] == text

        try:
            check(self.wait_for(says, "%r" % text), text)
        except AssertionError as error:
            raise AssertionError("%s: the %s says %r" % (error, place, said[-1])) from None

    def wait_for_count(self, count):
        self.wait_until_it_says("dots", "%d characters typed" % count)

    def wait_for_message(self):
        return self.wait_for(lambda: self.says("message").strip(), "a message")

    # ---- What it shows

    def picture(self):
        """When it has come to rest."""
        def resting():
            before, after = self.screen(), self.screen()
            return after if before == after else None

        return self.wait_for(resting, "a picture that stays")

    def screen(self):
        return self.display.screen().crop(0, 0, *self.size)

    def keys(self):
        return keys_of(self.picture(), self.board)

    def shown(self, count):
        """The keys, when they have labels and there are so many dots: both are drawn together."""

        def complete():
            picture = self.picture()
            keys = keys_of(picture, self.board)
            return keys if dots_of(picture, self.board, self.dot) == count and any(key.label for key in keys) else None

        return self.wait_for(complete, "keys, and %d dots" % count)

    def page(self, order):
        """The keys of an unshuffled page by their names, when they have labels."""

        def complete():
            keys = self.keys()
            shown = [key.label is not None for key in keys]
            return keys if shown == [not name.startswith("blank") for name in order] else None

        return dict(zip(order, self.wait_for(complete, "the page %s" % order)))

    def wait_until_hidden(self):
        """No key has a label, so that nobody tries to type."""

        def hidden():
            keys = self.keys()
            return keys and all(key.label is None for key in keys)

        check(self.wait_for(hidden, "keys without labels"), "hidden")

    # ---- What is done to it

    def tap(self, *keys):
        self.display.tap(*((key.x, key.y) for key in keys))

    def type(self, text, order=PIN):
        """On an unshuffled page. Space is the key `space`."""
        page = self.page(order)
        self.tap(*(page["space" if character == " " else character] for character in text))

    def enter(self, passcode, prompt="Enter your PIN"):
        """When it asks for it."""
        self.wait_until_it_says("prompt", prompt)
        self.type(passcode)

    def log_in(self, passcode):
        self.enter(passcode)
        self.wait_until_it_says("prompt", "You are logged in.")

    def press_button(self, label):
        """The button is the one thing of this colour above the keyboard."""
        self.wait_until_it_says("button", label)
        blue = bytes.fromhex("3584e4")

        def place():
            picture = self.picture()
            found = [y for y in range(picture.height) if 8 * blue in picture.row(y)]
            y = found and found[len(found) // 2]
            return found and (picture.row(y).find(8 * blue) // 3, y)

        self.display.tap(self.wait_for(place, "the button"))
        self.display.xdotool("mousemove", 790, 890)  # Under the pointer, it has another colour.

    def resize(self, width, height):
        self.display.xdotool("windowsize", self.window, width, height)
        self.size = (width, height)

        def resized():
            picture = self.picture()
            return picture.pixel(0, height - 1) == picture.pixel(width - 1, height - 1) == self.board

        self.wait_for(resized, "a window of %d x %d" % self.size)

    def end(self, kill=False):
        """Its exit code, and what it said on standard error."""
        self.process.kill() if kill else self.process.terminate()
        try:
            errors = self.process.communicate(timeout=SECONDS)[1]
        finally:
            self.process.kill()
        if self.process in self.display.children:
            self.display.children.remove(self.process)
        return self.process.returncode, errors.decode()

    def end_well(self):
        ended = self.end()
        check(ended == (0, ""), "it ended with %d: %s" % ended)


def allow_core_dumps():
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def ready(test, bank, *options, **more):
    """A kiosk that waits for a passcode."""
    kiosk = test.kiosk(bank, *options, **more)
    what = {"letters": "password", "pattern": "pattern"}.get(kiosk.layout, "PIN")
    kiosk.wait_until_it_says("prompt", "Enter your " + what)
    return kiosk
