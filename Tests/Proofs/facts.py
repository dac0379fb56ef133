"""What is known of the variables of a computation, and what z3 concludes from it.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import math

import z3

from polynomial import Poly


class Facts:
    def __init__(self):
        # The largest value of each variable; the smallest is 0.
        self.bounds = {}
        # Values of all variables, for some inputs.
        self.samples = []
        # (polynomial, low, high)
        self.known = []
        self.splits = {}
        # Variables that are always 0.
        self.zeros = set()
        # Bits that masks were made from, and carries out of the last word.
        self.deciding = set()
        self.numbers = itertools.count()
        self.solver, self.variables, self._told = z3.Solver(), {}, 0
        self.solver.set("timeout", 20000)

    def input(self, name, values):
        """A word that is given, and its value in each sample."""
        self.bounds[name] = (1 << 64) - 1
        for place, value in enumerate(values):
            if place == len(self.samples):
                self.samples.append({})
            self.samples[place][name] = value
        return Poly.variable(name)

    def quotient(self, kind, poly, divisor, top):
        """A new variable, 0…top: a polynomial divided by a number, rounded down."""
        name = "%s%d" % (kind, next(self.numbers))
        self.bounds[name] = top
        for sample in self.samples:
            sample[name] = poly.value(sample) // divisor
        return Poly.variable(name)

    def is_always_zero(self, carry):
        """Tries to show that a carry, which is 0 or 1, is 0; remembers it."""
        if self.is_zero(carry):
            self.add(carry, 0, 0)
            if len(carry) == 1 and len(*carry) == 1:
                self.zeros.update(*carry)

    def add(self, poly, low, high):
        self.known.append((poly, low, high))

    def is_zero(self, poly):
        """Whether a polynomial is 0 for all values of the variables that the facts allow."""
        if not poly:
            return True
        return self._never(poly, 1, None) and self._never(poly, None, -1)

    def is_at_most(self, poly, high):
        return self._never(poly, high + 1, None)

    def is_at_least(self, poly, low):
        return self._never(poly, None, low - 1)

    def hold_in_samples(self):
        """Whether the samples fit all facts. From facts that contradict each other, everything would follow."""
        return all(
            all(low <= poly.value(sample) <= high for poly, low, high in self.known)
            and all(0 <= value <= self.bounds[name] for name, value in sample.items()) for sample in self.samples)

    def _never(self, poly, low, high):
        """Whether the facts exclude that a polynomial is at least `low`, and at most `high`.

        z3 looks for real numbers, which is fast, and enough: what no real numbers fit, no integers fit. It looks at
        each case of the variables that are 0 or 1 and decide.
        """
        self._tell()
        poly = Poly({product: c for product, c in poly.items() if not self.zeros.intersection(product)})
        # The cases: bits of the polynomial, if they are few, and those that masks were made from.
        bits = self._bits(poly)
        bits = sorted(set(bits if len(bits) <= 4 else []).union(self.deciding))
        assert len(bits) <= 12, "too many cases"
        for values in itertools.product((0, 1), repeat=len(bits)):
            case = dict(zip(bits, values))
            claims = [self._value(Poly.variable(name)) == case[name] for name in bits]
            rest = Poly()
            for product, coefficient in poly.items():
                left = tuple(name for name in product if name not in case)
                rest = rest + Poly({left: coefficient} if all(case.get(name, 1) for name in product) else {})
            if rest.is_constant():
                if (low is not None and rest.number() < low) or (high is not None and rest.number() > high):
                    continue
            else:
                value = self._value(rest)
                claims.append(value >= low if high is None else value <= high)
            if self._is_possible(claims):
                return False
        return True

    def _bits(self, poly):
        names = {name for product in poly for name in product}
        return sorted(name for name in names if self.bounds[name] <= 1 and name not in self.zeros)

    def decides(self, poly):
        """The bits of a polynomial decide between cases."""
        self.deciding.update(self._bits(poly))

    def _is_possible(self, claims):
        self.solver.push()
        self.solver.add(*claims)
        answer = self.solver.check()
        self.solver.pop()
        return answer != z3.unsat

    def _tell(self):
        """Tells the solver the facts that are new."""
        for poly, low, high in self.known[self._told:]:
            if not poly.is_constant():
                value = self._value(poly)
                self.solver.add(value >= low, value <= high)
        self._told = len(self.known)

    def _value(self, poly):
        """Each product of variables is a variable of its own, with its bound."""
        terms = []
        for product, coefficient in poly.items():
            name = "*".join(product)
            if name and name not in self.variables:
                variable = self.variables[name] = z3.Real(name)
                self.solver.add(variable >= 0, variable <= math.prod(self.bounds[part] for part in product))
                bits = [place for place, part in enumerate(product) if self.bounds[part] <= 1]
                if len(product) == 2 and bits:
                    bit, other = product[bits[0]], product[1 - bits[0]]
                    chosen, most = self._value(Poly.variable(bit)), self.bounds[other]
                    whole = self._value(Poly.variable(other))
                    self.solver.add(variable <= most * chosen, variable <= whole,
                                    variable >= whole - most * (1 - chosen))
            terms.append(coefficient * self.variables[name] if name else coefficient)
        return z3.Sum(terms) if terms else 0
