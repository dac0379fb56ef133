"""Searches the memory of all processes of a browser.

SPDX-License-Identifier: Apache-2.0
"""

import os

PIECE, PAGE = 1 << 24, os.sysconf("SC_PAGE_SIZE")


def forms(digits):
    """The forms that typed digits could have in memory: texts, and arrays of numbers as JavaScript keeps them."""
    values = [int(digit) for digit in digits]
    places = ["1234567890".index(digit) for digit in digits]  # the indices of the keys on a pad that is not shuffled
    found = {"ascii": digits.encode(), "utf-16": digits.encode("utf-16-le"), "utf-32": digits.encode("utf-32-le")}
    for name, numbers in (("digits", values), ("keys", places)):
        found[name + " as bytes"] = bytes(numbers)
        found[name + " as int32"] = b"".join(n.to_bytes(4, "little") for n in numbers)
        found[name + " as small integers"] = b"".join((2 * n).to_bytes(4, "little") for n in numbers)
    return found


def scan(processes, needles):
    """How often each needle is in memory that is not a file's: counts by name. The number of bytes looked at is under
    ""."""
    counts = dict.fromkeys(needles, 0)
    counts[""] = 0
    needles = {name: needle.rstrip(b"\0") for name, needle in needles.items()}  # most memory is zero: much faster so
    for pid in processes:
        try:
            with open("/proc/%d/maps" % pid, encoding="utf-8", errors="replace") as maps:
                regions = [line.split(maxsplit=5) for line in maps]
            memory, pages = (os.open("/proc/%d/%s" % (pid, name), os.O_RDONLY) for name in ("mem", "pagemap"))
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        try:
            for region in regions:
                name = region[5].strip() if len(region) > 5 else ""
                if "r" not in region[1] or name in ("[vvar]", "[vsyscall]", "[vdso]"):
                    continue
                # Of a file's memory, only what is no longer as in the file.
                is_file = name.startswith("/") and not name.startswith(("/memfd", "/dev/shm"))
                first, last = (int(address, 16) for address in region[0].split("-"))
                for start, end in used(pages, first, last, is_file):
                    search(memory, start, end, needles, counts)
        finally:
            os.close(memory)
            os.close(pages)
    return counts


def used(pages, first, last, is_file):
    """The parts of a region that have ever been touched: present, or swapped out. Engines reserve much more."""
    mask, value = (0xE0, (0x80, 0x40, 0xC0)) if is_file else (0xC0, (0x80, 0x40, 0xC0))
    start = None
    for at in range(first, last, PIECE):
        end = min(at + PIECE, last)
        entries = os.pread(pages, (end - at) // PAGE * 8, at // PAGE * 8)
        flags = entries[7::8]  # bit 63 present, bit 62 swapped, bit 61 of a file
        if len(flags) < (end - at) // PAGE:
            flags = b"\xff" * ((end - at) // PAGE)
        for number, flag in enumerate(flags):
            if flag & mask in value:
                start = at + number * PAGE if start is None else start
            elif start is not None:
                yield start, at + number * PAGE
                start = None
    if start is not None:
        yield start, last


def search(memory, first, last, needles, counts):
    kept, overlap = b"", max(len(needle) for needle in needles.values()) - 1
    for at in range(first, last, PIECE):
        try:
            data = kept + os.pread(memory, min(PIECE, last - at), at)
        except OSError:
            kept = b""  # pages of the kernel
            continue
        for name, needle in needles.items():
            counts[name] += data.count(needle)
        counts[""] += len(data) - len(kept)
        kept = data[-overlap:]


def resident(processes):
    """Bytes of memory that is not a file's, as the kernel counts them."""
    total = 0
    for pid in processes:
        try:
            with open("/proc/%d/status" % pid, encoding="utf-8") as status:
                total += sum(int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon"))
        except OSError:
            pass
    return total
