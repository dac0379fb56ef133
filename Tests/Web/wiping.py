"""Nothing typed is in the memory of any process of the browser, and nothing at all is left in that of the module.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import re

from bank import cut_keys, read_order
from memory import forms, resident, scan
from secrecy import CONTROL, NAIVE, PIN, planted, type_everywhere
from stage import check

INSIDE = "960274815332"
# Runs before the element and keeps the memory of its module, which the element gives to nobody.
OVERHEAR = """(() => {
  const { Instance } = WebAssembly;
  globalThis.modules = [];
  WebAssembly.Instance = function (...what) {
    const made = new Instance(...what);
    modules.push(made.exports.memory);
    return made;
  };
  WebAssembly.Instance.prototype = Instance.prototype;
})();"""


def nothing_is_in_the_memory_of_any_process(stage):
    """Typed, sealed and closed; then out of the page. What was planted in the process of the keyboard is found each
    time: a text, an array of numbers, and, where a test can reach it, bytes in the memory of the keyboard's module."""
    for form in (stage.inline, stage.framed):
        with form(layout="pin", open="1", look={"early": OVERHEAR}) as page:
            check(len(stage.browser.processes()) >= 4, "the browser has several processes", stage.browser.processes())
            session = page.frames[-1] if page.frames else page.session
            page.evaluate("globalThis.planted = { pin: %s }; 0" % planted(CONTROL), session)
            page.evaluate("globalThis.numbers = new Int32Array(Array.from(%s, Number)); 0" % planted(NAIVE), session)
            controls = {"control": CONTROL.encode(), "control numbers": forms(NAIVE)["digits as int32"]}
            if form == stage.inline:
                page.evaluate(PLANT_INSIDE)
                controls["control inside"] = INSIDE.encode()
            search = lambda expected: look_for(stage, {**forms(PIN), **controls}, expected)  # noqa: E731
            type_everywhere(stage, page, PIN)
            counts = search(controls)
            check(found(counts) == list(controls), "while it is typed", counts)
            check(counts[""] > resident(stage.browser.processes()) * 0.8, "all of the memory was looked at", counts)
            check(stage.typed(page) == PIN.encode(), "it was typed")
            page.evaluate("keyboard.close()")
            counts = search(controls)
            check(found(counts) == list(controls), "after close", counts)
            page.evaluate("keyboard.remove()")
            counts = search({})
            check(not set(found(counts)) & set(forms(PIN)), "after leaving the page", counts)
            check("control inside" not in found(counts), "the module's memory is zero", counts)
            print("browser: secrecy: %s: %d MiB in %d processes" % (
                form.__name__, counts[""] >> 20, len(stage.browser.processes())))


# Never a text, which would stay in a heap.
PLANT_INSIDE = """{ const memory = new Uint8Array(modules[0].buffer);
  [%s].forEach((c, i) => { memory[memory.length - 64 + i] = c - 1; }); }""" % ", ".join(str(ord(c) + 1) for c in INSIDE)


def look_for(stage, needles, expected):
    """Searches the memory of all processes. A collection of garbage may move what was planted from a place that comes
    later to one that was searched already, so a search that misses it is made again; one that finds more is not."""
    for _ in range(5):
        counts = scan(stage.browser.processes(), needles)
        if set(found(counts)) >= set(expected) or set(found(counts)) - set(expected):
            break
    return counts


def found(counts):
    return [name for name, count in counts.items() if name and count]


def nothing_is_left_in_the_module_s_memory(stage):
    """The module's own memory, byte by byte: what typing changed in it is changed back by close; leaving zeroes all."""
    with stage.inline(layout="pin", look={"early": OVERHEAR}) as page:
        check(page.evaluate("modules.length") == 1, "there is one module")
        size = page.evaluate("modules[0].buffer.byteLength")
        image = lambda: base64.b64decode(page.evaluate(  # noqa: E731
            "btoa(Array.from(new Uint8Array(modules[0].buffer), (b) => String.fromCharCode(b)).join(''))"))
        glyphs = None
        for opening in range(3):
            shuffle = "opening" if opening else "none"
            page.evaluate("keyboard.setAttribute('shuffle', '%s')" % shuffle)
            page.evaluate("keyboard.open(new Uint8Array(32).fill(0xa5))")
            page.drawn()
            if opening == 0:
                glyphs = cut_keys(page)
            order = read_order(cut_keys(page), glyphs)
            type_everywhere(stage, page, PIN)
            typed = "".join(order["1234567890".index(digit)] for digit in PIN)
            check(stage.typed(page, context=b"\xa5" * 32) == typed.encode(), "it was typed")
            # The order, as the library keeps it: each place's distance from its own.
            places = bytes("1234567890".index(d) + 26 ^ 26 + i for i, d in enumerate(order))
            # And as it was handed over for drawing: structures of 72 bytes.
            drawn = re.compile(b".{71}".join(re.escape(digit.encode()) for digit in order[:9]), re.DOTALL)
            check(drawn.search(bytes(7) + bytes(71).join(digit.encode() for digit in order)), "control: structures")
            up = image()
            check(not drawn.search(up), "labels are wiped as soon as they are drawn")
            check(not [name for name, needle in forms(typed).items() if needle in up], "not unmasked while it is up")
            check(b"\xa5" * 32 in up, "control: the context is there while it is up")
            if opening:
                check(places in up, "control: the order is there while it is up", order)
            page.evaluate("keyboard.close()")
            closed = image()
            check(not [name for name, needle in forms(typed).items() if needle in closed], "nothing typed is left")
            check(b"\xa5" * 16 not in closed, "nor the context")
            check(places not in closed or not opening, "nor the order")
            check(not drawn.search(closed), "nor the labels")
        page.evaluate(PLANT_INSIDE)
        check(INSIDE.encode() in image(), "control: the module's memory")
        check(any(image()), "there is something in it")
        page.evaluate("keyboard.remove()")
        check(image() == bytes(size), "leaving the page zeroes all of it")
        page.evaluate("document.body.append(keyboard); keyboard.ready")
        page.evaluate("keyboard.open(new Uint8Array())")
        check(page.evaluate("modules.length") == 2, "coming back has a memory of its own")
        page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
        page.evaluate("modules.shift()")
        check(image() == bytes(size), "pagehide zeroes all of it, too")


GROUPS = [nothing_is_in_the_memory_of_any_process, nothing_is_left_in_the_module_s_memory]
