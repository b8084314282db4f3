"""Operations of windows, between every rank and its neighbour."""

import gc

import numpy as np
import pytest

import oriel
from oriel import Assertion as A
from oriel import Op

MANY = A.shared_lock | A.local_load_store | A.multi_element


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8", "c16", "g", "?", "S5", "f2"])
def test_elements_of_every_type_come_back(make, world, dtype):
    w = make(4, dtype)
    value = {"?": True, "S5": b"ab", "c16": 2 - 1j}.get(dtype, 7)
    with w.lock_all():
        w.put(world.next, 1, value)
        w.flush_all()
        assert w.get(world.next, 1) == value
    world.barrier()
    assert w.local[1] == value and w.local.dtype == np.dtype(dtype) and w.dtype == np.dtype(dtype)


def test_arrays_and_their_lengths(make, world):
    w = make(assertions=MANY)
    row = np.arange(10) + world.rank
    with w.lock_all():
        w.put(world.next, 5, row)
        w.put(world.next, 20, [1, 2, 3])
        w.flush_all()
        assert (w.get(world.next, 5, 10) == row).all()
        out = np.zeros((2, 5), np.int64)
        assert w.get(world.next, 5, out=out) is out and (out.reshape(-1) == row).all()
    world.barrier()
    assert (w.local[5:15] == np.arange(10) + world.previous).all()
    assert list(w.local[20:23]) == [1, 2, 3]


def test_strides_on_both_sides(make, world):
    w = make((8, 8), np.float64, MANY | A.user_datatype)
    assert w.local.shape == (8, 8)
    tile = np.arange(24.0).reshape(4, 6) + world.rank
    with w.lock_all():
        w.put(world.next, 9, tile[:, ::2], strides=(8, 1))  # a tile of 4 x 3 at (1, 1)
        w.put(world.next, 63, tile[0, ::-1][:2], strides=-8)
        w.flush_all()
        back = w.get(world.next, 9, (4, 3), strides=(8, 1))
        assert (back == tile[:, ::2]).all()
        holes = np.zeros((4, 6))
        w.get(world.next, 9, out=holes[:, ::2], strides=(8, 1))
        assert (holes[:, ::2] == back).all() and not holes[:, 1::2].any()
        w.flush(world.next)
        w.add(world.next, 9, np.ones((4, 3)), strides=(8, 1))
    world.barrier()
    came = np.arange(24.0).reshape(4, 6) + world.previous
    assert (w.local[1:5, 1:4] == came[:, ::2] + 1).all()
    assert w.local[7, 7] == came[0, 5] and w.local[6, 7] == came[0, 4]


def test_gaps_are_copied_where_layouts_are_not_promised(make, world):
    w = make(assertions=MANY)
    with w.lock_all():
        w.put(world.next, 0, np.arange(12)[::3])
        with pytest.raises(ValueError, match="user_datatype"):
            w.get(world.next, 0, out=np.zeros(8, np.int64)[::2])
        with pytest.raises(oriel.Error) as refused:
            w.put(world.next, 0, [1, 2], strides=2)
        assert refused.value.code == oriel.Errc.not_asserted
        w.clear_failure()
    world.barrier()
    assert list(w.local[:4]) == [0, 3, 6, 9]


def test_atomics(make, world):
    w = make(8, np.uint32, MANY)
    with w.lock_all():
        for _ in range(10):
            w.add(0, 0, 1)
            w.accumulate(Op.max, 0, 1, world.rank + 5)
        w.accumulate(Op.sum, 0, 2, np.ones(3, np.uint32))
        before = w.fetch_op(Op.bor, 0, 5, 1 << world.rank)
        assert not before & 1 << world.rank
    world.barrier()
    with w.lock_all():
        assert list(w.get(0, 0, 5)) == [10 * world.size, world.size + 4, *[world.size] * 3]
        assert w.fetch_op(Op.no_op, 0, 5, 0) == 2**world.size - 1
        assert list(w.get_accumulate(Op.no_op, 0, 2, None, out=np.zeros(2, np.uint32))) == [world.size] * 2
        won = w.compare_swap(0, 6, 0, world.rank + 1) == 0
        assert list(w.get_accumulate(Op.sum, 0, 7, np.zeros(1, np.uint32))) == [0]
    assert world.allreduce(int(won), Op.sum) == 1


