#!/usr/bin/env python3
"""Puts the libraries and their headers into XCFrameworks, which Xcode and SwiftPM take.

    xcframework.py FOLDER VERSION MBEDTLS FRAMEWORK=HEADER=OLDEST[=LOWER=HEADER…]…

    FOLDER has ios/FRAMEWORK, ios/FRAMEWORK.dSYM and the same in ios-simulator, and gets FRAMEWORK.xcframework.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import os
import plistlib
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACES = {"ios": ("ios-arm64", "iPhoneOS"), "ios-simulator": ("ios-arm64-simulator", "iPhoneSimulator")}

MBEDTLS = ("aes", "chacha20", "chachapoly", "des", "poly1305")  # what ios.mk compiles

# What an app's owner has to tell Apple: nothing is tracked or collected. The vault looks at its own file with `stat`:
# C617.1 is the reason for files in the app's container.
PRIVACY = {"NSPrivacyTracking": False, "NSPrivacyTrackingDomains": [], "NSPrivacyCollectedDataTypes": [],
           "NSPrivacyAccessedAPITypes": []}
FILE_TIMES = {"NSPrivacyAccessedAPIType": "NSPrivacyAccessedAPICategoryFileTimestamp",
              "NSPrivacyAccessedAPITypeReasons": ["C617.1"]}


def write(path, text):
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def plist(values):
    return plistlib.dumps(values, sort_keys=True)


def header(name, lower):
    """A header finds those of lower frameworks by their frameworks' names."""
    with open(os.path.join(ROOT, "Include", name), encoding="utf-8") as file:
        text = file.read()
    for framework, other in lower:
        text = text.replace('#include "%s"' % other, "#include <%s/%s>" % (framework, other))
    if '#include "' in text:
        sys.exit("xcframework.py: %s includes a header that no framework has" % name)
    return text


def bill_of_materials(name, version, mbedtls):
    """What is inside, in CycloneDX 1.5: of mbedTLS the exact version of Debian's, its patches, and what is compiled."""
    with open(os.path.join(mbedtls, "debian", "changelog"), encoding="utf-8") as file:
        source = re.match(r"mbedtls \(([^)]+)\)", file.readline()).group(1)
    patches = os.path.join(mbedtls, "debian", "patches", "series")
    names = []
    if os.path.exists(patches):
        with open(patches, encoding="utf-8") as file:
            names = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    files = []
    for source_name in MBEDTLS:
        with open(os.path.join(mbedtls, "library", source_name + ".c"), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        files.append({"type": "file", "name": "library/%s.c" % source_name,
                      "hashes": [{"alg": "SHA-256", "content": digest}]})
    licence = [{"license": {"id": "Apache-2.0"}}]
    return json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "framework", "name": name, "version": version, "licenses": licence}},
        "components": [{
            "type": "library", "name": "mbedtls", "version": source, "licenses": licence,
            "purl": "pkg:deb/debian/mbedtls@%s?arch=source" % source, "components": files,
            "properties": [{"name": "patch", "value": each} for each in names]}],
    }, indent=1, sort_keys=True) + "\n"


def framework(folder, name, text, header_name, values, mbedtls, library):
    place = os.path.join(folder, name + ".framework")
    os.makedirs(os.path.join(place, "Headers"))
    os.makedirs(os.path.join(place, "Modules"))
    shutil.copy(library, os.path.join(place, name))
    write(os.path.join(place, "Headers", header_name), text)
    write(os.path.join(place, "Modules", "module.modulemap"),
          'framework module %s {\n  header "%s"\n  export *\n}\n' % (name, header_name))
    write(os.path.join(place, "Info.plist"), plist(values))
    reasons = [FILE_TIMES] if name == "CCustomVault" else []
    write(os.path.join(place, "PrivacyInfo.xcprivacy"), plist({**PRIVACY, "NSPrivacyAccessedAPITypes": reasons}))
    shutil.copy(os.path.join(ROOT, "LICENSE"), os.path.join(place, "LICENSE"))
    shutil.copy(os.path.join(mbedtls, "LICENSE"), os.path.join(place, "LICENSE.mbedtls"))
    write(os.path.join(place, "sbom.cdx.json"), bill_of_materials(name, values["CFBundleVersion"], mbedtls))


def make(folder, version, mbedtls, name, header_name, oldest, lower):
    target = os.path.join(folder, name + ".xcframework")
    shutil.rmtree(target, ignore_errors=True)
    text, libraries = header(header_name, lower), []
    for platform, (place, family) in PLACES.items():
        inside = os.path.join(target, place)
        framework(inside, name, text, header_name, {
            "CFBundleDevelopmentRegion": "en", "CFBundleExecutable": name,
            "CFBundleIdentifier": "custom-keyboard." + name,
            "CFBundleInfoDictionaryVersion": "6.0", "CFBundleName": name, "CFBundlePackageType": "FMWK",
            "CFBundleShortVersionString": version, "CFBundleVersion": version, "MinimumOSVersion": oldest,
            "CFBundleSupportedPlatforms": [family]}, mbedtls, os.path.join(folder, platform, name))
        shutil.copytree(os.path.join(folder, platform, name + ".dSYM"),
                        os.path.join(inside, "dSYMs", name + ".framework.dSYM"))
        libraries.append({
            "LibraryIdentifier": place, "LibraryPath": name + ".framework", "BinaryPath": name + ".framework/" + name,
            "SupportedArchitectures": ["arm64"], "SupportedPlatform": "ios", "DebugSymbolsPath": "dSYMs",
            **({"SupportedPlatformVariant": "simulator"} if platform != "ios" else {})})
    write(os.path.join(target, "Info.plist"), plist({
        "AvailableLibraries": libraries, "CFBundlePackageType": "XFWK", "XCFrameworkFormatVersion": "1.0"}))
    print("%s: %s" % (target, ", ".join(
        "%s %d bytes" % (platform, os.path.getsize(os.path.join(folder, platform, name))) for platform in PLACES)))


def main(folder, version, mbedtls, *products):
    for product in products:
        name, header_name, oldest, *lower = product.split("=")
        make(folder, version, mbedtls, name, header_name, oldest, list(zip(lower[::2], lower[1::2])))


main(*sys.argv[1:])
