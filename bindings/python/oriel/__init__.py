"""oriel from Python, through ctypes: what the programs of examples/python use of oriel.h.

Every call raises `Error`, with oriel's own sentence, when the C function returns a code other than
success. The constants are read from the library: `op["sum"]`, `assertion["shared_lock"]`,
`primitive["int64"]`. The library is the one that the variable ORIEL_C_LIBRARY names, or else the one
installed with this package, or else the system's by its name.
"""

import ctypes
import os


def _library():
    named = os.environ.get("ORIEL_C_LIBRARY")
    if named:
        return named
    try:
        from oriel import _installed
    except ImportError:  # this is the source tree
        return "liboriel_c.so"
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), _installed.library)


# Else libraries of PSM, which libfabric may bring, take Python's signals when they are loaded.
os.environ.setdefault("IPATH_NO_BACKTRACE", "1")
os.environ.setdefault("HFI_NO_BACKTRACE", "1")
_c = ctypes.CDLL(_library())

for _function in ("oriel_error_name", "oriel_op_name", "oriel_primitive_name",
                  "oriel_assertion_name", "oriel_last_error"):
    getattr(_c, _function).restype = ctypes.c_char_p


def _numbers(name_of, candidates):
    names = {number: name_of(number).decode() for number in candidates}
    return {name: number for number, name in names.items() if name != "unknown"}


op = _numbers(_c.oriel_op_name, range(64))
primitive = _numbers(_c.oriel_primitive_name, range(64))
assertion = _numbers(_c.oriel_assertion_name, [1 << bit for bit in range(30)])

_element_types = {
    ctypes.c_int32: primitive["int32"],
    ctypes.c_int64: primitive["int64"],
    ctypes.c_double: primitive["double"],
}


class Error(Exception):
    """What failed, in words; `code` is oriel's name for it."""

    def __init__(self, number, text):
        self.code = _c.oriel_error_name(number).decode()
        super().__init__(f"{self.code}: {text}")


def _call(function, *arguments):
    number = getattr(_c, "oriel_" + function)(*arguments)
    if number != 0:
        raise Error(number, _c.oriel_last_error().decode())


def _handle(function, *arguments):
    made = ctypes.c_void_p()
    _call(function, *arguments, ctypes.byref(made))
    return made


def _integer(function, *arguments):
    value = ctypes.c_int()
    _call(function, *arguments, ctypes.byref(value))
    return value.value


class Session:
    """This process's membership of a job; `with Session() as s:` leaves it at the end."""

    def __enter__(self):
        self._handle = _handle("session_open", None)
        self._team = _handle("session_world", self._handle)
        self.rank = _integer("team_rank", self._team)
        self.size = _integer("team_size", self._team)
        return self

    def __exit__(self, *_):
        _call("team_free", self._team)
        _call("session_close", self._handle)

    def barrier(self):
        """Returns once every rank has entered."""
        _call("team_barrier", self._team)

    def window(self, count, element, *assertions):
        """Collective: `count` zeroed elements of a ctypes type on each rank."""
        return Window(self._team, count, element, assertions)


class Window:
    """Memory of every rank; a context manager, whose end is collective."""

    def __init__(self, team, count, element, assertions):
        self._element = element
        self._sources = []  # of puts that may not be complete
        base = _handle("datatype_of", _element_types[element])
        try:
            self._handle = _handle("window_allocate", team, ctypes.c_size_t(count), base,
                                   sum(assertion[a] for a in assertions), None)
        finally:
            _call("datatype_free", base)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _call("window_free", self._handle)

    def lock_all(self):
        """Opens an epoch to every rank; `unlock_all` ends it, with all in it complete."""
        _call("window_lock_all", self._handle, 0)

    def unlock_all(self):
        _call("window_unlock_all", self._handle)
        self._sources.clear()

    def fence(self):
        """Collective: what was put before is there after."""
        _call("window_fence", self._handle, 0)
        self._sources.clear()

    def put(self, rank, disp, *values):
        """Complete at `rank` at the end of the epoch."""
        buffer = (self._element * len(values))(*values)
        _call("window_put", self._handle, rank, ctypes.c_int64(disp), buffer,
              ctypes.c_size_t(len(values)))
        self._sources.append(buffer)

    def get(self, rank, disp, n=1):
        """A list of `n` elements; inside a lock."""
        buffer = (self._element * n)()
        _call("window_get", self._handle, rank, ctypes.c_int64(disp), buffer, ctypes.c_size_t(n))
        _call("window_flush_local", self._handle, rank)
        return list(buffer)

    def fetch_op(self, name, rank, disp, operand):
        """The element before; atomic among all ranks' accumulates."""
        before = self._element()
        _call("window_fetch_op", self._handle, op[name], rank, ctypes.c_int64(disp),
              ctypes.byref(self._element(operand)), ctypes.byref(before))
        return before.value

    def clear_failure(self):
        """Else the ends of epochs, and of the window, report it."""
        _call("window_clear_failure", self._handle)

    def local(self):
        """This rank's elements, as a ctypes array (numpy.ctypeslib.as_array makes one of numpy's)."""
        base = ctypes.c_void_p()
        count = ctypes.c_size_t()
        _call("window_local", self._handle, ctypes.byref(base), ctypes.byref(count))
        return (self._element * count.value).from_address(base.value)
