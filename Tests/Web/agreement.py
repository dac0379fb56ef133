"""A server of OPAQUE for one account: the C library's, beside the module.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os

from stub import decode, encode

ACCOUNT = b"anna"
SETUP, REQUEST, RESPONSE, RECORD, KE1, KE2, KE3, STATE, KEY = 96, 32, 64, 192, 96, 320, 64, 128, 64


class Server:
    """Honest but for what a server must do against guessing: it counts no attempts."""

    def __init__(self, stage):
        folder = os.path.join(stage.options.modules, "..", "libcustomkeyboard.so")
        self.library = ctypes.CDLL(os.path.abspath(folder))
        self.setup, self.public = self.call("opaqueSetup", [SETUP, 32])
        self.record, self.state, self.asked = b"", None, []
        answers = stage.origins.page.answers
        for path in ("respond", "keep", "answer", "check"):
            answers["/opaque/" + path] = self.answering(path)

    def call(self, name, sizes, *inputs):
        """The answers of a function, of these sizes; None if it has refused."""
        values = []
        for given in inputs:
            values += [given, ctypes.c_size_t(len(given))] if given is not None else [None]
        places = [ctypes.create_string_buffer(size) for size in sizes]
        for place in places:
            values += [place, ctypes.c_size_t(len(place)), ctypes.byref(ctypes.c_size_t())]
        if getattr(self.library, "CustomKeyboard_" + name)(*values) != 0:
            return None
        return [place.raw for place in places]

    def answering(self, path):
        def answer(body):
            message = decode(body.decode())
            self.asked.append((path, len(message)))
            return 200, encode(getattr(self, path)(message))
        return answer

    def respond(self, request):
        return self.call("opaqueRespond", [RESPONSE], self.setup, ACCOUNT, request)[0]

    def keep(self, record):
        self.record = record
        return b""

    def answer(self, ke1):
        ke2, self.state = self.call("opaqueAnswer", [KE2, STATE], self.setup, ACCOUNT, self.record, None, ke1)
        return ke2

    def check(self, ke3):
        """The session key. A state is used once."""
        state, self.state = self.state, None
        return self.call("opaqueCheck", [KEY], state, ke3)[0]
