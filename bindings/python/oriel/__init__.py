"""oriel from Python, through ctypes: what the programs of examples/python use of oriel.h, with all
lists, deferred forms and notifications.

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


class _WindowOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("hints", ctypes.c_void_p), ("memory_kind", ctypes.c_char_p),
                ("ops", ctypes.c_int), ("notify_counters", ctypes.c_size_t),
                ("aggregate", ctypes.c_int), ("asynchronous_progress", ctypes.c_int)]


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

    def window(self, count, element, *assertions, **options):
        """Collective: `count` zeroed elements of a ctypes type on each rank. Options, alike on all:
        `aggregate`, where operations are many and small; `notify_counters`, a rank."""
        return Window(self._team, count, element, assertions, options)


class Window:
    """Memory of every rank; a context manager, whose end is collective."""

    def __init__(self, team, count, element, assertions, options):
        self._element = element
        self._sources = []  # of puts that may not be complete
        self._results = []  # of deferred operations, likewise
        given = _WindowOptions(struct_size=ctypes.sizeof(_WindowOptions), **options)
        base = _handle("datatype_of", _element_types[element])
        try:
            self._handle = _handle("window_allocate", team, ctypes.c_size_t(count), base,
                                   sum(assertion[a] for a in assertions), ctypes.byref(given))
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
        self._complete()

    def fence(self):
        """Collective: what was put before is there after."""
        _call("window_fence", self._handle, 0)
        self._complete()

    def flush_all(self):
        """What was begun is complete at its targets."""
        _call("window_flush_all", self._handle)
        self._complete()

    def flush_local_all(self):
        """Results of deferred operations are usable."""
        _call("window_flush_local_all", self._handle)
        self._complete()

    def _complete(self):
        self._sources.clear()
        self._results.clear()

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

    # Lists: operation j is on element disps[j] of rank ranks[j]. They need no "multi_element".

    def _list(self, function, ranks, disps, *buffers, op_name=None):
        n = len(ranks)
        if any(len(one) != n for one in (disps, *(b for b in buffers if b is not None))):
            raise ValueError("ranks, displacements and values of a list have one length")
        name = [] if op_name is None else [op[op_name]]
        _call(function, self._handle, *name, ctypes.c_size_t(n), (ctypes.c_int * n)(*ranks),
              (ctypes.c_int64 * n)(*disps), *buffers)

    def _array(self, values):
        return (self._element * len(values))(*values)

    def scatter(self, ranks, disps, values):
        """Puts values[j]; complete after a flush."""
        self._list("window_scatter", ranks, disps, self._array(values))

    def gather(self, ranks, disps):
        """A list of the elements; inside a lock."""
        results = (self._element * len(ranks))()
        self._list("window_gather", ranks, disps, results)
        self.flush_local_all()
        return list(results)

    def accumulate_list(self, name, ranks, disps, operands):
        """Complete after a flush."""
        self._list("window_accumulate_list", ranks, disps, self._array(operands), op_name=name)

    def fetch_op_list(self, name, ranks, disps, operands):
        """A list of the elements before. `operands` may be None for "no_op"."""
        results = (self._element * len(ranks))()
        given = None if operands is None else self._array(operands)
        self._list("window_fetch_op_list", ranks, disps, given, results, op_name=name)
        self.flush_local_all()
        return list(results)

    def compare_swap_list(self, ranks, disps, expected, desired):
        """Stores desired[j] where expected[j] is found; a list of the elements before."""
        results = (self._element * len(ranks))()
        self._list("window_compare_swap_list", ranks, disps, self._array(expected),
                   self._array(desired), results)
        self.flush_local_all()
        return list(results)

    # Deferred: each returns a ctypes object, whose `value` is there after a flush.

    def _deferred(self):
        self._results.append(self._element())
        return self._results[-1]

    def get_nbi(self, rank, disp):
        result = self._deferred()
        _call("window_get_nbi", self._handle, rank, ctypes.c_int64(disp), ctypes.byref(result))
        return result

    def fetch_op_nbi(self, name, rank, disp, operand):
        result = self._deferred()
        _call("window_fetch_op_nbi", self._handle, op[name], rank, ctypes.c_int64(disp),
              ctypes.byref(self._element(operand)), ctypes.byref(result))
        return result

    def compare_swap_nbi(self, rank, disp, expected, desired):
        result = self._deferred()
        _call("window_compare_swap_nbi", self._handle, rank, ctypes.c_int64(disp),
              ctypes.byref(self._element(expected)), ctypes.byref(self._element(desired)),
              ctypes.byref(result))
        return result

    # Notifications need "notify". `at_most` is in seconds: after it waits raise timed_out.

    def put_notify(self, rank, disp, values, counter, amount=1):
        """Puts the values, and then adds `amount` to a counter of `rank`."""
        _call("window_put_notify", self._handle, rank, ctypes.c_int64(disp), self._array(values),
              ctypes.c_size_t(len(values)), ctypes.c_size_t(counter), ctypes.c_uint32(amount))

    def notify(self, rank, counter, amount=1):
        _call("window_notify", self._handle, rank, ctypes.c_size_t(counter),
              ctypes.c_uint32(amount))

    def wait_notify(self, counter, at_least, at_most=None):
        """Returns once this rank's counter has reached `at_least`."""
        asked = (self._handle, ctypes.c_size_t(counter), ctypes.c_uint64(at_least))
        if at_most is None:
            _call("window_wait_notify", *asked)
        else:
            _call("window_wait_notify_for", *asked, ctypes.c_int64(round(1000 * at_most)))

    def wait_notify_any(self, first, at_least, at_most=None):
        """The first of the counters from `first` on that reaches its value in `at_least`; None
        there: not waited for."""
        never = 2**64 - 1
        values = (ctypes.c_uint64 * len(at_least))(*(never if v is None else v for v in at_least))
        asked = (self._handle, ctypes.c_size_t(first), ctypes.c_size_t(len(values)), values)
        counter = ctypes.c_size_t()
        if at_most is None:
            _call("window_wait_notify_any", *asked, ctypes.byref(counter))
        else:
            _call("window_wait_notify_any_for", *asked, ctypes.c_int64(round(1000 * at_most)),
                  ctypes.byref(counter))
        return counter.value

    def notified(self, counter):
        """The count of this rank's counter."""
        return self._count("window_notified", counter)

    def take_notified(self, counter):
        """The same, and the counter starts again at 0."""
        return self._count("window_take_notified", counter)

    def _count(self, function, counter):
        count = ctypes.c_uint64()
        _call(function, self._handle, ctypes.c_size_t(counter), ctypes.byref(count))
        return count.value

    def clear_failure(self):
        """Else the ends of epochs, and of the window, report it."""
        _call("window_clear_failure", self._handle)

    def local(self):
        """This rank's elements, as a ctypes array (numpy.ctypeslib.as_array makes one of numpy's)."""
        base = ctypes.c_void_p()
        count = ctypes.c_size_t()
        _call("window_local", self._handle, ctypes.byref(base), ctypes.byref(count))
        return (self._element * count.value).from_address(base.value)