def test_pairs(make, world):
    w = make(1, oriel.value_index("f8"))
    if world.rank == 0:
        w.local["value"] = -1
    world.barrier()
    with w.lock_all():
        w.accumulate(Op.maxloc, 0, 0, np.array((world.rank * 0.5, world.rank), w.dtype))
    world.barrier()
    with w.lock_all():
        best = w.get(0, 0)
    assert best["value"] == (world.size - 1) * 0.5 and best["index"] == world.size - 1


def test_lists_go_anywhere_and_accept_numbers_for_all(make, world):
    w = make(32, np.int64, A.shared_lock | A.local_load_store)
    ranks = np.arange(32) % world.size
    disps = np.arange(32, dtype=np.int64)
    with w.lock_all():
        w.accumulate_list(Op.sum, ranks, disps, 1)
        w.flush_all()
        world.barrier()
        assert (w.gather(ranks, disps) == world.size).all()
        world.barrier()
        if world.rank == 0:
            w.scatter(world.size - 1, disps, disps * disps)
            w.flush_all()
        world.barrier()
        assert (w.gather(world.size - 1, disps) == disps * disps).all()
        assert (w.fetch_op_list(Op.no_op, world.size - 1, disps[:3], None) == [0, 1, 4]).all()
        world.barrier()
        if world.rank == 0:
            had = w.compare_swap_list(world.size - 1, [2, 3], [4, 0], [40, 41])
            assert list(had) == [4, 9] and list(w.gather(world.size - 1, [2, 3])) == [40, 9]
        assert w.gather([], []).size == 0
        with pytest.raises(ValueError, match="2 elements and 3 values"):
            w.scatter(0, [1, 2], [1, 2, 3])
        with pytest.raises(TypeError):
            w.gather(0, [0.5])


def test_requests_and_deferred_results(make, world):
    w = make(assertions=MANY)
    with w.lock_all():
        requests = [w.rput(world.next, 4 * k, np.full(4, k)) for k in range(8)]
        oriel.wait_all(requests)
        w.flush_all()
        assert (w.rget(world.next, 0, 32).wait() == np.repeat(np.arange(8), 4)).all()
        begun = w.rget_accumulate(Op.sum, world.next, 8, np.ones(4, np.int64))
        assert list(begun.wait()) == [2] * 4 and begun.test()
        w.raccumulate(Op.sum, world.next, 8, np.ones(4, np.int64)).wait()
        one, added = w.get_nbi(world.next, 31), w.fetch_op_nbi(Op.sum, world.next, 30, 5)
        swapped = w.compare_swap_nbi(world.next, 29, 7, 70)
        w.flush_local_all()
        assert (one, added, swapped) == (7, 7, 7)
        w.flush_all()
        assert list(w.get(world.next, 28, 4)) == [7, 70, 12, 7]
        del begun, requests
        world.barrier()
    assert list(w.local[8:12]) == [4] * 4


def test_sources_that_nobody_else_holds_arrive(make, world):
    n = 100_000
    w = make(n, np.int32, MANY)
    with w.lock_all():
        for k in range(3):
            w.put(world.next, 0, np.full(n, k + world.rank, np.int32))
            gc.collect()
            w.flush(world.next)
        world.barrier()
    assert (w.local == 2 + world.previous).all()


def test_notified_puts(make, world):
    w = make(assertions=MANY | A.notify, notify_counters=3)
    w.put_notify(world.next, 0, np.arange(5) + world.rank, 1)
    w.notify(world.next, 2, 4)
    w.wait_notify(1, 1, at_most=float("inf"))
    assert (w.local[:5] == np.arange(5) + world.previous).all()
    assert w.wait_notify_any(0, [None, None, 4], at_most=20) == 2
    assert w.notified(2) == 4 and w.take_notified(2) == 4 and w.notified(2) == 0
    with pytest.raises(TimeoutError) as late:
        w.wait_notify(0, 1, at_most=0.01)
    assert late.value.code == oriel.Errc.timed_out
    with pytest.raises(ValueError):
        w.wait_notify(0, 1, at_most=float("nan"))


def test_dense_sources_of_any_kind(make, world):
    w = make(8, np.int32, MANY)
    with w.lock_all():
        w.put(world.next, 0, np.int32(3))
        w.put(world.next, 1, np.arange(2, dtype=np.int16))
        w.flush_all()
        for wrong in (1.5, [0.5], np.array([1.0]), np.float32(2)):
            with pytest.raises(TypeError):
                w.put(world.next, 3, wrong)
        with pytest.raises(OverflowError):
            w.put(world.next, 3, 2**31)
    world.barrier()
    assert list(w.local[:4]) == [3, 0, 1, 0]
