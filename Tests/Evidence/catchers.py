"""What catches a planted bug: each test by the name that mutants.py uses, and each product with the tests that run if
those named for a bug do not notice it. For mutation.py, whose arguments and environment say where everything is.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import signal
import subprocess
import sys
import tempfile

ROOT, WORK = sys.argv[1:3]
COPY, PROGRAMS = os.path.join(WORK, "tree"), os.path.join(WORK, "programs")
LIBRARY, *OTHERS = [os.path.join(COPY, "build", "libcustom%s.so" % name) for name in ("keyboard", "vault", "fido")]
CC, SWIFT, JOBS = (os.environ.get(name, other) for name, other in [("CC", "gcc"), ("SWIFT", "swift"), ("JOBS", "2")])
PATIENCE = 600  # seconds; a test that takes longer hangs, and so fails
PROGRAM_PATIENCE = 300  # the same for one program of Tests/C
LONGEST_BUILD = 1800


class Trouble(Exception):
    """Why a bug could not be tried. It was neither caught nor did it survive."""


def run(command, environment=None, limit=PATIENCE):
    """Returns the exit status and the output. The process and all processes that it started are then gone."""
    process = subprocess.Popen(
        command,
        cwd=COPY,
        env=dict(os.environ, **environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        said = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return -1, "it hangs\n" + process.communicate()[0].decode(errors="replace")
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return process.returncode, said.decode(errors="replace")


def insist(what, command):
    status, said = run(command, limit=LONGEST_BUILD)
    if status != 0:
        raise Trouble("%s:\n%s" % (what, said[-4000:]))


# ---- Tests -----------------------------------------------------------------------------------------------------------


class Program:
    """A program of Tests/C, compiled once; it uses the current library."""

    libraries = ["-lcustomkeyboard", "-lcrypto", "-largon2", "-lmbedcrypto", "-lm"]

    def __init__(self, source, *arguments, flags=(), **environment):
        self.source, self.arguments, self.flags, self.environment = source, arguments, flags, environment
        self.command = [os.path.join(PROGRAMS, "-".join([source, *flags]).replace("/", "")), *arguments]
        self.says = source + ".c"

    def prepare(self):
        build = os.path.dirname(LIBRARY)
        source = os.path.join("Tests", "C", self.source + ".c")
        options = ["-std=c11", "-O2", "-pthread", "-IInclude", "-ITests/C", *self.flags]
        libraries = ["-L" + build, *self.libraries, "-Wl,-rpath," + build]
        insist(source, [CC, *options, "-o", self.command[0], source, *libraries])

    def fails(self):
        status, said = run(self.command, self.environment, PROGRAM_PATIENCE)
        return said if status != 0 else None


class VaultProgram(Program):
    """The same with the vault, which finds the keyboard's library beside it."""

    libraries = ["-lcustomvault", "-lcustomkeyboard", "-lsqlite3", "-lcrypto", "-ldl"]


class FidoProgram(Program):
    """The same with the FIDO client."""

    libraries = ["-lcustomfido", *VaultProgram.libraries]


class Script:
    def __init__(self, path):
        self.path, self.says = path, os.path.basename(path)

    def prepare(self):
        pass

    def fails(self):
        status, said = run(["sh", self.path, "build"], {"CC": CC})
        return said if status != 0 else None


class Installation(Script):
    """What programs find of an installation, in a folder of its own."""

    def fails(self):
        with tempfile.TemporaryDirectory(dir=WORK) as work:
            status, said = run(["sh", self.path, "build", work], {"CC": CC})
        return said if status != 0 else None


class Package(Script):
    """The test of a package for another language, on what `make TARGET` builds."""

    def __init__(self, target):
        super().__init__("Tests/Bindings/%s.sh" % target)
        self.target = target

    def prepare(self):
        insist("the package is not built", ["make", self.target, "JOBS=" + JOBS, "CC=" + CC, "SWIFT=" + SWIFT])


class Instructions:
    """Looks at the instructions of the libraries' modules, as they are on x86-64."""

    says, file = "instruction-sets.sh", "Tests/C/instruction-sets.sh"

    def prepare(self):
        pass

    def fails(self):
        status, said = run(["bash", self.file, ".build/c-abi/release"], {"CC": CC})
        return said if status != 0 else None


class FidoServer:
    """The server in Python that checks every answer of the FIDO client."""

    says = "fido_server.py"

    def prepare(self):
        pass

    def fails(self):
        status, said = run(["python3", "-B", "Tests/C/fido_server.py", "build"], {"LD_LIBRARY_PATH": "build"})
        return said if status != 0 else None


