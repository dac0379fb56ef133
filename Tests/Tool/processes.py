"""What a running process does: whether it waits for its input, and what is in its memory.

SPDX-License-Identifier: Apache-2.0
"""

import platform
import time

READ = {"x86_64": "0", "aarch64": "63"}[platform.machine()]  # The number of its system call.


def wait_until_it_reads(process):
    """Until it waits in read, for its standard input. It must be dumpable: others do not see where it waits."""
    while open("/proc/%d/syscall" % process.pid).read().split()[:2] != [READ, "0x0"]:
        assert process.poll() is None, "ended before it read"
        time.sleep(0.01)


def found_in_memory(process, needles):
    """How often each of the needles, bytes or patterns, is in writable memory."""
    counts = dict.fromkeys(needles, 0)
    with open("/proc/%d/maps" % process.pid) as maps, open("/proc/%d/mem" % process.pid, "rb") as memory:
        for line in maps:
            first, last = (int(address, 16) for address in line.split()[0].split("-"))
            if "w" not in line.split()[1]:
                continue
            try:
                memory.seek(first)
                data = memory.read(last - first)
            except OSError:
                continue  # Guard pages around locked memory, and pages of the kernel.
            for name in needles:
                needle = needles[name]
                counts[name] += data.count(needle) if isinstance(needle, bytes) else len(needle.findall(data))
    return counts
