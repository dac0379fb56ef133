#!/usr/bin/env python3
"""Puts the Swift package for phones together: the files above the C header, the bodies on it, and the frameworks.

    package.py FOLDER            FOLDER/customkeyboard-apple, a package that Xcode takes, and its zip
    package.py FOLDER --tests    the same without frameworks, with the Swift tests that run on it here

SPDX-License-Identifier: Apache-2.0
"""

import glob
import os
import shutil
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "customkeyboard-apple"

# The files of each module. What is not here is below the C header, or for servers and terminals.
MODULES = {
    "CKeyboardPlatform": ["*"],
    "KeyboardCodes": ["*.swift"],
    "KeyboardText": ["Base64.swift", "Hexadecimal.swift", "Strings.swift"],
    "KeyboardMemory": ["ConstantTime.swift", "Lending.swift", "SecretBytes.swift", "SecureRegion.swift", "Wipe.swift"],
    "KeyboardLayout": ["KeyCap.swift", "LayoutKind.swift", "ViewSize.swift"],
    "KeyboardRules": ["PasscodeRule.swift"],
    "KeyboardHashes": ["Argon2/Argon2id+Costs.swift"],
    "KeyboardStretching": ["Argon2id+Bounds.swift"],
    "KeyboardOPAQUE": ["LentTerms.swift", "OPAQUE.swift", "OPAQUE+Terms.swift"],
    "KeyboardCipher": [],
    "CustomKeyboard": [
        "BegunStep.swift", "EncryptedText.swift", "Keyboard.swift", "Keyboard+Arrays.swift", "Keyboard+Layout.swift",
        "Keyboard+OPAQUE.swift", "Keyboard+Passcode.swift", "Keyboard+Sealing.swift", "Keyboard+Typed.swift",
        "KeyboardCallback.swift", "KeyboardKey.swift", "MainActorCallback.swift", "PasscodeChoice.swift",
        "PasscodeRules.swift", "Messages/*.swift"],
    "KeyboardScreen": ["*.swift"],
    "CustomKeyboardUI": [],
    "KeyboardVault": ["AttemptState.swift", "Swift/*.swift"],
    "KeyboardFIDO": ["Client/FidoResult.swift", "Swift/*.swift"],
}
FRAMEWORKS = ["CCustomKeyboard", "CCustomVault", "CCustomFido"]
# Those of the tests that look at the Swift interface only.
TESTS = {
    "CustomKeyboardTests": [
        "KeyboardTests.swift", "MainActorTests.swift", "MessageTests.swift", "OPAQUETests.swift",
        "PasscodeTests.swift", "PatternTests.swift", "SecretBytesTests.swift", "TouchTests.swift", "TypedTests.swift"],
    "KeyboardScreenTests": ["*.swift"],
    "KeyboardVaultTests": ["*.swift"],
    "KeyboardFIDOTests": ["ClientTests.swift", "DescriptionTests.swift"],
}
# What these tests read.
READ = ["Messages/*.json", "Include/*.h", "Docs/Keychain.md", "Docs/FIDO.md"]


def copy(pattern, target):
    """Copies what the pattern names; a date stays, so that only what has changed is compiled again."""
    names = sorted(glob.glob(os.path.join(ROOT, pattern)))
    if not names:
        sys.exit("package.py: nothing is called %s" % pattern)
    os.makedirs(target, exist_ok=True)
    return [shutil.copy2(name, target) for name in names if os.path.isfile(name)]


def put_together(place, is_test):
    kept = set(copy("Packaging/apple/Package.swift", place) + copy("LICENSE", place))
    for module, patterns in MODULES.items():
        target = os.path.join(place, "Sources", module)
        for pattern in patterns:
            kept.update(copy(os.path.join("Sources", module, pattern), target))
        if os.path.isdir(os.path.join(ROOT, "Sources/Darwin/Swift", module)):
            kept.update(copy(os.path.join("Sources/Darwin/Swift", module, "*.swift"), target))
    if is_test:
        for suite, patterns in TESTS.items():
            folder = os.path.join("Tests/Swift", suite)
            for pattern in patterns:
                kept.update(copy(os.path.join(folder, pattern), os.path.join(place, folder)))
        # What takes the place of a server.
        kept.update(copy("Tests/Darwin/Swift/*.swift", place + "/Tests/Swift/CustomKeyboardTests"))
        for pattern in READ:
            kept.update(copy(pattern, os.path.join(place, os.path.dirname(pattern))))
        for name in FRAMEWORKS:
            kept.update(copy("Sources/%s/module.modulemap" % name, os.path.join(place, "Tests", name)))
    # What an earlier version had, or one with tests. Frameworks are put in afterwards.
    for path in glob.glob(os.path.join(place, "**", "*"), recursive=True):
        if os.path.isfile(path) and path not in kept and ".xcframework/" not in path:
            os.remove(path)


def pack(place, target):
    """The same bytes from the same files: names in order, no dates, no rights."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(glob.glob(os.path.join(place, "**", "*"), recursive=True)):
            if os.path.isfile(path):
                name = zipfile.ZipInfo(os.path.relpath(path, os.path.dirname(place)))
                name.external_attr = 0o644 << 16
                with open(path, "rb") as file:
                    archive.writestr(name, file.read(), zipfile.ZIP_DEFLATED)


def main(folder, *options):
    is_test = "--tests" in options
    place = os.path.join(folder, NAME)
    put_together(place, is_test)
    if not is_test:
        for name in FRAMEWORKS:
            framework = os.path.join(place, name + ".xcframework")
            shutil.rmtree(framework, ignore_errors=True)
            shutil.copytree(os.path.join(folder, name + ".xcframework"), framework)
        pack(place, place + ".zip")


if __name__ == "__main__":
    main(*sys.argv[1:])
