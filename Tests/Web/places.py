"""Where keys are: the grids of the pages, for tests that tap by coordinates. Made from the drawings of the layouts and
the margins of the element, independently of what the element computes.

SPDX-License-Identifier: Apache-2.0
"""

# A character is a key; "-" makes the key to its left a column wider; "." is not a key, but on the page of symbols,
# where the hyphen is written "‐". ⇧ shift, ⌫ delete, ⏎ return, ␣ space, □△◇○ blank, Ⓐ ① ② the switches to letters,
# digits and symbols.
PAGES = {
    "letters": ["q-w-e-r-t-y-u-i-o-p-", ".a-s-d-f-g-h-j-k-l-.", "⇧-.z-x-c-v-b-n-m-.⌫-", "①-②-␣-----------⏎---"],
    "digits": ["1---2---3---4---5---", "6---7---8---9---0---", "Ⓐ---②---␣---⌫---⏎---"],
    "symbols": ["!-\"-#-$-%-&-'-(-)-*-", "+-,-‐-.-/-:-;-<-=->-", "?-@-[-\\-]-^-_-`-{-⌫-", "Ⓐ-①-|-}-~-␣-----⏎---"],
    "pin": ["123", "456", "789", "□0⌫"],
    "pin-decoys": ["1234", "5678", "90□△", "◇○⌫⏎"],
    "pattern": ["123", "456", "789"],
}
# Points beside the keys, above, below, and the gaps between columns and rows.
BOARD, PAD = (3, 9, 4, 6, 11), (6, 7, 6, 6, 7)


class Places:
    """The keys of a page in a box on the screen: name -> (x, y, width, height)."""

    def __init__(self, page, box):
        side, top, bottom, column_gap, row_gap = PAD if page.startswith("p") else BOARD
        widest = 480 if page.startswith("p") else 780
        rows = PAGES[page]
        width, height = min(box[2] - 2 * side, widest), box[3] - top - bottom
        left = box[0] + (box[2] - width) / 2
        self.view = (left, box[1] + top, width, height)
        if page == "pattern":
            cell = min(width, height) / 3
            x, y = left + width / 2 - 1.5 * cell, box[1] + top + height / 2 - 1.5 * cell
            self.keys = {row[i]: (x + (i + 0.15) * cell, y + (j + 0.15) * cell, 0.7 * cell, 0.7 * cell)
                         for j, row in enumerate(rows) for i in range(3)}
            return
        across, down = (width + column_gap) / len(rows[0]), (height + row_gap) / len(rows)
        self.keys = {}
        for y, row in enumerate(rows):
            x = 0
            while x < len(row):
                end = x + 1
                is_key = row[x] != "." or page == "symbols"
                while is_key and end < len(row) and row[end] == "-":
                    end += 1
                if is_key:
                    name = "-" if row[x] == "‐" else row[x]
                    self.keys[name] = (left + x * across, box[1] + top + y * down, (end - x) * across - column_gap,
                                       down - row_gap)
                x = end

    def middle(self, name):
        x, y, width, height = self.keys[name]
        return x + width / 2, y + height / 2

    def nearest(self, x, y):
        """The key nearest to a point; of several, the first."""
        def distance(key):
            left, top, width, height = self.keys[key]
            return max(left - x, x - left - width, 0) ** 2 + max(top - y, y - top - height, 0) ** 2
        return min(self.keys, key=distance)
