"""The framed form: whose the key is, which frames are taken, and whom a frame answers.

SPDX-License-Identifier: Apache-2.0
"""

import json
import socket
import threading

from stage import CLOCK, check, code_of, error


def the_key_of_a_frame_is_its_own(stage):
    for name, value in (("key", stage.bank.recipient.key), ("way", "x25519")):
        with stage.framed(layout="pin") as page:
            page.evaluate("keyboard.setAttribute('%s', '%s')" % (name, value))
            check(code_of(page, "keyboard.open(new Uint8Array())") == error("ARGUMENT"), "%s at the opening" % name)
            page.evaluate("keyboard.remove(); document.body.append(keyboard)")
            check(code_of(page, "keyboard.ready") == error("ARGUMENT"), "%s at the start" % name)
            page.evaluate("keyboard.remove(); keyboard.removeAttribute('%s'); document.body.append(keyboard)" % name)
            check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "without it, it opens")
            page.until("true", page.frames[-1])


def a_frame_of_the_same_origin_is_refused(stage):
    with stage.framed(layout="pin") as page:
        for address in ("/frame.html", "frame.html", "", "javascript:alert(1)", "data:text/html,x", "about:blank",
                        "blob:%s/1" % stage.origins.page.origin, stage.origins.page.origin + "/frame.html", "http://["):
            page.evaluate("keyboard.remove(); keyboard.setAttribute('src', '%s')" % address)
            page.evaluate("document.body.append(keyboard)")
            check(code_of(page, "keyboard.open(new Uint8Array())") == error("ARGUMENT"), address)


def another_frame_at_the_next_opening(stage):
    """`src` may change, and may be taken away, like any attribute."""
    with stage.inline(layout="pin", open="1") as page:
        source = stage.origins.frame.origin + "/frame.html"
        page.evaluate("""keyboard.setAttribute('src', '%s'); keyboard.removeAttribute('key')""" % source)
        stage.tap_keys(page, "12")
        check(stage.typed(page) == b"12", "not while it is up")
        page.reopen()
        page.until("true", page.frames[0])
        stage.wait_for_touches(page, "34")
        stage.tap_keys(page, "34")
        check(stage.typed(page) == b"34", "framed now")
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.removeAttribute('src'); keyboard.setAttribute('key', '%s')" % stage.bank.recipient.key)
        frames = list(page.frames)
        page.evaluate("keyboard.open(new Uint8Array())")
        page.ended(frames)
        stage.tap_keys(page, "56")
        check(stage.typed(page) == b"56", "inline again")


def a_frame_that_is_not_ours_is_told_at_once(stage):
    """Three seconds after it was loaded: a server's refusal, another page, no page at all."""
    server = stage.origins.frame
    server.texts["other.html"] = "<!doctype html><p>Something else"
    free = socket.create_server(("127.0.0.1", 0))  # a port where nobody answers as a server does
    closed = "http://127.0.0.1:%d/frame.html" % free.getsockname()[1]
    free.close()
    for parents, source, reported in (([], "/frame.html", server), (None, "/other.html", None),
                                      (None, "/missing.html", None), (None, closed, stage.origins.page)):
        stage.origins.parents = [stage.origins.page.origin] if parents is None else parents
        source = source if source == closed else server.origin + source
        with stage.framed(layout="pin", src=source, look={"early": CLOCK, "is_ready": "globalThis.keyboard"}) as page:
            page.until("document.readyState === 'complete'")  # the frame's page too
            page.browser.rest_for(1)  # it could answer now
            page.evaluate("pass(2990)")
            check(page.evaluate("Promise.race([keyboard.ready, 'no answer'])") == "no answer", "no answer")
            page.evaluate("pass(20)")
            code = code_of(page, "Promise.race([keyboard.ready, Promise.reject({ name: 'still', code: 'waiting' })])")
            check(code == error("LOAD"), "the page gives up", source, code)
            told = page.evaluate("keyboard.ready.catch((error) => error.message)")
            check("does not answer. Is frame.html there?" in told, "and says what to look at", told)
        # The browser reports the page that it did not frame.
        if reported:
            stage.expect_violation(reported)
    stage.origins.parents = [stage.origins.page.origin]


