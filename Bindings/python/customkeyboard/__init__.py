# SPDX-License-Identifier: Apache-2.0
"""CustomKeyboard for Python: what a server does with the texts of an encrypting keyboard.

    import customkeyboard as ck

    private_key = ck.Secret.read_key("private.hex", ck.Way.X25519)     # of `keyboard generate-key`; 0600
    with ck.Keyboard() as keyboard:
        keyboard.receive(ck.Way.X25519, private_key, challenge, text)
        right = keyboard.check_verifier(stored, pepper)     # the password was never in Python's memory

Every call releases the interpreter's lock. Errors are KeyboardError with the code of the C function.
"""

from ._library import (
    MAX_CONTEXT,
    MAX_PASSWORD,
    MAX_SEALED,
    MAX_TEXT,
    Code,
    InvalidContext,
    InvalidKey,
    KeyboardError,
    Mismatch,
    Refused,
    Undecryptable,
    library,
)
from .batch import Opened, decrypt_batch, unseal_batch
from .keyboard import Key, Keyboard, Layout, Role, Rule, Shuffle, Way
from .keyfile import read_public_key
from .opaque import OPAQUEState, OPAQUETerms, opaque_answer, opaque_respond, opaque_setup
from .secret import Secret
from .texts import (
    DUKPT,
    SignWay,
    check_pattern,
    decrypt,
    dukpt_initial_key,
    dukpt_key,
    generate_key,
    public_key,
    sign_text,
    unseal,
    verify_text,
)

try:
    from ._built import MBEDTLS_VERSION
except ImportError:  # run from the sources, with CUSTOM_KEYBOARD_LIBRARY
    MBEDTLS_VERSION = ""

__version__: str = library.CustomKeyboard_version().decode()

__all__ = [
    "DUKPT", "Code", "InvalidContext", "InvalidKey", "Key", "Keyboard", "KeyboardError", "Layout", "MAX_CONTEXT",
    "MAX_PASSWORD", "MAX_SEALED", "MAX_TEXT", "MBEDTLS_VERSION", "Mismatch", "OPAQUEState", "OPAQUETerms", "Opened",
    "Refused", "Role", "Rule", "Secret", "Shuffle", "SignWay", "Undecryptable", "Way", "check_pattern", "decrypt",
    "decrypt_batch", "dukpt_initial_key", "dukpt_key", "generate_key", "opaque_answer", "opaque_respond",
    "opaque_setup", "public_key", "read_public_key", "sign_text", "unseal", "unseal_batch", "verify_text",
]  # fmt: skip
