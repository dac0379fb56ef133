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


# For each inherited property of Chromium, a value that could change how a text looks.
HOSTILE = {
    "direction": "rtl", "letter-spacing": "9px", "word-spacing": "2em", "font-kerning": "none",
    "font-family": "monospace", "font-feature-settings": '"smcp", "zero", "ss01", "frac"', "font-size": "60px",
    "font-size-adjust": "0.9", "font-stretch": "ultra-condensed", "font-style": "italic", "font-weight": "900",
    "font-variant-caps": "small-caps", "font-variant-numeric": "oldstyle-nums slashed-zero",
    "font-variant-ligatures": "none", "font-variant-east-asian": "full-width", "font-variant-position": "super",
    "font-variant-alternates": "historical-forms", "font-variant-emoji": "emoji",
    "font-variation-settings": '"wght" 900', "font-optical-sizing": "none", "font-palette": "dark",
    "font-language-override": '"TRK"', "font-synthesis-weight": "none", "font-synthesis-style": "none",
    "font-synthesis-small-caps": "none", "text-rendering": "geometricPrecision", "text-transform": "uppercase",
    "text-orientation": "upright", "text-combine-upright": "all", "text-indent": "50px", "text-align": "right",
    "text-align-last": "right", "text-shadow": "0 0 9px red", "text-spacing-trim": "trim-start",
    "text-autospace": "normal", "text-decoration-skip-ink": "none", "text-emphasis": "circle red",
    "text-underline-position": "under", "text-anchor": "end", "text-size-adjust": "300%", "line-height": "5",
    "line-break": "anywhere", "word-break": "break-all", "white-space-collapse": "preserve", "text-wrap-mode": "nowrap",
    "overflow-wrap": "anywhere", "hyphens": "none", "tab-size": "1", "quotes": "none", "color": "transparent",
    "fill": "red", "stroke": "red", "stroke-width": "9px", "image-rendering": "pixelated",
    "print-color-adjust": "exact", "-webkit-text-stroke": "5px red", "-webkit-text-fill-color": "transparent",
    "-webkit-font-smoothing": "none", "-webkit-text-security": "disc", "-webkit-rtl-ordering": "visual",
    "-webkit-locale": '"tr"', "list-style": "square", "cursor": "none", "paint-order": "stroke",
    "text-box-edge": "cap alphabetic", "shape-rendering": "crispEdges", "color-interpolation": "linearrgb",
    "color-interpolation-filters": "srgb", "color-rendering": "optimizespeed", "dominant-baseline": "hanging",
}


def words_after_a_key(stage, page):
    stage.tap_keys(page, "!", "symbols")
    page.until("keyboard.count === 1")
    page.drawn()
    return [name for _, name, _ in page.spoken()]


def no_style_changes_a_key(stage):
    """On a page that is written from right to left, brackets would be turned round."""
    for page in stage.both(layout="symbols"):
        page.evaluate("""{ const sheet = new CSSStyleSheet();  // texts of the page would push it away
          sheet.replaceSync('custom-keyboard { position: fixed; left: 0; top: 0; width: 390px; height: 226px }');
          document.querySelector('main').remove();
          document.adoptedStyleSheets = [sheet]; }""")
        stage.wait_for_touches(page, "1")
        styled(page)
        check(page.becomes(lambda: page.board().colors() > 20), "keys")
        usual, spoken = page.board(), words_after_a_key(stage, page)
        page.evaluate("""{ const { style } = document.documentElement;
          for (const [name, value] of Object.entries(%s)) style.setProperty(name, value);
          Object.assign(document.documentElement, { lang: 'ar', dir: 'rtl' }); }""" % json.dumps(HOSTILE))
        styled(page)
        check(page.evaluate("getComputedStyle(keyboard).letterSpacing") == "9px", "control: the element inherits it")
        page.drawn()
        is_alike = lambda: page.board().rows == usual.rows  # noqa: E731
        check(page.becomes(is_alike) if page.frames else is_alike(), "the same picture")
        told = words_after_a_key(stage, page)
        check(told == spoken and "Characters typed: 1" in told, "and the same words", spoken, told)


def it_has_a_size_of_its_own(stage):
    """Where a place is as wide as what is in it, it is as a picture would be; narrower, if there is less."""
    with stage.inline(layout="pin") as page:
        for style, expected in (
                ("display: flex", 360), ("display: flex; width: 200px", 200), ("display: inline-block", 360),
                ("display: grid; grid-template-columns: auto 1fr; width: 500px", 360), ("float: left", 360),
                ("position: fixed", 360), ("width: fit-content", 360), ("width: 300px", 300),
                ("writing-mode: vertical-rl", 360), ("writing-mode: vertical-lr; direction: rtl", 360)):
            page.evaluate("""{ keyboard.style.flex = 'initial'; const place = document.createElement('div');
              const around = document.createElement('div'); // the body is a column of flexible boxes
              place.style.cssText = '%s'; document.body.replaceChildren(around);
              around.append(place); place.append(keyboard); }
              keyboard.ready.then(() => keyboard.open(new Uint8Array()))""" % style)
            page.drawn()
            check(page.box()[2:] == [expected, 226], style, page.box())
            stage.tap_keys(page, "159")
            check(stage.typed(page) == b"159", "its keys are where they are seen: %s" % style)
        page.evaluate("""{ const place = document.createElement('dialog'); document.body.append(place);
          place.append(keyboard); place.showModal(); }""")
        check(page.box()[2] > 300, "in a dialog", page.box())


GROUPS = [no_style_changes_a_key, it_has_a_size_of_its_own, a_page_chooses_colors, no_style_makes_a_key_unreadable,
          sizes_have_limits, fonts_are_those_that_nobody_can_replace, forced_colors_are_the_persons]
