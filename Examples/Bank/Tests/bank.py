"""Starts banks, and talks to them as clients do. All that is started here ends with the test.

SPDX-License-Identifier: Apache-2.0
"""

import atexit
import ctypes
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from sealing import decode, encode, seal

PROGRAM = os.environ.get("BANK_PROGRAM") or sys.exit("BANK_PROGRAM: the program to test; see run.sh")
SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))
PIN = "830274"  # one that the rules take
# For answers that must come: a busy machine takes its time.
PATIENCE = 120

checks = 0
counting = threading.Lock()


def check(condition, *inputs):
    """Counts a check, and ends the test at the first that fails."""
    global checks
    with counting:
        checks += 1
    if not condition:
        raise AssertionError(" ".join(map(str, inputs)) + " (SEED=%d)" % SEED)


def report(name):
    print("%s: %d checks" % (name, checks))


# ---- Folders and processes ------------------------------------------------------------------------------------------

_folder = None
_processes = []


def folder():
    """One for the whole test, removed at its end."""
    global _folder
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="bank-")
        os.chmod(_folder, 0o755)  # PostgreSQL may be another user, and has a folder below.
    return _folder


def subfolder(prefix):
    return tempfile.mkdtemp(prefix=prefix, dir=folder())


@atexit.register
def clean_up():
    for process in _processes:
        if process.poll() is None:
            process.kill()
            process.wait()
    if _folder is not None:
        shutil.rmtree(_folder, ignore_errors=True)


def stop_at_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


stop_at_signals()


def stop_children_at_signals():
    """A worker of this test ends at once: what it started is the test's, not its own."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


os.register_at_fork(after_in_child=stop_children_at_signals)


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def spawn(command, open_files=None, limit=None, **options):
    """A process that ends with the test, also if the test is killed; with a limit of open files if one is given, and
    other limits that `limit` sets."""

    def begin():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if open_files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))
        if limit:
            limit()

    process = subprocess.Popen(command, preexec_fn=begin, **options)
    _processes.append(process)
    return process


def small_keyboard():
    """A folder with a frame of nothing much."""
    web = os.path.join(folder(), "web")
    if not os.path.exists(web):
        os.mkdir(web)
        for name, text in (("frame.html", "<p>frame"), ("frame.js", "// frame\n"),
                           ("custom-keyboard.js", "// element\n"), ("custom-keyboard.wasm", "\0asm")):
            with open(os.path.join(web, name), "w") as file:
                file.write(text)
    return web


def free_ports(count):
    """Ports that were free a moment ago, outside the range from which the kernel gives ports to others: what is in
    front of the bank must name its ports, and the bank must name those in front."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first, last = map(int, file.read().split())
    ports = [port for port in range(10_000, 65_536) if not first <= port <= last] or list(range(10_000, 65_536))
    random.SystemRandom().shuffle(ports)
    return [port for port, _ in zip(filter(is_free, ports), range(count))]


def is_free(port):
    try:
        socket.create_server(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False


class Bank:
    """A server. `keyboard` is the folders of the frame, if it is to be the real one."""

    def __init__(self, *options, data=None, url=None, crash_reports=False, open_files=None, keyboard=()):
        self.data = data or subfolder("data-")
        self.keyboard = keyboard or (small_keyboard(),)
        self.options = options
        self.url = url
        self.crash_reports = crash_reports
        self.open_files = open_files
        self.log_path = os.path.join(subfolder("log-"), "log")
        self.start()

    def start(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Page")
        command = [PROGRAM, "--page", page, "--data", self.data]
        for path in self.keyboard:
            command += ["--keyboard", path]
        # A test may be slow itself. Only a test that wants to see an end asks for one that comes soon.
        command += ["--port", "0", "--frame-port", "0", "--request-seconds", "600", "--challenge-seconds", "86400",
                    "--session-seconds", "86400", "--state-seconds", "86400",
                    "--health-seconds", "600", *self.options]
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        if self.crash_reports:
            environment["SWIFT_BACKTRACE"] = "enable=yes,color=no,interactive=no"
        if self.url:
            environment["DATABASE_URL"] = self.url
        with open(self.log_path, "a") as log:
            self.process = spawn(command, self.open_files, stdout=subprocess.PIPE, stderr=log, env=environment)
        self.ports = {}
        for name in (b"Page:", b"Frame:"):
            line = self.process.stdout.readline()
            if not line.startswith(name):
                raise AssertionError("the bank did not start: %r\n%s" % (line, self.log()[-2000:]))
            self.ports[name.decode()[:-1].lower()] = int(line.rsplit(b":", 1)[1])
        self.port = self.ports["page"]

    def start_again(self):
        """A client of the server."""
        self.start()
        return Client(self.port)

    def log(self):
        with open(self.log_path, errors="replace") as file:
            return file.read()

    def kill(self):
        self.port = None  # somebody else's server may get it
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Asks it to end, and answers its exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def memory(self):
        """Bytes of its own that are in use."""
        with open("/proc/%d/status" % self.process.pid) as file:
            return 1024 * next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))

    def threads(self, name):
        """What /proc says of each of its threads, in the file of this name."""
        tasks = "/proc/%d/task" % self.process.pid
        for task in os.listdir(tasks):
            try:
                with open(os.path.join(tasks, task, name)) as file:
                    yield file.read()
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has ended

    def cpu_seconds(self):
        with open("/proc/%d/stat" % self.process.pid) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ---- Many at once ---------------------------------------------------------------------------------------------------


