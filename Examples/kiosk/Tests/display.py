"""A screen of its own for a test: an X server in memory, a pointer, and the bus that screen readers listen to.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
import re
import signal
import struct
import subprocess
import time

from picture import Picture

SECONDS = 120  # long, because the machine may be busy; a hang is still noticed
libc = ctypes.CDLL(None, use_errno=True)

BUS = """<busconfig><type>session</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<servicedir>/usr/share/dbus-1/accessibility-services</servicedir><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""

# Pictures do not depend on the machine's fonts, nor on how it smooths them.
FONTS = """<fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>%s</cachedir>
<match target="pattern"><edit name="family" mode="assign" binding="strong"><string>DejaVu Sans</string></edit></match>
<match target="font"><edit name="hinting" mode="assign"><bool>false</bool></edit>
<edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="rgba" mode="assign"><const>none</const></edit></match></fontconfig>"""


def wait_for(condition, what, process=None):
    """The first answer that is true."""
    end = time.monotonic() + SECONDS
    while True:
        answer = condition()
        if answer:
            return answer
        assert process is None or process.poll() is None, "ended (%s) before: %s" % (process.returncode, what)
        assert time.monotonic() < end, "waited in vain for: %s" % what
        time.sleep(0.02)


def ends_with_the_test():
    """In a child: it is killed when the test ends in any way."""
    libc.prctl(1, signal.SIGKILL, 0, 0, 0)


class Display:
    def __init__(self, folder):
        self.folder, self.children = folder, []
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME", "USER") if name in os.environ}
        self.environment.update(LC_ALL="C.UTF-8", GDK_BACKEND="x11", GSK_RENDERER="cairo")
        runtime = os.path.join(folder, "runtime")
        os.makedirs(runtime, mode=0o700)
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
            self.environment[name] = runtime
        self.environment["GSETTINGS_BACKEND"] = "memory"
        self.environment["FONTCONFIG_FILE"] = self.file("fonts.conf", FONTS % runtime)
        try:
            self.start_x()
            self.start_bus()
        except BaseException:
            self.end()
            raise

    def file(self, name, contents):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(contents)
        return path

    def start(self, command, **options):
        process = subprocess.Popen(
            command, env=self.environment, preexec_fn=ends_with_the_test, stdin=subprocess.DEVNULL, **options)
        self.children.append(process)
        return process

    def start_x(self):
        ours, theirs = os.pipe()
        command = ["Xvfb", "-displayfd", str(theirs), "-screen", "0", "800x900x24", "-nolisten", "tcp", "-noreset"]
        server = self.start(command + ["-fbdir", self.folder], pass_fds=[theirs], stderr=subprocess.DEVNULL)
        os.close(theirs)
        with os.fdopen(ours) as pipe:
            number = pipe.readline().strip()
        assert number, "Xvfb does not start (%s)" % server.wait()
        self.environment["DISPLAY"] = ":" + number

    def start_bus(self):
        path = os.path.join(self.folder, "bus")
        self.bus = "unix:path=" + path
        self.environment.update(AT_SPI_BUS_ADDRESS=self.bus, DBUS_SESSION_BUS_ADDRESS=self.bus)
        configuration = self.file("bus.conf", BUS % path)
        command = ["dbus-daemon", "--nofork", "--nopidfile", "--config-file=" + configuration]
        daemon = self.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: os.path.exists(path), "the bus", daemon)

    def end(self):
        for process in reversed(self.children):
            process.terminate()
            process.wait()

    # ---- What is on the screen

    def screen(self):
        """The frame buffer is a file in the format XWD: words of a header, and pixels of four bytes."""
        with open(os.path.join(self.folder, "Xvfb_screen0"), "rb") as file:
            xwd = file.read()
        header = struct.unpack_from(">25I", xwd)
        size, width, height, line, colours = header[0], header[4], header[5], header[12], header[19]
        start = size + 12 * colours
        pixels = xwd[start : start + line * height]
        assert line == 4 * width, "%d bytes a line of %d pixels" % (line, width)
        data = bytearray(3 * width * height)
        data[0::3], data[1::3], data[2::3] = pixels[2::4], pixels[1::4], pixels[0::4]
        return Picture(width, height, data)

    # ---- What a person does

    def xdotool(self, *words):
        command = ["xdotool", *map(str, words)]
        ended = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        assert ended.returncode == 0, "%s: %s" % (command, ended.stderr)
        return ended.stdout

    def tap(self, *points):
        """All in one go: a person may be faster than the window."""
        self.xdotool(*(word for x, y in points for word in ("mousemove", x, y, "click", 1)))

    def ask_to_close(self, window):
        """What a window manager does when a person clicks its cross."""
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XInternAtom.restype = ctypes.c_ulong
        display = ctypes.c_void_p(x11.XOpenDisplay(self.environment["DISPLAY"].encode()))
        atoms = [x11.XInternAtom(display, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW")]
        # type ClientMessage, serial, sent, display, window, atom, format, five numbers
        event = struct.pack("iLiPLLi5l", 33, 0, 1, 0, window, atoms[0], 32, atoms[1], 0, 0, 0, 0)
        buffer = ctypes.create_string_buffer(event, 192)
        assert x11.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), buffer)
        x11.XCloseDisplay(display)

    # ---- What a screen reader knows

    def call(self, name, path, method, *arguments):
        command = ["gdbus", "call", "--address", self.bus, "--dest", name, "--object-path", path, "--method", method]
        ended = subprocess.run(
            [*command, "--", *arguments], env=self.environment, capture_output=True, text=True, timeout=SECONDS)
        return ended.stdout  # Nothing from what has gone meanwhile.

    def children_of(self, name, path):
        answer = self.call(name, path, "org.a11y.atspi.Accessible.GetChildren")
        return re.findall(r"\('([^']*)', (?:objectpath )?'([^']*)'\)", answer)

    def applications(self):
        return self.children_of("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")

    def accessible(self, name, path):
        """(path, role, all that is told) of each object from this one on."""
        role = self.call(name, path, "org.a11y.atspi.Accessible.GetRoleName")
        told = self.call(name, path, "org.freedesktop.DBus.Properties.GetAll", "org.a11y.atspi.Accessible")
        told += self.call(name, path, "org.a11y.atspi.Accessible.GetAttributes")
        told += self.call(name, path, "org.a11y.atspi.Text.GetText", "0", "-1")
        told += self.call(name, path, "org.freedesktop.DBus.Properties.GetAll", "org.a11y.atspi.Value")
        found = [(path, role.strip("(',)\n"), told)]
        for child, where in self.children_of(name, path):
            found += self.accessible(child, where)
        return found
