"""Fingers for the kiosk. Nothing can touch an X server in memory; but GTK's Broadway, which shows windows in a browser,
takes touches as a browser hears them. This is as much of such a browser as touching needs.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import os
import socket
import struct
import subprocess
import threading

from display import ends_with_the_test, wait_for

# Numbers of Broadway's protocol: what the server says, by the size of its arguments, and what a browser says.
GRAB, UNGRAB, NEW, SHOW, HIDE, RAISE, LOWER, DESTROY, MOVE_RESIZE, TRANSIENT = range(10)
SHOW_KEYBOARD, UPLOAD, RELEASE, NODES, ROUNDTRIP = 12, 13, 14, 15, 16
PLAIN = {GRAB: 3, UNGRAB: 0, SHOW: 2, HIDE: 2, RAISE: 2, LOWER: 2, DESTROY: 2, TRANSIENT: 4, SHOW_KEYBOARD: 2}
TOUCH, CONFIGURED, SCREEN_SIZE, ROUNDTRIP_DONE = 5, 11, 12, 14
BEGIN, MOVE, END = range(3)


class Broadway:
    """A server of its own; its environment for a program; and the browser that is connected to it."""

    def __init__(self, folder, environment):
        self.environment = {**environment, "GDK_BACKEND": "broadway", "BROADWAY_DISPLAY": ":3"}
        self.environment.update(XDG_RUNTIME_DIR=folder, GSK_RENDERER="broadway")  # Pictures of Cairo's make it crash.
        web = os.path.join(folder, "web")
        self.server = subprocess.Popen(
            ["gtk4-broadwayd", "--unixsocket=" + web, ":3"], env=self.environment, preexec_fn=ends_with_the_test,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.surfaces = {}  # [x, y, width, height] by number
        self.serial, self.rest, self.failure = 0, b"", None
        self.socket = socket.socket(socket.AF_UNIX)
        wait_for(lambda: self.connects(web), "Broadway", self.server)
        request = "GET /socket HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nUpgrade: websocket\r\n"
        request += "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: broadway\r\n"
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((request + "Sec-WebSocket-Key: %s\r\n\r\n" % key).encode())
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(65536)
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head
        threading.Thread(target=self.listen, daemon=True).start()
        self.say(SCREEN_SIZE, 800, 900, 1)

    def connects(self, path):
        try:
            self.socket.connect(path)
            return True
        except OSError:
            return False

    def end(self):
        self.server.terminate()
        self.server.wait()
        self.socket.close()

    # ---- What the browser hears

    def take(self, count):
        while len(self.rest) < count:
            data = self.socket.recv(1 << 20)
            if not data:
                raise EOFError
            self.rest += data
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def listen(self):
        message = b""
        try:
            while True:
                first, size = self.take(2)
                if size & 127 == 126:
                    size = struct.unpack(">H", self.take(2))[0]
                elif size & 127 == 127:
                    size = struct.unpack(">Q", self.take(8))[0]
                message += self.take(size)
                if first & 128:
                    if first & 15 == 2:
                        self.obey(message)
                    message = b""
        except (EOFError, OSError):
            pass
        except Exception as error:
            self.failure = error

    def obey(self, message):
        place = 0

        def numbers(form):
            nonlocal place
            found = struct.unpack_from("<" + form, message, place)
            place += struct.calcsize("<" + form)
            return found

        while place < len(message):
            command, self.serial = numbers("BI")
            if command in PLAIN:
                place += PLAIN[command]
            elif command == NEW:
                surface, *place_and_size = numbers("HhhHH")
                self.surfaces[surface] = place_and_size
            elif command == MOVE_RESIZE:
                surface, parts = numbers("HB")
                if parts & 1:
                    self.surfaces[surface][:2] = numbers("hh")
                if parts & 2:
                    self.surfaces[surface][2:] = numbers("HH")
                self.say(CONFIGURED, surface, *self.surfaces[surface])
            elif command == UPLOAD:
                _, size = numbers("II")
                place += size
            elif command == RELEASE:
                numbers("I")
            elif command == NODES:
                _, size = numbers("HI")
                place += 4 * size
            elif command == ROUNDTRIP:
                self.say(ROUNDTRIP_DONE, *numbers("HI"))
            else:
                raise ValueError("command %d" % command)

    # ---- What it says

    def say(self, event, *numbers):
        data = struct.pack(">%di" % (3 + len(numbers)), event, self.serial, 0, *numbers)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(bytes([0x82, 0x80 | len(data)]) + mask + masked)

    def finger(self, what, which, x, y):
        """The point is one of the window's surface."""
        surface = min(self.surfaces)
        left, top = self.surfaces[surface][:2]
        x, y = int(x), int(y)
        self.say(TOUCH, what, surface, which, 0, left + x, top + y, x, y, 0)
