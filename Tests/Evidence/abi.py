"""The binary interface that a header declares, as lines of text, read from the compiler's debugging information.

    readelf --debug-dump=info object | python3 abi.py

Enumerations with their values, structures with the offset and size of every member, typedefs with their types, and the
signature of every variable named `abi_…`; these variables point to the functions. It imports only `re` and `sys`, which
even the smallest Python has.

SPDX-License-Identifier: Apache-2.0
"""

import re
import sys


class Entry:
    def __init__(self, tag):
        self.tag, self.attributes, self.children = tag, {}, []

    def number(self, name, default=0):
        return int(self.attributes.get(name, str(default)).split()[0], 0)

    @property
    def name(self):
        return self.attributes.get("name", "")


def read(lines):
    """Returns all entries by offset, each with its children."""
    entries, parents, entry, pointer_size = {}, {}, None, 0
    for line in lines:
        pointer_size = int((re.match(r"\s*Pointer Size:\s*(\d+)", line) or [0, pointer_size])[1])
        head = re.match(r"\s*<(\d+)><([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)", line)
        if head:
            level, offset = int(head[1]), int(head[2], 16)
            entry = entries[offset] = parents[level] = Entry(head[3])
            if head[3] == "pointer_type":
                entry.attributes["byte_size"] = str(pointer_size)  # clang omits it
            if level > 0:
                parents[level - 1].children.append(entry)
            continue
        attribute = re.match(r"\s*<[0-9a-f]+>\s+DW_AT_(\w+)\s*: (?:\([^)]*\): )?(.*?)\s*$", line)
        if attribute and entry:
            entry.attributes[attribute[1]] = attribute[2]
    return entries


def counts(array):
    """The number of elements in each dimension. gcc gives the last index, clang the count."""
    return [c.number("count", c.number("upper_bound", -1) + 1) for c in array.children if c.tag == "subrange_type"]


class Interface:
    def __init__(self, entries):
        self.entries = entries

    def target(self, entry):
        reference = entry.attributes.get("type")
        return self.entries[int(reference.strip("<>"), 16)] if reference else None

    def spell(self, entry):
        """A type, nearly as C writes it: `const uint8_t *`."""
        if entry is None:
            return "void"
        inner = self.target(entry)
        if entry.tag == "pointer_type":
            if inner is not None and inner.tag == "subroutine_type":
                return self.signature(inner, "(*)")
            return self.spell(inner) + ("*" if self.spell(inner).endswith("*") else " *")
        if entry.tag in ("const_type", "volatile_type", "restrict_type"):
            return entry.tag[:-5] + " " + self.spell(inner)
        if entry.tag == "array_type":
            return self.spell(inner) + "".join("[%d]" % count for count in counts(entry))
        if entry.tag in ("structure_type", "union_type", "enumeration_type"):
            return self.kind(entry) + " " + (entry.name or "?")
        if entry.tag == "base_type":  # gcc's "long unsigned int" is clang's "unsigned long"
            words = entry.name.split()
            return " ".join(sorted((w for w in words if w != "int" or len(words) == 1), reverse=True))
        return entry.name

    @staticmethod
    def kind(entry):
        return {"structure_type": "struct", "union_type": "union", "enumeration_type": "enum"}[entry.tag]

    def signature(self, function, name):
        parameters = [self.spell(self.target(c)) for c in function.children if c.tag == "formal_parameter"]
        parameters += ["..." for c in function.children if c.tag == "unspecified_parameters"]
        answer = self.spell(self.target(function)) + " "
        return "%s%s(%s)" % (answer.replace("* ", "*"), name, ", ".join(parameters) or "void")

    def size(self, entry):
        if entry.tag in ("typedef", "const_type", "volatile_type"):
            return self.size(self.target(entry))
        if entry.tag == "array_type":
            size = self.size(self.target(entry))
            for count in counts(entry):
                size *= count
            return size
        return entry.number("byte_size")

    def alignment(self, entry):
        own = entry.number("alignment", 1)
        if entry.tag in ("typedef", "const_type", "volatile_type", "array_type"):
            return max(own, self.alignment(self.target(entry)))
        if entry.tag in ("structure_type", "union_type"):
            members = [c for c in entry.children if c.tag == "member"]
            return max([own] + [max(m.number("alignment", 1), self.alignment(self.target(m))) for m in members])
        return max(own, entry.number("byte_size", 1))

    def lines(self):
        reached = set()

        def reach(entry):
            if entry is None or id(entry) in reached:
                return
            reached.add(id(entry))
            reach(self.target(entry))
            for child in entry.children:
                reach(self.target(child))

        functions = [e for e in self.entries.values() if e.tag == "variable" and e.name.startswith("abi_")]
        for function in functions:
            reach(function)
        for entry in self.entries.values():
            ours = re.match(r"(CUSTOM_|ENCKEYBOARD_)", entry.name)
            if entry.tag == "typedef" and (ours or id(entry) in reached):
                target = self.target(entry)
                yield "typedef %s = %s, %d bytes" % (entry.name, self.spell(target), self.size(entry))
            elif entry.tag == "enumeration_type" and ours:
                yield "enum %s, %d bytes, %s" % (entry.name, self.size(entry), self.spell(self.target(entry)))
                for value in entry.children:
                    yield "enum %s: %s = %d" % (entry.name, value.name, value.number("const_value"))
            elif entry.tag in ("structure_type", "union_type") and ours:
                kind = self.kind(entry)
                yield "%s %s, %d bytes, aligned to %d" % (kind, entry.name, self.size(entry), self.alignment(entry))
                for member in entry.children:
                    if member.tag == "member":
                        of = self.target(member)
                        yield "%s %s: at %3d, %3d bytes, %s: %s" % (
                            kind, entry.name, member.number("data_member_location"), self.size(of), member.name,
                            self.spell(of))
        for function in functions:
            yield "function " + self.signature(self.target(self.target(function)), function.name[4:])


print("\n".join(sorted(set(Interface(read(sys.stdin)).lines()))))
