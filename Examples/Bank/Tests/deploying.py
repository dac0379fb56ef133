"""How the bank is installed: its unit for systemd, its file for a container, and the commands of its README for backups
and new keys, as they are written there.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import json
import os
import pwd
import re
import resource
import shlex
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import bank
from bank import PATIENCE, PIN, Bank, Client, bearer, check, report, small_keyboard, spawn, subfolder
from postgresql import PostgreSQL
from operations import command, start_that_fails
from protocol import refused, wait_for
from records import PostgreSQLRecords, SQLiteRecords, opened

EXAMPLE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(EXAMPLE, "Page")


def text_of(name):
    return Path(EXAMPLE, name).read_text(encoding="utf-8")


def run(command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
                            **options)
    return result.returncode, result.stdout


class NotStarted(Exception):
    """The bank has ended before it answered."""


def calls_of(name):
    """The system calls in one of systemd's sets."""
    calls = set()
    for word in run(["systemd-analyze", "syscall-filter", name])[1].splitlines()[1:]:
        word = word.strip()
        calls |= calls_of(word) if word.startswith("@") else set() if word.startswith("#") else {word}
    return calls


def confine(allowed):
    """Ends this process at the first other call."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    library.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint,
                                               ctypes.c_void_p]
    kill_process, allow = 0x80000000, 0x7fff0000
    context = library.seccomp_init(kill_process)
    for name in allowed:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            assert library.seccomp_rule_add_array(context, allow, number, 0, None) == 0
    assert library.seccomp_load(context) == 0


def answers(words, folder, limits=(), confined=None):
    """Starts the words of a file as a program, with the paths of this test in place of its own, and asks it. With
    `confined`, it runs as a user of its own, and may make only these system calls."""
    paths = {"/usr/local/bin/bank": bank.PROGRAM, "/usr/local/share/bank/page": PAGE,
             "/usr/local/share/bank/keyboard": small_keyboard(), "/var/lib/bank": os.path.join(folder, "data")}
    missing = set(paths) - set(words)
    check(not missing, "not in the file:", missing)
    # Free ports, of this machine only. Everything else is as it is written there.
    changed = {"--operator-port": "0", "--host": "127.0.0.1", "--operator-host": "127.0.0.1"}
    words = [paths.get(word, word) for word in words]
    for place, word in enumerate(words):
        if word in changed:
            words[place + 1] = changed[word]

    def limit():
        for kind, number in limits:
            # No higher than this machine allows.
            hard = resource.getrlimit(kind)[1]
            if hard != resource.RLIM_INFINITY:
                number = hard if number == resource.RLIM_INFINITY else min(number, hard)
            resource.setrlimit(kind, (number, number))
        if confined and os.geteuid() == 0:
            entry = pwd.getpwnam("nobody")
            os.setgroups([])
            os.setgid(entry.pw_gid)
            os.setuid(entry.pw_uid)
        if confined:
            confine(confined)

    if confined:
        # Where that user can reach it.
        words[0] = shutil.copy(bank.PROGRAM, folder)
        os.chmod(folder, 0o777)
        page = shutil.copytree(PAGE, os.path.join(folder, "page"))
        keyboard = shutil.copytree(small_keyboard(), os.path.join(folder, "keyboard"))
        words = [{PAGE: page, small_keyboard(): keyboard}.get(word, word) for word in words]
    log_path = os.path.join(folder, "log")
    with open(log_path, "w") as log:
        process = spawn(["sh", "-c", 'umask 0077; exec "$@"', "sh", *words, "--port", "0", "--frame-port", "0"],
                        stdout=subprocess.PIPE, stderr=log, cwd=folder, limit=limit)
    lines = [process.stdout.readline().decode() for _ in range(3)]
    if lines[0] == "":
        with open(log_path) as log:
            raise NotStarted(process.wait(PATIENCE), log.read())
    check(lines[2].startswith("Operator: "), lines)

    def is_healthy():
        try:
            with urllib.request.urlopen(lines[2].split()[1] + "/health") as answer:
                return json.load(answer)["status"] == "healthy"
        except urllib.error.HTTPError:
            return False  # a busy machine

    wait_for(is_healthy, "health")
    process.terminate()
    check(process.wait(PATIENCE) == 0, "exit status")
    modes = {name: os.stat(os.path.join(folder, "data", name)).st_mode & 0o777
             for name in os.listdir(os.path.join(folder, "data"))}
    check(modes["master.key"] == modes["recipient.key"] == modes["bank.sqlite"] == 0o600, modes)
    return lines


# ---- systemd --------------------------------------------------------------------------------------------------------


def runs_under_systemd():
    """systemd takes the unit; what it lets the bank do is little; and its command line and limits are enough."""
    unit, folder = text_of("bank.service"), subfolder("unit-")
    check(unit.count("/usr/local/bin/bank") == 1, "the program's place")
    unit = unit.replace("/usr/local/bin/bank", bank.PROGRAM)
    path = os.path.join(folder, "bank.service")
    Path(path).write_text(unit)
    status, said = run(["systemd-analyze", "verify", "--man=no", path])
    ours = [line for line in said.splitlines() if "bank.service" in line]
    check(status == 0 and not ours, status, said)
    # A control: a word that systemd does not know.
    Path(path).write_text(unit.replace("LockPersonality=yes", "LockPersonalities=yes"))
    check("LockPersonalities" in run(["systemd-analyze", "verify", "--man=no", path])[1], "verify says nothing")
    Path(path).write_text(unit)
    # The exposure as systemd counts it, from 0 to 10. 2 and less is what it calls OK.
    status, said = run(["systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=20", path])
    exposure = re.search(r"Overall exposure level for bank.service: ([0-9.]+)", said)
    check(status == 0 and exposure and float(exposure.group(1)) <= 2, said[-400:])

    settings = dict(line.split("=", 1) for line in text_of("bank.service").replace("\\\n", "").splitlines()
                    if "=" in line and not line.startswith("#"))
    kinds = {"LimitNOFILE": resource.RLIMIT_NOFILE, "LimitMEMLOCK": resource.RLIMIT_MEMLOCK,
             "LimitCORE": resource.RLIMIT_CORE}
    # 64M had room for three passcodes that are checked at once: the others were in memory that may go to a disk.
    check(settings["LimitMEMLOCK"] == "infinity", "the bank cannot lock what it checks on many processors")
    limits = [(kind, resource.RLIM_INFINITY if settings[name] == "infinity" else int(settings[name]))
              for name, kind in kinds.items()]
    words = shlex.split(settings["ExecStart"])
    lines = answers(words, subfolder("service-"), limits)
    check(lines[0] == "Page:  https://bank.example\n", lines)
    # As another user, and with no other system calls than systemd would allow.
    filters = [line.split("=", 1)[1] for line in text_of("bank.service").splitlines()
               if line.startswith("SystemCallFilter=")]
    check(filters == ["@system-service", "~@privileged"], filters)
    allowed = calls_of("@system-service") - calls_of("@privileged")
    answers(words, subfolder("service-"), confined=allowed)
    try:
        answers(words, subfolder("service-"), confined=allowed - {"mlock"})
        check(False, "a call that is not allowed is made")
    except NotStarted:
        check(True, "the control: a bank that may lock no memory is ended")


# ---- A container ----------------------------------------------------------------------------------------------------


def instructions(name):
    """The stages of a container file: lists of words with their arguments."""
    lines = [line for line in text_of(name).splitlines() if line and not line.startswith("#")]
    stages = []
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        word, rest = line.split(" ", 1)
        if word == "FROM":
            stages.append([])
        stages[-1].append((word, rest))
    return stages


def fits_into_a_container():
    """No engine for containers is needed: what the file copies is there, what the program loads is installed by it, and
    its command line starts the bank."""
    build, image = instructions("Containerfile")
    check([word for word, _ in build] == ["FROM", "RUN", "WORKDIR", "COPY", "RUN"], build)
    # It builds as the Makefile does, in a place from which the other stage takes the program.
    words = shlex.split(build[-1][1])
    check(words[:2] == ["swift", "build"] and words[-2:] == ["--product", "bank"], words)
    scratch = words[words.index("--scratch-path") + 1]
    copies = [shlex.split(rest) for word, rest in image if word == "COPY"]
    check(copies[0] == ["--from=build", scratch + "/release/bank", "/usr/local/bin/bank"], copies)
    for copy in copies[1:]:
        for source in copy[:-1]:
            # What `make web` builds is not in a new tree.
            path = os.path.join(EXAMPLE, "../..", source)
            check(source == "build/web/custom-keyboard.wasm" or os.path.exists(path), source)
    check(("USER", "bank") in image, "the bank runs as root")
    # Each library that the program loads is Swift's, and so inside the program then, or the image has it.
    installed = set(re.search(r"--no-install-recommends ([a-z0-9 -]+)", dict(image)["RUN"]).group(1).split())
    base = {"libc6", "libgcc-s1", "libstdc++6"}  # of Debian's own image: apt needs them
    loaded = subprocess.run(["ldd", bank.PROGRAM], stdout=subprocess.PIPE, text=True, check=True).stdout
    used = set()
    needed = re.findall(r"NEEDED +(\S+)", subprocess.run(
        ["objdump", "-p", bank.PROGRAM], stdout=subprocess.PIPE, text=True, check=True).stdout)
    for name in needed:
        path = re.search(r"^\s*%s => (\S+)" % re.escape(name), loaded, re.M)
        if "/swift/" in (path.group(1) if path else "") or name.startswith("ld-linux"):
            continue
        check(path, name, "is not found")
        # dpkg knows a file of /lib by the name under which it was packed.
        real = os.path.realpath(path.group(1))
        packages = [run(["dpkg", "-S", known])[1].split(":")[0] for known in (real, real.removeprefix("/usr"))]
        check(set(packages) & (installed | base), name, "is of", packages)
        used.update(packages)
    check(installed == used & installed, "installed for nothing:", installed - used)
    answers(json.loads(dict(image)["ENTRYPOINT"]), subfolder("container-"))


# ---- The README's commands ------------------------------------------------------------------------------------------


def commands_under(heading, page="README.md", language="sh"):
    """The blocks of commands under a heading."""
    section = re.search(r"^### %s\n(.*?)(?=^##)" % re.escape(heading), text_of(page), re.M | re.S)
    check(section, "no heading", heading)
    return re.findall(r"^```%s\n(.*?)^```$" % language, section.group(1), re.M | re.S)


def in_shell(commands, records, folder):
    """Runs them as they are written, with this test's program, folder and database."""
    lines = commands.replace("/var/lib/bank", records.data).replace("/backup", folder)
    check("systemctl" not in re.sub("^systemctl (start|stop|restart) bank$", "", lines, flags=re.M), lines)
    script = "systemctl() { :; }\nbank() { %s \"$@\"; }\nset -e\n" % shlex.quote(bank.PROGRAM) + lines
    variables = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    if records.url:
        variables["DATABASE_URL"] = records.url
        variables["PATH"] = records.server.programs + ":" + variables["PATH"]
    status, said = run(["sh", "-c", script], env=variables, cwd=folder)
    check(status == 0, lines, said)


