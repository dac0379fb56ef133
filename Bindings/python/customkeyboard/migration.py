# A bank's stored ECB texts become verifiers or sealed texts, row by row: what `keyboard migrate` does, for jobs that
# read and write tables in other ways. It needs no other package; Examples/spark-migrate runs it on a cluster.
#
# SPDX-License-Identifier: Apache-2.0
"""Stored ECB texts to verifiers: the work on one row, without a password in Python's memory."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Optional, Union

from ._library import MAX_CONTEXT, MAX_TEXT, Code, KeyboardError, Undecryptable
from .keyboard import Keyboard, Way
from .keyfile import read_digits
from .secret import Secret

__all__ = ["REASONS", "Migration", "MigrationError", "Settings", "read_hexadecimal"]

# Why a row is refused; Docs/Migration.md explains them. `keyboard migrate` and the Spark job have two more, for rows of
# CSV.
REASONS = ("ID", "DUPLICATE", "ENCODING", "LENGTH", "UNDECRYPTABLE", "EMPTY", "MAXLEN", "VERIFIER")

_BLOCKS = {Way.SM4: 16, Way.TRIPLE_DES: 8, Way.DES: 8}
_MAX_ID = 256
_MAX_PEPPER = 64


class MigrationError(Exception):
    """What stops a job and is not the fault of a row: no memory, or a wrong key. It has an id and a code, and nothing
    of a text, a key or a password."""


@dataclass(frozen=True)
class Settings:
    """What a row is turned into. It has the names of files, and never a key: it may be sent to other machines, where
    the files are."""

    way: Optional[Way] = Way.SM4  # of the texts; None: they are verifiers, which are only checked
    key_file: str = ""  # hexadecimal digits, base64url or bytes, 0600
    encoding: str = "hex"  # or base64; a text that is bytes has no encoding
    pepper_file: str = ""  # hexadecimal digits, 0600
    pepper_per_id: bool = False  # the pepper of a row is HMAC-SHA-256 of its id under the pepper
    seal_way: Optional[Way] = None  # makes sealed texts, and not verifiers,
    seal_to: bytes = b""  # for this public key
    context: bytes = b""  # and this context, which the id follows
    group: bool = False  # a group that the process is in may read the files of keys: 0640 and 0440 are taken, too


def read_hexadecimal(path: str, *, group: bool = False) -> Secret:
    """A secret from a file of hexadecimal digits. Raises what `Secret.read` raises, and ValueError for other
    characters."""
    return read_digits(path, group)


class Migration:
    """Works on rows, one after another. Make it in the process that uses it: no secret crosses a fork."""

    def __init__(self, settings: Settings) -> None:
        """Reads the keys. Raises PermissionError, ValueError (settings that do not go together, among others), OSError,
        KeyboardError (MEMORY)."""
        if settings.pepper_per_id and not settings.pepper_file:
            raise ValueError("give pepper_file: pepper_per_id makes the peppers of rows from that")
        if settings.pepper_file and (settings.seal_way is not None or settings.way is None):
            raise ValueError("leave out pepper_file: only new verifiers have a pepper")
        self._settings = settings
        self._keyboard = Keyboard()
        self._key: Union[Secret, bytes] = b""
        if settings.way is not None:
            self._key = Secret.read_key(settings.key_file, settings.way, group=settings.group)
        self._pepper: Union[Secret, bytes] = b""
        if settings.pepper_file:
            self._pepper = read_digits(settings.pepper_file, settings.group)
        if len(self._pepper) > _MAX_PEPPER:
            raise ValueError(f"{settings.pepper_file}: a pepper has at most {_MAX_PEPPER} bytes")

    def row(self, row_id: Optional[str], text: Union[str, bytes, None]) -> tuple[Optional[str], Optional[str]]:
        """A verifier, or a sealed text in hexadecimal digits, and None; or None and the reason of the refusal.

        Raises MigrationError: the job must stop. Raises TypeError for a text of another type, such as a number.
        """
        if not isinstance(text, (str, bytes, bytearray, type(None))):
            raise TypeError(f"a text is str, bytes or None, and not {type(text).__name__}")
        if row_id is None or not _is_id(row_id):
            return None, "ID"
        try:
            return self._row(row_id, text)
        except KeyboardError as error:
            code = error.code.name
        # Not inside `except`: what is shown of this has no other error in it.
        raise MigrationError(f"{row_id}: {code}")

    def _row(self, row_id: str, text: Union[str, bytes, None]) -> tuple[Optional[str], Optional[str]]:
        settings, keyboard = self._settings, self._keyboard
        if settings.way is None:
            return self._imported(text)
        raw = self._decoded(text)
        if raw is None:
            return None, "ENCODING"
        if not 1 <= len(raw) <= MAX_TEXT or len(raw) % _BLOCKS[settings.way]:
            return None, "LENGTH"
        context = settings.context + row_id.encode()
        if settings.seal_way is not None and len(context) > MAX_CONTEXT:
            return None, "ID"
        try:
            keyboard.receive(settings.way, self._key, b"", raw)
        except Undecryptable:
            return None, "UNDECRYPTABLE"
        except KeyboardError as error:
            if error.code is not Code.MAXLEN:
                raise
            return None, "MAXLEN"
        try:
            if keyboard.count == 0:
                return None, "EMPTY"
            if settings.seal_way is not None:
                return keyboard.seal_typed(settings.seal_way, settings.seal_to, context).hex(), None
            return keyboard.make_verifier(self._pepper_of(row_id)), None
        finally:
            keyboard.close()

    def _imported(self, text: Union[str, bytes, None]) -> tuple[Optional[str], Optional[str]]:
        """A verifier that the library can check. Nothing is computed: the keyboard is not open."""
        if not isinstance(text, str):
            return None, "VERIFIER"
        try:
            self._keyboard.check_verifier(text)
        except KeyboardError as error:
            if error.code is Code.OP_DISABLE:
                return text, None
            if error.code is not Code.ARGUMENT:
                raise
        except ValueError:
            pass  # It has a NUL.
        return None, "VERIFIER"

    def _pepper_of(self, row_id: str) -> Union[Secret, bytes]:
        if not self._settings.pepper_per_id or isinstance(self._pepper, bytes):
            return self._pepper
        # `hmac` answers bytes, which nothing wipes: the pepper of one row. The pepper of all stays a Secret.
        with self._pepper.view() as pepper:
            return hmac.digest(pepper, row_id.encode(), hashlib.sha256)

    def _decoded(self, text: Union[str, bytes, None]) -> Optional[bytes]:
        if isinstance(text, (bytes, bytearray)):
            return bytes(text)
        if text is None or not text.isascii():
            return None
        if self._settings.encoding == "hex":
            # `fromhex` would skip white space.
            return bytes.fromhex(text) if len(text) % 2 == 0 and set(text) <= _DIGITS else None
        bare = text.rstrip("=") if len(text) % 4 == 0 else text
        if len(text) - len(bare) > 2 or len(bare) % 4 == 1:
            return None
        try:
            raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
        except binascii.Error:
            return None
        # The last character's bits that belong to no byte are zero.
        return raw if base64.b64encode(raw).rstrip(b"=") == bare.encode() else None


_DIGITS = frozenset("0123456789abcdefABCDEF")

# C0, DEL and C1; marks, embeddings, overrides and isolates of text direction; separators of lines and paragraphs.
_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def _is_id(row_id: str) -> bool:
    if not isinstance(row_id, str) or _CONTROLS.search(row_id):
        return False
    try:
        return 1 <= len(row_id.encode()) <= _MAX_ID
    except UnicodeEncodeError:
        return False
