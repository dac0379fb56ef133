"""What catches a planted bug: the tests of the table, and each product with the tests that run if those named for a bug
do not notice it. For mutation.py, whose arguments and environment say where everything is.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "Table"))
import rooms  # noqa: E402
from kinds import Bank, Command, Kiosk, SwiftSuite, Tool, Tree, Web  # noqa: E402
from rows import TABLE  # noqa: E402

ROOT, WORK = sys.argv[1:3]
COPY, PROGRAMS = os.path.join(WORK, "tree"), os.path.join(WORK, "programs")
TREE = Tree(COPY, PROGRAMS)
LIBRARY, *OTHERS = [os.path.join(COPY, "build", "libcustom%s.so" % name) for name in ("keyboard", "vault", "fido")]
ROWS = [row for group in TABLE.values() for row in group]
FOUND = {}


def test(name):
    """A test by its name, the same one each time."""
    if name not in FOUND:
        FOUND[name] = rooms.named(name, ROWS)
    return FOUND[name]


class Product:
    """What is built of the files in a folder, and the tests that run if those named for a bug do not notice it."""

    def __init__(self, folder, target, file, wider, others=()):
        self.folder, self.target, self.file, self.wider, self.others = folder, target, file, wider, others

    def build(self):
        """Its bytes, which a bug must change."""
        if self.target:
            TREE.make(self.target)
        files = [self.file, *self.others]
        if os.path.isdir(self.file):
            files = sorted(os.path.join(self.file, name) for name in os.listdir(self.file))
        return b"".join(contents(file) for file in files)


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def tree(*place):
    return os.path.join(COPY, *place)


EVERYTHING = Command("C tests", "python3 -B Tests/Table/run.py suite {build}")
PRODUCTS = [
    Product("Examples/Bank/", "bank-program", tree(".build/bank/release/bank"),
            [Bank("bank", "protocol", "accounts", "opaque", "operations", "deploying", "floods", "hostile", "slow",
                  "memory", "storm")], [tree("Examples/Bank/bank.service")]),
    Product("Examples/c-terminal/", "all", tree("Examples/c-terminal"), [test("terminal_example")]),
    Product("Examples/kiosk/", "kiosk", tree("build/kiosk"), [Kiosk("kiosk")]),
    Product("Bindings/java/", "jar", tree("build", "jar", "tree", "customkeyboard"), [test("jar")]),
    Product("Bindings/python/", "wheel", tree("Bindings/python/customkeyboard"), [test("wheel")]),
    Product("Bindings/web/", None, tree("Bindings/web"), [Web("web")]),
    Product("Sources/Darwin/Swift/", None, tree("Sources/Darwin/Swift"), [test("swift-package")]),
    Product("Docs/", None, tree("Docs/FIDO.md"), [test("snippets")]),
    Product("Sources/KeyboardFIDO/Swift/", None, tree("Sources/KeyboardFIDO/Swift"), [test("KeyboardFIDOTests")]),
    Product("Sources/KeyboardVault/Swift/", None, tree("Sources/KeyboardVault/Swift"), [test("KeyboardVaultTests")]),
    *(Product("Sources/KeyboardTool/%s/" % name, None, tree("Sources/KeyboardTool", name),
              [Tool(program, program) for program in programs])
      for name, programs in (("Vault", ["vault_passcodes", "vault"]), ("Fido", ["fido"]), ("Secrets", ["vault"]),
                             ("Migrate", ["migrate"]), ("Keys", ["keys"]), ("Commands", ["commands", "opaque"]))),
    *(Product(place, "all", OTHERS[0], [test("vault"), test("vault_damage")])
      for place in ("Sources/KeyboardVault/", "Sources/CustomVaultC/", "Sources/CKeyboardPlatform/files.h",
                    "Sources/KeyboardMemory/HandleTable.swift", "Sources/KeyboardMemory/ForkMark.swift")),
    *(Product(place, "all", OTHERS[1], [test("fido_server")])
      for place in ("Sources/KeyboardFIDO/", "Sources/CustomFidoC/")),
    Product("Makefile", None, tree("Makefile"), [test("install")]),
    # Not in the C libraries.
    *(Product(file, None, tree(file), [SwiftSuite()])
      for file in ("Sources/KeyboardMemory/SecretBytes.swift", "Sources/CustomKeyboard/Messages/",
                   "Sources/CustomKeyboard/Keyboard+Typed.swift", "Sources/CustomKeyboard/PasscodeChoice.swift",
                   "Sources/CustomKeyboard/PasscodeRules.swift", "Sources/CustomKeyboard/Keyboard+OPAQUE.swift",
                   "Sources/KeyboardOPAQUE/OPAQUE+Setup.swift")),
    # Some of what the libraries share is used by the vault alone.
    Product("", "all", LIBRARY, [EVERYTHING, SwiftSuite()], OTHERS),
]


# The library as the page's module, for what only shows there.
MODULE = Product("Sources/", "web", tree("build", "web", "custom-keyboard.wasm"), [Web("web")])


def product_of(mutant):
    if mutant.file.startswith(MODULE.folder) and all(name.startswith("web: ") for name in mutant.tests):
        return MODULE
    return next(product for product in PRODUCTS if mutant.file.startswith(product.folder))
