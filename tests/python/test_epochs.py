"""Epochs as context managers and as calls, and the interpreter's lock."""

import threading

import numpy as np
import pytest

import oriel
from oriel import Assertion as A
from oriel import Mode, Op


def test_fence(make, world):
    w = make(4, assertions=A.fence | A.local_load_store | A.multi_element)
    with w.fence_epoch(Mode.noprecede):
        w.put(world.next, 0, np.array([world.rank, 7]))
    assert list(w.local[:2]) == [world.previous, 7]
    w.fence()
    w.put(world.next, 2, 9)
    w.fence(Mode.nosucceed)
    assert w.local[2] == 9


def test_post_start_complete_wait(make, world):
    w = make(4, assertions=A.pscw | A.local_load_store)
    with w.post([world.previous]), w.start([world.next]):
        w.put(world.next, 1, world.rank + 10)
    assert w.local[1] == world.previous + 10
    w.post([world.previous])
    w.start([world.next])
    w.put(world.next, 2, 5)
    w.complete()
    while not w.test():
        pass
    assert w.local[2] == 5


def test_locks(make, world):
    w = make(4, assertions=A.shared_lock | A.exclusive_lock | A.local_load_store)
    for _ in range(20):
        with w.lock_exclusive(0):
            w.put(0, 0, w.get(0, 0) + 1)
    world.barrier()
    with w.lock_shared(0):
        assert w.get(0, 0) == 20 * world.size
    w.lock_all()
    w.put(world.next, 1, 6)
    w.flush(world.next)
    w.unlock_all()
    w.lock_shared(world.next)
    w.flush_local(world.next)
    w.unlock(world.next)
    world.barrier()
    assert w.local[1] == 6


def test_an_exception_of_the_body_goes_on_and_ends_the_epoch(make):
    w = make(4)
    with pytest.raises(ZeroDivisionError):
        with w.lock_all():
            1 / 0
    with w.lock_all() as epoch:
        epoch.end()
        epoch.end()
    with w.lock_all():
        with pytest.raises(oriel.Error) as refused:
            w.lock_all()
        assert refused.value.code == oriel.Errc.rma_sync
        w.clear_failure()


def test_other_threads_run_while_one_waits(make, world):
    w = make(4, assertions=A.notify | A.shared_lock)
    came = []

    def wait():
        w.wait_notify(0, 1, at_most=20)
        came.append(True)

    waiting = threading.Thread(target=wait)
    waiting.start()
    total = sum(range(1000))
    w.notify(world.rank, 0)
    waiting.join()
    assert came and total == 499500


def test_teams(job, world):
    assert list(world.allgather(world.rank)) == list(range(world.size))
    assert world.allgather(np.full((2, 3), world.rank)).shape == (world.size, 2, 3)
    assert world.allgather([world.rank, 7]).tolist() == [[r, 7] for r in range(world.size)]
    assert world.allreduce(1.5, Op.sum) == 1.5 * world.size
    assert world.allreduce(np.uint8(3), Op.max) == 3
    row = np.arange(4.0) * (world.rank == 0)
    world.broadcast(row)
    assert list(row) == [0, 1, 2, 3]
    half = world.split(world.rank % 2)
    assert half.size == (world.size + 1 - world.rank % 2) // 2
    assert half.world_rank(half.rank) == world.rank
    none = world.split(-1)
    assert none is None
    alone = world.subset([0])
    assert (alone is not None) == (world.rank == 0)
    assert job.node.size >= 1 and world.on_node(world.rank) and len(world) == world.size
    with pytest.raises(oriel.Error) as refused:
        world.allreduce(np.array(b"x"), Op.sum)
    assert refused.value.code == oriel.Errc.type
    assert isinstance(job.threads, oriel.ThreadLevel)
    assert "mpi" in job.hints["mpi_memory_alloc_kinds"]
