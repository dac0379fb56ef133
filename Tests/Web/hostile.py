"""Hostile scripts in the page, before and after the element, inline and framed: what they get is what Docs/Web.md says.

    inline, before   everything: it is the control of the others
    inline, after    (before the first keyboard is made, too) where the fingers are, counts, sealed texts; it can
                     exchange the key, and draw a false keyboard
    framed           counts and sealed texts

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
from unittest import mock

from interface import hash_of, hashed, module_of
from pages import Page
from places import Places
from servers import BINDINGS
from stage import check
from stub import Recipient, decode

PIN = "73916402"
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "Pages", "thief.js"), encoding="utf-8") as file:
    THIEF = file.read()
LOOT = """JSON.parse(JSON.stringify({ calls: loot.calls, replaced: loot.replaced, canvases: loot.canvases.size,
  roots: loot.roots.size, memories: loot.memories.size, inside: loot.inside.size, pixels: loot.pixels,
  drawn: loot.drawn.length, stolen: loot.stolen, points: loot.points, heard: loot.heard, messages: loot.messages,
  called: [...loot.called], ways: [...loot.ways] }))"""
# The element's promises are the page's to hear; their values are sealed texts and nothing.
INEVITABLE = {"Promise.prototype.constructor", "Object.then"}
SECRETS = ("canvases", "roots", "memories", "inside", "pixels", "drawn", "stolen")

# A form, a style, and what else the element does only if it is asked for.
USED = {"name": "pin", "required": ""}
IN_FORM = """document.body.append(Object.assign(document.createElement('form'), { id: 'form' }));
  keyboard.setAttribute('form', 'form');
  keyboard.style.cssText = '--custom-keyboard-text: #101010; --custom-keyboard-font: serif';"""


def robbed(stage, form, when, **attributes):
    """A page with the thief in it, a PIN that is typed and sent, and what the thief has got."""
    look = {"early": THIEF if when == "before" else ""}
    if when == "between":  # the element is defined, and there is none yet
        page = form(layout="pin", maximum="8", keyboards="0", look=look, **attributes)
        page.evaluate(THIEF)
        page.evaluate("addKeyboard(); keyboard.ready")
    else:
        page = form(layout="pin", maximum="8", look=look, **attributes)
        if "name" in attributes:
            page.evaluate(IN_FORM)
        if when == "after":
            page.evaluate(THIEF)
    page.evaluate("keyboard.open(new Uint8Array([1, 2, 3]))")
    page.drawn()
    stage.tap_keys(page, PIN)
    page.until("events.includes('complete 8')")
    page.resize(400, 850)  # it must draw again
    page.drawn()
    check(stage.typed(page, context=bytes([1, 2, 3])) == PIN.encode(), "the keyboard works all the same")
    page.evaluate("keyboard.close()")
    page.evaluate("keyboard.remove()")
    return page, page.evaluate(LOOT)


def inline_before_gets_everything(stage):
    """What the docs warn of. And the control: the thief is able to find what it looks for."""
    page, loot = robbed(stage, stage.inline, "before")
    with page:
        check(loot["replaced"] > 5000, "the thief replaces everything", loot["replaced"])
        check(loot["stolen"] == PIN, "it has the PIN", loot)
        for name in ("canvases", "memories", "pixels", "roots", "called"):
            check(loot[name], "and all the rest: " + name, loot)


def inline_after_gets_no_key_and_no_memory(stage):
    for when, attributes in (("after", {}), ("after", {"accessible": ""}), ("after", USED), ("between", {}),
                             ("between", {"accessible": ""})):
        page, loot = robbed(stage, stage.inline, when, **attributes)
        with page:
            check(loot["calls"] > 100, "the thief is there", loot["calls"])
            check(set(loot["called"]) <= INEVITABLE, "%s: the element calls nothing that was replaced" % when, loot)
            for name in SECRETS:
                check(not loot[name], "%s: no %s" % (when, name), loot)
            # What it does get, as the docs say: where the fingers are, counts, sealed texts.
            box = [0, 618, 390, 226]
            places = Places("pin", box)
            expected = [list(map(round, places.middle(digit))) for digit in PIN]
            points = [list(map(round, point)) for point in loot["points"]]
            check(points == expected, "places of fingers", points)
            check(loot["heard"][-1] == 'complete {"count":8}', "counts", loot["heard"])


def the_hash_of_the_module_is_computed_without_the_page(stage):
    """It is computed when the first keyboard is made: a function of the page's in it would choose the module."""
    with hashed(stage, hash_of("sha384", module_of(stage))) as page:
        page.evaluate(THIEF)
        page.evaluate("addKeyboard(); keyboard.ready")
        loot = page.evaluate(LOOT)
        check(loot["replaced"] > 5000, "the thief replaces everything", loot["replaced"])
        check(set(loot["called"]) <= INEVITABLE, "and nothing of it is called", loot["called"], loot["ways"])


