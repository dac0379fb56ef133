"""What crosses the border of a frame: a hostile page squeezes the frame into a place that scrolls, and keeps all that
it can hear. Whatever a person types, it hears the same.

SPDX-License-Identifier: Apache-2.0
"""


from places import Places
from stage import check

# Every event that the page can hear, what its focus is, and what performance.observe tells, but no times. What scrolls
# is put back, so that the next thing scrolls again.
SPY = """globalThis.spy = (() => {
  const place = document.createElement('div'), log = [];
  Object.assign(place.style, { position: 'fixed', left: 0, top: '200px', width: '%(width)dpx', height: '%(height)dpx',
    overflow: 'scroll' });
  keyboard.style.cssText = 'width: 390px; height: 226px; margin: %(margin)dpx 0';
  const note = (text) => void log.push(text);
  const offsets = () => [place.scrollLeft, place.scrollTop, scrollX, scrollY].map(Math.round).join();
  const types = new Set(['scrollend', 'focusin', 'focusout', 'pointerrawupdate']);
  for (const of of [globalThis, document, keyboard]) {
    for (const name in of) if (name.startsWith('on')) types.add(name.slice(2));
  }
  for (const type of types) {
    addEventListener(type, (event) => {
      const at = 'clientX' in event ? `${event.clientX},${event.clientY}` : '';
      const more = JSON.stringify(event.data ?? event.detail ?? null);
      note(`${type} of ${event.target?.localName} ${at} ${more} ${offsets()}`);
      if (type === 'scroll') { place.scrollTo(0, 0); scrollTo(0, 0); }
    }, true);
  }
  let before = '';
  const look = () => {
    const { x, y, width, height } = keyboard.getBoundingClientRect();
    const state = `${offsets()} ${document.activeElement?.localName} ${document.hasFocus()} ${frames.length} ` +
      `${[x, y, width, height]} ${document.querySelectorAll(':focus, :focus-visible, :focus-within, :active').length}`;
    if (state !== before) note(`state ${before = state}`);
    requestAnimationFrame(look);
  };
  for (const type of PerformanceObserver.supportedEntryTypes) {
    if (['resource', 'longtask', 'long-animation-frame'].includes(type)) continue; // as busy as the machine is
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) note(`entry ${type} ${entry.name}`);
    }).observe({ type, durationThreshold: 16 });
  }
  return {
    async begin() {
      document.body.append(place);
      place.append(keyboard);
      await keyboard.ready;
      await keyboard.open(new Uint8Array());
      place.scrollTo(0, 0);
      look();
    },
    log,
  };
})(); spy.begin()"""


class Spied:
    """A page that looks at a keyboard in a frame, through a hole of `width` × `height` points."""

    def __init__(self, stage, width=60, height=40, margin=0):
        self.page = stage.framed("none", layout="pin", accessible="")
        self.page.evaluate(SPY % {"width": width, "height": height, "margin": margin})
        self.page.until("true", self.page.frames[-1])
        self.page.drawn()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.close()

    def heard(self, person):
        """What the page hears while a person does something."""
        self.page.drawn()
        self.page.evaluate("spy.log.length = 0")
        person()
        self.page.evaluate("new Promise((done) => setTimeout(done, 200))")
        self.page.drawn()
        return self.page.evaluate("spy.log")

    def enter(self):
        """Tab leads into the frame."""
        page = self.page
        page.evaluate("{ const button = document.createElement('button'); keyboard.before(button); button.focus(); }")
        page.type_key("Tab")
        page.until("document.activeElement === keyboard")
        check(page.becomes(lambda: page.chosen() == "1"), "Tab leads to the first key", page.chosen())


WAYS = {"1": [], "9": 8 * ["ArrowRight"], "7": 2 * ["ArrowDown"], "0": ["End", "ArrowLeft"],
        "3": ["ArrowDown", "ArrowRight", "ArrowUp", "ArrowRight"]}


def a_page_hears_no_arrow(stage):
    """Through a hole, a pixel of it, or all of it. What is not on the screen at all is not drawn, and has no keys."""
    for hole in ({}, {"margin": 39}, {"width": 400, "height": 300}):
        with Spied(stage, **hole) as spied:
            page, heard = spied.page, {}
            told = spied.heard(spied.enter)
            check(any("scroll of div" in line for line in told) == (hole.get("width") is None),
                  "control: it hears that the frame is scrolled into view", told)
            for digit, ways in WAYS.items():
                page.type_key("Home")
                page.evaluate("keyboard.clear()")

                def person():
                    for key in ways:
                        page.type_key(key)
                    check(page.chosen() == digit, "the arrows lead to it", digit, page.chosen())
                    page.type_key("Enter", text="\r")
                    page.until("keyboard.count === 1")
                heard[digit] = spied.heard(person)
                check(stage.typed(page) == digit.encode(), "the digit", digit)
            check(all(lines == heard["1"] for lines in heard.values()), "it hears the same of each", hole, heard)


def a_page_hears_no_screen_reader(stage):
    """A screen reader has what it speaks scrolled into view, in the pages around a frame too."""
    for hole in ({}, {"margin": 39}):
        with Spied(stage, **hole) as spied:
            page, frame = spied.page, spied.page.frames[-1]
            spied.enter()
            page.choose("9")
            nodes = list(page.nodes(page.call("DOM.getDocument", frame, depth=-1, pierce=True)["root"]))

            def scrolled(word):
                """Where the page is scrolled to, for each node that is shown and has an attribute of this value."""
                return [[line for line in spied.heard(lambda: page.call(
                    "DOM.scrollIntoViewIfNeeded", frame, backendNodeId=node["backendNodeId"]))
                    if line.startswith("scroll of div")] for node in nodes
                    if word in node.get("attributes", ()) and "hidden" not in node["attributes"]]
            told = scrolled("button")
            check(len(told) == 11 and all(lines == told[0] for lines in told), "the same for each key", hole, told)
            check(scrolled("ring")[0] != told[0], "control: it hears where the ring is, if something scrolls to it")


def a_page_hears_no_finger(stage):
    with Spied(stage, 400, 300) as spied:
        page, heard = spied.page, {}
        stage.wait_for_touches(page, "190")
        for digit in "190":
            page.evaluate("keyboard.clear()")

            def person():
                page.tap(*Places("pin", page.box()).middle(digit))
                page.until("keyboard.count === 1")
            heard[digit] = spied.heard(person)
        check(all(lines == heard["1"] for lines in heard.values()), "it hears the same of each", heard)


GROUPS = [a_page_hears_no_arrow, a_page_hears_no_screen_reader, a_page_hears_no_finger]
