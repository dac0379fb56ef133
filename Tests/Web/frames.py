"""The framed form: whose the key is, which frames are taken, and whom a frame answers.

SPDX-License-Identifier: Apache-2.0
"""

from stage import CLOCK, check, code_of, error


def the_key_of_a_frame_is_its_own(stage):
    for name, value in (("key", stage.bank.recipient.key), ("way", "x25519")):
        with stage.framed(layout="pin") as page:
            page.evaluate("keyboard.setAttribute('%s', '%s')" % (name, value))
            check(code_of(page, "keyboard.open()") == error("ARGUMENT"), "%s at the opening" % name)
            page.evaluate("keyboard.remove(); document.body.append(keyboard)")
            check(code_of(page, "keyboard.ready") == error("ARGUMENT"), "%s at the start" % name)
            page.evaluate("keyboard.remove(); keyboard.removeAttribute('%s'); document.body.append(keyboard)" % name)
            check(code_of(page, "keyboard.open()") == "no error", "without it, it opens")
            page.until("true", page.frames[-1])


def a_frame_of_the_same_origin_is_refused(stage):
    with stage.framed(layout="pin") as page:
        for address in ("/frame.html", "frame.html", "", "javascript:alert(1)", "data:text/html,x", "about:blank",
                        "blob:%s/1" % stage.origins.page.origin, stage.origins.page.origin + "/frame.html", "http://["):
            page.evaluate("keyboard.remove(); keyboard.setAttribute('src', '%s')" % address)
            page.evaluate("document.body.append(keyboard)")
            check(code_of(page, "keyboard.open()") == error("ARGUMENT"), address)


def another_frame_at_the_next_opening(stage):
    """`src` may change, and may be taken away, like any attribute."""
    with stage.inline(layout="pin", open="1") as page:
        source = stage.origins.frame.origin + "/frame.html"
        page.evaluate("""keyboard.setAttribute('src', '%s'); keyboard.removeAttribute('key')""" % source)
        stage.tap_keys(page, "12")
        check(stage.typed(page) == b"12", "not while it is up")
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.open()")
        page.until("true", page.frames[0])
        stage.tap_keys(page, "34")
        check(stage.typed(page) == b"34", "framed now")
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.removeAttribute('src'); keyboard.setAttribute('key', '%s'); keyboard.open()"
                      % stage.bank.recipient.key)
        stage.tap_keys(page, "56")
        check(stage.typed(page) == b"56", "inline again")


def frames_answer_only_pages_on_their_list(stage):
    """Twice: the server's `frame-ancestors`, and the list of frame.js itself."""
    server, origin = stage.origins.frame, stage.origins.page.origin
    key = stage.bank.recipient.key
    for parents, listed in (([], [origin]), ([origin], [])):
        stage.origins.parents = listed
        stage.origins.set_frame_key("x25519", key)
        stage.origins.parents = parents
        before = len(stage.origins.page.violations), len(server.violations)
        with stage.framed(layout="pin", look={"early": CLOCK, "is_ready": "globalThis.keyboard"}) as page:
            page.until("document.readyState === 'complete'")  # the frame's page too
            page.browser.rest_for(1)  # it could answer now
            check(page.evaluate("Promise.race([keyboard.ready, 'no answer'])") == "no answer", "no answer")
            page.evaluate("pass(30000)")
            check(code_of(page, "keyboard.ready") == error("LOAD"), "the page gives up", parents, listed)
        # The browser reports the page that it did not frame.
        del stage.origins.page.violations[before[0]:], server.violations[before[1]:]
    stage.origins.parents = [origin]
    stage.origins.set_frame_key("x25519", key)


def a_bad_list_of_a_frame_is_told(stage):
    texts = stage.origins.frame.texts
    kept = texts["keyboard.json"]
    for text in (None, "no JSON", "{}", '{"way": "x25519", "key": 7, "parents": []}'):
        texts["keyboard.json"] = text
        if text is None:
            del texts["keyboard.json"]
        with stage.framed(layout="pin") as page:
            check(code_of(page, "keyboard.ready") == error("LOAD"), "keyboard.json: %s" % text)
    texts["keyboard.json"] = kept


GROUPS = [the_key_of_a_frame_is_its_own, a_frame_of_the_same_origin_is_refused, another_frame_at_the_next_opening,
          frames_answer_only_pages_on_their_list, a_bad_list_of_a_frame_is_told]
