"""A folder of the test's own, which is removed at its end, and files in it.

SPDX-License-Identifier: Apache-2.0
"""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

folder = TemporaryDirectory()


def where(name):
    return os.path.join(folder.name, name)


def file(name, contents, mode=0o600):
    path = Path(where(name))
    path.write_bytes(contents)
    path.chmod(mode)
    return str(path)