def goes_back(records, heading):
    """An account that is in the backup can log in after it; one that is not is gone; sessions and locks are as they
    should be."""
    backup, restore = commands_under(heading)
    folder = subfolder("readme-")
    os.chmod(folder, 0o777)
    server, client, key = opened(records, "early")
    session = client.login("early", PIN, key)[1]["session"]
    begun = client.login_body("early", PIN, key)
    in_shell(backup, records, folder)
    check(client.ask("POST", "/api/login", begun)[0] == 200, "login")
    check(client.register("late", PIN, key)[0] == 200, "register")
    check(server.stop() == 0, "exit status")
    in_shell(restore, records, folder)
    client = server.start_again()
    check(client.key() == key, "another key")
    check(client.login("early", PIN, key)[0] == 200, "an account of the backup")
    refused(client.login("late", PIN, key), 401, "wrong")
    refused(client.ask("GET", "/api/account", headers=bearer(session)), 401, "session")
    refused(client.ask("POST", "/api/login", begun), 409, "challenge")
    check(server.stop() == 0, "exit status")


def replaces_a_key():
    """On one server, by the commands of the README."""
    begin, end = commands_under("A new recipient key")
    records = SQLiteRecords()
    folder = subfolder("readme-")
    server, client, old = opened(records, "early")
    begun = [client.login_body("early", PIN, old) for _ in range(2)]
    for commands, body, status in ((begin, begun[0], 200), (end, begun[1], 409)):
        check(server.stop() == 0, "exit status")
        in_shell(commands, records, folder)
        client = server.start_again()
        check(client.key() != old, "the old key")
        check(client.ask("POST", "/api/login", body)[0] == status, "a login that began before")
        check(client.login("early", PIN, client.key())[0] == 200, "login")
    check(server.stop() == 0, "exit status")


