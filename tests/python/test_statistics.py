"""window.statistics(): what is counted of operations and waits whose numbers are known."""

import time

import numpy as np
import pytest

import oriel
from oriel import AccessRoute, OperationKind, WaitCause
from oriel import Assertion as A

PROMISE = A.shared_lock | A.local_load_store | A.multi_element | A.fence


def test_operations_by_kind_route_and_size(make, world):
    w = make(64, np.int64, PROMISE)
    before = w.statistics()
    assert before.operations.shape == before.bytes.shape == (len(OperationKind), len(AccessRoute))
    assert not before.operations.any() and not before.bytes.any()
    with w.lock_all():
        for _ in range(3):
            w.put(world.next, 0, np.arange(16))
        w.flush_all()
        w.get(world.next, 0, 8)
        w.add(world.next, 0, np.ones(4, np.int64))
    s = w.statistics()
    assert list(s.operations.sum(axis=1)) == [3, 1, 1, 0, 0, 0]
    assert list(s.bytes.sum(axis=1)) == [3 * 128, 64, 32, 0, 0, 0]
    assert list(s.by_size) == [0, 2, 3, 0, 0, 0, 0, 0]
    if world.size == 1:
        route = AccessRoute.self
    else:
        route = AccessRoute.load_store if world.on_node(world.next) else AccessRoute.fabric
    assert s.operations[OperationKind.put, route] == 3 and s.operations[:, route].sum() == 5
    assert repr(s).startswith("<oriel.WindowStatistics: 5 operations of 480 bytes, ")
    assert not before.operations.any(), "what was returned before does not change"


def test_single_elements(make, world):
    w = make(64, np.int64, PROMISE)
    with w.lock_all():
        for i in range(1000):
            w.put(world.next, i % 64, 1)
        for _ in range(10):
            w.get(world.next, 0)
            w.fetch_op(oriel.Op.sum, world.next, 0, 1)
        w.add(world.next, 0, 1)
        w.compare_swap(world.next, 0, 1, 2)
        w.flush_all()
    s = w.statistics()
    assert list(s.operations.sum(axis=1)) == [1000, 10, 1, 10, 1, 0]
    assert list(s.bytes.sum(axis=1)) == [8000, 80, 8, 80, 8, 0]
    assert s.by_size[0] == 1022


def test_waits_by_cause(make, world):
    w = make(4, np.int64, PROMISE)
    for _ in range(2):
        if world.rank == 0:
            time.sleep(0.05)
        w.fence()
    s = w.statistics()
    assert s.waits.shape == s.wait_seconds.shape == (len(WaitCause),)
    if world.size > 1 and world.rank != 0:
        assert s.waits[WaitCause.fence] > 0 and 0.02 < s.wait_seconds[WaitCause.fence] < 30
    assert ((s.waits > 0) == (s.wait_seconds > 0)).all()


def test_nobody_writes_them_and_a_freed_window_has_none(make):
    w = make(8, np.int64, PROMISE)
    with w.lock_all():
        w.put(0, 0, [1, 2])
    s = w.statistics()
    with pytest.raises(ValueError):
        s.operations[0, 0] = 7
    with pytest.raises(AttributeError):
        s.packets = 1
    assert s.packed == s.packets == 0 and s.messages >= 0 and s.agent_wakes >= 0 and s.retries >= 0
    w.free()
    assert w.statistics().operations.sum() == 0


def test_lists_and_packets(make, world):
    w = make(16, np.int64, PROMISE)
    disps = np.arange(100) % 16
    with w.lock_all():
        w.scatter(world.next, disps, 1)
        w.flush_all()
    world.barrier()
    s = w.statistics()
    assert s.operations[OperationKind.put].sum() == 100 and s.bytes[OperationKind.put].sum() == 800
    far = world.allreduce(int(not world.on_node(world.next)), oriel.Op.sum)
    assert world.allreduce(s.packed, oriel.Op.sum) == 100 * far, "a rank may send its neighbours' too"
    assert (s.packets == 0) == (s.packed == 0)
