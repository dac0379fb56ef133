#!/usr/bin/env python3
"""Plants one fault after another in a copy of an XCFramework, and sees mk/ios/check.py refuse each.

    refused.py XCFRAMEWORK          CCustomVault.xcframework, which imports from all that a framework may

SPDX-License-Identifier: Apache-2.0
"""

import os
import plistlib
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "mk", "ios"))
import check  # noqa: E402
import macho  # noqa: E402

DEVICE = "ios-arm64"


class Copy:
    """A copy of the XCFramework, in which a fault is planted."""

    def __init__(self, source, work):
        self.name = os.path.basename(source).removesuffix(".xcframework")
        self.target = os.path.join(work, os.path.basename(source))
        shutil.rmtree(self.target, ignore_errors=True)
        shutil.copytree(source, self.target)
        self.folder = os.path.join(self.target, DEVICE, self.name + ".framework")
        self.path = os.path.join(self.folder, self.name)
        with open(self.path, "rb") as file:
            self.data = bytearray(file.read())

    def write(self):
        with open(self.path, "wb") as file:
            file.write(self.data)

    def image(self):
        return macho.Image(bytes(self.data))

    def info(self, path, **values):
        with open(path, "rb") as file:
            old = plistlib.load(file)
        with open(path, "wb") as file:
            plistlib.dump({**old, **values}, file)

    def edit(self, name, old, new):
        path = os.path.join(self.folder, name)
        with open(path, "rb") as file:
            text = file.read()
        with open(path, "wb") as file:
            file.write(text.replace(old, new))

    def own_info(self, **values):
        self.info(os.path.join(self.folder, "Info.plist"), **values)

    def put(self, command, offset, number):
        struct.pack_into("<I", self.data, self.image().of(command)[0] + offset, number)
        self.write()

    def replace(self, old, new):
        if old not in self.data or len(old) != len(new):
            sys.exit("refused.py: nothing to plant in: %r" % old)
        self.data = self.data.replace(old, new)
        self.write()

    def flags(self, more):
        struct.pack_into("<I", self.data, 24, self.image().flags | more)
        self.write()

    def weaken_a_definition(self):
        """The first symbol becomes external, defined and weak."""
        at = struct.unpack_from("<I", self.data, self.image().of(macho.SYMTAB)[0] + 8)[0]
        struct.pack_into("<BBH", self.data, at + 4, 0xF, 1, 0x80)
        self.write()

    def fill_the_room(self):
        """The first section begins where the load commands end."""
        place = self.image().of(macho.SEGMENT)[0]
        struct.pack_into("<I", self.data, place + 72 + 48, 32 + self.image().size + 8)
        self.write()

    def import_from_elsewhere(self):
        """The first import is of the library behind it."""
        at, count, _, _ = struct.unpack_from("<4I", self.data, self.image().of(macho.SYMTAB)[0] + 8)
        for entry in range(at, at + 16 * count, 16):
            if self.data[entry + 4] & 0xEF == 1:
                description = struct.unpack_from("<H", self.data, entry + 6)[0]
                struct.pack_into("<H", self.data, entry + 6, (description & 0xFF) | (3 - (description >> 8)) << 8)
                break
        self.write()


FAULTS = [
    ("MinimumOSVersion is 15.0", lambda copy: copy.own_info(MinimumOSVersion="15.0")),
    ("is for 17.2", lambda copy: copy.put(macho.BUILD_VERSION, 12, 0x110200)),
    ("not one to three numbers", lambda copy: copy.own_info(CFBundleVersion="1.0.0.0")),
    ("not one to three numbers", lambda copy: copy.own_info(CFBundleShortVersionString="1.0-beta")),
    ("another platform", lambda copy: copy.put(macho.BUILD_VERSION, 8, macho.PLATFORMS["ios-simulator"])),
    ("imports _flocc", lambda copy: copy.replace(b"\0_flock\0", b"\0_flocc\0")),
    ("imports ", lambda copy: copy.import_from_elsewhere()),
    ("needs /usr/lib/libSystem.C.dylib", lambda copy: copy.replace(b"libSystem.B.dylib", b"libSystem.C.dylib")),
    ("exports _CustomVaulx_", lambda copy: copy.replace(b"_CustomVault_\0", b"_CustomVaulx_\0")),
    ("has __swift5_x", lambda copy: copy.replace(b"__unwind_info\0", b"__swift5_xxxx\0")),
    ("has __objc_", lambda copy: copy.replace(b"__unwind_info\0", b"__objc_xxxxxx\0")),
    ("is writable and executable", lambda copy: copy.put(macho.SEGMENT, 60, 7)),
    ("weak definitions", lambda copy: copy.flags(macho.WEAK_DEFINES)),
    ("weak definitions", lambda copy: copy.weaken_a_definition()),
    ("has no UUID", lambda copy: copy.put(macho.UUID, 0, 0x2A)),
    ("another UUID than its debug symbols", lambda copy: copy.put(macho.UUID, 8, 7)),
    ("no LC_ENCRYPTION_INFO_64", lambda copy: copy.put(macho.ENCRYPTION_INFO, 0, 0x2A)),
    ("no room for a signature", lambda copy: copy.fill_the_room()),
    ("no debug symbols", lambda copy: shutil.rmtree(os.path.join(copy.target, DEVICE, "dSYMs"))),
    ("names no debug symbols", lambda copy: copy.info(os.path.join(copy.target, "Info.plist"), AvailableLibraries=[
        {"LibraryIdentifier": place, "LibraryPath": copy.name + ".framework"} for place in check.PLACES])),
    ("has no PrivacyInfo.xcprivacy", lambda copy: os.remove(os.path.join(copy.folder, "PrivacyInfo.xcprivacy"))),
    ("has no bill of materials", lambda copy: os.remove(os.path.join(copy.folder, "sbom.cdx.json"))),
    ("without mbedTLS's exact version", lambda copy: copy.edit("sbom.cdx.json", b'"2.28.', b'"2.x')),
    ("has no LICENSE.mbedtls", lambda copy: os.remove(os.path.join(copy.folder, "LICENSE.mbedtls"))),
]


def main(source):
    wrong = list(check.refuse(source))
    with tempfile.TemporaryDirectory() as work:
        for wanted, plant in FAULTS:
            copy = Copy(source, work)
            plant(copy)
            said = list(check.refuse(copy.target))
            if not any(wanted in fault for fault in said):
                wrong.append("not refused: %s: %s" % (wanted, said))
    for text in wrong:
        print("refused.py: " + text, file=sys.stderr)
    print("refused: %d checks" % (len(FAULTS) + 1))
    return 1 if wrong else 0


sys.exit(main(sys.argv[1].rstrip("/")))
