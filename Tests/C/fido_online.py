"""The calls of libcustomfido.so that send by themselves, against a server in place of the app's function.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import json
import time

from fido_client import APP, FACET, FACETS, FIDO, KEYBOARD, MISMATCH, PASSCODE, check, typed
from fido_party import NO_URLS, Server


# That the passcode is wrong, that a call was, or that all is well, a server cannot say.
LOCAL_CODES = (0, 10, 980, 999, 1001, 1002, 1005, 1006, 1007, 1011, 1012, 1100, 2001, 2002, 2003, 3005, 3006, 3007,
               3008, 3010, 3011, 3012, 3013, 3014, 3015, 4001, 7000, 7100, 7110, 9000, 9999, 19019, 2**32 - 1)


class Exchange(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("method", ctypes.c_char_p), ("url", ctypes.c_char_p),
                ("body", ctypes.c_void_p), ("body_length", ctypes.c_size_t), ("seconds", ctypes.c_uint),
                ("answer", ctypes.c_void_p), ("capacity", ctypes.c_size_t), ("answer_length", ctypes.c_size_t),
                ("status", ctypes.c_int), ("redirect_authorized", ctypes.c_int), ("content_type", ctypes.c_char * 64),
                ("location", ctypes.c_char * 1024), ("channel_binding", ctypes.c_char * 8192)]


SEND = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Exchange))
UAF, LIST = b"application/fido+uaf; charset=utf-8", b"application/fido.trusted-apps+json"


class Online(Server):
    """The same server behind a `send`. `twist` may spoil an exchange that was answered."""

    def __init__(self, client, twist=None, base="https://bank.example", app=APP, facets=FACETS):
        super().__init__(app)
        self.client, self.twist, self.said, self.list = client, twist, [], facets
        self.status, self.wrap, self.lifetime, self.accepts = 1200, "text", None, 1200
        self.send = SEND(self.exchange)
        check(FIDO.CustomFido_setServer(client.fido, f"{base}/get".encode(), f"{base}/send".encode(), 7, self.send,
                                        None), 0)

    def exchange(self, _, place):
        exchange = place.contents
        check((exchange.size, exchange.seconds), (ctypes.sizeof(Exchange), 7))
        url = exchange.url.decode()
        body = ctypes.string_at(exchange.body, exchange.body_length) if exchange.body else b""
        self.said.append((exchange.method.decode(), url))
        exchange.status, exchange.content_type = 200, UAF
        if exchange.method == b"GET":
            exchange.content_type, answer = LIST, self.list
        elif url.endswith("/get"):
            asked = json.loads(body)
            self.told = json.loads(asked["context"])
            message = [self.deregistration(("", ""))] if asked["op"] == "Dereg" else [
                self.ask(asked["op"], self.told["userName"] if asked["op"] == "Reg" else None,
                         policy=self.policy("C0DE#0001"), transaction=self.told.get("transactionText"))]
            answer = {"statusCode": self.status, "op": asked["op"],
                      "uafRequest": json.dumps(message) if self.wrap == "text" else message}
            if self.lifetime is not None:
                answer["lifetimeMillis"] = self.lifetime
            answer = json.dumps(answer)
        else:
            sent = json.loads(body)
            self.last = super().accept(json.loads(sent["uafResponse"]), {"tlsUnique": "dHU"} if self.binding else {})
            answer = json.dumps({"statusCode": self.accepts, "description": "",
                                 "additionalTokens": [{"type": "JWT", "value": self.token}]})
        if self.binding:
            exchange.channel_binding = b'{"tlsUnique":"dHU"}'
        ctypes.memmove(exchange.answer, answer.encode(), len(answer.encode()))
        exchange.answer_length = len(answer.encode())
        return (self.twist and self.twist(exchange)) or 0

    binding, joined_late, token = False, True, "token \u00e9"

    def start(self, what, user="kim", context=None):
        return getattr(FIDO, "CustomFido_start" + what)(self.client.fido, user and user.encode(),
                                                        context and context.encode())

    def resume(self, passcode, again=None, user=None):
        first = typed(passcode)
        second = typed(again) if again else ctypes.c_uint64(0)
        result = FIDO.CustomFido_resume(self.client.fido, PASSCODE, user, first, second)
        for keyboard in (first, second):
            if keyboard.value:
                check(KEYBOARD.CustomKeyboard_destroy(keyboard), 0)
        return result


def online(client):
    server = Online(client)
    status = ctypes.c_int()
    check(client.option(PASSCODE, 4, 1000), 0)
    check(server.start("Registration"), 10)
    check(server.said, [("POST", "https://bank.example/get"), ("GET", APP)])
    check(server.told, {"userName": "kim"})
    check(server.resume("4917", "4918"), -MISMATCH)
    check(server.resume("49172", "49172"), 0)
    check(client.text(FIDO.CustomFido_token), "token é")
    check(FIDO.CustomFido_serverStatus(client.fido, ctypes.byref(status)), 0)
    check(status.value, 1200)
    check(server.said[2:], [("POST", "https://bank.example/send")])
    check(server.resume("49172"), 1100)
    for wrap, binding in (("text", False), ("array", True)):
        server.wrap, server.binding = wrap, binding
        check(server.start("Authentication", context='{"transactionText":"Pay 1","deviceID":"x\\"y","n":1.5}'), 10)
        check(server.told, {"userName": "kim", "transactionText": "Pay 1", "deviceID": 'x"y', "n": 1.5})
        check(client.text(FIDO.CustomFido_transaction), "Pay 1")
        check(server.resume("0000"), 3012)
        check(server.resume("49172"), 0)
    server.binding = False
    # The server was asked for one user: another's key neither shows nor signs. Tokens are as long as an answer can be.
    check(server.start("Registration", "zoe"), 10)
    server.token = "t" * 60_000
    check(server.resume("49172"), 0)
    check(client.text(FIDO.CustomFido_token), server.token)
    server.token = "token"
    check(server.start("Authentication"), 10)
    check(client.accounts(PASSCODE), ["kim"])
    check(client.finish(PASSCODE, "49172"), 1100, "what a server is waiting for is not answered by the app")
    check(server.resume("49172", user=b"zoe"), 1001)
    check(server.resume("49172"), 0)
    check(client.text(FIDO.CustomFido_token), "token")
    # A token is that of the last session only.
    for end in (lambda: FIDO.CustomFido_cancel(client.fido), lambda: client.begin(b"{}") - 1005,
                lambda: server.start("Authentication") - 10):
        check(server.start("Authentication"), 10)
        check(server.resume("49172"), 0)
        check(client.text(FIDO.CustomFido_token), "token")
        check(end(), 0)
        check(client.text(FIDO.CustomFido_token), "")
    # What one server has asked is not answered to the next one.
    said, keys = server.said, server.keys
    server = Online(client)
    check(server.resume("49172"), 1100)
    check((server.said, said[-1]), ([], ("GET", APP)))
    server.keys, server.token = keys, "token"
    check(server.start("Authentication", "nobody"), 1009)
    for user, result in ((None, 19019), ("", 19019), ("a b", 1011), ("é", 1011), ("x" * 129, 1011)):
        check(server.start("Authentication", user), result)
    for context in ("", "[]", '{"userName":"bob"}', '{"a":[]}', '{"a":1'):
        check(server.start("Authentication", context=context), 1001, context)

    # What the network and the server may do.
    def spoil(**members):
        def twist(exchange):
            for name, value in members.items():
                setattr(exchange, name, value)
        return twist

    before = len(server.said)
    for twist in (lambda _: 1, spoil(status=500), spoil(status=302, location=b"http://evil"),
                  spoil(answer_length=1 << 40), spoil(answer_length=65537), spoil(content_type=b"text/html"),
                  spoil(content_type=b"application/fido+uafx")):
        server.twist = twist
        check(server.start("Authentication"), 4001)
    check(len(server.said), before + 7, "nothing is sent twice")
    server.twist = spoil(answer_length=20)
    check(server.start("Authentication"), 1005)

    # The list of facets: redirects only to https, and only if they are authorized; five at most.
    hops = []

    def redirect(location, authorized=1, most=99):
        def twist(exchange):
            if exchange.method == b"GET" and len(hops) < most:
                hops.append(exchange.url)
                exchange.status, exchange.location, exchange.redirect_authorized = 302, location, authorized
        hops.clear()
        return twist

    for arguments, result, count in (((b"https://a.example/", 1, 5), 10, 5), ((b"https://a.example/", 1, 6), 2001, 6),
                                     ((b"https://a.example/", 0), 2001, 1), ((b"http://a.example/",), 2001, 1),
                                     ((b"",), 2001, 1), ((b"https://a b/",), 2001, 1), ((b"https://",), 2001, 1),
                                     ((b"https://a\r\nX: y",), 2001, 1), ((b"https://u@a/",), 2001, 1)):
        server.twist = redirect(*arguments)
        check(server.start("Authentication"), result, str(arguments))
        check(len(hops), count)

    def other_list(exchange):
        if exchange.method == b"GET":
            exchange.content_type = b"application/json"
    server.twist = other_list
    check(server.start("Authentication"), 2001)
    server.twist = None
    for server.app in NO_URLS:
        before = len(server.said)
        check(server.start("Authentication"), 2001, repr(server.app))
        check([method for method, _ in server.said[before:]], ["POST"], "no list is asked for")
    server.app = APP

    # Cancelled, or used by another call, while a message is under way.
    inside = []

    def cancel(_):
        inside.append(client.begin(server.ask("Auth")))
        inside.append(FIDO.CustomFido_cancel(client.fido))
    server.twist = cancel
    check(server.start("Authentication"), 999)
    check(inside, [-16, 0])
    server.twist = None

    # A server's status.
    for code, result in ((1400, 9999), (1401, 9000), (1403, 9000), (1404, 9999), (1408, 4001), (1480, 1009),
                         (1490, 1002), (1492, 2002), (1497, 2002), (1498, 9999), (1500, 9999), (1008, 1008),
                         (1009, 1009), (13006, 13006), (15007, 15007), *((code, 9999) for code in LOCAL_CODES)):
        server.status = code
        check(server.start("Authentication"), result, str(code))
        server.status, server.accepts = 1200, code
        check(server.start("Authentication"), 10)
        check(server.resume("49172"), result, str(code))
        server.accepts = 1200
    # A millisecond may be over at once.
    server.status, server.lifetime = 1200, 0
    check(server.start("Authentication") in (10, 1100), True)
    time.sleep(0.01)
    check(server.resume("49172"), 1100, "after its lifetime")
    server.lifetime = None

    # An answer that could not be sent is forgotten, and a new key kept: the server may have got it.
    server.twist = lambda exchange: exchange.url.endswith(b"/send")
    for what, user in (("Registration", "mia"), ("Authentication", "kim")):
        check(server.start(what, user), 10)
        check(server.resume("49172"), 4001)
        check(client.text(FIDO.CustomFido_response), 1100)
        check(server.resume("49172"), 1100)
    server.twist = None
    check(server.start("Authentication", "mia"), 10)

    # A registration that the server refuses leaves no key; one without a verdict keeps it; 1481 deletes it.
    for code, result, stays in ((1498, 9999, 1009), (1408, 4001, 10)):
        server.accepts = code
        check(server.start("Registration", "lee"), 10)
        check(server.resume("49172"), result)
        server.accepts = 1200
        check(server.start("Authentication", "lee"), stays)
    server.accepts = 1481
    check(server.resume("49172"), 1009)
    server.accepts = 1200
    check(server.start("Authentication", "lee"), 1009)
    check(server.start("DeregistrationAll"), 0)
    check(server.told, {"userName": "kim", "deregisterAll": True})
    check(server.start("Authentication"), 1009)
    for url in (b"", b"ftp://x", b"http://bank.example", b"http://localhost.evil", b"http://localhost:x@evil",
                b"https://", b"https://a b", b"https:///x", b"https://u@a/", b"https://" + b"a" * 1020):
        check(FIDO.CustomFido_setServer(client.fido, url, b"https://x/", 0, server.send, None), 1001, url)
    for url in (b"http://localhost:8080/x", b"http://127.0.0.1", b"http://[::1]:1/"):
        check(FIDO.CustomFido_setServer(client.fido, url, b"https://x/", 0, server.send, None), 0, url)


def other_users(client):
    """A server that asks for another user's registration than the one who wants it."""
    server = Online(client)
    ask = server.ask
    server.ask = lambda op, user=None, **more: ask(op, user and "eve", **more)
    check(server.start("Registration"), 1005)
    check(server.resume("49172", "49172"), 1100)


