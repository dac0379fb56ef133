"""The page of Docs/Apple.md, as an app's web view would show it: with the app's end of the bridge, and no app.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import json
import os
import re

from pages import Page
from stage import check

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Docs", "Apple.md")
# WebKit's side of the bridge, as a page sees it.
BRIDGE = """
  globalThis.told = [];
  window.webkit = { messageHandlers: { keyboard: { postMessage: (message) => void told.push(message) } } };
"""


def page_for(stage):
    """The example as it is printed. Its second script goes into a file, as the servers' policy wants it."""
    with open(PAGE, encoding="utf-8") as file:
        text = re.search(r"```html\n(.*?)```", file.read(), re.S)[1]
    begin, end = text.index('<script type="module">'), text.rindex("</script>")
    stage.origins.page.texts["app.js"] = text[begin + len('<script type="module">'):end]
    markup = text[:begin] + '<script type="module" src="app.js"></script>'
    check("https://keyboard.bank.example/" in markup, "the frame's address")
    stage.origins.page.texts["app.html"] = markup.replace("https://keyboard.bank.example", stage.origins.frame.origin)
    return Page(stage.browser, stage.origins.page.origin + "/app.html", early=BRIDGE,
                is_ready="told.some((message) => message.ready)")


def the_app_gets_counts_and_a_sealed_text(stage):
    context = os.urandom(32)
    with page_for(stage) as page:
        page.evaluate("begin(%s)" % json.dumps(base64.b64encode(context).decode()))
        page.drawn()
        for _ in range(6):
            page.tap(*middle_of_a_key(page))
        page.until("told.some((message) => message.text)")
        told = page.evaluate("told")
        check([message["count"] for message in told if "count" in message][:6] == [1, 2, 3, 4, 5, 6], "counts", told)
        check(all(set(message) <= {"ready", "count", "text"} for message in told), "and nothing else", told)
        text = base64.b64decode(next(message["text"] for message in told if "text" in message))
        typed = stage.bank.recipient.open(text, context)
        check(re.fullmatch(b"[0-9]{6}", typed) and len(set(typed)) == 1, "six times the digit under one finger", typed)


def middle_of_a_key(page):
    """The second key of the first row: always a digit, whatever the order."""
    x, y, width, height = page.box("custom-keyboard")
    return x + width / 2, y + height / 8


GROUPS = [the_app_gets_counts_and_a_sealed_text]
