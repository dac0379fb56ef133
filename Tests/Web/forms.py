"""The element in a form, and as frameworks use it: properties, names of attributes, errors that name the mistake.

SPDX-License-Identifier: Apache-2.0
"""

import base64

from places import Places
from stage import check, code_of, error
from stub import Recipient, decode

PIN = "739164"
FORM = """{ const form = document.createElement('form');
  form.id = 'form';
  form.innerHTML = '<fieldset id=fields></fieldset>';
  document.body.append(form);
  fields.append(keyboard);
  globalThis.values = () => [...new FormData(form)].map(([name, value]) => `${name}=${value}`);
  globalThis.seen = [];
  keyboard.addEventListener('complete', () => seen.push(values().join()));
  keyboard.addEventListener('invalid', () => seen.push('invalid')); }"""


def in_form(stage, **attributes):
    for page in stage.both(layout="pin", maximum="6", **attributes):
        page.evaluate(FORM)
        page.evaluate("keyboard.ready")
        yield page


def a_form_gets_the_sealed_text(stage):
    for page in in_form(stage, name="pin"):
        check(page.evaluate("values()") == [], "nothing is in it before")
        page.evaluate("keyboard.open(new Uint8Array([5]))")
        page.drawn()
        stage.tap_keys(page, PIN[:5])
        page.until("keyboard.count === 5")
        check(page.evaluate("values()") == [], "nothing before it is complete")
        stage.tap_keys(page, PIN[5])
        page.until("seen.length === 1")
        (value,) = page.evaluate("values()")
        check(page.evaluate("seen") == [value], "it is there when the event comes")
        name, _, text = value.partition("=")
        check(name == "pin" and set(text) <= set(URL), "base64url without padding", value)
        check(stage.bank.recipient.open(decode(text), b"\x05") == PIN.encode(), "it is what was typed")
        page.evaluate("keyboard.close()")
        check(page.evaluate("values()") == [value], "it stays when the keyboard closes")
        page.evaluate("keyboard.open(new Uint8Array())")
        check(page.evaluate("values()") == [], "the next opening empties it")
        stage.tap_keys(page, "12")
        page.until("keyboard.count === 2")
        page.evaluate("keyboard.getText()")
        (value,) = page.evaluate("values()")
        check(stage.bank.recipient.open(decode(value[4:]), b"") == b"12", "getText puts it there too")
        stage.tap_keys(page, "3")
        page.until("keyboard.count === 3")
        check(page.evaluate("values()") == [], "what is typed later empties it")
        page.evaluate("keyboard.getText()")
        page.evaluate("form.reset()")
        page.until("keyboard.count === 0")
        check(page.evaluate("values()") == [], "and so does the form's reset, which clears the keyboard")
        check(stage.typed(page) == b"", "all of it")
        check(not page.console, "no error", page.console)


URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def without_a_name_a_form_gets_nothing(stage):
    for page in in_form(stage):
        page.evaluate("keyboard.open(new Uint8Array())")
        page.drawn()
        stage.tap_keys(page, PIN)
        page.until("events.includes('complete 6')")
        check(page.evaluate("values()") == [] and page.evaluate("keyboard.form === form"), "no name, no value")
        check(page.evaluate("keyboard.checkValidity()"), "and nothing is required")


def a_required_keyboard_is_invalid_until_it_is_complete(stage):
    for page in in_form(stage, name="pin", required=""):
        check(not page.evaluate("form.checkValidity()") and page.evaluate("seen.join()") == "invalid", "it is told")
        check(page.evaluate("keyboard.validity.valueMissing && keyboard.validationMessage.length > 5"), "a message")
        check(page.evaluate("form.reportValidity()") is False, "reported")
        page.evaluate("form.requestSubmit()")
        check(not page.console, "the browser finds a place for its message", page.console)
        page.evaluate("keyboard.open(new Uint8Array())")
        page.drawn()
        stage.tap_keys(page, PIN)
        page.until("keyboard.checkValidity()")
        check(page.evaluate("form.checkValidity() && !keyboard.validity.valueMissing"), "complete is valid")
        page.evaluate("keyboard.clear()")
        page.until("!keyboard.validity.valid")
        page.evaluate("keyboard.required = false")
        check(page.evaluate("form.checkValidity()"), "not required any more")
        page.evaluate("keyboard.required = true")
        page.evaluate("fields.disabled = true")
        check(page.evaluate("form.checkValidity() && !keyboard.willValidate"), "a disabled one is not asked")
        if page.frames:
            continue  # where a frame's fingers go is decided by another process, in its time
        page.drawn()
        stage.tap_keys(page, "1")
        check(page.evaluate("keyboard.count") == 0, "and hears no finger")