def a_frame_that_is_slow_is_waited_for(stage):
    """It says at once that it is there, and has its keyboard later."""
    kept, going = stage.origins.frame.texts["keyboard.json"], threading.Event()

    def slowly(_):
        going.wait(60)
        return 200, json.loads(kept)
    stage.origins.frame.answers["/keyboard.json"] = slowly
    try:
        early = CLOCK + "addEventListener('message', (event) => { globalThis.said = event.data.customKeyboard; });"
        with stage.framed(layout="pin", look={"early": early, "is_ready": "globalThis.said === 'here'"}) as page:
            page.evaluate("pass(20000)")
            check(page.evaluate("Promise.race([keyboard.ready, 'no answer'])") == "no answer", "not given up")
            going.set()
            check(code_of(page, "keyboard.ready") == "no error", "and there at last")
    finally:
        going.set()
        del stage.origins.frame.answers["/keyboard.json"]


def a_page_that_is_not_on_the_list_is_told(stage):
    """By frame.js itself, whatever the server's headers allow. It gets nothing else."""
    origin = stage.origins.page.origin
    for parents, expected in (([], "LOAD"), (["https://www.bank.example"], "LOAD"), ([origin + "/"], "no error"),
                              (["https://www.bank.example/", origin], "no error"), ([origin + "//"], "LOAD"),
                              ([origin + "/path"], "LOAD"), (["localhost"], "LOAD"), ([7], "LOAD")):
        with stage.settings(parents=parents), stage.framed(layout="pin") as page:
            told = code_of(page, "keyboard.ready")
            check(told.endswith(expected), "parents: %s" % parents, told)
            if expected == "LOAD":
                check("parents" in page.evaluate("keyboard.ready.catch((error) => error.message)"), "and why")
                check(code_of(page, "keyboard.open(new Uint8Array())") == error("LOAD"), "and it does not open")


def a_bad_list_of_a_frame_is_told(stage):
    kept = json.loads(stage.origins.frame.texts["keyboard.json"])
    # An attribute that is ignored, because it is not a string or has no such name, would be the page's to choose.
    ours = [json.dumps({**kept, "attributes": attributes})
            for attributes in (None, "pin", {"maximum": 6}, {"accessible": "yes"}, {"discreet": 1}, {"layout": False},
                               {"shufle": "opening"})]
    ours += [json.dumps({**kept, "free": free}) for free in ("scheme", ["shufle"], [1], {})]
    for text in (None, "no JSON", "{}", '{"way": "x25519", "key": 7, "parents": []}', *ours):
        with stage.settings_text(text), stage.framed(layout="pin") as page:
            check(code_of(page, "keyboard.ready") == error("LOAD"), "keyboard.json: %s" % text)


def the_attributes_of_a_frame_are_its_own(stage):
    """A page that chooses the order of the keys could show one key each of many frames, and learn which is pressed."""
    asked = {"layout": "letters", "maximum": "9", "accessible": "", "discreet": "", "scheme": "dark"}
    # Nothing about attributes, some of them, some of them free, and free ones with a value for pages that set none.
    for said, expected in (
            ({}, {"maximum": None, "accessible": None, "discreet": None, "scheme": None}),
            ({"attributes": {"maximum": "2", "accessible": None, "mute": True}},
             {"maximum": "2", "accessible": None, "discreet": None, "mute": "true"}),
            ({"attributes": {"accessible": False, "discreet": "false"}}, {"accessible": "false", "discreet": "false"}),
            ({"attributes": {"maximum": "2"}, "free": ["discreet"]},
             {"maximum": "2", "accessible": None, "discreet": "", "scheme": None}),
            ({"attributes": {"maximum": "2", "announce": "%d"}, "free": ["maximum", "announce"]},
             {"maximum": "9", "announce": "%d"})):
        attributes = {"layout": "digits", **said.get("attributes", {})}
        with stage.settings(attributes=attributes, free=said.get("free", [])), stage.framed("none", **asked) as page:
            page.evaluate("keyboard.open(new Uint8Array())")
            for name, value in {**expected, "layout": "digits", "shuffle": None}.items():
                inside = page.evaluate("document.querySelector('custom-keyboard').getAttribute('%s')" % name,
                                       page.frames[0])
                check(inside == value, "%s is %r inside" % (name, inside), said)
            check(any("the page cannot set layout" in text for text in page.console), "it is told", page.console)


