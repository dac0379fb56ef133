"""Runs Examples/c-toolkit: twelve keys each time they are shown, dots that appear and disappear, and one ciphertext at
the end.

    toolkit_example.py PROGRAM

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
import sys

shown = subprocess.run(sys.argv[1:2], stdout=subprocess.PIPE, check=True).stdout.decode()
assert shown.count("[") == 72, shown
assert re.findall(r"^PIN: (.*)", shown, re.M) == ["*", "**", "*", "**", "***", "****"], shown
assert len(re.findall(r"^to the server: [0-9a-f]{32}$", shown, re.M)) == 1, shown
print("toolkit: 3 checks")