def replaces_a_leaked_recipient_key():
    """The old key opens nothing more, and nobody is logged in."""
    [commands] = commands_under("The recipient key has leaked", "Incidents.md")
    records = SQLiteRecords()
    server, client, old = opened(records, "early")
    session = client.login("early", PIN, old)[1]["session"]
    begun = client.login_body("early", PIN, old)
    check(server.stop() == 0, "exit status")
    in_shell(commands, records, subfolder("readme-"))
    client = server.start_again()
    refused(client.ask("POST", "/api/login", begun), 409, "key")
    refused(client.ask("GET", "/api/account", headers=bearer(session)), 401, "session")
    check(client.login("early", PIN, client.key())[0] == 200, "login")
    check(server.stop() == 0, "exit status")


def replaces_a_leaked_master_key(records):
    """Each right login moves its verifier to the new key, a wrong one moves nothing; who did not come loses the PIN."""
    begin, count, end = commands_under("The master key has leaked", "Incidents.md")
    folder, master = subfolder("readme-"), os.path.join(records.data, "master.key")
    os.chmod(folder, 0o777)
    server, client, key = opened(records, "early", "late", "other")
    check(server.stop() == 0, "exit status")
    old = Path(master).read_text()

    def verifiers():
        return dict(records.query("SELECT account, verifier FROM accounts"))

    def older():
        return int(command(records, "passcodes")[1].split("\n")[0].split(":")[1])

    before = verifiers()
    check(older() == 0 and all(each.startswith("$argon2id$") for each in before.values()), before)
    in_shell(begin, records, folder)
    client = server.start_again()
    check(Path(master).read_text() != old, "the master key is the old one")
    check(client.register("new", PIN, key)[0] == 200, "register")
    check(older() == 3, "older ones")
    for account in ("early", "new"):
        refused(client.login(account, "111222", key), 401, "wrong")
        check(client.login(account, PIN, key)[0] == 200, "login")
    refused(client.login("late", "111222", key), 401, "wrong")
    session = client.login("early", PIN, key)[1]["session"]
    check(client.change("early", session, PIN, "495162", key)[0] == 200, "change")
    check(older() == 2, "older ones after a login")
    after = verifiers()
    check(after["late"] == before["late"] and not after["early"].startswith("$"), after)
    in_shell(count, records, folder)
    # A server with the old order, beside and after a restart: it checks with either key, and moves nothing back.
    second = os.path.join(records.data, "second-master.key")
    swapped = Bank("--master-key", second, "--second-master-key", master, data=records.data, url=records.url)
    check("Exchange the two files" in swapped.log(), swapped.log())
    other = Client(swapped.port)
    check(other.login("early", "495162", key)[0] == other.login("late", PIN, key)[0] == 200, "login")
    check(verifiers() == after, "moved back")
    check(other.register("swapped", PIN, key)[0] == 200 and older() == 3, "a new account of the old order")
    check(swapped.stop() == 0, "exit status")
    check(client.login("swapped", PIN, key)[0] == 200 and older() == 2, "the key in use is another one")
    check(server.stop() == 0, "exit status")
    # The older key is needed as long as somebody has not come; neither key may take the other's place without it.
    os.rename(second, second + ".kept")
    check("2 accounts have a passcode" in start_that_fails(records), "a key that is needed")
    os.rename(second + ".kept", second)
    in_shell(end, records, folder)
    check(not os.path.exists(second) and older() == 0, "the end")
    client = server.start_again()
    check(client.login("early", "495162", key)[0] == 200 and client.login("new", PIN, key)[0] == 200, "login")
    for account in ("late", "other"):
        refused(client.login(account, PIN, key), 401, "wrong")
    check(server.stop() == 0, "exit status")
    Path(master).write_text(old)
    check("is not the master key of this database" in start_that_fails(records), "the old key")


