"""What is on the screen: sizes, rotation, zoom, colours and motion.

SPDX-License-Identifier: Apache-2.0
"""

from bank import drawn_keys, shuffled
from devtools import Browser
from pages import Page
from places import Places
from stage import CLOCK, check

LIGHT, DARK = (209, 212, 219), (43, 43, 45)


def rotating_keeps_the_order(stage):
    for page in stage.both(layout="pin", open="1"):
        glyphs = drawn_keys(page)
        order = shuffled(page, glyphs)
        typed = ""
        for width, height in ((844, 390), (390, 844), (320, 480), (1280, 800), (600, 500)):
            page.resize(width, height)
            page.until("innerWidth === %d && innerHeight === %d" % (width, height))
            page.drawn()
            page.until("document.querySelector('custom-keyboard').getBoundingClientRect().bottom <= innerHeight")
            # Where a window has grown both ways, Chromium may send synthetic touches near its bottom to the page around
            # the frame, for good. There, the fourth key is of an upper row.
            places = "1375" if page.frames and (width, height) == (1280, 800) else "1370"
            keys = Places("pin", page.box())
            page.reached(*map(keys.middle, places))
            stage.tap_keys(page, places)
            typed += "".join(order["1234567890".index(place)] for place in places)
        found = stage.typed(page)
        check(found == typed.encode(), "after resizing, each key is where it was", order, typed, found)
        check(not page.console, "no error", page.console)


def every_zoom_is_sharp(stage):
    """The browser's own zoom, which makes points larger: fewer of them, with more pixels each."""
    for percent in (50, 75, 125, 200, 300):
        with Browser(1, ["--window-size=1300,2000"], percent / 100) as browser:
            for layout, keys in (("pin", "2580"), ("letters", "qpalzm")):
                address = stage.address(stage.origins.page.origin + "/inline.html", "none",
                                        {"layout": layout, "key": stage.bank.recipient.key, "open": "1"})
                with Page(browser, address, mobile=False) as page:
                    page.call("Emulation.clearDeviceMetricsOverride")
                    page.until("devicePixelRatio === %s" % (percent / 100))
                    page.drawn()
                    box = page.box()
                    (pixels,) = page.inside("CANVAS", "function() { return [this.width, this.height]; }")
                    check(abs(pixels[0] - box[2] * percent / 100) < 1 and abs(pixels[1] - box[3] * percent / 100) < 1,
                          "as many pixels as the screen at %d %%" % percent, pixels, box)
                    places = Places(layout, box)
                    for key in keys:
                        page.click(*places.middle(key))
                    check(stage.typed(page) == keys.encode(), "every key is where it is drawn at %d %%" % percent,
                          stage.typed(page))


def zooming_while_it_is_up_keeps_what_is_typed(stage):
    for layout, keys in (("pin", "2580"), ("letters", "qpalzm")):
        with stage.inline(layout=layout, open="1") as page:
            typed = ""
            for percent in (50, 67, 75, 90, 100, 110, 125, 150, 175, 200, 250, 300):
                width, height = round(39000 / percent), round(84400 / percent)
                page.resize(width, height, percent / 50, mobile=False)
                page.until("innerWidth === %d && Math.abs(devicePixelRatio - %f) < 0.001" % (width, percent / 50))
                page.drawn()
                stage.tap_keys(page, keys, layout)
                typed += keys
            check(stage.typed(page) == typed.encode(), "every key is where it is drawn", stage.typed(page))


def tiny_and_hidden_keyboards_are_no_error(stage):
    with stage.inline(layout="letters", open="1") as page:
        for rule in ("width: 20px", "height: 5px", "width: 0; height: 0", "display: none", "width: 45px; height: 60px"):
            page.evaluate("keyboard.style.cssText = '%s'" % rule)
            page.drawn()
            x, y, width, height = page.box()
            if width > 1 and height > 1:
                page.tap(x + width / 2, y + height / 2)
        page.evaluate("keyboard.style.cssText = ''; void keyboard.clear()")
        page.drawn()
        stage.tap_keys(page, "abc", "letters")
        check(stage.typed(page) == b"abc", "it works again", stage.typed(page))
        check(not page.console, "no error", page.console)
    with stage.inline(layout="letters", hidden="") as page:
        page.evaluate("keyboard.open(new Uint8Array())")
        page.evaluate("keyboard.removeAttribute('hidden')")
        page.drawn()
        stage.tap_keys(page, "abc", "letters")
        check(stage.typed(page) == b"abc", "opened while it was hidden", stage.typed(page))


