# Bytes that are secret: private keys, pepper, opened passwords.
#
# SPDX-License-Identifier: Apache-2.0
"""Secret bytes in locked memory."""

from __future__ import annotations

import ctypes
import hmac
import mmap
import os
from enum import IntEnum
from typing import Iterator, Optional, Union

BytesLike = Union[bytes, bytearray, memoryview]
Path = Union[str, "os.PathLike[str]"]

_MARK = 0xA5  # the first byte of the memory; a fork empties it
_START = 16  # bytes before the secret
_LONGEST_FILE = 1 << 24  # no key and no pepper is longer
_WIPE_ON_FORK = 18  # MADV_WIPEONFORK, Linux 4.14; Python's mmap has no name for it before 3.13
_DONT_DUMP = 16  # MADV_DONTDUMP, Linux 3.4

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mlock.argtypes = _libc.munlock.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class Secret:
    """Bytes in memory of their own: locked where the system allows it, left out of core dumps, empty in a child of a
    fork, and wiped by `close` or when the object goes.

    It has no text form: neither `str` nor `repr`, `format` or `pickle` shows what is in it. Two secrets are compared in
    constant time. `reveal` copies it to `bytes`, which Python keeps in memory for as long as it likes: ask for that
    only if another library needs it.

    >>> key = Secret.read("/etc/bank/x25519.key")
    >>> with Secret(b"a pepper") as pepper:
    ...     keyboard.check_verifier(verifier, pepper)
    """

    __slots__ = ("_map", "_length", "__weakref__")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Union[BytesLike, "Secret"] = b"", *, length: int | None = None) -> None:
        """Copies `data`; with `length`, so many bytes, zeros after the data. Wipe a bytearray that you gave."""
        if hasattr(self, "_map"):
            raise TypeError("a Secret is made once")  # What it has could not be wiped any more.
        source = data.view() if isinstance(data, Secret) else memoryview(data).cast("B")
        if length is None:
            length = len(source)
        elif length < len(source):
            raise ValueError("the data is longer than the length")
        self._map = mmap.mmap(-1, _START + length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._length = length
        # Best effort, as in the C library: RLIMIT_MEMLOCK may be small.
        _libc.mlock(self._memory_address(), _START + length)
        for advice in (_DONT_DUMP, _WIPE_ON_FORK):
            try:
                self._map.madvise(advice)
            except OSError:
                pass
        self._map[0] = _MARK
        self._map[_START : _START + len(source)] = source
        if isinstance(data, Secret):
            data._check()

    @classmethod
    def read(cls, path: Path, *, group: bool = False) -> "Secret":
        """The bytes of a file or a pipe, as they are, which go to the locked memory directly. For a key, take
        `read_key`.

        Raises PermissionError for a file that others may read or write (`chmod 600` it), and ValueError for an empty
        one, because a forgotten pepper protects nothing, and for one of over 16 MiB. With `group`, a group that this
        process is in may read the file too: a container's secrets are often 0440.
        """
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            status = os.fstat(descriptor)
            others = 0o077
            if group and status.st_gid in (os.getegid(), *os.getgroups()):
                others = 0o037
            if status.st_mode & others:
                raise PermissionError(f"others may read or write {os.fspath(path)}: chmod 600 it")
            # Only a regular file tells its length, and it may grow: read until there is no more.
            secret, done = cls(length=min(max(status.st_size, 4095), _LONGEST_FILE) + 1), 0
            while count := secret._fill(descriptor, done):
                done += count
                if done > _LONGEST_FILE:
                    raise ValueError(f"{os.fspath(path)} is longer than 16 MiB, which no secret is")
                if done == secret._length:
                    with secret as full:
                        secret = cls(full, length=min(2 * done, _LONGEST_FILE + 1))
            if done == 0:
                raise ValueError(f"{os.fspath(path)} is empty")
            secret._length = done
            return secret
        finally:
            os.close(descriptor)

    @classmethod
    def read_key(cls, path: Path, way: Optional[IntEnum] = None, *, group: bool = False) -> "Secret":
        """The private or secret key in a file: hexadecimal digits, base64url, PEM, DER, or its bytes, in the form that
        the other calls take. `keyboard generate-key` and OpenSSL write such files. Of several keys in PEM it is the
        private one, and with `way`, a Way or a SignWay, that of this way. A pepper in hexadecimal digits is read, too.
        Hexadecimal digits win: a file of such characters alone is decoded to half as many bytes, also where the
        characters themselves could be a key.

        Raises what `read` raises, and ValueError for another file; the text says what it is, and which command makes a
        key of it.
        """
        from .keyfile import read_key

        return read_key(path, way, group)

    def _places(self) -> range:
        """Where the bytes are in the map."""
        return range(_START, _START + self._length)

    def _fill(self, descriptor: int, done: int) -> int:
        """Reads into the memory behind the first `done` bytes. Returns how many bytes came; 0 at the end."""
        with memoryview(self._map) as memory, memory[_START + done : _START + self._length] as rest:
            return os.readv(descriptor, [rest])

    def _memory_address(self) -> int:
        return ctypes.addressof(ctypes.c_char.from_buffer(self._map))

    def _check(self) -> None:
        if self._map.closed:
            raise ValueError("this secret was closed")
        if self._map[0] != _MARK:
            raise ValueError("this secret was wiped, by close or by a fork: make it in the child process")

    def view(self) -> memoryview:
        """The bytes where they are, read-only. Do not keep it longer than the secret."""
        self._check()
        return memoryview(self._map).toreadonly()[_START : _START + self._length]

    def reveal(self) -> bytes:
        """A copy as `bytes`: nothing wipes it."""
        copy = self.view().tobytes()
        self._check()
        return copy

    def close(self) -> None:
        """Wipes the bytes and gives the memory back; doing it twice is allowed, also by two threads."""
        try:
            # Holds the memory: another thread's `close` cannot take it away while this one wipes it.
            kept = (ctypes.c_char * len(self._map)).from_buffer(self._map)
        except ValueError:
            return  # It is closed.
        ctypes.memset(kept, 0, ctypes.sizeof(kept))
        _libc.munlock(ctypes.addressof(kept), ctypes.sizeof(kept))
        del kept
        try:
            self._map.close()
        except BufferError:
            pass  # A view or a call on another thread has it still; it is zeros, and goes with them.

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Secret):
            same = hmac.compare_digest(self.view(), other.view())
            other._check()
        elif isinstance(other, (bytes, bytearray, memoryview)):
            same = hmac.compare_digest(self.view(), other)
        else:
            return NotImplemented
        # Closed by another thread meanwhile, it is not another secret, but none.
        self._check()
        return same

    def __repr__(self) -> str:
        return "<Secret>"

    def __reduce__(self) -> str:
        raise TypeError("a Secret cannot be pickled or copied")

    def __enter__(self) -> "Secret":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except (AttributeError, TypeError, ValueError):
            pass  # It was never made, or the interpreter ends.