class Peer:
    """A program of Tests/C in Python, which compares the library with others."""

    def __init__(self, name, *arguments):
        self.says, self.arguments = name + ".py", arguments

    def prepare(self):
        pass

    def fails(self):
        status, said = run(["python3", "-B", "Tests/C/" + self.says, LIBRARY, *self.arguments])
        return said if status != 0 else None


class Example:
    """The test of an example in C, which is compiled each time: the bug may be in the example."""

    def __init__(self, source, test):
        self.source, self.says = source, test + ".py"

    def prepare(self):
        insist("the library does not compile", ["make", "all", "JOBS=" + JOBS, "CC=" + CC, "SWIFT=" + SWIFT])

    def fails(self):
        program, build = os.path.join(PROGRAMS, os.path.basename(self.source)), os.path.dirname(LIBRARY)
        insist(self.source, [CC, "-std=c11", "-O2", "-IInclude", "-o", program, self.source + ".c", "-L" + build,
                             "-lcustomkeyboard", "-Wl,-rpath," + build])
        status, said = run(["python3", "-B", "Tests/C/" + self.says, program])
        return said if status != 0 else None


class Web:
    """Parts of the tests in Chromium. The module is built once; the element's files need no building."""

    def __init__(self, *parts):
        self.parts, self.says = parts, "browser.py " + " ".join(parts)

    def prepare(self):
        there = os.path.join(ROOT, "build", "web", "mbedtls")
        source = ["WEB_MBEDTLS=" + there] if os.path.exists(there) else []
        insist("the module does not compile", ["make", "web", "JOBS=" + JOBS, "SWIFT=" + SWIFT, *source])

    def fails(self):
        status, said = run(["python3", "-B", "Tests/Web/browser.py", "build/web", *self.parts])
        return said if status != 0 else None


class Bank:
    """A test of the example bank, as `make test-bank` runs it."""

    def __init__(self, *names):
        self.names, self.says = names, " ".join(name + ".py" for name in names)

    def prepare(self):
        pass

    def fails(self):
        for name in self.names:
            status, said = run(["python3", "-B", "Tests/Bank/%s.py" % name], {"BANK_PROGRAM": BANK.file})
            if status != 0:
                return said
        return None


class Kiosk:
    """Groups of the tests of the window."""

    def __init__(self, *groups):
        self.groups, self.says = groups, "kiosk.py " + " ".join(groups)

    def prepare(self):
        pass

    def fails(self):
        status, said = run(["sh", "Tests/Kiosk/run.sh", "build", *self.groups], {"CC": CC})
        return said if status != 0 else None


class SwiftTests:
    """The Swift tests of a target, or all; they use the ordinary build, not the C library's."""

    def __init__(self, target=None):
        self.says, self.filter = target or "all Swift tests", ["--filter", target] if target else []

    def prepare(self):
        # SwiftPM would compile C with CC, and its options are clang's.
        build = ["env", "-u", "CC", "-u", "CXX", SWIFT, "build", "-j", JOBS, "--build-tests"]
        insist("the Swift tests do not compile", build)

    def fails(self):
        self.prepare()
        status, said = run([SWIFT, "test", "--skip-build", *self.filter], {"SWIFT_BACKTRACE": "enable=no"})
        if not re.search(r"Test run with [1-9]\d* tests", said):
            return said if status != 0 else "no test ran"
        return said if status != 0 else None


class Tool:
    """Groups of a program of Tests/Tool, or all, with the tool that the ordinary build makes."""

    def __init__(self, program, *groups):
        self.program, self.groups, self.says = program, groups, " ".join([program + ".py", *groups])

    def prepare(self):
        insist("the tool does not compile",
               ["env", "-u", "CC", "-u", "CXX", SWIFT, "build", "-j", JOBS, "--product", "keyboard"])

    def fails(self):
        self.prepare()
        program = ["python3", "-B", "Tests/Tool/%s.py" % self.program, ".build/debug/keyboard"]
        status, said = run([*program, *self.groups])
        return said if status != 0 else None


class Snippets(Tool):
    """The Swift of the pages, compiled with the modules that the tool needs."""

    def __init__(self):
        super().__init__("snippets")

    def fails(self):
        self.prepare()
        status, said = run(["python3", "-B", "Tests/Tree/snippets.py", ".build/debug"], {"SWIFT": SWIFT})
        return said if status != 0 else None