def transformed_keyboards_find_their_keys(stage):
    with stage.inline(layout="pin", open="1") as page:
        typed = b""
        for rule in ("zoom: 1.5; width: 200px", "transform: scale(0.5)", "border: 7px solid red; padding: 3px",
                     "position: fixed; left: 13px; bottom: 40px; width: 300px; height: 300px"):
            page.evaluate("keyboard.style.cssText = '%s'" % rule)
            page.drawn()
            for digit in "1590":
                x, y = in_element(page, digit)
                page.tap(x, y)
                typed += digit.encode()
        check(stage.typed(page) == typed, "under transforms, each key is where it is drawn", stage.typed(page), typed)


def in_element(page, digit):
    """Where a digit is on the screen: its place in the element, put through what the page does with the element."""
    canvas = page.inside("CANVAS", "function() { const { x, y, width, height } = this.getBoundingClientRect();"
                         " return [x, y, width, height, this.offsetWidth, this.offsetHeight]; }")[0]
    x, y, width, height, across, down = canvas
    middle = Places("pin", (0, 0, across, down)).middle(digit)
    return x + middle[0] * width / across, y + middle[1] * height / down


def ten_keyboards(stage):
    with stage.inline(layout="pin", maximum="6", keyboards="10", open="1", look={"height": 2400}) as page:
        pins = ["%06d" % (123457 * (i + 3) % 1000000) for i in range(10)]
        for position in range(6):  # all of them at the same time
            for i, pin in enumerate(pins):
                stage.tap_keys(page, pin[position], selector="custom-keyboard:nth-of-type(%d)" % (i + 1))
        for i, pin in enumerate(pins):
            check(stage.typed(page, "keyboards[%d]" % i) == pin.encode(), "each has its own PIN", i)
        page.evaluate("Promise.all(keyboards.map((keyboard) => keyboard.close()))")
        check(page.evaluate("events.filter((e) => e === 'complete 6').length") == 10, "each completed")
        page.evaluate("document.querySelectorAll('custom-keyboard').forEach((keyboard) => keyboard.remove())")
        check(not page.console, "no error", page.console)


def dark_mode(stage):
    for page in stage.both(layout="pin", open="1"):
        for is_dark in (False, True, False):
            page.prefer(is_dark)
            page.drawn()
            check(page.becomes(lambda: page.board().pixel(4, 4) == (DARK if is_dark else LIGHT)),
                  "the board follows the system")
        page.evaluate("keyboard.close()")
        page.evaluate("keyboard.setAttribute('scheme', 'dark'); keyboard.open(new Uint8Array())")
        page.drawn()
        check(page.becomes(lambda: page.board().pixel(4, 4) == DARK), "or the attribute")


def a_closed_keyboard_is_empty(stage):
    for page in stage.both(layout="pin", open="1"):
        page.evaluate("keyboard.setAttribute('layout', 'letters')")
        page.drawn()
        check(stage.tap_keys(page, "1") is None and stage.typed(page) == b"1", "attributes wait for the next opening")
        page.evaluate("keyboard.close()")
        page.drawn()
        check(page.becomes(lambda: page.board().colors() == 1), "nothing is drawn")
        stage.tap_keys(page, "123")
        check(page.evaluate("keyboard.count") == 0, "and nothing is typed")
        page.evaluate("keyboard.open(new Uint8Array())")
        stage.tap_keys(page, "qp", "letters")
        check(stage.typed(page) == b"qp", "now the attribute holds")


def pressed_keys_fade_unless_motion_is_unwanted(stage):
    for still, discreet, expected in ((False, False, "pressed, pressed, between, free"),
                                      (True, False, "pressed, pressed, free, free"),
                                      (False, True, "free, free, free, free")):
        attributes = {"discreet": ""} if discreet else {}
        with stage.inline(layout="pin", open="1", look={"early": CLOCK, "still": still}, **attributes) as page:
            places = Places("pin", (0, 0, *page.box()[2:]))
            x, y = places.keys["5"][:2]
            color = lambda: (page.evaluate("nextFrame()"),  # noqa: E731
                             page.board().pixel(round(2 * x) + 16, round(2 * y) + 16))[1]
            free = color()
            page.touch("touchStart", Places("pin", page.box()).middle("5"))
            seen = [color()]
            page.touch("touchEnd")
            seen.append(color())  # a tap is seen, however short it was
            page.evaluate("pass(140)")
            seen.append(color())
            page.evaluate("pass(100)")
            seen.append(color())
            names = ["free" if c == free else "pressed" if c == (180, 185, 195) else "between" for c in seen]
            check(", ".join(names) == expected, "pressed and released", seen)


GROUPS = [rotating_keeps_the_order, every_zoom_is_sharp, zooming_while_it_is_up_keeps_what_is_typed,
          tiny_and_hidden_keyboards_are_no_error, transformed_keyboards_find_their_keys, ten_keyboards, dark_mode,
          a_closed_keyboard_is_empty, pressed_keys_fade_unless_motion_is_unwanted]