def origins(client):
    """A key belongs to the server that it was made with: another one that sends the same appID and challenge sees no
    key, gets no answer and deletes nothing. The appID, or the app, may vouch for another server."""
    bank, login, pay = "https://bank.example", "https://login.bank.example", "https://pay.bank.example"

    def at(base, app=APP, facets=FACETS):
        server = Online(client, base=base, app=app, facets=facets)
        server.keys = keys
        return server

    def registers(*server):
        server = at(*server)
        check(server.start("Registration"), 10)
        check(server.resume("49172"), 0)
        return server.last

    def uses(*server, key=None):
        server = at(*server)
        found = server.start("Authentication")
        if found == 10:
            check(server.resume("49172"), 0)
            check(server.last, key)
        return found

    def add(origin):
        return FIDO.CustomFido_addOrigin(client.fido, origin and origin.encode())

    def facets_of(*ids):
        return json.dumps({"trustedFacets": [{"version": {"major": 1, "minor": 0}, "ids": [FACET, *ids]}]})

    for app in ("", FACET, APP):
        keys = {}
        key = registers(bank, app)
        for other in ("https://evil.example", "https://bank.example:8443", "https://bank.example.evil.example",
                      "http://localhost", "https://ban", "https://bank.example."):
            if app == APP and other == "https://bank.example:8443":
                continue
            check(uses(other, app), 1009, other)
            check(at(other, app).start("DeregistrationAll"), 0, other)
        check(uses("HTTPS://BANK.example:443", app, key=key), 10, "what another server deregisters stays")
        # The other one's own key takes no other's place, and its bank's is used before it.
        check(registers("https://evil.example", app) != key, True)
        check(uses(bank, app, key=key), 10)
        check(at("https://evil.example", app).start("DeregistrationAll"), 0)
        check(uses("https://evil.example", app), 1009)
        # The app's own word.
        server = at(bank, app)
        check(client.begin(server.ask("Auth")), 10)
        check(at(bank, app).start("DeregistrationAll"), 0)
        check(uses(bank, app), 1009)

    # The appID's host, and the list of its facets.
    keys = {}
    first = registers(login)
    check(uses(bank, key=first), 10, "the appID is on this host")
    check(uses("https://bank.example:8443", key=first), 10)
    check(uses(pay), 1009)
    both = facets_of(login.upper().replace("HTTPS", "https") + ":443/", pay)
    check(uses(pay, APP, both, key=first), 10, "the list has this server")
    check(uses(pay, APP, facets_of(pay + ":8443", pay + ".evil.example", login)), 1009)
    second = registers(pay, APP, both)
    check(uses(login, APP, both, key=second), 10, "the newest of the bank's own")
    third = registers("https://evil.example")
    check(uses(login, APP, both, key=second), 10, "not that of a server for which nobody vouches")
    check(uses(bank, key=second), 10)

    # The app vouches, until the next server.
    server = at("https://uaf.example")
    check((server.start("Authentication"), add(pay), server.start("Authentication")), (1009, 0, 10))
    check(server.resume("49172"), 0)
    check(server.last, second)
    check((add(login.upper()), server.start("DeregistrationAll")), (0, 0))
    check(uses("https://uaf.example"), 1009)
    check(uses("https://evil.example", key=third), 10)
    check(at(bank).start("DeregistrationAll"), 0)
    check(uses("https://evil.example"), 1009)

    # A key that the app has made itself belongs to nobody's server, until the appID vouches for one.
    server, keys = at(login), {}
    check(client.begin(server.ask("Reg", "kim", policy=server.policy("C0DE#0001"))), 10)
    check(client.finish(PASSCODE, "49172"), 0)
    key = server.accept(client.response())
    check((add(bank), server.start("Authentication")), (0, 1009))
    keys = server.keys
    check(uses(bank, key=key), 10)
    check(uses(login, APP, both, key=key), 10)

    for origin in (None, "", "https://", "http://bank.example", "https://a/x", "https://a?", "https://a#",
                   "https://a//", "https://u@a", "https://a:0", "https://a:65536", "https://a:x", "https://a\\b",
                   "https://a b", "https://\u00e4", "https://[::1", "https://::1", "https://" + "a" * 256,
                   "ios:bundle-id:x", FACET):
        check(add(origin), 1001, repr(origin))
    for origin in ("https://a/", "HTTPS://[::1]:1", "http://localhost:8080", "http://127.0.0.1", "https://a:",
                   "https://" + "a" * 255 + ":65535", *(f"https://a{number}" for number in range(11))):
        check(add(origin), 0, origin)
    check((add("https://a11"), add("https://a10")), (1001, 0), "sixteen")
    check(at(bank).start("DeregistrationAll"), 0)