HEADER, VAULT_HEADER, FIDO_HEADER = ["Include/custom_%s.h" % name for name in ("keyboard", "vault", "fido")]
TESTS = {
    "arguments": Program("arguments"),
    "callback_end": Program("callback_end"),
    "callback_inside": Program("callback_inside"),
    "callbacks": Program("callbacks"),
    "bad_place": Program("bad_place"),
    "cancel": Program("cancel", HEADER),
    "depth": Program("depth", HEADER, "depth"),
    "depth, aesni": Program("depth", HEADER, "depth", CUSTOM_KEYBOARD_SM4="aesni"),
    "depth, portable": Program("depth", HEADER, "depth", CUSTOM_KEYBOARD_SM4="portable"),
    "draws": Program("draws"),
    "cancel_alone": Program("cancel_alone", HEADER),
    "ended": Program("ended"),
    "fork": Program("fork"),
    "fork_between": Program("fork_between"),
    "fork_between, portable": Program("fork_between", "100", CUSTOM_KEYBOARD_SM4="portable"),
    "fork_inside": Program("fork_inside", HEADER),
    "caller_memory": Program("caller_memory", "20"),
    "job_race": Program("job_race"),
    "job_race, aesni": Program("job_race", CUSTOM_KEYBOARD_SM4="aesni"),
    "predict": Program("predict", "lazy", "predict", flags=("-fno-builtin", "-Wl,-z,lazy")),
    "pages": Program("pages", "build/libcustomkeyboard.so", flags=("-ldl",)),
    "registers": Program("registers", HEADER, "registers"),
    "typed": Program("typed"),
    "terminal_example": Example("Examples/c-terminal/terminal", "terminal_example"),
    "two_copies": Program("two_copies", "build/libcustomkeyboard.so", flags=("-ldl",)),
    "CustomKeyboardTests": SwiftTests("CustomKeyboardTests"),
    "batch": Program("batch"),
    "batch, portable": Program("batch", CUSTOM_KEYBOARD_SM4="portable"),
    "causes": Program("causes"),
    "causes, vault": VaultProgram("causes", VAULT_HEADER, flags=("-DVAULT_CALLS",)),
    "causes, FIDO": FidoProgram("causes", FIDO_HEADER, flags=("-DFIDO_CALLS",)),
    "contract": Program("contract"),
    "derive": Program("derive"),
    "differential": Program("differential"),
    "hostile": Program("hostile"),
    "install": Installation("Tests/C/install.sh"),
    "instructions": Instructions(),
    "kept": Program("kept"),
    "layout": Program("layout"),
    "limits": Program("limits"),
    "padding": Program("padding"),
    "passcode": Program("passcode"),
    "verifier": Program("verifier"),
    "without_memory": Program("without_memory"),
    "dukpt": Program("dukpt"),
    "pin": Program("pin"),
    "pin_peers": Peer("pin_peers", "Tests/Vectors"),
    "placement": Program("placement"),
    "residue": Program("residue", "lazy", "residue", flags=("-fno-builtin", "-Wl,-z,lazy")),
    "sealed": Program("sealed"),
    "sealed_arguments": Program("sealed_arguments"),
    "sealed_keys": Program("sealed_keys"),
    "sealed_peers": Peer("sealed_peers", "Tests/Vectors/hpke.txt"),
    "signing": Program("signing"),
    "signing_peers": Program("signing_peers"),
    "threads": Program("threads"),
    "timing": Script("Tests/C/secrets.sh"),
    "unseal_batch": Program("unseal_batch"),
    "vectors": Program("vectors", "Tests/Vectors"),
    "vault": VaultProgram("vault"),
    "vault_damage": VaultProgram("vault_damage", "31"),
    "vault_kill": VaultProgram("vault_kill", "100"),
    "vault_passcode": VaultProgram("vault_passcode"),
    "vault_meanwhile": VaultProgram("vault_meanwhile"),
    "vault_passcode_key": VaultProgram("vault_passcode_key"),
    "vault_rekey": VaultProgram("vault_rekey"),
    "vault_words": VaultProgram("vault_words", "Tests/Vectors/bip39.txt"),
    "vault_faults": VaultProgram("vault_faults", "60"),
    "vault_tries": VaultProgram("vault_tries", "60"),
    "vault_power": VaultProgram("vault_power"),
    "vault_caller_memory": VaultProgram("caller_memory", "4", flags=("-DVAULT_CALLS",)),
    "fido_caller_memory": FidoProgram("caller_memory", "4", flags=("-DFIDO_CALLS",)),
    "vault_cancel": VaultProgram("vault_cancel", VAULT_HEADER),
    "vault_fork": VaultProgram("vault_fork", VAULT_HEADER),
    "fido_cancel": FidoProgram("vault_cancel", FIDO_HEADER, flags=("-DFIDO_CALLS",)),
    "fido_fork": FidoProgram("vault_fork", FIDO_HEADER, flags=("-DFIDO_CALLS",)),
    "registers, vault": VaultProgram("registers", VAULT_HEADER, flags=("-DVAULT_CALLS",)),
    "depth, vault": VaultProgram("depth", VAULT_HEADER, "depth", "16", flags=("-DVAULT_CALLS",)),
    "vault_beside": VaultProgram("vault_beside"),
    "vault_checkpoint": VaultProgram("vault_checkpoint"),
    "vault_files": VaultProgram("vault_files"),
    "vault_places": VaultProgram("vault_places"),
    "vault_attacked": VaultProgram("vault_attacked"),
    "vault_newest": VaultProgram("vault_newest"),
    "vault_refused": VaultProgram("vault_refused", VAULT_HEADER),
    "vault_residue": VaultProgram("vault_residue", "inside", "20", flags=("-fno-builtin",)),
    "vectors, portable": Program("vectors", "Tests/Vectors", CUSTOM_KEYBOARD_SM4="portable"),
    "KeyboardCipherTests": SwiftTests("KeyboardCipherTests"),
    "KeyboardCurvesTests": SwiftTests("KeyboardCurvesTests"),
    "KeyboardHashesTests": SwiftTests("KeyboardHashesTests"),
    "KeyboardRulesTests": SwiftTests("KeyboardRulesTests"),
    "fido_beside": FidoProgram("fido_beside"),
    "fido_later": FidoProgram("fido_later"),
    "fido_kill": FidoProgram("fido_kill"),
    "fido_residue": FidoProgram("vault_residue", "inside", "20", flags=("-fno-builtin", "-DFIDO_SECRETS")),
    "fido_server": FidoServer(),
    "fido_together": FidoProgram("fido_together"),
    "KeyboardFIDOTests": SwiftTests("KeyboardFIDOTests"),
    "KeyboardCodesTests": SwiftTests("KeyboardCodesTests"),
    "KeyboardLatticeTests": SwiftTests("KeyboardLatticeTests"),
    "KeyboardMemoryTests": SwiftTests("KeyboardMemoryTests"),
    "KeyboardLayoutTests": SwiftTests("KeyboardLayoutTests"),
    "KeyboardVaultTests": SwiftTests("KeyboardVaultTests"),
    "snippets": Snippets(),
    "tool: FIDO": Tool("fido", "signs_only_what_was_agreed_to", "on_a_terminal"),
    "tool: files": Tool("vault", "what_relies_on_a_file_comes_after_it"),
    "tool: keys": Tool("keys"),
    "tool: kills": Tool("migrate", "kills_in_a_row", "kills_at_each_call", "other_bad_rows"),
    "tool: migrate": Tool("migrate", "bad_rows", "fields_without_end", "wrong_use", "bad_base64", "damaged_rows",
                          "sealing", "imports"),
    "tool: tables": Tool("migrate", "bad_rows", "bad_headers", "wrong_for_all_rows"),
    "tool: settings": Tool("migrate", "other_settings", "altered_files", "one_file_by_two_names"),
    "tool: opening": Tool("vault_passcodes", "opening"),
    "tool: passcodes": Tool("vault_passcodes", "passcodes"),
    "web: borders": Web("borders"),
    "web: canvases": Web("canvases"),
    "web: fingers": Web("fingers"),
    "web: forms": Web("forms"),
    "web: frames": Web("frames"),
    "web: hostile": Web("hostile"),
    "web: interface": Web("interface"),
    "web: looks": Web("looks"),
    "web: patterns": Web("patterns"),
    "web: spoken": Web("spoken"),
    "web: starved": Web("starved"),
    "web: wiping": Web("wiping"),
    "bank: fido": Bank("fido"),
    "bank: protocol": Bank("protocol"),
    "bank: accounts": Bank("accounts"),
    "bank: operations": Bank("operations"),
    "bank: deploying": Bank("deploying"),
    "bank: floods": Bank("floods"),
    "bank: hostile": Bank("hostile"),
    "bank: slow": Bank("slow"),
    "jar": Package("jar"),
    "wheel": Package("wheel"),
    "kiosk: looks": Kiosk("brackets_from_right_to_left"),
    "kiosk: banking": Kiosk("registering_and_logging_in"),
    "kiosk: FIDO": Kiosk("a_silent_bank", "nothing_is_sent_twice", "a_certificate_that_is_too_long", "options_of_fido"),
    "kiosk: elsewhere": Kiosk("a_bank_elsewhere_without_tls"),
    "kiosk: patterns": Kiosk("patterns"),
    "kiosk: without a pointer": Kiosk("without_a_pointer"),
    "kiosk: secrecy": Kiosk("core_dumps", "closing"),
}


