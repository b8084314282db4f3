"""Windows whose operations gather, on arrays of the program's, which their owners alone map: results are there when a
call says so, and buffers live as long as operations use them."""

import gc

import numpy as np
import pytest

import oriel
from oriel import Assertion as A
from oriel import Op

COUNT = 16


@pytest.fixture
def window(world):
    memory = np.arange(COUNT) + 100 * world.rank
    world.barrier()
    with oriel.Window.create(world, memory, A.shared_lock | A.local_load_store | A.multi_element, aggregate=True) as w:
        yield w
        w.clear_failure()


def expected(world):
    return np.arange(COUNT) + 100 * world.next


def test_results_are_there_on_return(window, world):
    with window.lock_all():
        for _ in range(3):
            assert (window.get(world.next, 0, COUNT) == expected(world)).all()
            out = np.zeros(COUNT, np.int64)
            window.get(world.next, 0, out=out)
            assert (out == expected(world)).all()
            before = window.get_accumulate(Op.sum, world.next, 0, np.zeros(COUNT, np.int64))
            assert (before == expected(world)).all()


def test_lists_that_wait_have_their_results(window, world):
    ranks, disps = np.full(COUNT, world.next), np.arange(COUNT)
    zeros = np.zeros(COUNT, np.int64)
    with window.lock_all():
        for _ in range(3):
            assert (window.gather(ranks, disps) == expected(world)).all()
            assert (window.fetch_op(Op.sum, world.next, 0, 0) == expected(world)[0]).all()
            assert (window.fetch_op_list(Op.sum, ranks, disps, zeros) == expected(world)).all()
            assert (window.compare_swap_list(ranks, disps, zeros - 1, zeros) == expected(world)).all()


def test_results_that_come_with_a_flush_are_held_until_then(window, world):
    with window.lock_all():
        kept = [window.get_nbi(world.next, i % COUNT) for i in range(100)]
        for i in range(1000):
            window.get_nbi(world.next, i % COUNT)  # nobody keeps its array
        gc.collect()
        others = [np.full((), -7) for _ in range(1000)]  # where those were
        window.flush_all()
        assert all((one == -7).all() for one in others)
        assert [int(one) for one in kept] == [int(expected(world)[i % COUNT]) for i in range(100)]
