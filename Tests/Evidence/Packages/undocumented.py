"""Lists the public symbols of the products' modules that have no documentation.

SPDX-License-Identifier: Apache-2.0

    python3 Tests/Evidence/Packages/undocumented.py SYMBOLGRAPH_DIR

Fails if there are more than LIMIT of them, far fewer symbols than there should be, or one that no user needs in a
module for other modules of this package.
"""

import json
import pathlib
import sys

LIMIT = 0
MODULES = (
    "CustomKeyboard", "KeyboardCipher", "KeyboardECB", "KeyboardSealing", "KeyboardSigning", "KeyboardLayout",
    "KeyboardMemory", "KeyboardCodes", "KeyboardRules", "KeyboardVerifiers", "KeyboardPIN", "KeyboardVault",
    "KeyboardFIDO",
)
# What users need of a module that is for other modules of this package.
NEEDED = {"KeyboardMemory": "SecretBytes"}


def symbols(folder, modules):
    """Name, kind and whether it is documented, for each symbol that these modules declare, once."""
    found = {}
    for module in modules:
        files = sorted(folder.glob(f"{module}.symbols.json")) + sorted(folder.glob(f"{module}@*.symbols.json"))
        if not files:
            sys.exit(f"packages: no symbol graph of {module}")
        for file in files:
            for symbol in json.loads(file.read_text())["symbols"]:
                identifier = symbol["identifier"]["precise"]
                # Written by the compiler (== of an enumeration, rawValue), or inherited from the standard library.
                if "::SYNTHESIZED::" in identifier or "location" not in symbol:
                    continue
                if symbol["accessLevel"] != "public":
                    continue
                name = ".".join([module] + symbol["pathComponents"])
                is_documented = bool(symbol.get("docComment", {}).get("lines"))
                found[identifier] = (name, symbol["kind"]["displayName"], is_documented)
    return sorted(found.values())


def main():
    folder = pathlib.Path(sys.argv[1])
    for module, needed in NEEDED.items():
        for name, _, _ in symbols(folder, (module,)):
            if name.split(".")[1] != needed:
                sys.exit(f"packages: {name} is public, and no user needs it")
    found = symbols(folder, MODULES)
    undocumented = [(name, kind) for name, kind, is_documented in found if not is_documented]
    for name, kind in undocumented:
        print(f"{name} ({kind})")
    if len(found) < 400:
        sys.exit(f"packages: only {len(found)} public symbols were found")
    if len(undocumented) > LIMIT:
        sys.exit(f"packages: {len(undocumented)} public symbols have no documentation, and {LIMIT} are allowed")
    print(f"packages: {len(undocumented)} of {len(found)} public symbols have no documentation")


main()