class SecretAddress(int):
    """An address that knows whose it is. After the call, `_library` checks whether another thread has closed the
    secret meanwhile."""

    secret: Secret


class Given:
    """Bytes that C reads while a call lasts: `at` and `length` are what it gets. Keep the object until it returns."""

    __slots__ = ("at", "length", "_kept")

    at: Union[int, bytes, None]
    length: int
    _kept: object

    def __init__(self, data: Union[BytesLike, Secret]) -> None:
        if type(data) is bytes:
            self.at, self.length, self._kept = data, len(data), data
        elif isinstance(data, Secret):
            data._check()
            # Holds the memory: `close` on another thread wipes it, and cannot take it away.
            kept = ctypes.c_char.from_buffer(data._map)
            at = SecretAddress(ctypes.addressof(kept) + _START)
            at.secret = data
            self.at, self.length, self._kept = at, data._length, (data, kept)
        elif isinstance(data, (bytes, bytearray, memoryview)):
            # A view has the true length; a subclass may tell another one.
            view = memoryview(data).cast("B")
            if view.readonly:
                copy = view.tobytes()
                self.at, self.length, self._kept = copy, len(copy), copy
            elif len(view) == 0:
                self.at, self.length, self._kept = None, 0, None
            else:
                array = (ctypes.c_char * len(view)).from_buffer(view)
                self.at, self.length, self._kept = ctypes.addressof(array), len(view), array
        else:
            raise TypeError(f"bytes or a Secret is wanted, not {type(data).__name__}")

    def check(self) -> None:
        """Raises ValueError if another thread has closed the secret."""
        if isinstance(self.at, SecretAddress):
            self.at.secret._check()

    def __iter__(self) -> Iterator[Union[int, bytes, None]]:
        """`at` and `length`: what a function of C takes for the bytes."""
        return iter((self.at, self.length))
