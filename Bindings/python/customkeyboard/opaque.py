# OPAQUE (RFC 9807), as a server speaks it: a login in which it never sees a password.
#
# SPDX-License-Identifier: Apache-2.0
"""OPAQUE's server. Its duties are in Docs/OPAQUE.md of the repository: count an attempt before you answer."""

from __future__ import annotations

from ctypes import byref, c_size_t, create_string_buffer, sizeof
from dataclasses import dataclass
from typing import Optional, Union

from ._library import OPAQUE_KE2, OPAQUE_STATE, Code, TermsOfC, Word, answered, failure, library
from .keyboard import Input
from .secret import BytesLike, Given, Secret
from .texts import _fitting, _pair, _secret

__all__ = ["OPAQUEState", "OPAQUETerms", "opaque_answer", "opaque_respond", "opaque_setup"]


@dataclass(frozen=True)
class OPAQUETerms:
    """What both ends have alike: CUSTOM_OPAQUE_TERMS of the C header. All of it may be empty.

    `context` is the application, at most 256 bytes; `client` and `server` are identities, at most 255 bytes, in place
    of the public keys. The costs are those of the client's Argon2id: 0, 0, 0 are 19456 KiB, two passes and one lane.
    Keep them with each record.
    """

    context: bytes = b""
    client: bytes = b""
    server: bytes = b""
    memory_kib: int = 0
    passes: int = 0
    lanes: int = 0


class OPAQUEState:
    """What a server keeps between KE2 and KE3, for one `check`. It is in locked memory, as a Secret is.

    Whatever `check` answers, the state is used then: it is wiped, and each further call raises ValueError. `take` ends
    it, too: its bytes go to where another process finds them, which makes a state of them again. Keep it for a minute
    at most, together with its account, because KE3 names none.

    >>> ke2, state = opaque_answer(setup, account, records.get(account), ke1)
    >>> session_key = state.check(ke3)          # Mismatch: do nothing for this client
    """

    __slots__ = ("_kept",)

    def __init__(self, data: Union[BytesLike, Secret]) -> None:
        """A state that `take` gave, for its one `check`: 128 bytes. A Secret is closed; wipe a bytearray."""
        if hasattr(self, "_kept"):
            raise TypeError("a state is made once")
        # Of all threads, one gets what is in the list.
        self._kept = [Secret(data)]
        if isinstance(data, Secret):
            data.close()

    def check(self, ke3: BytesLike) -> Secret:
        """The session key, 64 bytes, if the client knew the password.

        Raises ValueError (the state was used), InvalidKey (it has another length), Mismatch.
        """
        with self.take() as state:
            given_state, given_ke3 = Given(state), Given(ke3)
            return _secret(lambda *room: library.CustomKeyboard_opaqueCheck(*given_state, *given_ke3, *room))

    def take(self) -> Secret:
        """The bytes, to be kept elsewhere, as secret as a session key. Take them out of there before they become a
        state again. Raises ValueError (the state was used)."""
        try:
            return self._kept.pop()
        except IndexError:
            pass
        raise ValueError("this state was used: it is for one check, whatever that answers")

    def close(self) -> None:
        """Wipes it; doing it twice is allowed."""
        try:
            self.take().close()
        except ValueError:
            pass

    def __repr__(self) -> str:
        return "<OPAQUEState>"

    def __reduce__(self) -> str:
        raise TypeError("a state cannot be pickled or copied")

    def __enter__(self) -> "OPAQUEState":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def opaque_setup() -> tuple[Secret, bytes]:
    """A new setup, 96 bytes, and the server's public key, 32 bytes. All accounts share the setup: keep it as long as
    the records, and where they are not. Raises MEMORY, RANDOM."""
    return _pair(library.CustomKeyboard_opaqueSetup)


def opaque_respond(setup: Input, account: BytesLike, request: BytesLike) -> bytes:
    """The response to a request of a registration. For an account that has a record, this is for its owner, logged in.

    `account` is 1 to 255 bytes: the database's name of the record, unique and never changed. Count an attempt before
    the response leaves: it lets someone try one password.

    Raises ARGUMENT (no account), MAXLEN (account), InvalidKey (setup), Undecryptable (request), MEMORY.
    """
    given_setup, given_account, given_request = Given(setup), Given(account), Given(request)
    return _fitting(
        lambda *room: library.CustomKeyboard_opaqueRespond(*given_setup, *given_account, *given_request, *room)
    )


def opaque_answer(setup: Input, account: BytesLike, record: Optional[BytesLike], ke1: BytesLike,
                  terms: Optional[OPAQUETerms] = None) -> tuple[bytes, OPAQUEState]:  # fmt: skip
    """KE2, the answer to the first message of a login, and the state for its third. With None for a record there is no
    such account; the answer has the same form and takes the same time. An empty record is a wrong one: a lost record
    is not a wrong password.

    Count an attempt, durably, before KE2 leaves, for accounts that do not exist, too.

    Raises ARGUMENT (no account, costs), MAXLEN (account, terms), InvalidKey (setup, record), Undecryptable (KE1),
    MEMORY, RANDOM.
    """
    given_setup, given_account, given_ke1 = Given(setup), Given(account), Given(ke1)
    given_record = Given(b"" if record is None else record)
    if record is not None and given_record.length == 0:
        raise failure(Code.ERR, "The record is empty: pass None if there is no such account.")
    kept = terms or OPAQUETerms()
    context, client, server = Given(kept.context), Given(kept.client), Given(kept.server)
    terms_of_c = TermsOfC(sizeof(TermsOfC), *context, *client, *server, Word.from_param(kept.memory_kib),
                          Word.from_param(kept.passes), Word.from_param(kept.lanes))  # fmt: skip
    ke2, state = create_string_buffer(OPAQUE_KE2), Secret(length=OPAQUE_STATE)
    answered(
        library.CustomKeyboard_opaqueAnswer(
            *given_setup, *given_account, *given_record, byref(terms_of_c), *given_ke1,
            ke2, len(ke2), byref(c_size_t()), *Given(state), byref(c_size_t()),
        )
    )  # fmt: skip
    return ke2.raw, OPAQUEState(state)