def a_frame_that_is_gone_can_be_opened_again(stage):
    early = {"early": "addEventListener('message', (event) => { globalThis.found = event.source; })"}
    with stage.framed(layout="pin", look=early) as page:
        page.evaluate("keyboard.open(new Uint8Array())")
        stage.tap_keys(page, "12")
        page.until("keyboard.count === 2")
        page.evaluate("void location.reload()", page.frames[-1])
        page.until("keyboard.count === 0")
        check(code_of(page, "keyboard.close()") == error("OP_DISABLE"), "what was loaded again is not open")
        while code_of(page, "keyboard.open(new Uint8Array())") != "no error":
            page.browser.rest_for(0.02)  # until the frame is there again
        page.until("true", page.frames[-1])
        page.evaluate("found.postMessage({ customKeyboard: 'close', id: 77 }, '*'); 0")
        check(code_of(page, "keyboard.close()") == error("OP_DISABLE"), "closed by somebody else")
        code = code_of(page, "keyboard.open(new Uint8Array())")
        check(code == "no error", "it opens all the same", code)
    with stage.framed(layout="pin", keyboards="0") as page:
        codes = page.evaluate("""(async () => {
          addKeyboard();
          const code = (promise) => promise.then(() => 'no error', (error) => error.code);
          return await Promise.all([code(keyboard.close()), code(keyboard.clear()), code(keyboard.getText())]);
        })()""")
        check(codes == ["OP_DISABLE"] * 3, "before the frame is there", codes)


def a_frame_that_has_died_is_told(stage):
    with stage.framed(layout="pin", look={"early": CLOCK, "is_ready": "globalThis.keyboard"}) as page:
        page.evaluate("keyboard.ready.then(() => keyboard.open(new Uint8Array()))")
        page.crash(page.frames[-1])
        page.evaluate("globalThis.pending = keyboard.getText().catch((error) => error.code); 0")
        page.browser.rest_for(0.5)
        page.evaluate("pass(30000)")
        check(page.evaluate("pending") == "LOAD", "what is pending is rejected")
        check(page.evaluate("Promise.race([keyboard.close().catch((error) => error.code), 'pending'])") == "pending",
              "it is asked, and does not answer")
        page.evaluate("pass(30000)")
        page.evaluate("keyboard.remove(); document.body.append(keyboard)")
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "a new frame works")


def a_keyboard_that_was_not_loaded_is_loaded_at_the_next_opening(stage):
    texts = stage.origins.frame.texts
    kept = texts.pop("keyboard.json")
    with stage.framed(layout="pin") as page:
        check(code_of(page, "keyboard.ready") == error("LOAD"), "there is none")
        texts["keyboard.json"] = kept
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "now there is")


def a_keyboard_in_another_document_is_refused(stage):
    for page in stage.both(layout="pin"):
        code = page.evaluate("""(async () => {
          const other = document.body.appendChild(document.createElement('iframe'));
          other.contentDocument.body.append(keyboard);
          return keyboard.ready.then(() => 'no error', (error) => error.code);
        })()""")
        check(code == "ARGUMENT", "its window could end unheard", code)
        page.evaluate("document.body.append(keyboard)")
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "back in its document")


GROUPS = [the_key_of_a_frame_is_its_own, a_frame_of_the_same_origin_is_refused, another_frame_at_the_next_opening,
          a_frame_that_is_not_ours_is_told_at_once, a_frame_that_is_slow_is_waited_for,
          a_page_that_is_not_on_the_list_is_told, a_bad_list_of_a_frame_is_told, the_attributes_of_a_frame_are_its_own,
          a_frame_that_is_gone_can_be_opened_again, a_frame_that_has_died_is_told,
          a_keyboard_that_was_not_loaded_is_loaded_at_the_next_opening, a_keyboard_in_another_document_is_refused]
