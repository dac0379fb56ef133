"""Type-checks the view for UIKit and SwiftUI on Linux. The compiler reads headers of our own (Tests/Darwin/UIKit). They
declare each name that the view uses, with its first iOS. What they say is from Apple's documentation; whether a phone
agrees was never seen.

oldest.py runs it, after the modules below the view.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
HEADERS = ["ObjectiveC/NSObject.h", "Foundation/Foundation.h", "UIKit/UIKit.h"]
# Not what UIKit has: what belongs to the declaration above.
PARTS = re.compile(r"^(@end|@class|@import|@protocol NSObject|@interface \w+ \(\w+\)|MAIN @interface (NSObject \(|UIAcc"
                   r"essibility :)|#|$)")


def flags(work):
    maps = ["-fmodule-map-file=%s/UIKit/%s/module.modulemap" % (HERE, name)
            for name in ("ObjectiveC", "Foundation", "UIKit")]
    return ["-I", work, "-Xfrontend", "-enable-objc-interop", *(word for each in maps for word in ("-Xcc", each))]


def prepare(run, swiftc, work):
    """What Swift adds to the headers, module by module."""
    for module in ("ObjectiveC", "Foundation", "SwiftUI"):
        underlying = [] if module == "SwiftUI" else ["-import-underlying-module"]
        run(swiftc, *flags(work), *underlying, "-swift-version", "6", "-parse-as-library", "-module-name", module,
            "-emit-module", "-emit-module-path", os.path.join(work, module + ".swiftmodule"),
            os.path.join(HERE, "UIKit", module + ".swift"))


def examples(work):
    """What the view's comment and the page show, as sources of the view's module."""
    with open(os.path.join(ROOT, "Sources/Darwin/Swift/CustomKeyboardUI/KeyboardView.swift"), encoding="utf-8") as file:
        comment = re.search(r"^ *///\n((?: *///     .*\n)+)", file.read(), re.M).group(1)
    with open(os.path.join(ROOT, "Docs/Apple.md"), encoding="utf-8") as file:
        page = re.search(r"^    import CustomKeyboard\n(?:    .*\n|\n)+", file.read(), re.M).group()
    imports = "import CustomKeyboard\nimport KeyboardScreen\n"
    statements = re.sub(r"^ *///", "", comment, flags=re.M)
    view = "@MainActor func example(_ keyboard: Keyboard, _ show: @escaping (String) -> Void) {\n%s}\n" % statements
    declarations = re.sub(r"^    (import CustomKeyboardUI\n)?", "", page, flags=re.M)
    send = "func send(_ text: ArraySlice<UInt8>?) {}\n"
    paths = []
    for name, text in (("comment", imports + view), ("page", imports + declarations + send)):
        paths.append(os.path.join(work, name + ".swift"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
    return paths


def too_new(oldest, text=""):
    """Declarations without a first iOS, or with one that is too new; and how many there are."""
    faults, count = [], 0
    for header in HEADERS:
        with open(os.path.join(HERE, "UIKit", header), encoding="utf-8") as file:
            source = re.sub(r"/\*.*?\*/", "", file.read() + text, flags=re.S)
        source = re.sub(r"^ *#.*$", "", source, flags=re.M)
        # A declaration ends with a semicolon, or is the first line of an interface or a protocol.
        source = re.sub(r"^(.*@(?:interface|protocol).*)$", r"\1;", source, flags=re.M)
        source = re.sub(r"{[^}]*}", "", source)
        for declaration in source.replace("\n", " ").split(";"):
            declaration = re.sub(r"@end|@import \w+$", "", declaration).strip()
            if not declaration or PARTS.match(declaration):
                continue
            count += 1
            found = re.search(r"IOS\((\d+)\.(\d+)\)", declaration)
            if not found or (int(found.group(1)), int(found.group(2))) > oldest:
                faults.append("%s: %s" % (header, " ".join(declaration.split())))
    return faults, count