def properties_are_attributes(stage):
    with stage.inline(layout="pin", keyboards="0") as page:
        told = page.evaluate("""(() => {
          const made = document.createElement('custom-keyboard'), list = [];
          for (const [name, value] of Object.entries({ layout: 'pin', shuffle: 'key', maximum: 6, way: 'p256',
            publicKey: 'AAAA', src: 'https://a.example/', scheme: 'dark', announce: '%d', offer: 'Type', name: 'pin',
          })) {
            const attribute = name === 'publicKey' ? 'public-key' : name;
            list.push(made[name] === (name === 'maximum' ? 0 : ''));
            made[name] = value;
            list.push(made[name] === value && made.getAttribute(attribute) === `${value}`);
            made[name] = null;
            list.push(!made.hasAttribute(attribute));
          }
          for (const name of ['accessible', 'discreet', 'mute', 'opaque', 'required']) {
            list.push(made[name] === false);
            made[name] = true;
            list.push(made[name] === true && made.getAttribute(name) === '');
            made[name] = false;
            list.push(!made.hasAttribute(name));
          }
          return list;
        })()""")
        check(len(told) == 45 and all(told), "each property is its attribute", told)
    stage.origins.page.texts["early.html"] = (
        "<!doctype html><custom-keyboard></custom-keyboard><script src=early.js></script>")
    stage.origins.page.texts["early.js"] = """globalThis.keyboard = document.querySelector('custom-keyboard');
      keyboard.layout = 'pin'; keyboard.maximum = 4; keyboard.accessible = true;
      import('/custom-keyboard.js').then(() => { globalThis.isReady = true; });"""
    with stage.inline(layout="pin", keyboards="0") as page:
        page.call("Page.navigate", url=stage.origins.page.origin + "/early.html")
        page.until("location.pathname === '/early.html' && globalThis.isReady")
        told = page.evaluate("['layout', 'maximum', 'accessible'].map((name) => keyboard.getAttribute(name)).join()")
        check(told == "pin,4,", "properties that were set before the element was defined", told)
        check(page.evaluate("Object.keys(keyboard).length") == 0, "and nothing of them is left on it")


def what_is_false_is_off(stage):
    """React 18 writes a property of an element that it does not know as an attribute: accessible="false". React 19 and
    others set the property."""
    def is_on(page):
        page.evaluate("keyboard.close().catch(() => {}).then(() => keyboard.open(new Uint8Array()))")
        page.drawn()
        return [name for _, name, _ in page.spoken() if name == "1"] != []

    for page in stage.both(layout="pin", maximum="6", required="false"):
        for value in ("false", "true", "", "accessible"):
            page.evaluate("keyboard.setAttribute('accessible', '%s')" % value)
            check(page.evaluate("keyboard.accessible") == (value != "false"), "the property says so: %r" % value)
            check(is_on(page) == (value != "false"), "accessible=%r" % value)
        for value, expected in (("false", False), ("true", True), ("null", False), ("'false'", False), ("'true'", True),
                                ("undefined", False)):
            page.evaluate("keyboard.accessible = " + value)
            check(is_on(page) == expected, "accessible = %s" % value)
        for name in ("discreet", "mute", "required"):
            check(page.evaluate("keyboard.setAttribute('%s', 'false'), keyboard.%s" % (name, name)) is False, name)
        check(page.evaluate("keyboard.checkValidity()"), "not required")
        page.evaluate("keyboard.accessible = 'yes'")
        page.evaluate("keyboard.close()")
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("ARGUMENT"), "anything else is told")
        page.evaluate("keyboard.removeAttribute('accessible'); keyboard.required = 'yes'")
        check(not page.evaluate("keyboard.checkValidity()"), "what is not known to be optional is required")
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("ARGUMENT"), "and told, in a frame too")


