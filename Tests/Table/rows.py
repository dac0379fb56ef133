"""The table of tests: a row for each test, under what it claims. Everything that runs tests reads it: `make test`,
`make check`, the sanitizers, valgrind, the emulator for arm64, another mbedTLS, and `make mutation`.

A new test of the C library is a file in Tests/C and a row here.

    c("vault_power", "24 1", "400 8", product="vault", sanitized="12 1")

is vault_power.c, linked with the vault, run with `24 1` by `make test`, with `400 8` by `make check` and with `12 1`
under the sanitizers and valgrind. Rows of other kinds are below: a script, a program in Python, a suite in Swift.
kinds.py says what each argument of a row means.

SPDX-License-Identifier: Apache-2.0
"""

from kinds import bank, c, example, kiosk, package, phones, python, script, swift, tool, web

VALGRIND_ONLY, NO_TOOL = "valgrind", ""  # which of the tools can run a program, if not both
MATRIX = ("shared lazy", "shared now", "static lazy", "static now")
PATHS = "each path of SM4"

# What a program does that a sanitizer or valgrind cannot follow: it searches all memory, reads the stack below itself,
# lets no memory be mapped, or stops at single instructions.
looks = {"tools": NO_TOOL, "flags": "-fno-builtin", "simulated": False}

# Why a program does not run as iPhones' code.
forks = {"not_on_phones": "an app cannot fork"}
linux = {"not_on_phones": "it uses what Linux alone has: timers, limits, system calls, single steps, its libc's inside"}
peers = {"not_on_phones": "what it compares with is not built for phones"}
replaces = {"not_on_phones": "it takes the place of functions of libc's or SQLite's, which a framework does not see"}

