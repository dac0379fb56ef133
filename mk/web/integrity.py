"""Prints the hashes for `integrity` (Subresource Integrity) of a folder's files that browsers load, as JSON.

    integrity.py FOLDER

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import json
import os
import sys

folder = sys.argv[1]
hashes = {}
for name in sorted(os.listdir(folder)):
    if name.endswith((".js", ".html", ".wasm")):
        with open(os.path.join(folder, name), "rb") as file:
            hashes[name] = "sha384-" + base64.b64encode(hashlib.sha384(file.read()).digest()).decode()
print(json.dumps(hashes, indent=2))