# Puts an accessor on Object.prototype for every word of the file: it hears each property of ours that is set, or read
# where there is none. `hits` says which, and of what.
TRAP = """(() => {
  globalThis.hits = {};
  const { defineProperty, getPrototypeOf, keys } = Object, Fault = Error, Kept = WeakMap, { apply } = Reflect;
  let isBusy = false;
  for (const name of %s) {
    if (name in Object.prototype) continue;
    const kept = new Kept(), { get, set } = Kept.prototype;
    const note = (kind, self) => {
      if (isBusy) return;
      isBusy = true;
      const line = new Fault().stack.split('\\n')[3] ?? '';
      const of = getPrototypeOf(self)?.constructor.name;
      if (line.includes('custom-keyboard.js')) hits[`${kind} ${name} of ${of}`] = line;
      isBusy = false;
    };
    defineProperty(Object.prototype, name, {
      __proto__: null, configurable: true,
      get() { note('get', this); },
      set(value) {
        note('set', this);
        defineProperty(this, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
      },
    });
  }
})()"""
# No trap for these: property descriptors have the names, and promises look `then` up by themselves.
UNTRAPPED = {"then", "get", "set", "value", "writable", "enumerable", "configurable"}


def a_script_hears_no_property_of_ours(stage):
    with open(os.path.join(BINDINGS, "custom-keyboard.js"), encoding="utf-8") as file:
        words = sorted(set(re.findall(r"[A-Za-z_$][\w$]*", file.read())) - UNTRAPPED) + [str(i) for i in range(40)]
    for form, attributes in ((stage.inline, {}), (stage.inline, {"accessible": ""}), (stage.inline, USED),
                             (stage.framed, {}), (stage.framed, USED)):
        with form(layout="pin", maximum="6", **attributes) as page:
            if "name" in attributes:
                page.evaluate(IN_FORM + "0")
            page.evaluate(TRAP % json.dumps(words))
            frames = list(page.frames)
            page.evaluate("keyboard.remove(); document.body.append(keyboard);"
                          "keyboard.ready.then(() => keyboard.open(new Uint8Array([1, 2])))")
            page.ended(frames)
            stage.tap_keys(page, "123")
            page.until("keyboard.count === 3")
            page.evaluate("keyboard.getText().then(() => keyboard.clear()).then(() => keyboard.close())")
            if "name" in attributes:
                page.evaluate("keyboard.open(new Uint8Array()).then(() => document.forms[0].reset())"
                              ".then(() => document.forms[0].reportValidity())")
                page.evaluate("keyboard.close()")
            page.evaluate("keyboard.open('x').catch(() => {})")
            page.evaluate("keyboard.setAttribute('layout', 'none'); keyboard.open(new Uint8Array()).catch(() => {})")
            hits = page.evaluate("hits")
            # What a message of the frame does not have is asked for.
            allowed = {"get %s of Object" % name for name in ("count", "id", "text", "error")}
            check(set(hits) <= (allowed if form == stage.framed else set()), "a script hears of a property", hits)
            page.evaluate("({}).left = 1\n//# sourceURL=http://localhost/custom-keyboard.js")
            check("set left of Object" in page.evaluate("hits"), "control: the trap hears a property that is set")


def a_thief_that_keeps_trying_gets_no_more(stage):
    """Imported classes, borrowed methods, fake events, a changed class, and an element of its own."""
    with stage.inline(layout="pin", open="1") as page:
        stage.tap_keys(page, "12")
        found = page.evaluate("""(async () => {
          const list = [], tried = (name, f) => {
            let value;
            try { value = f(); } catch (error) { value = error.name; }
            list.push(`${name}: ${value}`);
          };
          const Kind = customElements.get('custom-keyboard'), module = await import('/custom-keyboard.js');
          tried('exports', () => Object.keys(module).length);
          tried('internals', () => keyboard.attachInternals());
          tried('shadow', () => keyboard.attachShadow({ mode: 'open' }));
          tried('root', () => keyboard.shadowRoot);
          tried('open root', () => chrome.dom?.openOrClosedShadowRoot(keyboard));
          tried('html', () => keyboard.getHTML({ serializableShadowRoots: true, shadowRoots: [] }));
          tried('text', () => keyboard.innerText + keyboard.textContent);
          tried('prototype', () => Object.setPrototypeOf(Kind, Array));
          tried('prototype of prototypes', () => Object.setPrototypeOf(Kind.prototype, Array.prototype));
          tried('member', () => Object.defineProperty(Kind.prototype, 'open', { value: 1 }));
          tried('callback', () => keyboard.connectedCallback());
          tried('borrowed', () => Object.getOwnPropertyDescriptor(Kind.prototype, 'count').get.call(document.body));
          tried('clone', () => keyboard.cloneNode(true).shadowRoot);
          tried('from point', () => document.elementsFromPoint(195, 700).some((e) => e.localName === 'canvas'));
          tried('animations', () => document.getAnimations({ subtree: true }).length);
          tried('canvases', () => document.querySelectorAll('canvas').length);
          tried('find', () => getSelection().toString() + getSelection().rangeCount);
          list.push(await Kind.prototype.getText.call(document.body).then(() => 'text', (error) => error.name));
          list.push(await new Kind().getText().then(() => 'text', (error) => error.code));
          return list;
        })()""")
        check(found == ["exports: 0", "internals: NotSupportedError", "shadow: NotSupportedError", "root: null",
                        "open root: undefined", "html: ", "text: ", "prototype: TypeError",
                        "prototype of prototypes: TypeError", "member: TypeError", "callback: TypeError",
                        "borrowed: TypeError", "clone: null", "from point: false", "animations: 0", "canvases: 0",
                        "find: 0", "TypeError", "OP_DISABLE"], "nothing is found", found)
        check(stage.typed(page) == b"12", "and nothing is changed")


