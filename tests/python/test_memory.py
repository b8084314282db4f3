"""Windows' memory as arrays, who keeps it, and how it is brought."""

import gc

import numpy as np
import pytest

import oriel
from oriel import Assertion as A

PLAIN = A.shared_lock | A.local_load_store


def test_local_is_the_memory_itself(make, world):
    w = make(8, np.float32)
    mine = w.local
    mine[3] = 2.5
    assert w.local.ctypes.data == mine.ctypes.data and w.get(world.rank, 3) == 2.5
    assert mine.__array_interface__["data"][0] == mine.ctypes.data and len(w) == 8
    view = memoryview(w)
    assert view.format == "f" and view[3] == 2.5 and np.asarray(w)[3] == 2.5
    exported = np.from_dlpack(w)
    assert exported.ctypes.data == mine.ctypes.data and w.__dlpack_device__() == (1, 0)


def test_free_needs_arrays_gone_and_with_leaves_them_the_memory(world):
    w = oriel.Window.allocate(world, 4, "i8", PLAIN)
    kept = w.local[1:3]
    with pytest.raises(BufferError):
        w.free()
    tensor = np.from_dlpack(w)
    del kept
    with pytest.raises(BufferError):
        w.free()
    del tensor
    gc.collect()
    w.free()
    w.free()
    with oriel.Window.allocate(world, 4, "i8", PLAIN) as w:
        kept = w.local
        kept[:] = 5
        world.barrier()
    assert list(kept) == [5] * 4
    for use in (lambda: w.get(world.rank, 0), lambda: w.local, w.lock_all, w.sync):
        with pytest.raises(oriel.Error) as refused:
            use()
        assert refused.value.code == oriel.Errc.win
    assert not w.valid
    world.barrier()
    del kept


def test_dropped_capsules_let_go(make):
    w = make(4)
    w.__dlpack__()
    gc.collect()
    w.free()
    assert not w.valid


def test_create_on_arrays_and_on_memory_of_the_session(job, world):
    for memory in (np.zeros((4, 4), np.int32), job.alloc_mem(64).array("i4")):
        with oriel.Window.create(world, memory, PLAIN | A.multi_element) as w:
            assert w.local.shape == memory.shape
            with w.lock_all():
                w.put(world.next, 2, [world.rank, 9])
            world.barrier()
            assert list(memory.reshape(-1)[2:4]) == [world.previous, 9]
            world.barrier()
    with pytest.raises(ValueError, match="gaps"):
        oriel.Window.create(world, np.zeros(8)[::2], PLAIN)
    with pytest.raises(TypeError):
        oriel.Window.create(world, None, PLAIN)


def test_attached_memory(world):
    brought = np.arange(8, dtype=np.int64) + world.rank
    with oriel.Window.create(world, None, A.shared_lock | A.attach, "i8") as w:
        segment = w.attach(brought)
        assert segment.count == 8 and segment.array is brought
        firsts = world.allgather(segment.first)
        with w.lock_all():
            assert w.get(world.next, int(firsts[world.next]) + 3) == 3 + world.next
        assert [s.count for s in w.segments(world.rank)] == [8]
        world.barrier()
        w.detach(segment)
        assert w.segments(world.rank) == []
        with pytest.raises(oriel.Error) as refused:
            w.detach(segment.handle)
        assert refused.value.code == oriel.Errc.rma_attach
        w.clear_failure()


def test_shared_query_shows_what_this_node_maps(make, world):
    w = make(4 + world.rank)
    w.local[:] = world.rank
    w.sync()
    world.barrier()
    w.sync()
    for r in range(world.size):
        of, memory = w.shared_query(r)
        assert (memory is not None) == world.on_node(r)
        if memory is not None:
            assert of == r and len(memory) == 4 + r and (memory == r).all()
    of, memory = w.shared_query()
    assert world.on_node(of)
    del memory


def test_memory_of_the_session_outlives_it_by_arrays(job):
    memory = job.alloc_mem(1000)
    a = memory.array("u2")
    assert job.kind_of(memory) == "mpi:alloc_mem" == memory.kind and len(a) == 500
    b = np.arange(500, dtype=np.uint16)
    job.copy(memory, b)
    assert (a == b).all()
    with pytest.raises(ValueError):
        job.copy(memory, b[:10])
    del memory
    a[:] = 3
    assert a.sum() == 1500
    with pytest.raises(oriel.Error) as refused:
        job.alloc_mem(8, "cuda:device")
    assert refused.value.code == oriel.Errc.unsupported_kind