class Product:
    """What is built of the files in a folder, and the tests that run if those named for a bug do not notice it."""

    def __init__(self, folder, target, file, wider, others=()):
        self.folder, self.target, self.file, self.wider, self.others = folder, target, file, wider, others

    def build(self):
        """Its bytes, which a bug must change."""
        if self.target:
            insist("it does not compile", ["make", self.target, "JOBS=" + JOBS, "CC=" + CC, "SWIFT=" + SWIFT])
        files = [self.file, *self.others]
        if os.path.isdir(self.file):
            files = sorted(os.path.join(self.file, name) for name in os.listdir(self.file))
        return b"".join(contents(file) for file in files)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


BANK = Product("Examples/Bank/", "bank-program", os.path.join(COPY, ".build/bank/release/bank"),
               [Bank("protocol", "accounts", "operations", "deploying", "floods", "hostile", "slow", "memory",
                     "storm")], [os.path.join(COPY, "Examples/Bank/bank.service")])
PRODUCTS = [
    BANK,
    Product("Examples/c-terminal/", None, os.path.join(COPY, "Examples/c-terminal"), [TESTS["terminal_example"]]),
    Product("Examples/kiosk/", "kiosk", os.path.join(COPY, "build/kiosk"), [Kiosk()]),
    Product("Bindings/java/", "jar", os.path.join(COPY, "build", "jar", "tree", "customkeyboard"), [TESTS["jar"]]),
    Product("Bindings/python/", "wheel", os.path.join(COPY, "Bindings/python/customkeyboard"), [TESTS["wheel"]]),
    Product("Bindings/web/", None, os.path.join(COPY, "Bindings/web"), [Web()]),
    Product("Docs/", None, os.path.join(COPY, "Docs/FIDO.md"), [TESTS["snippets"]]),
    Product("Sources/KeyboardFIDO/Swift/", None, os.path.join(COPY, "Sources/KeyboardFIDO/Swift"),
            [TESTS["KeyboardFIDOTests"]]),
    Product("Sources/KeyboardVault/Swift/", None, os.path.join(COPY, "Sources/KeyboardVault/Swift"),
            [TESTS["KeyboardVaultTests"]]),
    Product("Sources/KeyboardTool/Vault/", None, os.path.join(COPY, "Sources/KeyboardTool/Vault"),
            [Tool("vault_passcodes"), Tool("vault")]),
    *(Product("Sources/KeyboardTool/%s/" % name, None, os.path.join(COPY, "Sources/KeyboardTool", name), [tool])
      for name, tool in (("Fido", Tool("fido")), ("Secrets", Tool("vault")))),
    Product("Sources/KeyboardTool/Migrate/", None, os.path.join(COPY, "Sources/KeyboardTool/Migrate"),
            [Tool("migrate")]),
    *(Product(place, "all", OTHERS[0], [TESTS["vault"], TESTS["vault_damage"]])
      for place in ("Sources/KeyboardVault/", "Sources/CustomVaultC/", "Sources/CKeyboardPlatform/files.h",
                    "Sources/KeyboardMemory/HandleTable.swift", "Sources/KeyboardMemory/ForkMark.swift")),
    *(Product(place, "all", OTHERS[1], [TESTS["fido_server"]])
      for place in ("Sources/KeyboardFIDO/", "Sources/CustomFidoC/")),
    Product("Makefile", None, os.path.join(COPY, "Makefile"), [TESTS["install"]]),
    # Not in the C libraries.
    *(Product(file, None, os.path.join(COPY, file), [SwiftTests()])
      for file in ("Sources/KeyboardMemory/SecretBytes.swift", "Sources/CustomKeyboard/Messages/",
                   "Sources/CustomKeyboard/PasscodeChoice.swift", "Sources/CustomKeyboard/PasscodeRules.swift")),
    # Some of what the libraries share is used by the vault alone.
    Product("", "all", LIBRARY, [Script("Tests/C/run.sh"), SwiftTests()], OTHERS),
]


def product_of(mutant):
    return next(product for product in PRODUCTS if mutant.file.startswith(product.folder))
