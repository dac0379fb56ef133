"""Pictures of the element, compared with kept ones. `browser.py MODULES --update screenshots` keeps new ones.

SPDX-License-Identifier: Apache-2.0
"""

import os

from pictures import Picture
from places import Places
from stage import CLOCK, check

SCREENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Screens")
TOLERANCE = 0.1  # of any small square may differ: another version of the browser draws edges otherwise
SHOTS = ["pin-light", "pin-dark", "pin-decoys-light", "letters-light", "letters-dark", "digits-light", "symbols-light",
         "mixed-dark"]


def pictures_are_as_they_were(stage):
    """Every layout, light and dark, pressed, with capitals, in landscape."""
    for name in SHOTS:
        layout, _, scheme = name.rpartition("-")
        with stage.inline(layout=layout, open="1", look={"dark": scheme == "dark"}) as page:
            compare(stage, page, name)
    for scheme in ("light", "dark"):
        with stage.inline(layout="letters", open="1", look={"dark": scheme == "dark", "early": CLOCK}) as page:
            stage.tap_keys(page, "⇧", "letters")
            page.evaluate("pass(1000)")
            page.evaluate("nextFrame()")
            if scheme == "dark":
                compare(stage, page, "letters-shift-dark")
            stage.tap_keys(page, "⇧", "letters")
            page.evaluate("pass(1000)")
            places = Places("letters", page.box())
            page.touch("touchStart", places.middle("g"))
            if scheme == "light":
                compare(stage, page, "letters-capitals-pressed-light")
            page.touch("touchEnd")
    with stage.inline(layout="letters", open="1", look={"width": 844, "height": 390}) as page:
        compare(stage, page, "letters-landscape")
    with stage.framed(layout="pin", open="1") as page:
        compare(stage, page, "pin-light")  # the same in a frame


def compare(stage, page, name):
    page.drawn()
    file = os.path.join(SCREENS, name + ".png")
    if stage.options.update:
        os.makedirs(SCREENS, exist_ok=True)
        with open(file, "wb") as kept:
            kept.write(page.board().png())
    with open(file, "rb") as opened:
        kept = Picture.read(opened.read())
    is_alike = page.becomes(lambda: kept.worst(page.board()) <= TOLERANCE)
    if not is_alike:
        with open(os.path.join(stage.options.modules, name + "-now.png"), "wb") as now:
            now.write(page.board().png())
    check(is_alike, "%s differs from the kept picture; see %s-now.png beside the module" % (name, name))


def a_wrong_picture_is_noticed(stage):
    """The comparison's own test: one key with another character, and one that is pressed."""
    with stage.inline(layout="pin", open="1") as page:
        right = page.board()
        places = Places("pin", (0, 0, *page.box()[2:]))
        page.inside("CANVAS", """function() {
          const context = this.getContext('2d');
          context.setTransform(1, 0, 0, 1, 0, 0);
          context.drawImage(this, %d, %d, 240, 90, %d, %d, 240, 90);
        }""" % tuple(2 * v for v in (*places.keys["3"][:2], *places.keys["8"][:2])))
        page.drawn()
        check(right.worst(page.board()) > TOLERANCE, "a 3 for an 8 is seen", right.worst(page.board()))
    with stage.inline(layout="pin", open="1") as page:
        page.touch("touchStart", Places("pin", page.box()).middle("5"))
        page.drawn()
        check(right.worst(page.board()) > TOLERANCE, "a pressed key is seen")


GROUPS = [pictures_are_as_they_were, a_wrong_picture_is_noticed]
