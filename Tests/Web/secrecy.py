"""No key label and no typed character in the document, the accessibility tree, the console, the heaps of JavaScript, the
network, or the memory of any process of the browser. Every search first finds something planted in the same place.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import json
import os
import re

from bank import cut_keys, read_order
from memory import forms, resident, scan
from stage import check

PIN, CONTROL, NAIVE, INSIDE = "739164028517", "482957130648", "615348702961", "960274815332"
# Runs before the element and keeps the memory of its module, which the element gives to nobody. Tests read it, and plant
# something in it.
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
# Without the planted text itself: it is put together from numbers.
PLANT = "[%s].map((c) => String.fromCharCode(c - 1)).join('')"


def planted(text):
    return PLANT % ", ".join(str(ord(c) + 1) for c in text)


def type_everywhere(stage, page, digits):
    """Typed slowly, with a wrong key in between, as people do."""
    stage.tap_keys(page, digits[:5])
    stage.tap_keys(page, "0⌫")
    stage.tap_keys(page, digits[5:])
    page.drawn()


def nothing_is_in_the_document(stage):
    for page in stage.both(layout="pin", open="1"):
        type_everywhere(stage, page, PIN)
        check(stage.typed(page) == PIN.encode(), "it was typed")
        check(PIN not in page.document(), "not in the document")
        check(PIN not in json.dumps(page.accessibility()), "not in the accessibility tree")
        for session in (page.session, *page.frames):
            host = [node for node in page.nodes(page.call("DOM.getDocument", session, depth=-1, pierce=True)["root"])
                    if node["nodeName"] == "CUSTOM-KEYBOARD"]
            for node in host and page.nodes(host[0]):
                if node["nodeName"] == "#text":
                    check(node["nodeValue"] == "Characters typed: 12", "the only text is the count", node)
                values = [v for v in node.get("attributes", ()) if len(v) < 3]
                check(not set(values) & set("1234567890"), "no key is in an attribute", node)
        names = [name for _, name, _ in page.spoken()]
        check(not set(names) & set("1234567890"), "no key is spoken", names)
        for session in (page.session, *page.frames):
            page.evaluate("{ const s = document.createElement('span'); s.textContent = %s; document.body.append(s); }"
                          % planted(CONTROL), session)
            check(page.document().count(CONTROL) >= 1, "control: the document")
            check(CONTROL in json.dumps(page.accessibility()), "control: the accessibility tree")


def labels_in_the_document_are_found_if_they_are_there(stage):
    """The control of the search for labels: the attribute that puts them there."""
    for page in stage.both(layout="pin", accessible="", open="1"):
        names = [name for _, name, _ in page.spoken()]
        check(set("1234567890") <= set(names), "spoken keys are found", names)
        check(all('"%s"' % digit in page.document() for digit in "1234567890"), "in the document too")


def nothing_is_in_the_console_or_the_network(stage):
    for page in stage.both(layout="pin", maximum="12"):
        account = "dave%d" % len(stage.bank.passcodes)
        check(stage.answer(page, "register", account, PIN, PIN)[0] == 200, "registered")
        check(stage.answer(page, "login", account, PIN)[0] == 200, "logged in")
        check(not page.console, "the console is silent", page.console)
        check(PIN.encode() not in all_forms(stage.origins.sent()), "not in what was sent")
        check(PIN not in "".join(page.requests), "not in what the browser says was sent")
        # Controls: a page that is careless.
        page.evaluate("console.log('typed', %s); fetch('/careless?' + %s)" % (planted(CONTROL), planted(CONTROL)))
        page.evaluate("fetch('/careless', { method: 'POST', body: btoa(%s) })" % planted(NAIVE))
        check(CONTROL in "".join(page.console), "control: the console")
        for _ in range(500):
            if NAIVE.encode() in all_forms(stage.origins.sent()):
                break
            page.browser.rest_for(0.02)
        check(CONTROL.encode() in all_forms(stage.origins.sent()), "control: what was sent")
        check(NAIVE.encode() in all_forms(stage.origins.sent()), "control: in base64 too")
        check(CONTROL in "".join(page.requests), "control: what the browser says")


def all_forms(data):
    """The data, and what is in it in base64 and in hexadecimal digits."""
    found = [data]
    for text in re.findall(rb"[A-Za-z0-9+/_-]{12,}", data):
        found.append(base64.urlsafe_b64decode(text.replace(b"+", b"-").replace(b"/", b"_")[:len(text) // 4 * 4]))
        if len(text) % 2 == 0 and re.fullmatch(rb"[0-9a-f]+", text):
            found.append(bytes.fromhex(text.decode()))
    return b"\n".join(found)


def nothing_is_in_the_heaps_of_javascript(stage):
    for page in stage.both(layout="pin", open="1"):
        type_everywhere(stage, page, PIN)
        check(PIN not in page.heap(), "not in a heap while it is typed")
        page.evaluate("keyboard.getText().then((text) => { globalThis.text = text; })")
        page.evaluate("keyboard.close()")
        check(PIN not in page.heap(), "nor after close")
        for session in (page.session, *page.frames):
            page.evaluate("globalThis.planted = { pin: %s }; 0" % planted(CONTROL), session)
        check(page.heap().count(CONTROL) >= len((page.session, *page.frames)), "control: a property, in each heap")
        page.evaluate("globalThis.naive = ''; document.addEventListener('pointerdown', () => { naive += %s[naive.length]; })"
                      % planted(NAIVE))
        for _ in NAIVE:
            page.tap(195, 200)
        check(page.evaluate("naive") and NAIVE in page.heap(), "control: a naive keyboard")


def the_order_of_the_keys_is_in_no_heap(stage):
    for page in stage.both(layout="pin", open="1"):
        glyphs = cut_keys(page)
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.setAttribute('shuffle', 'opening'); keyboard.open()")
        page.drawn()
        order = read_order(cut_keys(page), glyphs)
        check(len(set(order)) == 10, "the order was read", order)
        heap = page.heap()
        check(order not in heap and ",".join(order) not in heap, "not in a heap", order)
        # Nor key by key, in any writing: as an array of one-character texts would be.
        check(page.evaluate("globalThis.order = [...%s]; order.length" % planted(order)) == 10, "planted")
        check(strings_in_order(page.heap(), order), "control: an array of labels")
        page.evaluate("globalThis.order = 0")
        check(not strings_in_order(page.heap(), order), "no array of labels")


def strings_in_order(text, order):
    """Whether a heap has an array whose elements are these texts, one after the other."""
    for snapshot in text.split("\n{\"snapshot\""):
        snapshot = snapshot if snapshot.startswith("{") else "{\"snapshot\"" + snapshot
        heap = json.loads(snapshot)
        nodes, edges, strings = heap["nodes"], heap["edges"], heap["strings"]
        fields = heap["snapshot"]["meta"]["node_fields"]
        width, name, count = len(fields), fields.index("name"), fields.index("edge_count")
        across = len(heap["snapshot"]["meta"]["edge_fields"])
        at = 0
        for node in range(0, len(nodes), width):
            found = []
            for edge in range(at, at + nodes[node + count] * across, across):
                if heap["snapshot"]["meta"]["edge_types"][0][edges[edge]] in ("element", "internal", "hidden"):
                    found.append(strings[nodes[edges[edge + 2] + name]])
            at += nodes[node + count] * across
            if order in "".join(text if len(text) == 1 else "\n" for text in found):
                return True
    return False


def nothing_is_in_the_memory_of_any_process(stage):
    """Typed, sealed and closed; then out of the page. What was planted in the process of the keyboard is found each time:
    a text, an array of numbers, and, where a test can reach it, bytes in the memory of the keyboard's own module."""
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
            search = lambda: scan(stage.browser.processes(), {**forms(PIN), **controls})  # noqa: E731
            type_everywhere(stage, page, PIN)
            counts = search()
            check(found(counts) == list(controls), "while it is typed", counts)
            check(counts[""] > resident(stage.browser.processes()) * 0.8, "all of the memory was looked at", counts)
            check(stage.typed(page) == PIN.encode(), "it was typed")
            page.evaluate("keyboard.close()")
            counts = search()
            check(found(counts) == list(controls), "after close", counts)
            page.evaluate("keyboard.remove()")
            counts = search()
            check(not set(found(counts)) & set(forms(PIN)), "after leaving the page", counts)
            check("control inside" not in found(counts), "the module's memory is zero", counts)
            print("browser: secrecy: %s: %d MiB in %d processes" % (
                form.__name__, counts[""] >> 20, len(stage.browser.processes())))