def a_shadow_root_that_is_there_before_stops_the_element(stage):
    """A script that gives the element a root of its own sees no keys in it: there is no keyboard then."""
    early = """document.createElement = ((create) => function (name, ...more) {
      const made = create.call(this, name, ...more);
      if (name === 'custom-keyboard') globalThis.made = made;
      return made;
    })(document.createElement);"""
    with stage.inline(layout="pin", look={"early": early}) as page:
        answer = page.evaluate("""(async () => {
          document.body.insertAdjacentHTML('beforeend', '<custom-keyboard id=x></custom-keyboard>');
          try { x.attachShadow({ mode: 'open' }); return 'a root'; } catch (error) { return error.name; }
        })()""")
        check(answer == "NotSupportedError", "the element is first", answer)


def inline_the_key_can_be_exchanged(stage):
    """What the docs warn of: the text is then sealed for the thief."""
    thief = Recipient("x25519")
    with stage.inline(layout="pin") as page:
        page.evaluate("keyboard.setAttribute('key', '%s'); keyboard.open(new Uint8Array())" % thief.key)
        stage.tap_keys(page, "42")
        text = decode(page.evaluate("keyboard.getText().then(encode)"))
        check(thief.open(text, b"") == b"42", "the thief reads it")
        page.evaluate("keyboard.setAttribute('key', '%s')" % stage.bank.recipient.key)
        check(thief.open(decode(page.evaluate("keyboard.getText().then(encode)")), b"") == b"42", "until it closes")


def framed_gets_counts_and_sealed_texts(stage):
    for when in ("before", "between", "after"):
        page, loot = robbed(stage, stage.framed, when)
        with page:
            check(loot["calls"] > 20, "the thief is there", loot["calls"])
            for name in SECRETS:
                # The page's side of the element has a shadow root too, with nothing but the frame in it.
                if name in ("roots", "inside") and when == "before":
                    continue
                check(not loot[name], "%s: no %s" % (when, name), loot)
            check(loot["points"] == [], "%s: no finger" % when, loot["points"])
            for message in loot["messages"]:
                check(set(message) <= {"customKeyboard", "id", "count", "text"}, "%s: nothing else" % when, message)
                kind = message["customKeyboard"]
                check(kind in ("here", "answer", "input", "complete"), "%s: nothing else" % when, message)
                text = message.get("text") or {}
                check(len(text) in (0, 192), "%s: a sealed text" % when, message)
            check(len([m for m in loot["messages"] if m.get("text")]) == 1, "%s: it hears the answers" % when)
            page.tap(195, 100)
            check(len(page.evaluate("loot.points")) == 1, "control: it hears fingers on the page")


FIND_FRAME = "addEventListener('message', (event) => { globalThis.found = event.source; })"


