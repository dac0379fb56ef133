"""A module of WebAssembly in which one exported function does nothing but trap.

The binary format, section 5.5 of the WebAssembly specification: sections of an id, a length and contents, with numbers
in LEB128.

SPDX-License-Identifier: Apache-2.0
"""

IMPORTS, EXPORTS, CODE = 2, 7, 10
FUNCTION, UNLIMITED_MEMORY = 0, b"\x02\x00"
TRAP = b"\x00\x00\x0b"  # no locals; unreachable; end


def read(data, at):
    """A number in LEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def written(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def sections(module):
    at = 8
    while at < len(module):
        kind = module[at]
        length, at = read(module, at + 1)
        yield kind, module[at:at + length]
        at += length


def exported(section, name):
    """The number of an exported function."""
    count, at = read(section, 0)
    for _ in range(count):
        length, at = read(section, at)
        found = section[at:at + length].decode()
        kind = section[at + length]
        number, at = read(section, at + length + 1)
        if kind == FUNCTION and found == name:
            return number
    raise KeyError(name)


def imported(section):
    """How many functions are imported. Nothing else is, but a memory without an upper limit."""
    (count, at), functions = read(section, 0), 0
    for _ in range(count):
        for _ in range(2):
            length, at = read(section, at)
            at += length
        if section[at] == FUNCTION:
            functions += 1
            _, at = read(section, at + 1)
        elif section[at:at + 2] == UNLIMITED_MEMORY:
            _, at = read(section, at + 2)
        else:
            raise ValueError("an import that is neither a function nor a memory")
    return functions


def without(section, number):
    """The code, with a function that traps in one place."""
    count, at = read(section, 0)
    out = written(count)
    for index in range(count):
        length, at = read(section, at)
        body = TRAP if index == number else section[at:at + length]
        out += written(len(body)) + body
        at += length
    return out


def failing(module, name):
    parts = dict(sections(module))
    number = exported(parts[EXPORTS], name) - imported(parts[IMPORTS])
    out = module[:8]
    for kind, contents in sections(module):
        if kind == CODE:
            contents = without(contents, number)
        out += bytes([kind]) + written(len(contents)) + contents
    return out
