"""Polynomials over the integers, in variables that are integers from 0 to a known bound.

SPDX-License-Identifier: Apache-2.0
"""

import math


class Poly(dict):
    """A coefficient, never 0, for each product of variables (a sorted tuple of names; of the constant, no name)."""

    @staticmethod
    def constant(number):
        return Poly({(): number} if number else {})

    @staticmethod
    def variable(name):
        return Poly({(name,): 1})

    def __add__(self, other):
        result = Poly(self)
        for product, coefficient in other.items():
            total = result.get(product, 0) + coefficient
            if total:
                result[product] = total
            else:
                del result[product]
        return result

    def __sub__(self, other):
        return self + other * -1

    def __mul__(self, other):
        if isinstance(other, int):
            return Poly({product: coefficient * other for product, coefficient in self.items()} if other else {})
        result = Poly()
        for product, coefficient in other.items():
            result = result + Poly({tuple(sorted(mine + product)): mine_coefficient * coefficient
                                    for mine, mine_coefficient in self.items()})
        return result

    def __floordiv__(self, number):
        assert self.is_multiple(number)
        return Poly({product: coefficient // number for product, coefficient in self.items()})

    def is_multiple(self, number):
        return all(coefficient % number == 0 for coefficient in self.values())

    def is_constant(self):
        return not self or list(self) == [()]

    def number(self):
        """The value of a constant."""
        if not self.is_constant():
            raise ValueError("a number should be known here")
        return self.get((), 0)

    def value(self, values):
        """The value, for these values of the variables."""
        return sum(coefficient * math.prod(values[name] for name in product) for product, coefficient in self.items())

    def range(self, bounds):
        """Two numbers that the value is between, whatever the variables are."""
        low = high = self.get((), 0)
        for product, coefficient in self.items():
            if not product:
                continue
            for name in product:
                coefficient *= bounds[name]
            low, high = low + min(coefficient, 0), high + max(coefficient, 0)
        return low, high
