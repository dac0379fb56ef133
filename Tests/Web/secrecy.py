"""No key label and no typed character in the document, the accessibility tree, the console, the heaps of JavaScript, or
the network. For every search there is a control: something planted in the same place, which it finds.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import json
import re

from bank import drawn_keys, shuffled
from spoken import OFFER
from stage import check

PIN, CONTROL, NAIVE = "739164028517", "482957130648", "615348702961"
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
                    check(node["nodeValue"] in ("Characters typed: 12", OFFER), "no text but the count", node)
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
        page.evaluate("globalThis.naive = ''; addEventListener('pointerdown', () => { naive += %s[naive.length]; })"
                      % planted(NAIVE))
        for _ in NAIVE:
            page.tap(195, 200)
        check(page.evaluate("naive") and NAIVE in page.heap(), "control: a naive keyboard")


def the_order_of_the_keys_is_in_no_heap(stage):
    for page in stage.both(layout="pin", open="1"):
        glyphs = drawn_keys(page)
        order = shuffled(page, glyphs)
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


GROUPS = [nothing_is_in_the_document, labels_in_the_document_are_found_if_they_are_there,
          nothing_is_in_the_console_or_the_network, nothing_is_in_the_heaps_of_javascript,
          the_order_of_the_keys_is_in_no_heap]
