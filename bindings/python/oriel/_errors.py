"""The exceptions of oriel: each has oriel's code, and where Python has a class for it, that as a parent."""

import enum

from oriel import _oriel

Errc = enum.IntEnum("Errc", _oriel.codes, module="oriel")


class Error(RuntimeError):
    """What failed, as a sentence; `code` is an Errc."""

    code = Errc.success


class ArgumentError(Error, ValueError):
    """An argument is not valid: arg, count, info, size, op, locktype, base."""


class ElementTypeError(Error, TypeError):
    """Elements of another type are needed: type."""


class RangeError(Error, IndexError):
    """There is no such rank or element: rank, disp, rma_range."""


class NoMemory(Error, MemoryError):
    """There is not as much memory: no_mem."""


class PeerFailed(Error, ConnectionError):
    """A rank that the call needs has died, has left, or is cut off: peer_failed."""


class TimedOut(Error, TimeoutError):
    """A rank that is alive did not do its part: timed_out."""


_classes = {
    Errc.arg: ArgumentError, Errc.count: ArgumentError, Errc.info: ArgumentError,
    Errc.size: ArgumentError, Errc.op: ArgumentError, Errc.locktype: ArgumentError,
    Errc.base: ArgumentError, Errc.type: ElementTypeError, Errc.rank: RangeError,
    Errc.disp: RangeError, Errc.rma_range: RangeError, Errc.no_mem: NoMemory,
    Errc.peer_failed: PeerFailed, Errc.timed_out: TimedOut,
}


def error_of(number, text):
    """The exception of a code: what the module raises."""
    code = Errc(number)
    made = _classes.get(code, Error)(text)
    made.code = code
    return made