def forgets_all_passcodes(records):
    """With the database and the old key, somebody knows every PIN: none is good any more, also under the new key, and
    nobody is logged in. A person whose account was closed registers again."""
    begin, end = commands_under("The master key and the database have leaked", "Incidents.md")
    folder, master = subfolder("readme-"), os.path.join(records.data, "master.key")
    os.chmod(folder, 0o777)
    server, client, key = opened(records, "alice", "bob")
    session = client.login("alice", PIN, key)[1]["session"]
    begun = client.login_body("bob", PIN, key)
    check(client.ask("GET", "/api/account", headers=bearer(session))[0] == 200, "a session")
    old = Path(master).read_text()
    check(server.stop() == 0, "exit status")
    in_shell(begin, records, folder)
    for commands in ("", end):
        in_shell(commands, records, folder)
        client = server.start_again()
        for account in ("alice", "bob"):
            refused(client.login(account, PIN, key), 401, "wrong")
        refused(client.ask("GET", "/api/account", headers=bearer(session)), 401, "session")
        refused(client.ask("POST", "/api/login", begun), 409, "challenge")
        check(Path(master).read_text() != old, "the master key is the old one")
        check(server.stop() == 0, "exit status")
    client = server.start_again()
    refused(client.register("alice", PIN, key), 409, "exists")
    [statements] = commands_under("A person has no PIN any more", "Incidents.md", "sql")
    for statement in statements.split(";")[1:-2]:
        records.query(statement)
    check(client.register("alice", "495162", key)[0] == 200, "register")
    check(client.login("alice", "495162", key)[0] == 200, "login")
    refused(client.login("bob", PIN, key), 401, "wrong")
    check(server.stop() == 0, "exit status")


def main():
    postgresql = PostgreSQL()
    runs_under_systemd()
    fits_into_a_container()
    goes_back(SQLiteRecords(), "Backups")
    goes_back(PostgreSQLRecords(postgresql), "Backups with PostgreSQL")
    replaces_a_key()
    replaces_a_leaked_recipient_key()
    replaces_a_leaked_master_key(SQLiteRecords())
    replaces_a_leaked_master_key(PostgreSQLRecords(postgresql))
    forgets_all_passcodes(SQLiteRecords())
    forgets_all_passcodes(PostgreSQLRecords(postgresql))
    report("bank, deploying")


if __name__ == "__main__":
    main()
