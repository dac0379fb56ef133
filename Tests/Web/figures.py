"""Times and sizes, and the pictures of the documentation. Nothing here can fail because a machine is slow.

SPDX-License-Identifier: Apache-2.0
"""

import gzip
import os
import statistics

from places import Places
from servers import BINDINGS
from stage import check

# Measures what the element does in a frame and in an event of a finger, and how long it is from the finger's coming
# down to the end of the frame in which that is drawn.
STOPWATCH = """(() => {
  const frame = globalThis.requestAnimationFrame, listen = EventTarget.prototype.addEventListener;
  const times = globalThis.times = { frames: [], fingers: [], screens: [] };
  let came;
  const timed = (list, f) => function (...values) {
    const began = performance.now();
    try { return f.apply(this, values); } finally { list.push(performance.now() - began); }
  };
  globalThis.requestAnimationFrame = (f) => frame((time) => {
    timed(times.frames, f)(time);
    if (came) times.screens.push(performance.now() - came);
    came = 0;
  });
  EventTarget.prototype.addEventListener = function (type, f, ...more) {
    return listen.call(this, type, this.localName === 'custom-keyboard' && type.startsWith('pointer')
      ? timed(times.fingers, f) : f, ...more);
  };
  listen.call(globalThis, 'pointerdown', (event) => { came = event.timeStamp; }, true);
})();"""


def sizes(stage):
    for folder, name in ((BINDINGS, "custom-keyboard.js"), (BINDINGS, "frame.js"),
                         (stage.options.modules, "custom-keyboard.wasm")):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        print("browser: figures: %-24s %7d bytes, %6d with gzip -9" % (name, len(data), len(gzip.compress(data, 9))))
        check(len(data) > 0, name)


def from_load_to_keyboard(stage):
    for form in (stage.inline, stage.framed):
        times = []
        for _ in range(9):
            with form(layout="pin", open="1") as page:
                times.append(page.evaluate("performance.getEntriesByName('drawn')[0].startTime"))
        print("browser: figures: page load to drawn keyboard, %s: median %.0f ms, %.0f … %.0f" % (
            form.__name__, statistics.median(times), min(times), max(times)))
        check(len(times) == 9, "each was drawn")


def from_finger_to_screen(stage):
    for layout, keys in (("pin", "1592604837"), ("letters", "qpalzmgtvb")):
        with stage.inline(layout=layout, shuffle="key", open="1", look={"early": STOPWATCH}) as page:
            places = Places(layout, page.box())
            for key in keys * 4:
                page.tap(*places.middle(key))
                page.browser.rest_for(0.1)
            for name, what in (("fingers", "an event of a finger"), ("frames", "drawing"),
                               ("screens", "finger to screen")):
                times = sorted(page.evaluate("times.%s" % name))[:-1]
                print("browser: figures: %-8s %-22s median %5.2f ms, 90th percentile %5.2f" % (
                    layout, what, statistics.median(times), times[len(times) * 9 // 10]))
            check(page.evaluate("keyboard.count") == 40, "each was typed")


def pictures(stage, folder):
    """What the documentation shows: a telephone's screen."""
    os.makedirs(folder, exist_ok=True)
    for name, layout, taps in (("pin-light", "pin", ""), ("pin-dark", "pin", "263"), ("letters-light", "letters", ""),
                               ("letters-dark", "letters", "qwoxv"), ("pin-decoys", "pin-decoys", "16")):
        look = {"dark": name.endswith("dark"), "ratio": 2, "is_ready": "globalThis.isReady"}
        maximum = {"maximum": "6"} if layout.startswith("pin") else {}
        with stage.framed(layout=layout, shuffle="opening", look=look, **maximum) as page:
            page.call("Emulation.setSafeAreaInsetsOverride", insets={"bottom": 34})
            page.drawn()
            page.evaluate("keyboard.open(new Uint8Array())")
            page.drawn()
            x, y, width, height = page.box()
            places = Places(layout, (x, y, width, height - 34))
            for key in taps:
                page.tap(*places.middle(key))
            page.browser.rest_for(0.5)  # the last key has faded
            page.drawn()
            with open(os.path.join(folder, name + ".png"), "wb") as file:
                file.write(page.png())
    print("browser: the pictures are in %s" % folder)


GROUPS = [sizes, from_load_to_keyboard, from_finger_to_screen]