TABLE = {
    # ---- The keyboard ------------------------------------------------------------------------------------------------
    "published answers of DES, 3DES and SM4, on each path": [
        c("vectors", "{vectors}", paths=PATHS, mbedtls=True, arm64=["each path"]),
        # Only under the tools; known-answers.sh runs it whole.
        c("monte_carlo", None, sanitized="{vectors} 20 1", valgrind="{vectors} 1 0", phone="{vectors} 2 0",
          phone_check=True, simulated=False),
    ],
    "every function x state x wrong argument: a code, no trap, nothing written": [
        c("contract", mbedtls=True, arm64=["each"], broken="pages"),
        c("arguments", arm64=["each"]),
        c("hostile", less=4, paths=PATHS, arm64=["cortex-a53"]),
    ],
    "the cause of a code, in each thread, of each product": [
        c("causes", "{header} {name}", cells=("shared", "static"), phone_check=True, simulated=False),
        c("causes, vault", "{header} {name}", source="causes", product="vault", flags="-DVAULT_CALLS",
          tools=NO_TOOL, broken="links"),
        c("causes, FIDO", "{header} {name}", source="causes", product="fido", flags="-DFIDO_CALLS"),
    ],
    "characters: UTF-8, deletion and counting as a person sees them": [c("text", arm64=["each"])],
    "what is typed, and where it is kept": [c("typed")],
    "a padding byte wrong anywhere: one code, an unchanged space": [
        c("padding", paths=PATHS, mbedtls=True, arm64=["each path"]),
    ],
    "masked secrets are gone after clear, close, another key and destroy": [
        c("kept", broken="wiping", simulated=False),
    ],
    "sealed texts: every bit, length, way, key and context altered is refused; received like typed": [
        c("sealed", less=6, mbedtls=True),
        c("sealed_keys", less=3, mbedtls=True, phone_check=True, arm64=["cortex-a53"]),
        c("sealed_arguments", frames=True, phone_check=True),
        c("received", phone_check=True, arm64=["neoverse-n1"]),
    ],
    "no two sealed texts are alike: threads, forks, every way": [c("alike", **forks)],
    "signatures: every bit, length, key and code; OpenSSL verifies ours, and we OpenSSL's": [
        c("signing", less=4, phone_check=True, arm64=["max"]),
        c("signing_peers", less=4, needs="crypto", **peers),
    ],
    "derived keys": [c("derive")],
    "OPAQUE: both ends agree, every altered byte is refused, each step ends once": [c("opaque")],
    "PIN blocks and DUKPT: the standards' examples, every field and code": [c("pin"), c("dukpt")],
    "passcodes: rules, comparison and verifiers, every code in its order": [
        c("passcode", arm64=["max"], simulated=False),
        c("verifier", arm64=["max"]),
        example("passcode_example", "Examples/c-passcode/passcode.c"),
    ],
    "every length x algorithm in both directions, compared with OpenSSL": [
        c("differential", needs="crypto", paths=PATHS, quick_paths=True, mbedtls=True, arm64=["each path"], **peers),
    ],
    "batches of every size, mixed with every bad job, compared with one call each": [
        c("batch", paths=PATHS, quick_paths=True, arm64=["each path"]),
    ],
    "batches of sealed texts, mixed with every bad job, compared with one call each": [
        c("unseal_batch", less=6, phone_check=True),
    ],
    "jobs that another thread changes: a code, and nothing written outside": [
        c("job_race", less=3, paths="aesni", **forks),  # reads word by word, where the best path reads a job whole
    ],
    "every offset uniform, every filling random (chi-squared)": [
        c("placement", arm64=["cortex-a53"], phone_less=1, broken="random"),
    ],
    "16 threads, any call on any keyboard: only codes that the contract allows": [
        c("threads", arm64=["max"]),
    ],
    "two copies of the library do not know each other's handles": [c("two_copies", "{library}", **linux)],
    "a forked child has empty keyboards and its own fillings": [c("fork", arm64=["neoverse-n1"], **forks)],
    "forks in the middle of calls: nothing shared, the child's keyboards idle": [
        c("fork_inside", "{header}", less=6, **linux),
        c("fork_between", "25", "1000", needs="mbedcrypto", tools=NO_TOOL, planted="", **linux),
        c("ended", less=4, tools=NO_TOOL, **linux),
    ],
    "each input of each call changed between any two reads: the answer is that of one value; nobody else waits": [
        c("caller_memory", "20", "60", tools=NO_TOOL, **linux),
        c("vault_caller_memory", "4", "12", source="caller_memory", product="vault", flags="-DVAULT_CALLS",
          tools=NO_TOOL, **linux),
        c("fido_caller_memory", "4", "12", source="caller_memory", product="fido", flags="-DFIDO_CALLS", **linux),
    ],
    "no memory, no randomness, no locking, no files: a code, and it works again": [
        c("limits", arm64=["neoverse-n1"], **linux),
        c("without_memory", tools=NO_TOOL, **linux),
    ],
    "layouts, shuffles and touches compared with a model": [
        c("layout", needs="m", arm64=["each"]),
        c("order", arm64=["each"]),
        c("touch", arm64=["max"]),
    ],
    "callbacks may call anything, destroy included": [
        c("callbacks", arm64=["each"]),
    ],
    "removed callbacks have ended when the call returns": [c("callback_end", less=4)],
    "threads cancelled in every function, three kinds: no lock held, no secret kept": [
        # With lazy binding, the first calls of functions are interrupted too.
        c("cancel", "{header} 20", "{header} 1", cells=("shared", "static lazy"), valgrind="{header} 5",
          planted="{header} 5", **linux),
        c("cancel_alone", "{header}", sanitized="", valgrind="", **linux),
    ],

    # ---- Secrets in memory -------------------------------------------------------------------------------------------
    "no call uses the heap": [c("heap", "{header}", tools=NO_TOOL, **linux)],
    "memory for secrets is locked, guarded, never dumped, and emptied by a fork": [
        c("pages", "{library}", needs="dl", cells=("static",), tools=VALGRIND_ONLY, **linux),
    ],
    "the numbers that a shuffle was drawn from are wiped": [
        c("draws", tools=NO_TOOL, arm64=["max looks", "cortex-a53 looks"], simulated=False),
    ],
    "password, key, key schedule: no copy in memory, in lazily bound hosts too": [
        c("residue", "{binding} {name} 4", "{binding} {name}", cells=MATRIX, paths=PATHS, mbedtls=MATRIX,
          emulated="{binding} {name} 7", planted="{binding} {name}", **looks,
          arm64=["each looks", "each looks static lazy", "max neon looks static lazy", "max portable looks static lazy",
                 "max looks now"], broken="wiping"),
    ],
    "registers and the stack below after every function: nothing of a secret, on each path": [
        c("walk", "{header} {name} 16", "{header} {name}", cells=MATRIX, paths=PATHS, planted="{header} {name} 4",
          arm64=["max looks", "cortex-a53 looks"], **looks),
        c("walk, vault", "{header} {name} 16", "{header} {name}", source="walk", product="vault", tools=NO_TOOL,
          phone_check=True, flags="-fno-builtin -DVAULT_CALLS"),
        c("walk, FIDO", "{header} {name} 16", "{header} {name}", source="walk", product="fido",
          phone_check=True, flags="-fno-builtin -DFIDO_CALLS"),
    ],
    "a password's place that does not exist: no part of it in the frame of a signal handler": [
        c("bad_place", cells=MATRIX, **looks),
    ],
    "each instruction of what types and deletes: on the stack and in registers one character, not more": [
        c("typing_steps", **looks, **linux),
    ],

    # ---- The vault ---------------------------------------------------------------------------------------------------
    "a vault's items, handles, rights and forked children; its file read by another program": [
        c("vault", product="vault", disk=True, arm64=["each"], broken="rights"),
        c("vault_rekey", product="vault", disk=True, **replaces),
        c("vault_refused", "{header}", product="vault", **replaces),
        python("vault_reader", "{vault}", product="vault"),
    ],
    "a vault's passcodes: tries counted before they are checked, locks by any clock, 8 processes, kills, threads": [
        c("vault_passcode", product="vault", disk=True, **replaces),
        c("vault_meanwhile", "60", "500", product="vault", disk=True, planted="", **replaces),
        c("vault_passcode_key", product="vault", disk=True, **replaces),
    ],
    "a vault whose disk, memory or power fails, or whose process is killed: changes whole or absent, no free try": [
        c("vault_faults", "120", "1", product="vault", planted="60", sanitized="120", valgrind="600", **replaces),
        c("vault_tries", "120", "1", product="vault", planted="60", sanitized="120 2", valgrind="600 10", **replaces),
        c("vault_power", "24 1", "400 8", product="vault", sanitized="12 1", emulated="4 1", planted="", arm64=["max"],
          **replaces),
        c("vault_kill", "100", "2000", product="vault", disk=True, tools=NO_TOOL, **replaces),
    ],
    "several calls to a vault as one transaction, whole or absent: faults, forks, threads, kills, five seconds": [
        c("vault_change", product="vault", **replaces),
        c("vault_change_wait", product="vault", **replaces),
    ],
    "a vault's file and WAL altered: refused, or as it was; never a wrong value": [
        c("vault_damage", "60", "1", product="vault", disk=True, sanitized="80", valgrind="400", emulated="97",
          planted="31", arm64=["max"], **replaces),
    ],
    "a vault whose file others hold, close or keep busy; odd paths, missing rights, a full disk: a code, no loss": [
        c("vault_beside", product="vault", disk=True, **replaces),
        c("vault_checkpoint", product="vault", disk=True, **replaces),
        c("vault_places", product="vault", disk=True, **replaces),
        c("vault_files", product="vault", disk=True, **replaces),
        c("vault_attacked", product="vault", **replaces),
        c("vault_newest", product="vault", **replaces),
    ],
    "a vault's keys, names and data in the middle of calls: in locked memory only, and in no file": [
        c("vault_residue", "inside 40", "inside 1", product="vault", planted="inside 20", **looks, **replaces),
        c("vault_residue, stopped", "debugger 50", "debugger 3000", source="vault_residue", product="vault", **looks,
          **replaces),
    ],
    "threads cancelled and forks in the middle of the calls of the vault and of the FIDO client": [
        c("vault_cancel", "{header} 6", "{header} 200", product="vault", flags="-DVAULT_CALLS", planted="{header}",
          sanitized="{header} 10", valgrind="{header} 2", **linux),
        c("vault_fork", "{header} 10", "{header} 300", product="vault", flags="-DVAULT_CALLS", planted="{header}",
          sanitized="{header} 10", valgrind="{header} 2", **linux),
        c("fido_cancel", "{header} 6", "{header} 200", source="vault_cancel", product="fido", flags="-DFIDO_CALLS",
          planted="{header}", **linux),
        c("fido_fork", "{header} 10", "{header} 300", source="vault_fork", product="fido", flags="-DFIDO_CALLS",
          planted="{header}", **linux),
    ],
    "recovery words: the reference vectors, and 100,000 random phrases beside Python's mnemonic": [
        c("vault_words", "{vectors}/bip39.txt", product="vault", disk=True, arm64=["max"], **replaces),
        python("vault_words.py", "{vault} 1000", "{vault} 100000", product="vault"),
        python("the table of words", "--check", file="vault_words", product="vault"),
    ],
    "a token behind a PIN (Examples/c-vault): locked after five wrong PINs, kept through kill -9": [
        example("vault_example", "Examples/c-vault/vault.c", "25", "400", product="vault"),
    ],

    # ---- The FIDO client ---------------------------------------------------------------------------------------------
    "a server that checks every answer of the FIDO client": [
        python("fido_server", "{build}", product="fido"),
    ],
    "a FIDO client killed at each step: no key without a user, no counter that goes back, no free try": [
        c("fido_kill", "30", "3000", product="fido", planted="", **replaces),
    ],
    "a FIDO client in several processes and threads: no counter twice, no registration lost": [
        c("fido_together", "25", "1000", product="fido", planted="", emulated="4", arm64=["max", "cortex-a53"],
          **replaces),
    ],
    "a FIDO client beside another one, and in a vault that fails, at each call: no key lost, no weaker lock": [
        c("fido_beside", product="fido", **replaces),
    ],
    "what came in the middle of a FIDO client's call: a reset, a verdict, another key: no key lost or left": [
        c("fido_later", product="fido", **replaces),
    ],
    "a FIDO client's private key and what opens it, in the middle of calls: in locked memory only, and in no file": [
        c("fido_residue", "inside 40", "inside 4", source="vault_residue", product="fido", planted="inside 20",
          flags="-fno-builtin -DFIDO_SECRETS", **replaces),
        c("fido_residue, stopped", "debugger 50", "debugger 1000", source="vault_residue", product="fido",
          flags="-fno-builtin -DFIDO_SECRETS", **replaces),
    ],

    # ---- What a C user gets ------------------------------------------------------------------------------------------
    "header in C99-C23 and C++11-C++20, exports, size, install, CMake, C++": [
        script("mbedtls", "sh Tests/C/mbedtls.sh {work}"),
        script("headers", "sh Tests/C/headers.sh {build} {work} customkeyboard"),
        script("headers, vault", "sh Tests/C/headers.sh {build} {work} customvault", product="vault"),
        script("headers, FIDO", "sh Tests/C/headers.sh {build} {work} customfido", product="fido"),
        script("install", "sh Tests/C/install.sh {build} {work}"),
        c("client.cpp", source="client.cpp", tools=NO_TOOL, not_on_phones="it is C++, whose library is not here"),
        example("toolkit", "Examples/c-toolkit/toolkit.c", test="toolkit_example"),
        example("terminal_example", "Examples/c-terminal/terminal.c"),
    ],
    "install copies without a compiler, as root too; spaces in paths; no apt-get when told so": [
        script("make", "sh Tests/C/make.sh {build} {work}"),
    ],
    "sealed texts and PIN blocks exchanged with other implementations, both directions": [
        python("pin_peers", "{library} {vectors}"),
        python("sealed_peers", "{library} {vectors}/hpke.txt"),
        python("rsa_peers", "{library} 3", "{library} 100"),
    ],

    # ---- Suites of their own: `make test` runs them, and planted bugs name them --------------------------------------
    "no instruction beyond the path's own; nothing depends on a secret": [
        script("instructions", "bash Tests/C/instruction-sets.sh .build/c-abi/release", suite="instructions"),
        script("timing", "sh Tests/C/secrets.sh {build}", suite="timing"),
    ],
    "Swift tests on the ordinary build": [
        swift("CustomKeyboardTests"), swift("CustomKeyboardCTests"),
        *(swift("Keyboard%sTests" % room) for room in (
            "Cipher", "Codes", "Curves", "FIDO", "GHASH", "Hashes", "Lattice", "Layout", "Memory", "OPAQUE", "Rules",
            "SM4", "Screen", "Text", "Vault")),
    ],
    "iPhones: DIT, locked memory, signals and cancellation; a passcode's lock while clocks are set": [
        c("state", None, folder="Darwin", tools=NO_TOOL, phone="", broken="dit locking inheritance"),
        c("locks", None, product="vault", folder="Darwin", tools=NO_TOOL, phone="", broken="clocks"),
    ],
    "what an upload for iPhones would refuse is refused; no name of the Swift package is newer than its oldest iOS; "
    "the Swift tests pass on it": [
        phones("refused", "python3 -B Tests/Darwin/refused.py build/ios/CCustomVault.xcframework", made="xcframework"),
        phones("oldest", "python3 -B Tests/Darwin/oldest.py"),
        phones("swift-package", "sh Tests/Evidence/swift-package.sh build", made="stage"),
    ],
    "every Swift snippet of the pages, of DocC and of comments compiles, from the main actor too": [
        script("snippets", "python3 -B Tests/Tree/snippets.py .build/debug", suite="snippets", built="swift"),
    ],
    "the tool in a terminal and in pipes: nothing leaks, the terminal is restored": [
        tool("pad", "pad"), tool("commands", "commands"),
        tool("keys", "keys"), tool("payments", "payments"), tool("completions", "completions"),
    ],
    "the tool's sealed texts, with keys of OpenSSL's in every form": [tool("sealing", "sealing")],
    "the tool's rules for passcodes and verifiers: options, files, standard input, the pad": [
        tool("passcodes", "passcodes"),
    ],
    "the tool's two ends of OPAQUE in pipes: messages, keys, files, what is refused": [tool("tool: opaque", "opaque")],
    "stored texts to verifiers: bad rows, other writers' tables, kills; no password in any file": [
        tool("migrate", "migrate"),
        tool("tool: kills", "migrate", "kills_in_a_row", "kills_at_each_call", "other_bad_rows"),
        tool("tool: migrate", "migrate", "bad_rows", "fields_without_end", "wrong_use", "bad_base64", "damaged_rows",
             "sealing", "imports"),
        tool("tool: tables", "migrate", "bad_rows", "bad_headers", "wrong_for_all_rows"),
        tool("tool: settings", "migrate", "other_settings", "altered_files", "one_file_by_two_names"),
    ],
    "the tool's vaults: items, passcodes, words; opened by a key or on the pad; no secret where nobody asked": [
        tool("vault_items", "vault"),
        tool("vault_passcodes", "vault_passcodes"),
        tool("tool: files", "vault", "what_relies_on_a_file_comes_after_it"),
        tool("tool: opening", "vault_passcodes", "opening"),
        tool("tool: passcodes", "vault_passcodes", "passcodes"),
    ],
    "the tool's FIDO client": [
        tool("fido", "fido"),
        tool("tool: FIDO", "fido", "signs_only_what_was_agreed_to", "on_a_terminal"),
    ],
    "the recipe of Docs/SealedTexts.md opens what the C library seals": [
        script("recipe", "python3 -B Tests/Tree/recipe.py {library}", suite="readme"),
    ],
    "links, functions, tests, targets and options named in the documentation exist": [
        script("docs", "sh Tests/Tree/docs.sh", suite="readme"),
        tool("manual", "manual"),
    ],
    "the README's examples and swift-pin compile, and print what they should": [
        script("readme", "sh Tests/Tree/readme.sh {build}", suite="readme"),
    ],
    "a release is refused unless version, changes, tree and tests are in order": [
        script("release", "sh Tests/Tree/release.sh", suite="release"),
    ],

    # ---- The web element, the bindings, and the examples with a server or a window -----------------------------------
    "the web element, in Chromium": [
        web("web: " + part, part) for part in (
            "borders", "canvases", "fingers", "forms", "frames", "hostile", "interface", "looks", "opaque", "patterns",
            "spoken", "starved", "wiping")
    ],
    "the packages for other languages": [package("jar"), package("wheel")],
    "the example bank": [
        bank(name) for name in (
            "fido", "protocol", "accounts", "opaque", "recorded", "operations", "deploying", "floods", "hostile",
            "slow")
    ],
    "the example with a window": [
        kiosk("kiosk: looks", "brackets_from_right_to_left"),
        kiosk("kiosk: banking", "registering_and_logging_in"),
        kiosk("kiosk: OPAQUE", "by_opaque", "moving_a_sealed_passcode"),
        kiosk("kiosk: FIDO", "a_silent_bank", "nothing_is_sent_twice", "a_certificate_that_is_too_long",
              "options_of_fido"),
        kiosk("kiosk: elsewhere", "a_bank_elsewhere_without_tls"),
        kiosk("kiosk: patterns", "patterns"),
        kiosk("kiosk: without a pointer", "without_a_pointer"),
        kiosk("kiosk: secrecy", "core_dumps", "closing"),
    ],
}
