"""A hostile script that calls the element with almost no stack left, and a module that fails. V8 then makes an error in
the middle of the module, and hands its instance, with all memory, to the code that formats the error's stack.

SPDX-License-Identifier: Apache-2.0
"""

import os

from failing import failing
from interface import module_of, serving
from stage import check, code_of, error

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "Pages", "starver.js"), encoding="utf-8") as file:
    STARVER = file.read()
PIN = "73916402"
# Runs before the element: keeps the memories of its modules, for the test to look at.
KEEP = """{ const Kept = WebAssembly.Instance;
  globalThis.memories = [];
  WebAssembly.Instance = new Proxy(Kept, { construct(Kind, values) {
    const made = new Kind(...values);
    memories.push(made.exports.memory);
    if (memories.length > 8) memories.shift();
    return made;
  } });
  globalThis.areZero = () => memories.map(({ buffer }) => new Uint8Array(buffer).every((byte) => byte === 0)); }"""
ANEW = """async () => {
  if (!keyboard.isConnected) document.body.append(keyboard);
  await keyboard.open(new Uint8Array()).catch(() => {});
}"""
GONE = "() => keyboard.remove()"
NOTHING = "() => {}"
# Steps of about 100 bytes: the calls of the module take less than 4 KB, and a script's way to them as much. Until there
# is room for the element's own error, which is compiled first, there are many more.
STEPS, MANY_STEPS = 250, 1500


def the_script_finds_an_instance(stage):
    """The control: of a module that overflows by itself."""
    with stage.inline(layout="pin") as page:
        page.evaluate(STARVER)
        page.evaluate("starver.control()")
        found = page.evaluate("starver.found()")
        check(found["instances"] == 1 and list(found["told"].values()) == [1], "it is in the error's stack", found)


def no_call_without_stack_leads_to_the_module(stage):
    for call in ("getText", "clear"):
        with stage.inline(layout="pin", maximum="128", open="1") as page:
            page.evaluate(STARVER)
            stage.tap_keys(page, PIN)
            page.evaluate("starver.run(%s, () => keyboard.%s(), %d)" % (NOTHING, call, MANY_STEPS))
            found = seen(page, call)
            check(found["told"].get("MEMORY: There is no room on the stack.", 0) > 100, "it was not begun", found)
            if call == "getText":
                check(stage.typed(page) == PIN.encode(), "nothing was begun, so nothing is lost")


def no_leaving_without_stack_leads_to_the_module(stage):
    for name, prepare, call in (
            ("close", ANEW, "() => keyboard.close()"), ("leave", ANEW, GONE),
            ("come", GONE, "() => { document.body.append(keyboard); keyboard.ready.catch(starver.note); }"),
            ("pagehide", ANEW, "() => dispatchEvent(new Event('pagehide'))"),
            ("pageshow", "() => dispatchEvent(new Event('pagehide'))",
             "() => { dispatchEvent(new Event('pageshow')); keyboard.ready.catch(starver.note); }")):
        with stage.inline(layout="pin", maximum="128", open="1", look={"early": KEEP}) as page:
            page.evaluate(STARVER)
            page.evaluate("starver.runEach(%s, %s, %d)" % (prepare, call, STEPS))
            seen(page, name)
            page.evaluate("(%s)()" % GONE)
            page.evaluate("(%s)()" % ANEW)
            stage.tap_keys(page, PIN)
            check(stage.typed(page) == PIN.encode(), "%s: it works again" % name)
            page.evaluate("keyboard.close().then(%s)" % GONE)
            page.until("areZero().every(Boolean)")


def seen(page, name):
    found = page.evaluate("starver.found()")
    check(found["overflows"] > 0, "%s: the stack was full" % name, found)
    check(found["instances"] == 0, "%s: no instance" % name, found)
    return found


def a_module_that_fails_is_zeroed_and_not_named(stage):
    """Whatever the reason: a trap in the module here, which no stack can prevent."""
    module = module_of(stage)
    for name, call in (("CustomKeyboard_getText", "keyboard.getText()"), ("CustomKeyboard_clear", "keyboard.clear()"),
                       ("CustomKeyboard_close", "keyboard.close()")):
        with serving(stage, failing(module, name)):
            with stage.inline(layout="pin", maximum="128", open="1", look={"early": KEEP}) as page:
                page.evaluate(STARVER)
                stage.tap_keys(page, PIN)
                check(page.evaluate("areZero()") == [False], "control: its memory has something")
                page.evaluate("starver.attempt(() => %s)" % call)
                code = code_of(page, call)
                check(code == error("OP_DISABLE"), "%s: the keyboard is not up any more" % name, code)
                found = page.evaluate("starver.found()")
                told = {"MEMORY: The module has failed. What was typed is wiped.": 1}
                check(found["instances"] == 0 and found["told"] == told, "%s: told" % name, found)
                check(page.evaluate("areZero()") == [True], "%s: its memory is zeroed" % name)
                page.until("keyboard.count === 0")
                code = code_of(page, "keyboard.open(new Uint8Array())")
                check(code == "no error", "%s: another one is made" % name)
                stage.tap_keys(page, PIN)
                check(page.evaluate("keyboard.count") == len(PIN), "%s: and works" % name)


GROUPS = [the_script_finds_an_instance, no_call_without_stack_leads_to_the_module,
          no_leaving_without_stack_leads_to_the_module, a_module_that_fails_is_zeroed_and_not_named]
