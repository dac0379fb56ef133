"""What products and divisions of the general registers do to bits that may be unknown. For instructions.py.

SPDX-License-Identifier: Apache-2.0
"""

import re

from machine import NotRead
from registers import Refused


class Products:
    """The part of a processor that multiplies and divides."""

    def _products(self, name, operands, address, following):
        values, masks = self.values, self.masks
        match = re.fullmatch(r"(mul|imul|div|idiv)([bwlq])?", name)
        if not match:
            return None
        kind, width = match[1], self.width(name, operands)
        ones, flags = (1 << width) - 1, self.flags
        read = self.reader(operands[0], width, following)

        def signed(value):
            return value - (1 << width) if value >> width - 1 else value

        if len(operands) > 1:
            other = self.reader(operands[1], width, following)
            write = self.writer(operands[-1], width, following)

            def multiply():
                (a, x), (b, y) = read(), other()
                mask = ones & -((x | y) & -(x | y))
                if (x | y) and not (a | x) or not (b | y):
                    mask = 0
                # The low bits that are known of both give those of the product.
                product = signed(a) * signed(b)
                flags.update(dict.fromkeys("czsop"))
                if not x and not y:
                    flags["c"] = flags["o"] = int(product != signed(product & ones))
                write(product & ones, mask)
                return following
            return multiply
        if width < 32:
            raise NotRead("so narrow a product")
        if kind in ("mul", "imul"):
            def multiply_wide():
                (a, x), (b, y) = read(), (values[0] & ones, masks[0] & ones)
                hidden = x | y
                mask = ((1 << 2 * width) - 1) & -(hidden & -hidden)
                product = (signed(a) * signed(b) if kind == "imul" else a * b) & ((1 << 2 * width) - 1)
                if kind == "mul":  # no bit above those of the largest product
                    mask &= (1 << ((a | x) * (b | y)).bit_length()) - 1
                product &= ~mask
                flags.update(dict.fromkeys("czsop"))
                if not mask >> width:
                    flags["c"] = flags["o"] = int(product >> width != 0) if kind == "mul" else None
                values[0], masks[0] = product & ones, mask & ones
                values[2], masks[2] = product >> width, mask >> width
                return following
            return multiply_wide

        def divide():
            divisor, hidden = read()
            if hidden or (masks[0] | masks[2]) & ones:
                raise Refused("a division depends on a secret")
            number = (values[2] & ones) << width | values[0] & ones
            if kind == "idiv":
                divisor = signed(divisor)
                number = number - (1 << 2 * width) if number >> 2 * width - 1 else number
            quotient = abs(number) // abs(divisor)
            quotient = -quotient if (number < 0) != (divisor < 0) else quotient
            values[0], values[2] = quotient & ones, number - quotient * divisor & ones
            flags.update(dict.fromkeys("czsop"))
            return following
        return divide
