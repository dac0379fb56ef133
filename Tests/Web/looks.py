"""How a page may style the keys: colours, radius, gaps and font, none of which can make a key unreadable; and colours
that the person has chosen for all pages.

SPDX-License-Identifier: Apache-2.0
"""

import json

from places import Places
from stage import check

LIGHT = (209, 212, 219)
KEY = (255, 255, 255)


def styled(page, **values):
    """Opens the keyboard with these custom properties alone."""
    page.evaluate("""{ keyboard.removeAttribute('style');
      for (const [name, value] of Object.entries(%s)) keyboard.style.setProperty(`--custom-keyboard-${name}`, value); }
      keyboard.close().catch(() => {}).then(() => keyboard.open(new Uint8Array()))""" % json.dumps(
        {name.replace("_", "-"): value for name, value in values.items()}))
    page.drawn()
    page.until("true", page.frames[-1] if page.frames else None)
    if page.frames:
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))",
                      page.frames[-1])
    page.drawn()


def colors_of(page):
    """Of the board, and of the middle of the upper edge of the key 5."""
    picture, (x, y, width, _) = page.board(), Places("pin", (0, 0, *page.box()[2:])).keys["5"][:4]
    return picture.pixel(4, 4), picture.pixel(round(2 * x + width), round(2 * y) + 8)


def a_page_chooses_colors(stage):
    for page in stage.both(layout="pin"):
        styled(page)
        check(page.becomes(lambda: colors_of(page) == (LIGHT, KEY)), "the usual ones", colors_of(page))
        styled(page, board="rgb(0 40 20)", key="#052", other="hsl(150 100% 10%)", text="white", accent="gold")
        check(page.becomes(lambda: colors_of(page) == ((0, 40, 20), (0, 85, 34))), "the page's", colors_of(page))
        stage.tap_keys(page, "159")
        check(stage.typed(page) == b"159", "and the keys are where they were")
        styled(page, board="#ffe0b0")
        check(page.becomes(lambda: colors_of(page) == ((255, 224, 176), KEY)), "one of them alone", colors_of(page))
        check(not page.console, "nothing to complain about", page.console)


def no_style_makes_a_key_unreadable(stage):
    for page in stage.both(layout="pin"):
        for values in ({"text": "#fff"}, {"key": "black"}, {"text": "#777", "key": "#888"}, {"other": "#222"},
                       {"board": "#333"}, {"text": "#999"}):
            page.console.clear()
            styled(page, **values)
            check(page.becomes(lambda: colors_of(page) == (LIGHT, KEY)), "the usual ones: %s" % values)
            check(any("hard to read" in text for text in page.console), "and it is told: %s" % values, page.console)
        for values in ({"text": "transparent"}, {"text": "rgb(255 255 255 / 50%)"}, {"key": "nonsense"},
                       {"key": "url(x)"}, {"text": "#fff0"}, {"board": "red; color: red"}):
            page.console.clear()
            styled(page, **values)
            check(page.becomes(lambda: colors_of(page) == (LIGHT, KEY)), "no colour at all: %s" % values)
            check(not page.console, "which is nothing to tell", page.console)


def sizes_have_limits(stage):
    for page in stage.both(layout="pin"):
        styled(page)
        check(page.becomes(lambda: colors_of(page) == (LIGHT, KEY)), "the usual ones", colors_of(page))
        usual = page.board()
        for values in ({"radius": "0px"}, {"radius": "500px"}, {"column_gap": "500px", "row_gap": "500px"},
                       {"column_gap": "0px", "row_gap": "0px"}):
            styled(page, **values)
            check(page.becomes(lambda: usual.difference(page.board()) > 0), "it can be seen: %s" % values)
            stage.tap_keys(page, "1590")
            check(stage.typed(page) == b"1590", "each key is still there: %s" % values)
        for values in ({"radius": "-5px"}, {"radius": "1em"}, {"column_gap": "px"}, {"row_gap": "Infinitypx"},
                       {"row_gap": "5px 5px"}):
            styled(page, **values)
            check(page.becomes(lambda: usual.difference(page.board()) == 0), "no size: %s" % values)


def fonts_are_those_that_nobody_can_replace(stage):
    with stage.inline(layout="pin") as page:
        page.evaluate("""for (const family of ['serif', 'Evil', 'ui-rounded']) {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`@font-face { font-family: "${family}"; src: local("Inter"); size-adjust: 300%; }`);
          document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
        }""")
        styled(page)
        usual = page.board()
        for font in ("Evil", "ui-rounded", "serif, Evil", "__proto__", "\"serif\""):
            styled(page, font=font)
            check(page.becomes(lambda: usual.difference(page.board()) == 0), "no font: %s" % font)
        page.evaluate("document.fonts.load('20px \"serif\"').catch(() => {})")
        for font in ("system-ui", "sans-serif", "serif", "monospace"):
            styled(page, font=font)
            # The machine of the tests has one font: what counts is that the page's own of that name is not taken.
            check(usual.difference(page.board()) < 0.05, "the system's: %s" % font)
            stage.tap_keys(page, "1")
            check(stage.typed(page) == b"1", "and it works")


def prefer(page, forced):
    for session in (page.session, *page.frames):
        page.call("Emulation.setEmulatedMedia", session, features=[{"name": "forced-colors", "value": forced}])
        page.until("matchMedia('(forced-colors: %s)').matches" % forced, session)


def forced_colors_are_the_persons(stage):
    for page in stage.both(layout="pin"):
        prefer(page, "active")
        styled(page, board="#ffe0b0")
        expected = [tuple(color) for color in page.evaluate("""['Canvas', 'ButtonFace', 'ButtonText'].map((color) => {
          const probe = document.createElement('i');
          probe.style.cssText = `background: ${color}; forced-color-adjust: none`;
          document.body.append(probe);
          const found = getComputedStyle(probe).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);
          probe.remove();
          return found;
        })""")]
        check(page.becomes(lambda: list(colors_of(page)) == expected[:2]), "the system's colours", expected)
        picture = page.board()
        pixels = {picture.pixel(x, y) for x in range(0, picture.width, 3) for y in range(0, picture.height, 3)}
        check(expected[2] in pixels, "and its text", len(pixels))
        stage.tap_keys(page, "159")
        check(stage.typed(page) == b"159", "the keys are where they were")
        prefer(page, "none")
        styled(page)
        check(page.becomes(lambda: colors_of(page) == (LIGHT, KEY)), "and back", colors_of(page))


GROUPS = [a_page_chooses_colors, no_style_makes_a_key_unreadable, sizes_have_limits,
          fonts_are_those_that_nobody_can_replace, forced_colors_are_the_persons]