def framed_out_of_reach(stage):
    with stage.framed(layout="pin", look={"early": FIND_FRAME}) as page:
        # The page's list of frames does not have it, but its messages lead to it.
        check(page.evaluate("frames.length") == 0, "it is not in the list")
        page.evaluate("keyboard.open(new Uint8Array())")
        stage.tap_keys(page, "12")
        found = page.evaluate("""(async () => {
          const list = [], tried = (name, f) => {
            let value;
            try { value = f(); } catch (error) { value = error.name; }
            list.push(`${name}: ${value}`);
          };
          tried('document', () => found.document);
          tried('location', () => found.location.href);
          tried('function', () => found.customElements);
          tried('frames', () => found.length);
          // Anybody in the page can ask the frame, and gets what the element gets.
          const isAnswer = ({ data }) => data.id === 99 && data.customKeyboard === 'answer';
          const answer = await new Promise((done) => {
            addEventListener('message', (event) => { if (isAnswer(event)) done(event.data); });
            found.postMessage({ customKeyboard: 'getText', id: 99 }, '*');
          });
          list.push(`${Object.keys(answer)} ${answer.text.length}`);
          let answers = 0;
          addEventListener('message', (event) => { if (isAnswer(event)) answers++; });
          for (const name of ['keys', 'constructor', '__proto__', 'toString', 'setAttribute', 'ready ']) {
            found.postMessage({ customKeyboard: name, id: 99 }, '*');
          }
          for (const data of [null, 7, 'text', [], { customKeyboard: null }, { customKeyboard: 'open', id: 5 }]) {
            found.postMessage(data, '*');
          }
          found.postMessage({ customKeyboard: 'ready', id: 99 }, '*');
          while (answers === 0) await new Promise((done) => setTimeout(done, 10));
          list.push(`${answers} answer`); // to the last one: answers come in the order of the questions
          return list;
        })()""")
        check(found == ["document: SecurityError", "location: SecurityError", "function: SecurityError", "frames: 0",
                        "customKeyboard,id,text 192", "1 answer"], "the frame is out of reach", found)
        check(stage.typed(page) == b"12", "and works on")
        check(not page.console, "no error in either", page.console)


def framing_itself(stage):
    """The page's server lets its own pages frame each other."""
    policy = stage.origins.page.policy
    return mock.patch.object(stage.origins.page, "policy",
                             lambda path: policy(path).replace("frame-ancestors 'none'", "frame-ancestors 'self'"))


def a_frame_that_is_led_away_gets_nothing(stage):
    """The page's scripts can put another page into the frame. It hears no context, and is not believed."""
    stage.origins.page.texts["false.html"] = "<!doctype html><script src=false.js></script>"
    stage.origins.page.texts["false.js"] = """globalThis.heard = [];
      addEventListener('message', (event) => heard.push(event.data));
      parent.postMessage({ customKeyboard: 'input', count: 99 }, '*');
      parent.postMessage({ customKeyboard: 'answer', id: 1 }, '*');
      parent.isLedAway = true;"""
    with framing_itself(stage), stage.framed(layout="pin", look={"early": FIND_FRAME}) as page:
        page.evaluate("found.location = '/false.html'; 0")
        page.until("globalThis.isLedAway")
        page.evaluate("void keyboard.open(new Uint8Array([1, 2, 3])).catch(() => {})")
        page.drawn()
        check(page.evaluate("keyboard.count") == 0 and page.evaluate("events.length") == 0, "it is not believed")
        check(page.evaluate("found.heard.length") == 0, "it hears nothing", page.evaluate("found.heard"))


def only_the_page_around_it_is_answered(stage):
    """Another window of the page's own origin is on the list, but it is not the parent."""
    stage.origins.page.texts["sibling.html"] = "<!doctype html><script src=sibling.js></script>"
    stage.origins.page.texts["sibling.js"] = """globalThis.heard = [];
      addEventListener('message', (event) => heard.push(event.data));
      parent.found.postMessage({ customKeyboard: 'getText', id: 7 }, '*');
      parent.hasAsked = true;"""
    with framing_itself(stage), stage.framed(layout="pin", open="1", look={"early": FIND_FRAME}) as page:
        stage.tap_keys(page, "12")
        page.evaluate("{ const f = document.createElement('iframe'); f.src = 'sibling.html';"
                      " document.body.append(f); }")
        page.until("globalThis.hasAsked")
        check(stage.typed(page) == b"12", "the page itself is answered, after the question of the other")
        heard = page.evaluate("document.querySelector('iframe').contentWindow.heard")
        check(heard == [], "the other is not", heard)


def a_frame_by_itself_does_nothing(stage):
    """Opened as a page, or from another one: there is no parent on the list."""
    with Page(stage.browser, stage.origins.frame.origin + "/frame.html",
              is_ready="document.readyState === 'complete'") as page:
        page.evaluate("postMessage({ customKeyboard: 'open', id: 1, attributes: {} }, '*')")
        page.until("document.querySelector('custom-keyboard')")
        page.drawn()
        check(page.evaluate("document.querySelector('custom-keyboard').getText().catch((error) => error.code)")
              == "OP_DISABLE", "it does not open")


GROUPS = [inline_before_gets_everything, inline_after_gets_no_key_and_no_memory,
          the_hash_of_the_module_is_computed_without_the_page,
          a_script_hears_no_property_of_ours, a_thief_that_keeps_trying_gets_no_more,
          a_shadow_root_that_is_there_before_stops_the_element, inline_the_key_can_be_exchanged,
          framed_gets_counts_and_sealed_texts, framed_out_of_reach, a_frame_that_is_led_away_gets_nothing,
          only_the_page_around_it_is_answered, a_frame_by_itself_does_nothing]
