"""oriel from Python: one-sided communication in typed windows, which are numpy arrays.

    import numpy as np
    import oriel
    from oriel import Assertion as A

    with oriel.Session() as job:
        world = job.world
        with oriel.Window.allocate(world, 1024, np.int64, A.shared_lock | A.local_load_store) as hits:
            with hits.lock_all():
                hits.put(world.next, 16, 42)
                before = hits.fetch_add(world.next, 0, 1)
            world.barrier()
            assert hits.local[16] == 42

docs/PYTHON.md has the contract.
"""

import enum
import os

# Else libraries of PSM, which libfabric may bring, take Python's signals when they are loaded.
os.environ.setdefault("IPATH_NO_BACKTRACE", "1")
os.environ.setdefault("HFI_NO_BACKTRACE", "1")

from oriel import _oriel  # noqa: E402
from oriel._errors import (ArgumentError, ElementTypeError, Errc, Error, NoMemory,  # noqa: E402
                           PeerFailed, RangeError, TimedOut)
from oriel._oriel import (DeviceArray, Epoch, HashMap, HashMapPhase, Memory, Request,  # noqa: E402
                          Segment, Session, Team, Window, WindowStatistics, wait_all)

AccessRoute = enum.IntEnum("AccessRoute", _oriel.access_routes, module=__name__)
Assertion = enum.IntFlag("Assertion", _oriel.assertions, module=__name__)
Mode = enum.IntFlag("Mode", _oriel.modes, module=__name__)
OperationKind = enum.IntEnum("OperationKind", _oriel.operation_kinds, module=__name__)
Op = enum.IntEnum("Op", _oriel.ops, module=__name__)
ThreadLevel = enum.IntEnum("ThreadLevel", _oriel.thread_levels, module=__name__)
WaitCause = enum.IntEnum("WaitCause", _oriel.wait_causes, module=__name__)

#: The rank of shared_query that stands for the lowest rank of this node that has memory.
any_rank = -1


def value_index(value, index="i4"):
    """Returns the dtype of the pairs that minloc and maxloc compare: fields `value` and `index`."""
    import numpy
    return numpy.dtype([("value", value), ("index", index)], align=True)


for _class in (DeviceArray, Epoch, HashMap, HashMapPhase, Memory, Request, Segment, Session, Team,
               Window, WindowStatistics):
    _class.__module__ = __name__
del _class

__all__ = ["AccessRoute", "ArgumentError", "Assertion", "DeviceArray", "ElementTypeError", "Epoch", "Errc",
           "Error", "HashMap", "HashMapPhase", "Memory", "Mode", "NoMemory", "Op", "OperationKind",
           "PeerFailed", "RangeError", "Request", "Segment", "Session", "Team", "ThreadLevel", "TimedOut",
           "WaitCause", "Window", "WindowStatistics", "any_rank", "value_index", "wait_all"]
