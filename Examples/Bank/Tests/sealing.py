"""Seals passcodes for the bank with a second implementation, and builds what the bank must build.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Tests/Python"))
from hpke import HPKE, pad  # noqa: E402

suites = {32: HPKE("x25519"), 1216: HPKE("xwing")}  # by the length of the public key


def seal(public_key, context, password):
    """A sealed text, different each time."""
    return suites[len(public_key)].seal(public_key, context, pad(password))


def encode(data):
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def context_of(purpose, account, challenge):
    """What the bank must build from its own record."""
    fields = [b"CustomKeyboard bank 1", purpose.encode(), account.encode(), challenge]
    return b"".join(len(field).to_bytes(2, "big") + field for field in fields)
