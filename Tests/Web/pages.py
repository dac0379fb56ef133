"""A page in the browser, with what a test does to it: looks, taps, searches.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import json
import os

from devtools import PATIENCE, Gone
from pictures import Picture

CODES = {"Enter": 13, "Tab": 9, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
         "ArrowDown": 40}
CHOSEN = """function() {
  const root = this.getRootNode(), chosen = this.getAttribute('aria-activedescendant');
  return root.activeElement === this && chosen ? root.getElementById(chosen).getAttribute('aria-label') : null;
}"""
TROUBLES = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")


class Page:
    """A page of `origin`, `width` × `height` points with `ratio` pixels each."""

    def __init__(self, browser, url, width=390, height=844, ratio=2, dark=False, still=False, mobile=True, early="",
                 is_ready="globalThis.isReady"):
        self.browser, self.width, self.height = browser, width, height
        self.console, self.requests, self.frames, self.chunks = [], [], [], []
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.listeners.append(self.hear)
        self.watch(self.session)
        self.resize(width, height, ratio, mobile)
        self.call("Emulation.setTouchEmulationEnabled", enabled=mobile)
        self.prefer(dark, still)
        if early:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=early)
        self.call("Page.navigate", url=url)
        if is_ready:
            self.until(is_ready)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.browser.listeners.remove(self.hear)
        self.browser.call("Target.closeTarget", targetId=self.target)

    def watch(self, session):
        for domain in ("Page", "Runtime", "Log", "DOM", "Accessibility", "Network"):
            self.browser.call(domain + ".enable", session)
        self.browser.call("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=False, flatten=True)

    def hear(self, event):
        session, name, parameters = event.get("sessionId"), event["method"], event["params"]
        if name == "Target.attachedToTarget" and session in (self.session, *self.frames):
            if parameters["targetInfo"]["type"] == "iframe":
                self.frames.append(parameters["sessionId"])
                for domain in ("Runtime", "Log", "DOM", "Accessibility", "Network"):
                    self.send(domain + ".enable", parameters["sessionId"])  # an answer is being read: not now
        if name == "Target.detachedFromTarget" and parameters["sessionId"] in self.frames:
            self.frames.remove(parameters["sessionId"])
        if session not in (self.session, *self.frames):
            return
        if name in TROUBLES:
            self.console.append(json.dumps(parameters))
        if name.startswith("Network."):
            self.requests.append(json.dumps(parameters))
        if name == "HeapProfiler.addHeapSnapshotChunk":
            self.chunks.append(parameters["chunk"])

    def send(self, name, session):
        """Without waiting for an answer."""
        self.browser.last += 1
        command = {"id": self.browser.last, "method": name, "sessionId": session, "params": {}}
        os.write(self.browser.input, json.dumps(command).encode() + b"\0")

    def crash(self, session):
        """Ends the process of a frame. There is no answer."""
        ended = []

        def hear(event):
            if event["method"] == "Inspector.targetCrashed" and event.get("sessionId") == session:
                ended.append(session)
        self.call("Inspector.enable", session)
        self.browser.listeners.append(hear)
        self.send("Page.crash", session)
        self.browser.pump(lambda: ended, "the end of the frame's process")
        self.browser.listeners.remove(hear)

    # ---- Commands

    def call(self, name, session=None, **parameters):
        return self.browser.call(name, session or self.session, **parameters)

    def evaluate(self, expression, session=None):
        """The value of an expression in the page; of a promise, what it resolves to."""
        answer = self.call("Runtime.evaluate", session, expression=expression, returnByValue=True, awaitPromise=True,
                           userGesture=False)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            text = details.get("exception", details).get("description", details)
            raise RuntimeError("%s: %s" % (expression[:200], text))
        return answer["result"].get("value")

    def until(self, expression, session=None, patience=PATIENCE):
        """Waits until an expression is true."""
        error = None
        for _ in range(round(patience / 0.02)):
            try:
                if self.evaluate("!!(%s)" % expression, session):
                    return
            except RuntimeError as raised:  # a page that is being loaded has no context, or not all of its elements
                error = raised
            self.browser.rest_for(0.02)
        raise RuntimeError("never true: %s; console: %s" % (expression, self.console[:5])) from error

    def becomes(self, is_right):
        """Waits until something is on the screen: the pictures of a frame come when they come."""
        return self.browser.becomes(is_right)

    def resize(self, width, height, ratio=2, mobile=True):
        self.width, self.height, self.ratio = width, height, ratio
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio,
                  mobile=mobile)

    def prefer(self, dark=False, still=False):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])

    def drawn(self):
        """Waits until what was asked for is on the screen: two frames."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")

    def reached(self, *places):
        """Waits until the frame gets what is sent to these places. For a moment after a change of size, Chromium
        sends it to the page around the frame. A finger whose touch is cancelled types nothing."""
        for frame in self.frames:
            self.evaluate("globalThis.fingers ??= (addEventListener('touchstart', () => { fingers += 1; }, true), 0)",
                          frame)
            for place in places:
                fingers = self.evaluate("fingers", frame)
                for _ in range(round(PATIENCE / 0.02)):
                    self.touch("touchStart", place)
                    self.touch("touchCancel")
                    if self.evaluate("fingers", frame) > fingers:
                        break
                    self.browser.rest_for(0.02)
                else:
                    raise RuntimeError("the frame never gets what is sent to %d, %d" % place)

    def ended(self, frames):
        """Waits until frames that the page has removed have ended. Until then Chromium may send them fingers, and gives
        no answer when they end with one."""
        self.browser.pump(lambda: not set(frames) & set(self.frames), "the end of a frame")
        self.drawn()

    def reopen(self):
        self.evaluate("keyboard.close()")
        self.evaluate("keyboard.open(new Uint8Array())")

    # ---- Looking

    def box(self, selector="custom-keyboard"):
        return self.evaluate("(() => { const { x, y, width, height } = document.querySelector(%s)"
                             ".getBoundingClientRect(); return [x, y, width, height]; })()" % json.dumps(selector))

    def png(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def picture(self, x=0, y=0, width=None, height=None):
        """A part of the screen. Chromium could cut it too, but then it sends fingers to the page and not to its frame
        afterwards."""
        part = (x, y, width or self.width, height or self.height)
        return Picture.read(self.png()).cut(*(round(self.ratio * number) for number in part))

    def board(self, selector="custom-keyboard"):
        return self.picture(*self.box(selector))

    # ---- Fingers

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[
            {"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)])

    def touch_at_once(self, kind, points):
        """One finger at many points, one after the other, while the page's own scripts keep it busy: the browser makes
        few events of them."""
        self.evaluate("setTimeout(() => { for (const start = performance.now(); performance.now() < start + 300;); })")
        numbers = [
            self.browser.begin("Input.dispatchTouchEvent", self.session, type=kind, touchPoints=[
                {"x": x, "y": y, "id": 0}]) for x, y in points]
        for number in numbers:
            self.browser.answer(number, kind)

    def tap(self, x, y):
        self.touch("touchStart", (x, y))
        self.touch("touchEnd")

    def mouse(self, kind, x, y, button="left"):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1,
                  buttons=0 if kind == "mouseReleased" else 1)

    def click(self, x, y, button="left"):
        self.mouse("mousePressed", x, y, button)
        self.mouse("mouseReleased", x, y, button)

    def type_key(self, key, code=None, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode=CODES.get(key, ord(key[0].upper())))

    def enter(self):
        """A person presses Tab once: nothing else in the pages of the tests can have the focus."""
        self.type_key("Tab")
        self.until("document.activeElement === keyboard", patience=20)

    def choose(self, name):
        """A person at a real keyboard goes to one of the spoken keys, with the arrow to the right."""
        for _ in range(40):
            if self.chosen() == name:
                return
            self.type_key("ArrowRight")
        raise RuntimeError("no key is %s" % name)

    def chosen(self):
        """The name of the spoken key that has the focus, and None if none has."""
        return next(filter(None, self.inside("DIV", CHOSEN, self.frames[-1] if self.frames else None)), None)

    # ---- Searching

    def document(self):
        """The whole document, shadow roots and frames included, of all processes."""
        return "\n".join(json.dumps(self.call("DOM.getDocument", session, depth=-1, pierce=True))
                         for session in (self.session, *self.frames))

    def inside(self, name, function, session=None):
        """Calls a function on all nodes called `name`, in shadow roots too, which no script of the page can reach."""
        session, values = session or self.session, []
        for node in self.nodes(self.call("DOM.getDocument", session, depth=-1, pierce=True)["root"]):
            if node["nodeName"] == name:
                found = self.call("DOM.resolveNode", session, backendNodeId=node["backendNodeId"])["object"]["objectId"]
                answer = self.call("Runtime.callFunctionOn", session, objectId=found, functionDeclaration=function,
                                   returnByValue=True, awaitPromise=True)
                values.append(answer["result"].get("value"))
        return values

    def nodes(self, node):
        """A node and all below it, in shadow roots and in frames of the same process too."""
        yield node
        for below in (*node.get("children", ()), *node.get("shadowRoots", ()),
                      *filter(None, [node.get("contentDocument")])):
            yield from self.nodes(below)

    def accessibility(self):
        nodes = []
        for session in (self.session, *self.frames):
            try:
                nodes += self.call("Accessibility.getFullAXTree", session)["nodes"]
            except Gone:  # a frame that ended meanwhile has nothing to say
                pass
        return nodes

    def spoken(self):
        """Roles, names and values of what a screen reader can find."""
        return [(node.get("role", {}).get("value"), node.get("name", {}).get("value", ""),
                 node.get("value", {}).get("value", "")) for node in self.accessibility() if not node["ignored"]]

    def heap(self):
        """The heaps of JavaScript, of the page and of its frames."""
        snapshots = []
        for session in (self.session, *self.frames):
            self.chunks = []
            self.call("HeapProfiler.enable", session)
            self.call("HeapProfiler.collectGarbage", session)
            self.call("HeapProfiler.takeHeapSnapshot", session, reportProgress=False)
            snapshots.append("".join(self.chunks))
            self.call("HeapProfiler.disable", session)
        self.chunks = []
        return "\n".join(snapshots)
