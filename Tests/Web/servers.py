"""Two small servers on one machine, which are two origins and two sites: the page's on localhost, the frame's on
127.0.0.1. They serve files with the headers that Docs/Web.md recommends, and keep all that comes and goes.

SPDX-License-Identifier: Apache-2.0
"""

import http.server
import json
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
BINDINGS = os.path.join(HERE, "..", "..", "Bindings", "web")
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css",
         ".wasm": "application/wasm", ".json": "application/json"}
# What the pages of the tests choose themselves.
ATTRIBUTES = ["layout", "shuffle", "maximum", "minimum", "scheme", "accessible", "discreet", "mute", "announce",
              "offer", "aria-label"]
ALWAYS = "object-src 'none'; base-uri 'none'; form-action 'none'; report-uri /violations; "


class Server(http.server.ThreadingHTTPServer):
    """One origin. `answers` are functions by path, `folders` where files are."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, host, folders, policy):
        super().__init__(("127.0.0.1", 0), Handler)
        self.origin = "http://%s:%d" % (host, self.server_address[1])
        self.folders, self.policy = folders, policy
        self.traffic, self.violations, self.answers, self.texts = [], [], {}, {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address):
        """A browser that goes away in the middle is not an error."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)

    def sent(self):
        """All requests and answers, as bytes."""
        return b"\n".join(self.traffic)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, kind, body):
        self.server.traffic.append(b"answer " + body)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", ALWAYS + self.server.policy(self.path))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Origin-Agent-Cluster", "?1")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.server.traffic.append(self.requestline.encode() + b"\n" + bytes(self.headers))
        path = self.path.partition("?")[0].lstrip("/") or "index.html"
        if path == "favicon.ico":
            return self.answer(200, "image/x-icon", b"")
        if "/" + path in self.server.answers:
            return self.give("/" + path, None)
        if path in self.server.texts:
            return self.answer(200, TYPES[os.path.splitext(path)[1]], self.server.texts[path].encode())
        for folder in self.server.folders:
            file = os.path.join(folder, path)
            if "/" not in path and os.path.isfile(file) and os.path.splitext(path)[1] in TYPES:
                with open(file, "rb") as opened:
                    return self.answer(200, TYPES[os.path.splitext(path)[1]], opened.read())
        return self.answer(404, "text/plain", b"There is no such page.")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.traffic.append(self.requestline.encode() + b"\n" + bytes(self.headers) + body)
        if self.path == "/violations":
            self.server.violations.append(body.decode())
            return self.answer(200, "text/plain", b"")
        if self.path in self.server.answers:
            return self.give(self.path, body)
        return self.answer(404, "text/plain", b"There is no such page.")

    def give(self, path, body):
        status, value = self.server.answers[path](body)
        self.answer(status, "application/json", json.dumps(value).encode())

    def log_message(self, *_):
        pass


class Origins:
    """The page's server and the frame's, for a keyboard whose module is in the folder `module`."""

    def __init__(self, module):
        pages = os.path.join(HERE, "Pages")
        self.frame = Server("127.0.0.1", [BINDINGS, module], self.frame_policy)
        self.page = Server("localhost", [pages, BINDINGS, module], self.page_policy)
        self.parents = [self.page.origin]

    def frame_policy(self, _):
        return ("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors %s"
                % (" ".join(self.parents) or "'none'"))

    def page_policy(self, path):
        # A page that only frames keyboards runs no WebAssembly.
        wasm = "" if path.startswith("/framed.html") else " 'wasm-unsafe-eval'"
        return ("default-src 'self'; script-src 'self'%s; frame-src 'self' %s; frame-ancestors 'none'"
                % (wasm, self.frame.origin))

    def set_frame_key(self, way, key):
        """What the frame knows by itself."""
        self.frame.texts["keyboard.json"] = json.dumps(
            {"way": way, "key": key, "parents": self.parents, "free": ATTRIBUTES})

    @property
    def violations(self):
        return self.page.violations + self.frame.violations

    def sent(self):
        return self.page.sent() + self.frame.sent()
