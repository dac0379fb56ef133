# Many texts in one call. The jobs are packed by columns: a loop of Python for each field of each job would take longer
# than opening it.
#
# SPDX-License-Identifier: Apache-2.0
"""Batches: one call for many texts."""

from __future__ import annotations

import ctypes
from array import array
from itertools import accumulate
from typing import Callable, Iterator, Optional, Sequence, Union

from ._library import MAX_PASSWORD, Code, answered, failure, library
from .keyboard import Input, Way
from .secret import BytesLike, Given, Secret

__all__ = ["Opened", "decrypt_batch", "unseal_batch"]

_WORDS = 8  # of 64 bits in a job of C: two buffers given, one for the password, its length, the code


class Opened:
    """What a batch answered: a code for each job, and the passwords, in one piece of locked memory.

    `len` is the number of jobs. Close it, or use `with`: then all passwords are wiped.
    """

    __slots__ = ("_memory", "_codes", "_lengths")

    def __init__(self, memory: Secret, codes: array[int], lengths: array[int]) -> None:
        self._memory, self._codes, self._lengths = memory, codes, lengths

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def codes(self) -> Sequence[int]:
        """The code of each job: Code.OK where there is a password."""
        return self._codes

    def code(self, number: int) -> Code:
        """The code of one job."""
        return Code(self._codes[number])

    def failed(self) -> list[int]:
        """The numbers of the jobs that have no password."""
        return [number for number, code in enumerate(self._codes) if code]

    def view(self, number: int) -> memoryview:
        """A password where it is, read-only. Do not keep it longer than this object. Raises KeyboardError with the
        job's code, if that is not OK."""
        if self._codes[number]:
            raise failure(self._codes[number])
        start = range(len(self))[number] * MAX_PASSWORD
        return self._memory.view()[start : start + self._lengths[number]]

    def reveal(self, number: int) -> bytes:
        """A copy of a password as `bytes`, which nothing wipes. Raises as `view`."""
        return self.view(number).tobytes()

    def __iter__(self) -> Iterator[Code]:
        return map(Code, self._codes)

    def close(self) -> None:
        """Wipes all passwords."""
        self._memory.close()

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{len(self)} opened texts>"


def unseal_batch(
    way: Way, key: Input, contexts: Union[BytesLike, Sequence[BytesLike]], texts: Sequence[BytesLike]
) -> Opened:
    """Opens many sealed texts under one private key, each as `unseal` would. `contexts` is one for all, or as many.

    Raises ARGUMENT (no way that seals), InvalidKey, MEMORY: then no text was opened. A bad text has a code of its own.
    """
    given, texts = Given(key), _copied(texts)
    if isinstance(contexts, (bytes, bytearray, memoryview)):
        shared = Given(contexts)
        first = _repeated(shared, len(texts))
    else:
        shared, first = _column(_copied(contexts))
    return _run(
        first, shared, texts, lambda jobs: library.CustomKeyboard_unsealBatch(way, *given, jobs, len(texts))
    )


def decrypt_batch(way: Way, keys: Union[Secret, Sequence[Input]], texts: Sequence[BytesLike]) -> Opened:
    """Opens many ECB texts, each under its own key and as `decrypt` would. `keys` is as many keys, or one Secret with
    all of them, equally long, one after another: then no key is in Python's own memory.

    Raises ARGUMENT (no way of ECB's), MEMORY: then no text was opened.
    """
    texts = _copied(texts)
    if isinstance(keys, Secret):
        given = Given(keys)
        each = given.length // len(texts) if texts else 0
        if each * len(texts) != given.length:
            raise ValueError("the keys are not as many as the texts")
        first = _spaced(_address(given), each, len(texts))
    else:
        # A view keeps a bytearray from growing.
        views = [key.view() if isinstance(key, Secret) else memoryview(key).cast("B") for key in keys]
        if len(views) != len(texts):
            raise ValueError("the keys are not as many as the texts")
        packed = Secret(length=sum(map(len, views)))
        given, lengths = Given(packed), array("Q", map(len, views))
        with memoryview(packed._map) as memory:
            end = len(memory)
            place = end - given.length
            for view in views:
                memory[place : place + len(view)] = view
                place += len(view)
        for key in keys:
            if isinstance(key, Secret):
                key._check()  # Another thread may have closed it before it was copied.
        first = (_starts(_address(given), lengths), lengths)
    return _run(first, given, texts, lambda jobs: library.CustomKeyboard_decryptBatch(way, jobs, len(texts)))


_Column = tuple["array[int]", "array[int]"]  # addresses, lengths


def _copied(pieces: Sequence[BytesLike]) -> list[bytes]:
    """The pieces as they are now: another thread may change the sequence, and each that is not `bytes`."""
    return [piece if type(piece) is bytes else memoryview(piece).tobytes() for piece in pieces]


def _run(first: _Column, kept: Given, texts: list[bytes], call: Callable[[Optional[int]], int]) -> Opened:
    """Fills the jobs and makes the call. `first` is the jobs' first buffer (key or context), which `kept` holds."""
    count = len(texts)
    if len(first[0]) != count:
        raise ValueError("the contexts are not as many as the texts")
    memory = Secret(length=count * MAX_PASSWORD)
    room = Given(memory)
    joined, second = _column(texts)
    words = array("Q", bytes(8 * _WORDS * count))
    clear = _spaced(_address(room), MAX_PASSWORD, count)
    for place, column in enumerate((*first, *second, *clear)):
        words[place::_WORDS] = column
    address, _ = words.buffer_info()
    answered(call(address if count else None))
    kept.check()
    del kept, joined
    codes = array("i", words[7::_WORDS]) if count else array("i")
    return Opened(memory, codes, words[6::_WORDS])


def _column(pieces: list[bytes]) -> tuple[Given, _Column]:
    """All pieces one after another, and where each is."""
    joined = Given(b"".join(pieces))
    lengths = array("Q", map(len, pieces))
    return joined, (_starts(_address(joined), lengths), lengths)


def _starts(address: int, lengths: "array[int]") -> "array[int]":
    """Where pieces of these lengths begin that follow one another from an address."""
    starts = array("Q", accumulate(lengths, initial=address))
    starts.pop()
    return starts


def _spaced(address: int, each: int, count: int) -> _Column:
    """`count` pieces of `each` bytes, one after another."""
    starts = range(address, address + each * count, each) if each else [address] * count
    return array("Q", starts), array("Q", [each]) * count


def _repeated(given: Given, count: int) -> _Column:
    """The same piece `count` times."""
    return array("Q", [_address(given)]) * count, array("Q", [given.length]) * count


def _address(given: Given) -> int:
    """Where the bytes are; 0 if there are none."""
    if isinstance(given.at, bytes):
        return ctypes.cast(ctypes.c_char_p(given.at), ctypes.c_void_p).value or 0
    return given.at or 0
