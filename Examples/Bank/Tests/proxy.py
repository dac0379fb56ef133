"""The bank behind a proxy with TLS, as Examples/Bank/nginx.conf describes it: its headers, what it refuses, and people
at the page and at the kiosk.

    proxy.py NGINX BUILD_DIR          BANK_PROGRAM from the environment

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import select
import socket
import ssl
import sys
import threading
import time
import warnings

from authority import Authority
from bank import PATIENCE, PIN, Bank, Client, check, free_ports, in_threads, report, spawn, subfolder

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..")
# Programs take every name that ends so for this machine.
PAGE, FRAME = "bank.localhost", "keyboard.bank.localhost"
OTHER = "495162"
SECONDS = 3  # of patience that the bank has with a request, where that is tested


def an_authority(more=()):
    """Of the bank's page and frame."""
    return Authority(subfolder("certificates-"), [PAGE, FRAME, *more])


# ---- The proxy ------------------------------------------------------------------------------------------------------


class Proxy:
    """nginx with the file of the example, in which only names, ports and paths are others."""

    def __init__(self, program, port, page_port, frame_port, authority):
        self.port, self.folder = port, subfolder("proxy-")
        with open(os.path.join(EXAMPLES, "nginx.conf")) as file:
            text = file.read()
        for old, new in (("bank.example", PAGE), ("listen 443 ", "listen 127.0.0.1:%d " % port),
                         ("127.0.0.1:8080", "127.0.0.1:%d" % page_port),
                         ("127.0.0.1:8081", "127.0.0.1:%d" % frame_port),
                         ("/etc/ssl/private/%s.pem" % PAGE, authority.certificate_path),
                         ("/etc/ssl/private/%s.key" % PAGE, authority.key_path)):
            check(old in text, old, "is in the example's file")
            text = text.replace(old, new)
        folders = "".join("%s_temp_path %s/%s;\n" % (name, self.folder, name)
                          for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration = os.path.join(self.folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write("daemon off;\nmaster_process off;\npid %s/pid;\nerror_log %s/error.log info;\n"
                       "events { worker_connections 512; }\nhttp {\naccess_log %s/access.log;\n%s%s}\n"
                       % (self.folder, self.folder, self.folder, folders, text))
        with open(os.path.join(self.folder, "output"), "w") as output:
            self.process = spawn([program, "-p", self.folder, "-e", self.folder + "/error.log", "-c", configuration],
                                 stdout=output, stderr=output)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            except OSError:
                check(self.process.poll() is None and time.monotonic() < deadline, "nginx:", self.log("output"))
                time.sleep(0.05)

    def log(self, name):
        with open(os.path.join(self.folder, name), errors="replace") as file:
            return file.read()


class Secure(Client):
    """A connection to the proxy, which speaks HTTP/1.1."""

    def __init__(self, port, authority, host=PAGE, version=None):
        super().__init__(port)
        self.host = host
        context = ssl.create_default_context(cafile=authority.path)
        if version:
            context.set_ciphers("ALL:@SECLEVEL=0")  # so that it is not this side that refuses
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that the version is old
                context.minimum_version = context.maximum_version = version
        context.set_alpn_protocols(["http/1.1"])
        self.socket = context.wrap_socket(self.socket, server_hostname=host)

    def fields(self, path):
        self.send("GET", path)
        status, fields, body = self.receive()
        check(status == 200, path, status, body)
        return fields, body


class Theatre:
    def __init__(self, nginx, build):
        self.build, self.authority = build, an_authority()
        port, page_port, frame_port = free_ports(3)
        self.page, self.frame = ("https://%s:%d" % (name, port) for name in (PAGE, FRAME))
        self.bank = Bank("--port", str(page_port), "--frame-port", str(frame_port), "--page-origin", self.page,
                         "--frame-origin", self.frame, "--proxy", "127.0.0.1",
                         "--fido-facet", "ios:bundle-id:com.example.bank",
                         "--fido-certificate", self.authority.certificate_path,
                         keyboard=(os.path.join(HERE, "../../../Bindings/web"), os.path.join(build, "web")))
        self.proxy = Proxy(nginx, port, page_port, frame_port, self.authority)

    def client(self, **options):
        return Secure(self.proxy.port, self.authority, **options)


# ---- Tests ----------------------------------------------------------------------------------------------------------


def logs_in(theatre):
    client = theatre.client()
    key = client.key()
    check(client.register("anna", PIN, key)[0] == 200, "register")
    status, answer = client.login("anna", OTHER, key)
    check((status, answer["error"], answer["attemptsLeft"]) == (401, "wrong", 4), status, answer)
    status, answer = client.login("anna", PIN, key)
    check(status == 200, status, answer)
    bearer = "Authorization: Bearer %s\r\n" % answer["session"]
    check(client.ask("GET", "/api/account", headers=bearer) == (200, {"account": "anna"}), "account")


def headers_name_the_origins(theatre):
    fields, body = theatre.client().fields("/")
    check("frame-src %s;" % theatre.frame in fields["content-security-policy"], fields)
    check(fields["strict-transport-security"].startswith("max-age=31536000"), fields)
    check(theatre.page.encode() in body and theatre.frame.encode() in body, body)
    frame = theatre.client(host=FRAME)
    fields, _ = frame.fields("/frame.html")
    check(fields["content-security-policy"].endswith("frame-ancestors %s" % theatre.page), fields)
    check("strict-transport-security" in fields, fields)
    check(json.loads(frame.fields("/keyboard.json")[1])["parents"] == [theatre.page], "the parents")
    check(frame.ask("GET", "/api/key")[0] == 404, "the frame's origin has no API")


def refuses_old_versions_and_other_names(theatre):
    def is_refused(**options):
        try:
            theatre.client(**options).close()
            return False
        except (ssl.SSLError, ConnectionError):
            return True

    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        check(not is_refused(version=version), version)
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        check(is_refused(version=version), version)
    check(is_refused(host="other.localhost"), "another name")


def answers_for_the_bank(theatre):
    """What nginx refuses by itself has the bank's form, and nothing of it can be framed or be taken for a page."""

    def refused(status, error, method, path, body=b"", headers="", host=PAGE):
        client = theatre.client(host=host)
        client.send(method, path, body, headers=headers)
        told, fields, body = client.receive(method)
        check(told == status and b'"error": "%s"' % error.encode() in body, method, path[:40], told, fields, body)
        check("frame-ancestors 'none'" in fields["content-security-policy"], fields)
        check(fields["x-content-type-options"] == "nosniff" and "strict-transport-security" in fields, fields)
        check("nginx/" not in fields["server"], "the version of nginx", fields)

    refused(413, "large", "POST", "/api/login", b" " * 9000)
    for host in (PAGE, FRAME):
        refused(403, "request", "POST", "/frame.html", b"{}", host=host)
        refused(414, "request", "GET", "/" + "a" * 20000, host=host)
        refused(400, "request", "GET", "/", headers="X: %s\r\n" % ("a" * 20000), host=host)
    client = theatre.client()
    client.host = "other.localhost"
    client.send("GET", "/")
    check(client.receive()[0] == 421, "a name that is changed after the handshake")
    theatre.bank.kill()
    refused(502, "unavailable", "GET", "/api/key")
    theatre.bank.start()
    check(theatre.client().ask("GET", "/api/key")[0] == 200, "the bank is there again")


def cuts_off_slow_bodies(theatre):
    """By the bank's own clock, which counts from the beginning, behind the proxy too."""
    patient = theatre.bank.options
    check(theatre.bank.stop() == 0, "exit status")
    theatre.bank.options = (*patient, "--request-seconds", str(SECONDS))
    theatre.bank.start()
    client = theatre.client()
    begun = time.monotonic()
    client.send_raw(b"POST /api/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                    b"Content-Length: 4000\r\n\r\n" % PAGE.encode())
    while not select.select([client.socket], [], [], 0.5)[0]:
        check(time.monotonic() - begun < PATIENCE, "a slow body is waited for")
        client.send_raw(b" ")
    status, _, body = client.receive()
    check((status, json.loads(body)["error"]) == (408, "slow"), status, body)
    check(time.monotonic() - begun > SECONDS * 0.9, "cut off after", time.monotonic() - begun)
    check(theatre.bank.stop() == 0, "exit status")
    theatre.bank.options = patient
    theatre.bank.start()


PATHS = {PAGE: ["/", "/icon.svg", "/page.css", "/page.js", "/custom-keyboard.js"],
         FRAME: ["/frame.html", "/frame.js", "/custom-keyboard.js", "/custom-keyboard.wasm", "/keyboard.json"]}


def lets_an_office_in(theatre):
    """Twelve people behind one address, who come at the same moment: nobody is refused, or told to come again."""
    wait_until_forgotten(theatre)
    begin = threading.Barrier(12)

    def visit(number):
        page, frame = theatre.client(), theatre.client(host=FRAME)
        begin.wait()
        for client in (page, frame):
            for path in PATHS[client.host]:
                client.fields(path)
        for enter in (page.register, page.login):
            status, answer = enter("office-%d" % number, PIN, page.key())
            check(status == 200, enter.__name__, status, answer)

    in_threads(visit, range(12))
    # The bank knows who it is: the proxy's client, not the proxy.
    told = [json.loads(line) for line in theatre.bank.log().splitlines() if line.startswith("{")]
    check(told and {line["address"] for line in told} == {"127.0.0.1"}, told[:3])
    client = theatre.client()
    body = client.login_body("office-0", PIN, client.key())
    check(client.ask("POST", "/api/login", body, headers="X-Real-IP: 192.0.2.7\r\n")[0] == 200, "login")
    last = [json.loads(line) for line in theatre.bank.log().splitlines() if line.startswith("{")][-1]
    check(last["address"] == "127.0.0.1", "a client's own word is passed on", last)


def wait_until_forgotten(theatre):
    """nginx forgets what an address has asked for, and answers as many again as at the beginning."""
    time.sleep(6)  # 100 requests at 20 a second


def refused_for_a_while(client, method="GET"):
    """Whether it is told to come again; anything else but success is an error."""
    status, fields, body = client.receive(method)
    if status == 200:
        return False
    check(status == 429 and json.loads(body)["error"] == "busy", status, body)
    check(fields["retry-after"] == "1" and fields["cache-control"] == "no-store", fields)
    return True


def limits_connections(theatre):
    """A hundred requests at once for one address, whatever they ask for."""
    wait_until_forgotten(theatre)
    head = "GET /api/key HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\n{" % PAGE
    slow = [theatre.client() for _ in range(100)]
    for client in slow:
        client.send_raw(head.encode())
    deadline = time.monotonic() + PATIENCE
    client = theatre.client()
    while True:
        client.send("GET", "/")
        if refused_for_a_while(client):
            break
        check(time.monotonic() < deadline, "a hundred and one at once")
        # They have come, and were cut off: the bank is patient for so long only.
        check(any(is_quiet(one) for one in slow), "a hundred were not enough")
    for one in slow:
        one.close()
    while True:
        client = theatre.client()
        client.send("GET", "/")
        if not refused_for_a_while(client):
            break
        check(time.monotonic() < deadline, "after they are gone")
        time.sleep(0.1)


def is_quiet(client):
    return not select.select([client.socket], [], [], 0)[0]


def limits_each_address(theatre):
    wait_until_forgotten(theatre)
    client, begun = theatre.client(), time.monotonic()
    # All at once: how fast this machine is plays no part.
    request = b"GET /api/key HTTP/1.1\r\nHost: %s\r\n\r\n" % PAGE.encode()
    client.send_raw(request * 400)
    refusals = [refused_for_a_while(client) for _ in range(400)]
    # 101 at once, and 20 a second.
    most = 102 + 20 * (time.monotonic() - begun)
    check(100 <= refusals.count(False) <= most and True in refusals, refusals.count(False), most)
    wait_until_forgotten(theatre)
    check(client.ask("GET", "/api/key")[0] == 200, "after a while")


def keeps_no_text(theatre):
    """Paths are in its log, and no passcode and no text is; no body is written to a file."""
    client = theatre.client()
    body = client.login_body("anna", PIN, client.key())
    check(client.ask("POST", "/api/login", body)[0] == 200, "login")
    time.sleep(0.1)
    logs = theatre.proxy.log("access.log") + theatre.proxy.log("error.log")
    check("POST /api/login" in logs, "the log has paths")
    check(not any(text in logs for text in (PIN, OTHER, body["text"][:40], body["challenge"])), logs[-2000:])
    # Many small chunks need the most room: nginx would say that it writes them to a file.
    text = json.dumps(client.login_body("anna", PIN, client.key())).encode()
    client.send_raw(b"POST /api/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                    b"Transfer-Encoding: chunked\r\n\r\n" % PAGE.encode())
    for byte in text + b" " * 4000:
        client.send_raw(b"1\r\n%c\r\n" % byte)
    client.send_raw(b"0\r\n\r\n")
    check(client.receive()[0] == 200, "a login in chunks")
    check("temporary file" not in theatre.proxy.log("error.log"), "a body was written to a file")


def people_log_in(theatre):
    root, build = os.path.join(HERE, "../../.."), theatre.build
    url = theatre.page
    run([sys.executable, "-B", os.path.join(root, "Tests/Web/browser.py"), os.path.join(build, "web"), "--bank", url,
         "--trust", theatre.authority.leaf_hash, "login_page.a_person_registers_and_logs_in",
         "login_page.the_page_keeps_to_its_policy"])
    run(["sh", os.path.join(root, "Examples/kiosk/Tests/run.sh"), build, "--bank", url,
         "--authority", theatre.authority.path, "--fido", "registering_and_logging_in",
         "an_unknown_authority", "registering_a_key", "a_stranger_in_between"])


def run(command):
    result = spawn(command)
    check(result.wait(600) == 0, command[1], "failed")


def main():
    nginx, build = sys.argv[1:]
    theatre = Theatre(os.path.abspath(nginx), os.path.abspath(build))
    for test in (logs_in, headers_name_the_origins, refuses_old_versions_and_other_names, answers_for_the_bank,
                 cuts_off_slow_bodies, lets_an_office_in, limits_connections, limits_each_address, keeps_no_text,
                 people_log_in):
        try:
            test(theatre)
        except BaseException:
            print("proxy: failed: %s" % test.__name__, file=sys.stderr)
            raise
    check(theatre.bank.stop() == 0, "exit status")
    report("bank, behind a proxy")


if __name__ == "__main__":
    main()
