"""Prints a module's size, and its hash for `integrity` (Subresource Integrity).

SPDX-License-Identifier: Apache-2.0
"""

import base64
import gzip
import hashlib
import sys

path = sys.argv[1]
data = open(path, "rb").read()
digest = base64.b64encode(hashlib.sha384(data).digest()).decode()
print(f"{path}: {len(data):,} bytes, {len(gzip.compress(data, 9)):,} after gzip -9")
print(f'integrity="sha384-{digest}"')
