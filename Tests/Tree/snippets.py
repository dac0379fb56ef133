#!/usr/bin/env python3
"""Compiles every Swift snippet that users read, each as a program of its own and in Swift 6 mode: those of the pages,
of DocC's articles, and of the comments of declarations. Each is compiled twice: as most programs are, and with the main
actor as the default. Statements are compiled in a function of no actor, and in one of the main actor.

    snippets.py BUILD           what `swift build --show-bin-path` says: it has the modules

Names that a snippet uses and does not declare are in given.swift. A snippet that is part of a test is looked for in it.

SPDX-License-Identifier: Apache-2.0
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOOLCHAIN = os.path.dirname(os.path.realpath(shutil.which(os.environ.get("SWIFT", "swift"))))
SWIFTC, MANIFESTS = os.path.join(TOOLCHAIN, "swiftc"), os.path.join(TOOLCHAIN, "../lib/swift/pm/ManifestAPI")
PRODUCTS = "import CustomKeyboard\nimport KeyboardFIDO\nimport KeyboardVault\n"
# Snippets that need more than our modules. peers.sh compiles the recipe for swift-crypto, and runs it.
CRYPTO, KERNEL = "import Crypto\n", "enum ScalarKernel {\n"


def fenced(text):
    """The blocks in ```swift of a page, with the numbers of their first lines."""
    for match in re.finditer(r"^```swift\n(.*?)^```$", text, re.M | re.S):
        yield text.count("\n", 0, match.start()) + 2, match.group(1)


def commented(text):
    """The indented blocks of comments that are Swift, and neither a drawing nor the rest of a list's line."""
    for match in re.finditer(r"^ *///\n((?: *///     .*\n| *///\n(?= *///     ))+)", text, re.M):
        block = re.sub(r"^ *///(     )?", "", match.group(1), flags=re.M)
        if re.match(r"(import|let|var|try|do|if|keyboard)\b", block):
            yield text.count("\n", 0, match.start()) + 2, block


def all_snippets():
    pages = [name for part in ("*.md", "Docs/*.md", "Sources/**/*.md", "Examples/**/*.md", "Bindings/**/*.md")
             for name in glob.glob(part, root_dir=ROOT, recursive=True)]
    # What is only for phones is type-checked by Tests/Darwin/oldest.py.
    sources = [name for name in glob.glob("Sources/*/**/*.swift", root_dir=ROOT, recursive=True)
               if not name.startswith("Sources/Darwin/")]
    for names, blocks in ((pages, fenced), (sources, commented)):
        for name in sorted(names):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                for line, text in blocks(file.read()):
                    yield "%s:%d" % (name, line), text


def program(text):
    """Statements go into two functions; declarations stay where they are."""
    imports = re.findall(r"^import .*\n", text, re.M)
    body = re.sub(r"^import .*\n", "", text, flags=re.M)
    if not re.match(r"(\s|//.*|@\w+|final)*\b(class|struct|enum|actor|extension|func) ", body):
        body = "func plain() async throws {\n%s}\n\n@MainActor func onMain() async throws {\n%s}\n" % (body, body)
    return PRODUCTS + "".join(imports) + body


def compiled(build, folder, place, text):
    """What the compiler has against a snippet; nothing if it takes it."""
    def swiftc(*options):
        result = subprocess.run([SWIFTC, "-swift-version", "6", "-diagnostic-style", "llvm", *options],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.stdout if result.returncode else ""

    file = os.path.join(folder, re.sub(r"\W", "-", place) + ".swift")
    given = ["given.swift"]
    if "import PackageDescription\n" in text:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        return swiftc("-typecheck", "-I", MANIFESTS, "-package-description-version", "6.2.0", file)
    if "import UIKit\n" in text:
        given.append("uikit.swift")
        text = text.replace("import UIKit\nimport WebKit\n", "import Foundation\n")
    with open(file, "w", encoding="utf-8") as out:
        out.write(program(text))
    maps = [option for map in glob.glob(ROOT + "/Sources/C*/**/module.modulemap", recursive=True)
            for option in ("-Xcc", "-fmodule-map-file=" + map)]
    # Data races are found after the types are checked.
    return "".join(
        swiftc("-emit-sil", "-wmo", "-parse-as-library", "-o", "/dev/null", "-default-isolation", isolation,
               "-I", os.path.join(build, "Modules"), *maps, file, *[os.path.join(HERE, name) for name in given])
        for isolation in ("nonisolated", "MainActor"))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    snippets = list(all_snippets())
    kernel = open(os.path.join(ROOT, "Tests/Swift/KeyboardSM4Tests/ScalarKernel.swift"), encoding="utf-8").read()
    elsewhere = [text for _, text in snippets if CRYPTO in text or KERNEL in text and text in kernel]
    assert len(elsewhere) == 2, "the recipe for swift-crypto, or the kernel that the tests have, has changed"
    ours = [each for each in snippets if each[1] not in elsewhere]
    assert len(ours) >= 30, "only %d snippets were found" % len(ours)
    # Two that must be refused: a name that is not there, and a race between the main actor and another.
    bad = ["let label = try keyboard.keys()[0].caption\n",
           "let view = View()\nTask.detached { try await vault.close(); _ = view.count }\n"]
    ours += [("refused:%d" % number, text) for number, text in enumerate(bad)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda each: compiled(sys.argv[1], folder, *each), ours))
    wrong = [place + "\n" + words for (place, _), words in zip(ours, said)
             if bool(words) != place.startswith("refused")]
    if wrong:
        sys.exit("snippets: %d do not compile, or should not:\n%s" % (len(wrong), "\n".join(wrong)))
    print("snippets: %d checks" % (2 * len(ours)))


if __name__ == "__main__":
    main()