def in_threads(work, inputs):
    """The answers of `work` for each input, computed at the same time. An error is raised when all have ended."""
    with ThreadPoolExecutor(len(inputs)) as pool:
        return list(pool.map(work, inputs))


def in_processes(work, inputs):
    """The answers of `work` for each list of arguments, each in its own process. The first error ends the test."""
    context = multiprocessing.get_context("fork")
    results = context.Queue()

    def run(arguments):
        try:
            results.put((work(*arguments), None))
        except BaseException as error:
            results.put((None, repr(error)))

    processes = [context.Process(target=run, args=(arguments,), daemon=True) for arguments in inputs]
    for process in processes:
        process.start()
    answers = []
    for _ in processes:
        answer, error = results.get()
        check(error is None, error)
        answers.append(answer)
    for process in processes:
        process.join()
    return answers


# ---- A client -------------------------------------------------------------------------------------------------------


class Closed(Exception):
    """The server closed the connection, or was killed."""


class Client:
    """One connection that is kept alive."""

    host = "bank"

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def close(self):
        self.socket.close()

    def send(self, method, path, body=b"", type="application/json", headers=""):
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        head = "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n" % (method, path, self.host, len(body))
        if type:
            head += "Content-Type: %s\r\n" % type
        self.send_raw((head + headers + "\r\n").encode() + body)

    def send_raw(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Closed(error) from None

    def read_line(self):
        while b"\r\n" not in self.rest:
            self.read_more()
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def read_more(self):
        try:
            data = self.socket.recv(65536)
        except socket.timeout:
            raise AssertionError("no answer in %d seconds" % PATIENCE) from None
        except OSError as error:
            raise Closed(error) from None
        if not data:
            raise Closed("the end of the connection")
        self.rest += data

    def receive(self, method="POST"):
        """The status, the fields with their names in small letters, the body."""
        status = int(self.read_line().split()[1])
        fields = {}
        while True:
            line = self.read_line()
            if not line:
                break
            name, value = line.split(b":", 1)
            fields[name.decode().lower()] = value.strip().decode()
        length = 0 if method == "HEAD" or status == 304 else int(fields.get("content-length", 0))
        while len(self.rest) < length:
            self.read_more()
        body, self.rest = self.rest[:length], self.rest[length:]
        return status, fields, body

    def ask(self, method, path, body=b"", **options):
        """The status and the JSON of the answer."""
        self.send(method, path, body, **options)
        status, _, body = self.receive(method)
        return status, json.loads(body)

    # ---- The protocol

    def key(self):
        status, answer = self.ask("GET", "/api/key")
        check(status == 200, "key", status, answer)
        return decode(answer["key"]), answer["keyId"]

    def challenge(self, account, purpose, **more):
        """Asks again while the bank is busy, as its page does."""
        while True:
            status, answer = self.ask("POST", "/api/challenge", {"account": account, "purpose": purpose, **more})
            if (status, answer.get("error")) != (503, "busy"):
                break
            time.sleep(0.01)
        check(status == 200, "challenge", status, answer)
        return answer["challenge"], decode(answer["context"])

    def login_body(self, account, pin, key):
        """A request that logs in: challenge and sealed text."""
        public_key, key_id = key
        challenge, context = self.challenge(account, "login")
        text = seal(public_key, context, pin.encode())
        return {"challenge": challenge, "keyId": key_id, "text": encode(text)}

    def login(self, account, pin, key):
        return self.ask("POST", "/api/login", self.login_body(account, pin, key))

    def register(self, account, pin, key, again=None, **options):
        body = self.texts_body(account, "register", key, text=pin, again=again or pin)
        return self.ask("POST", "/api/register", body, **options)

    def change(self, account, session, old, new, key, again=None):
        body = self.texts_body(account, "change", key, old=old, text=new, again=again or new)
        return self.ask("POST", "/api/change", body, headers=bearer(session))

    def texts_body(self, account, purpose, key, **pins):
        """A challenge, and a text for each PIN."""
        public_key, key_id = key
        challenge, context = self.challenge(account, purpose)
        texts = {name: encode(seal(public_key, context, pin.encode())) for name, pin in pins.items()}
        return {"challenge": challenge, "keyId": key_id, **texts}


def bearer(session):
    """The field of a request that names its session."""
    return "Authorization: Bearer %s\r\n" % session