# Never a text, which would stay in a heap.
PLANT_INSIDE = """{ const memory = new Uint8Array(modules[0].buffer);
  [%s].forEach((c, i) => { memory[memory.length - 64 + i] = c - 1; }); }""" % ", ".join(str(ord(c) + 1) for c in INSIDE)


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
            page.evaluate("keyboard.setAttribute('shuffle', '%s'); keyboard.open(new Uint8Array(32).fill(0xa5))" % shuffle)
            page.drawn()
            if opening == 0:
                glyphs = cut_keys(page)
            order = read_order(cut_keys(page), glyphs)
            type_everywhere(stage, page, PIN)
            typed = "".join(order["1234567890".index(digit)] for digit in PIN)
            check(stage.typed(page, context=b"\xa5" * 32) == typed.encode(), "it was typed")
            # The order, as the library keeps it: each place's distance from its own.
            places = bytes("1234567890".index(d) + 26 ^ 26 + i for i, d in enumerate(order))
            up = image()
            check(not [name for name, needle in forms(typed).items() if needle in up], "not unmasked while it is up")
            check(b"\xa5" * 32 in up, "control: the context is there while it is up")
            if opening:
                check(places in up, "control: the order is there while it is up", order)
            page.evaluate("keyboard.close()")
            closed = image()
            check(not [name for name, needle in forms(typed).items() if needle in closed], "nothing typed is left")
            check(b"\xa5" * 16 not in closed, "nor the context")
            check(places not in closed or not opening, "nor the order")
        page.evaluate(PLANT_INSIDE)
        check(INSIDE.encode() in image(), "control: the module's memory")
        check(any(image()), "there is something in it")
        page.evaluate("keyboard.remove()")
        check(image() == bytes(size), "leaving the page zeroes all of it")
        page.evaluate("document.body.append(keyboard); keyboard.ready")
        page.evaluate("keyboard.open()")
        check(page.evaluate("modules.length") == 2, "coming back has a memory of its own")
        page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
        page.evaluate("modules.shift()")
        check(image() == bytes(size), "pagehide zeroes all of it, too")


GROUPS = [nothing_is_in_the_document, labels_in_the_document_are_found_if_they_are_there,
          nothing_is_in_the_console_or_the_network, nothing_is_in_the_heaps_of_javascript,
          the_order_of_the_keys_is_in_no_heap, nothing_is_in_the_memory_of_any_process,
          nothing_is_left_in_the_module_s_memory]