def what_is_disabled_hears_nobody(stage):
    """Not a finger, which may be down already, nor a key, nor a screen reader."""
    for page in stage.both(layout="pin", accessible="", open="1"):
        page.evaluate(FORM)
        page.evaluate("keyboard.ready.then(() => keyboard.open(new Uint8Array()))")
        stage.wait_for_touches(page, "1")
        page.touch("touchStart", Places("pin", page.box()).middle("5"))
        page.evaluate("fields.disabled = true")
        if page.frames:
            page.until("document.querySelector('custom-keyboard').matches(':disabled')", page.frames[-1])
        page.touch("touchEnd")
        page.evaluate("keyboard.clear()")  # by now the frame has heard the finger
        check(page.evaluate("!events.includes('input 1')"), "a finger that was down", page.evaluate("events"))
        page.type_key("Tab")
        page.drawn()
        check(page.evaluate("document.activeElement === document.body"), "Tab passes it")
        buttons = [name for role, name, _ in page.spoken() if role == "button"]
        check(buttons == [], "nothing is spoken", buttons)
        if not page.frames:  # where a frame's fingers go is decided by another process, in its time
            stage.tap_keys(page, "1")
            check(page.evaluate("keyboard.count") == 0, "no finger is heard")
        page.evaluate("fields.disabled = false")
        stage.wait_for_touches(page, "1")
        stage.tap_keys(page, "12")
        check(stage.typed(page) == b"12", "and then it works again", stage.typed(page))


def a_closed_keyboard_says_so(stage):
    """To style sheets, and to screen readers."""
    for page in stage.both(layout="pin"):
        def is_closed():
            disabled = [node for node in page.accessibility() if node.get("name", {}).get("value") == "Secure keyboard"
                        and node["role"]["value"] == "group"
                        and any(p["name"] == "disabled" and p["value"]["value"] for p in node["properties"])]
            return page.evaluate("keyboard.matches(':state(closed)')") and bool(disabled)
        check(is_closed(), "before")
        page.evaluate("keyboard.open(new Uint8Array())")
        check(not is_closed(), "not while it is open")
        page.evaluate("keyboard.close()")
        check(is_closed(), "afterwards")
        page.evaluate("keyboard.open(new Uint8Array())")
        page.evaluate("keyboard.remove(); document.body.append(keyboard)")
        check(is_closed(), "and when it comes back to the page")


def public_key_is_key(stage):
    key = stage.bank.recipient.key
    with stage.inline(layout="pin", public_key=key, open="1") as page:
        stage.tap_keys(page, PIN)
        check(stage.typed(page) == PIN.encode(), "public-key")
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.setAttribute('key', '%s')" % key)
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "both, and the same")
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.setAttribute('key', '%s')" % Recipient("x25519").key)
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("ARGUMENT"), "both, and different")
        page.evaluate("keyboard.removeAttribute('key'); keyboard.removeAttribute('public-key')")
        page.evaluate("keyboard.setAttribute('publicKey', '%s')" % key)
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "what React 18 makes of publicKey")
    with stage.framed(layout="pin") as page:
        page.evaluate("keyboard.publicKey = '%s'" % key)
        check(code_of(page, "keyboard.open(new Uint8Array())") == error("ARGUMENT"), "not in a frame")


def mistakes_are_named(stage):
    raw = stage.bank.recipient.public
    der = bytes.fromhex("302a300506032b656e032100") + raw
    pem = "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n" % base64.b64encode(der).decode()
    plain = base64.b64encode(b"\xff\xef" + raw[:30]).decode()
    with stage.inline(layout="pin", maximum="6") as page:
        for key, words in ((pem, "in PEM"), (plain, "in base64, and must be in base64url"), (None, "missing"),
                           (base64.urlsafe_b64encode(der).decode(), "DER, whose last 32 bytes are the key"),
                           ("no key!", "a space"), ("nokey!", "not base64url")):
            page.evaluate("keyboard.removeAttribute('key')" if key is None else
                          "keyboard.setAttribute('key', %r)" % key)
            told = page.evaluate("keyboard.open(new Uint8Array()).catch((error) => `${error.code}: ${error.message}`)")
            check(told.startswith("ERR: ") and words in told, words, told)
        page.evaluate("keyboard.setAttribute('key', '%s=')" % stage.bank.recipient.key)
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "padding alone is not a mistake")
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.removeAttribute('maximum')")
        told = page.evaluate("keyboard.open(new Uint8Array()).catch((error) => `${error.code}: ${error.message}`)")
        check(told.startswith("ARGUMENT: ") and "maximum" in told, "a pad without an end", told)
        page.evaluate("keyboard.setAttribute('layout', 'pin-decoys')")
        check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "one with a return key needs none")


GROUPS = [a_form_gets_the_sealed_text, without_a_name_a_form_gets_nothing,
          a_required_keyboard_is_invalid_until_it_is_complete, properties_are_attributes, what_is_false_is_off,
          what_is_disabled_hears_nobody, a_closed_keyboard_says_so, public_key_is_key, mistakes_are_named]
