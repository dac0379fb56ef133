"""Drives Chromium by its DevTools protocol, over a pipe: no port, no package, no driver.

The browser reads commands from its file descriptor 3 and answers on 4: JSON that ends with NUL. It has a profile of its
own, and ends with this process, however that ends.

SPDX-License-Identifier: Apache-2.0
"""

import atexit
import ctypes
import fcntl
import json
import math
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE = 120  # seconds for anything; how busy the machine is must not matter

# One font, whatever the machine has: pictures are compared with kept ones.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <cachedir>%s</cachedir>
  <match target="pattern"><edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>
</fontconfig>
"""


GONE = {}  # instead of an answer
NO_SUCH_SESSION = -32001


class Gone(RuntimeError):
    """What was asked is no longer there."""


class Browser:
    """A browser. `scale` is the number of device pixels per point, for frames of other origins too; `zoom` is what a
    person sets in the browser's menu."""

    def __init__(self, scale=2, arguments=(), zoom=1):
        self.folder, self.zoom = tempfile.mkdtemp(prefix="browser-"), zoom
        if zoom != 1:
            os.makedirs(self.folder + "/profile/Default")
            with open(self.folder + "/profile/Default/Preferences", "w", encoding="utf-8") as file:
                json.dump({"partition": {"default_zoom_level": {"x": math.log(zoom, 1.2)}}}, file)
        with open(self.folder + "/fonts.conf", "w", encoding="utf-8") as file:
            file.write(FONTS % (self.folder + "/fonts"))
        environment = dict(os.environ, HOME=self.folder, FONTCONFIG_FILE=self.folder + "/fonts.conf", LANG="C.UTF-8")
        command = [
            "/usr/bin/chromium", "--headless=new", "--remote-debugging-pipe",
            "--user-data-dir=" + self.folder + "/profile", "--no-first-run", "--no-default-browser-check",
            "--disable-gpu", "--hide-scrollbars", "--mute-audio",
            "--disable-extensions", "--disable-sync", "--disable-background-networking", "--disable-component-update",
            "--password-store=basic", "--font-render-hinting=none", "--disable-lcd-text",
            # Root has no sandbox, nor have many containers; and tests read the memory of all processes.
            "--no-sandbox", "--force-device-scale-factor=%s" % scale, *arguments, "about:blank",
        ]
        ours, theirs = os.pipe(), os.pipe()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (theirs[0], ours[1])]

        def prepare():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

        with open(self.folder + "/log", "wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, preexec_fn=prepare,
                pass_fds=(3, 4), start_new_session=True)
        for fd in (*high, theirs[0], ours[1]):
            os.close(fd)
        self.input, self.output = theirs[1], ours[0]
        self.rest, self.last, self.answers, self.asked, self.listeners = b"", 0, {}, {}, []
        atexit.register(self.close)
        self.version = self.call("Browser.getVersion")["product"]

    def close(self):
        atexit.unregister(self.close)
        if self.process.poll() is None:
            try:
                self.call("Browser.close")
                self.process.wait(20)
            except (OSError, RuntimeError, subprocess.TimeoutExpired):
                pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # what may be left of its processes
        except ProcessLookupError:
            pass
        self.process.wait()
        for fd in (self.input, self.output):
            try:
                os.close(fd)
            except OSError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def begin(self, name, session=None, **parameters):
        """Sends a command. Returns its number, for `answer`."""
        self.last += 1
        number, command = self.last, {"id": self.last, "method": name, "params": parameters}
        if session:
            command["sessionId"] = self.asked[number] = session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.input, data):]
        return number

    def call(self, name, session=None, **parameters):
        return self.answer(self.begin(name, session, **parameters), name)

    def answer(self, number, name):
        """Waits for the answer to a command. Events that come meanwhile go to the listeners.

        Raises Gone if the frame or page that was asked ends first: Chromium answers no question that it had.
        """
        self.pump(lambda: number in self.answers, name)
        answer = self.answers.pop(number)
        self.asked.pop(number, None)
        if answer is GONE or answer.get("error", {}).get("code") == NO_SUCH_SESSION:
            raise Gone(name)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (name, answer["error"]))
        return answer["result"]

    def pump(self, is_done, what, patience=PATIENCE):
        """Reads answers and events until `is_done`."""
        end = time.monotonic() + patience
        while not is_done():
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.output], [], [], left)[0]:
                raise RuntimeError("%s: no answer in %d s" % (what, patience))
            data = os.read(self.output, 1 << 20)
            if not data:
                raise RuntimeError("%s: the browser has ended" % what)
            *whole, self.rest = (self.rest + data).split(b"\0")
            for text in whole:
                told = json.loads(text)
                if "id" in told:
                    self.answers[told["id"]] = told
                else:
                    if told["method"] == "Target.detachedFromTarget":
                        gone = told["params"]["sessionId"]
                        self.answers.update((number, GONE) for number, session in self.asked.items()
                                            if session == gone and number not in self.answers)
                    for listener in list(self.listeners):
                        listener(told)

    def rest_for(self, seconds):
        """Lets time pass, for what takes time by itself: a key that is held, a picture that fades."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                self.pump(lambda: time.monotonic() >= end, "rest", max(0.001, end - time.monotonic()))
            except RuntimeError:
                if self.process.poll() is not None:
                    raise

    def becomes(self, is_right):
        """Waits until something is as it should be, and answers whether it is."""
        for _ in range(round(PATIENCE / 0.05)):
            if is_right():
                return True
            self.rest_for(0.05)
        return False

    def processes(self):
        """The numbers of all its processes."""
        parents = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open("/proc/%s/stat" % name, "rb") as file:
                        parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
                except OSError:
                    pass
        found = {self.process.pid}
        while True:
            more = {pid for pid, parent in parents.items() if parent in found} - found
            if not more:
                return sorted(found)
            found |= more
