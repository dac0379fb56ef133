"""A page that draws the element into a canvas of its own, and reads the keys there. Chromium has that behind a switch:
HTML-in-canvas, https://github.com/WICG/html-in-canvas.

SPDX-License-Identifier: Apache-2.0
"""

from stage import Stage, check, code_of, error

SWITCH = ["--enable-blink-features=CanvasDrawElement"]
# `place(how)` puts the keyboard into a canvas, and `seen(how)` draws it there: how many colours come out.
ARTIST = """globalThis.artist = (() => {
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const canvas = document.createElement('canvas'), host = document.createElement('div');
  canvas.setAttribute('layoutsubtree', '');
  Object.assign(canvas, { width: 780, height: 452 });
  canvas.style.cssText = 'position: fixed; left: 0; top: 0; width: 390px; height: 226px';
  keyboard.style.cssText = 'width: 390px; height: 226px';
  let child = keyboard;
  const slot = () => {
    child = document.createElement('div');
    child.append(document.createElement('slot'));
    canvas.append(child);
    host.attachShadow({ mode: 'closed' }).append(canvas);
  };
  return {
    place(how) {
      document.body.append(host);
      if (how === 'child') {
        document.body.append(canvas);
        canvas.append(keyboard);
      } else if (how === 'below') {
        document.body.append(canvas);
        canvas.append(child = document.createElement('div'));
        child.attachShadow({ mode: 'closed' }).append(keyboard);
      } else host.append(keyboard);
      if (how === 'slot') slot();
      return keyboard.ready;
    },
    async seen(how) {
      if (how === 'slot later') slot();
      for (let i = 0; i < 4; i++) {
        canvas.requestPaint();
        await frames();
      }
      const context = canvas.getContext('2d'), colors = new Set();
      context.drawElementImage(child, 0, 0);
      const { data } = context.getImageData(0, 0, 780, 452);
      for (let i = 0; i < data.length; i += 4) colors.add(data.slice(i, i + 4).join());
      return colors.size;
    },
    text() {
      child = document.createElement('p');
      child.textContent = '1234567890';
      canvas.append(child);
      document.body.append(canvas);
    },
  };
})()"""


def drawn(stage, how, **look):
    """A browser with the switch, a page with the keyboard and the artist in it."""
    page = stage.inline(layout="pin", maximum="9", look=look)
    page.evaluate(ARTIST + "; 0")
    page.evaluate("artist.place('%s')" % how)
    page.drawn()  # it knows its size now
    return page


def a_keyboard_in_a_canvas_is_refused(stage):
    with Stage(stage.options.modules, arguments=SWITCH) as theatre:
        for how in ("child", "below"):
            with drawn(theatre, how) as page:
                check(code_of(page, "keyboard.open(new Uint8Array())") == error("ARGUMENT"), how)
                page.evaluate("document.body.append(keyboard)")
                check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "control: outside it opens")


def no_canvas_of_the_page_gets_a_key(stage):
    """A slot of a closed shadow root leads into a canvas too, and nobody can see that there is one."""
    with Stage(stage.options.modules, arguments=SWITCH) as theatre:
        with drawn(theatre, "") as page:
            page.evaluate("artist.text()")
            check(page.evaluate("artist.seen()") > 20, "control: a text is drawn and read")
        for how in ("slot", "slot later"):
            with drawn(theatre, how) as page:
                page.evaluate("keyboard.open(new Uint8Array())")
                colors = page.evaluate("artist.seen('%s')" % how)
                check(colors <= 3, "%s: no key" % how, colors)


def without_a_guard_no_key_is_drawn(stage):
    """In a browser that draws elements and does not leave tainted canvases out: here, because it cannot taint."""
    early = "Object.defineProperty(CanvasRenderingContext2D.prototype, 'filter', { set() {}, configurable: true })"
    with Stage(stage.options.modules, arguments=SWITCH) as theatre:
        with drawn(theatre, "slot", early=early) as page:
            code = code_of(page, "keyboard.open(new Uint8Array())")
            check(code == error("LOAD"), "it does not open", code)
        with drawn(theatre, "slot", early=early) as page:
            page.evaluate("keyboard.style.display = 'none'")
            page.drawn()
            page.evaluate("keyboard.open(new Uint8Array())")
            page.evaluate("keyboard.style.display = ''")
            check(page.evaluate("artist.seen()") <= 3, "opened while it was hidden, it stays empty")
        with theatre.framed(layout="pin", maximum="9", look={"early": early}) as page:
            check(code_of(page, "keyboard.open(new Uint8Array())") == "no error", "in a frame it opens")


def nobody_reads_the_canvas(stage):
    """Without the switch too: a trial can be joined later."""
    with stage.inline(layout="pin", maximum="9", open="1") as page:
        for resized in (390, 500):
            page.resize(resized, 844)
            page.until("innerWidth === %d" % resized)
            page.drawn()
            told = page.inside("CANVAS", """function() {
              try { return this.getContext('2d').getImageData(0, 0, 1, 1).data.length; } catch (e) { return e.name; }
            }""")
            check(told == ["SecurityError"], "it is tainted", told)


GROUPS = [a_keyboard_in_a_canvas_is_refused, no_canvas_of_the_page_gets_a_key, without_a_guard_no_key_is_drawn,
          nobody_reads_the_canvas]
