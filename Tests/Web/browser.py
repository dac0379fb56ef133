#!/usr/bin/env python3
"""Tests of <custom-keyboard> in a real browser, Debian's Chromium.

    browser.py MODULES [--update] [--pictures FOLDER] [--bank URL] [--trust HASH] [PART…]

MODULES is the folder of custom-keyboard.wasm, in the one of libcustomkeyboard.so, which is the server of OPAQUE. PART
is a part ("bank") or a group of it ("bank.replays_are_refused").
--update keeps the screenshots as those to compare with. --pictures only makes the pictures of the documentation. --bank
only visits the example bank's page at that address. --trust is for its certificate: the SHA-256, in base64, of the
public key in it.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import importlib
import os
import signal
import sys
import time

import stage

PARTS = ["bank", "fingers", "patterns", "screen", "screenshots", "looks", "interface", "forms", "frames", "borders",
         "spoken", "opaque", "secrecy", "wiping", "hostile", "starved", "canvases", "figures", "app"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("modules")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--pictures")
    parser.add_argument("--bank")
    parser.add_argument("--trust")
    options = parser.parse_intermixed_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the browser ends too
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(1))
    if options.pictures:
        with stage.Stage(options.modules) as theatre:
            return importlib.import_module("figures").pictures(theatre, options.pictures)
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples/Bank/Tests"))
    for part in ["login_page"] if options.bank else PARTS:
        module = importlib.import_module(part)
        groups = [group for group in module.GROUPS if not options.parts or part in options.parts
                  or "%s.%s" % (part, group.__name__) in options.parts]
        if groups:
            run(part, groups, options)
    print("browser: %d checks" % stage.checks)


def run(part, groups, options):
    arguments = ["--ignore-certificate-errors-spki-list=" + options.trust] if options.trust else []
    with stage.Stage(options.modules, arguments=arguments) as theatre:
        theatre.options = options
        for group in groups:
            before, began = stage.checks, time.monotonic()
            try:
                group(theatre)
                stage.check(not theatre.origins.violations, "no violation of the security policy",
                            theatre.origins.violations)
            except BaseException:
                print("browser: failed: %s.%s" % (part, group.__name__), file=sys.stderr)
                raise
            print("browser: %-48s %4d checks, %5.1f s" % (
                "%s: %s" % (part, group.__name__.replace("_", " ")), stage.checks - before, time.monotonic() - began),
                flush=True)


if __name__ == "__main__":
    main()
