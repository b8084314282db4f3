"""What is wrong raises, with oriel's code and as what Python calls it; nothing ends the process."""

import numpy as np
import pytest

import oriel
from oriel import Assertion as A
from oriel import Errc, Op


def raises(code, parent, call, *arguments, **named):
    with pytest.raises(parent) as caught:
        call(*arguments, **named)
    assert isinstance(caught.value, oriel.Error) and caught.value.code == code, caught.value
    assert str(caught.value)


def test_not_asserted(world):
    with oriel.Window.allocate(world, 8, "i8", A.shared_lock, name="plain") as w:
        with w.lock_all():
            raises(Errc.not_asserted, oriel.Error, w.fence)
            assert "plain" in w.failure() and "fence" in w.failure()
            w.clear_failure()
            raises(Errc.not_asserted, oriel.Error, w.put, world.rank, 0, np.arange(2))
            w.clear_failure()
            raises(Errc.not_asserted, oriel.Error, w.notified, 0)
            w.clear_failure()
        raises(Errc.not_asserted, oriel.Error, lambda: w.local)
        raises(Errc.not_asserted, oriel.Error, w.remote, 0)
        raises(Errc.not_asserted, oriel.Error, w.free)
        assert not w.valid


def test_out_of_range(make, world):
    w = make(8, assertions=A.shared_lock | A.multi_element | A.user_datatype)
    near = world.rank
    with w.lock_all():
        for use in (lambda: w.get(near, 8), lambda: w.put(near, 7, [1, 2]), lambda: w.get(near, -1),
                    lambda: w.fetch_add(near, 2**40, 1), lambda: w.put(near, 0, [1, 2], strides=8),
                    lambda: w.get(near, 1, 2, strides=-2), lambda: w.scatter(near, [0, 8], [1, 1]),
                    lambda: w.gather(near, [-1]), lambda: w.put(near, 2**63 - 1, [1, 2]),
                    lambda: w.get(near, 2**63 - 2, 5), lambda: w.rput(near, 2**63 - 1, [1, 2])):
            raises(Errc.rma_range, IndexError, use)
        for use in (lambda: w.get(world.size, 0), lambda: w.put(-1, 0, 1),
                    lambda: w.scatter([world.size], [0], [1]), lambda: w.flush(world.size),
                    lambda: w.lock_shared(-3), lambda: w.shared_query(world.size),
                    lambda: w.gather([2**32], [0]), lambda: w.scatter(2**32, [0, 1], 1)):
            raises(Errc.rank, IndexError, use)
        raises(Errc.rma_range, IndexError, w.get, world.next, 1000)
        w.clear_failure()
        for strides in (2**62, (2**61, 2**61), -2**63):
            values = np.zeros((2,) * np.size(strides), np.int64)
            with pytest.raises(ValueError):
                w.put(near, 0, values, strides=strides)
        none = w.raccumulate(Op.minloc, near, 0, 1)
        raises(Errc.op, ValueError, oriel.wait_all, [none, w.rput(near, 0, [1, 2])])
        w.clear_failure()
        for use in (lambda: w.put(near, 0, []), lambda: w.scatter([], [], []), lambda: w.get(near, 8, 0)):
            use()  # nothing, of any kind of number
    for shape in ((2**32, 2**32), (-1,), (2**62, 3)):
        with pytest.raises(ValueError):
            oriel.Window.allocate(world, shape, "i8", A.shared_lock)
    assert "rma_range" in Errc.rma_range.name


def test_operations_that_the_type_or_the_window_lacks(world):
    with oriel.Window.allocate(world, 8, "f8", A.shared_lock, ops=[Op.sum]) as w:
        with w.lock_all():
            raises(Errc.op, ValueError, w.accumulate, Op.bor, world.rank, 0, 1.0)
            w.clear_failure()
            raises(Errc.op, ValueError, w.accumulate, Op.max, world.rank, 0, 1.0)
            w.clear_failure()
            w.add(world.rank, 0, 1.0)
            with pytest.raises(ValueError):
                w.accumulate(99, world.rank, 0, 1.0)


def test_construction_fails_alike(world):
    raises(Errc.mismatched_assertions, oriel.Error, oriel.Window.allocate, world, 8, "i8",
           A.shared_lock | (A.fence if world.rank else A.pscw)) if world.size > 1 else None
    raises(Errc.info, ValueError, oriel.Window.allocate, world, 8, "i8", A.fence,
           hints={"mpi_minimum_memory_alignment": 3})
    with pytest.raises(TypeError, match="no option 'nam'"):
        oriel.Window.allocate(world, 8, "i8", A.fence, nam="x")
    for wrong in ("O", ">i4", "S0"):
        with pytest.raises(TypeError):
            oriel.Window.allocate(world, 8, wrong, A.fence)
    with pytest.raises(ValueError):
        oriel.Window.allocate(world, -8, "i8", A.fence)


def test_a_second_session(job):
    raises(Errc.arg, ValueError, oriel.Session)


def test_options_are_in_force(world):
    with oriel.Window.allocate(world, 8, "i8", A.shared_lock, name="named", aggregate=True,
                               asynchronous_progress=True,
                               hints={"alloc_shared_noncontig": True}) as w:
        assert w.name == "named" and w.hints["alloc_shared_noncontig"] == "true"
        assert w.assertions == A.shared_lock and isinstance(w.assertions, A)
        assert "named" in w.explain() and w.team.size == world.size and "named" in repr(w)
        assert w.first_failure() == ""


def test_arguments_of_other_types(world):
    for use in (lambda: oriel.Window.allocate(world, 1.5, "i8", A.fence),
                lambda: oriel.Window.allocate(world, 3, "i8", A.fence, ops=["sum"]),
                lambda: oriel.Window.create(world, [1, 2], A.fence), lambda: oriel.wait_all([3]),
                lambda: world.subset(["0"])):
        with pytest.raises(TypeError):
            use()
    with pytest.raises(ValueError):
        oriel.Window.create(world, np.zeros(9, "u1"), A.fence, "i8")


def test_a_window_that_has_been_freed(world):
    w = oriel.Window.allocate(world, 8, "i8", A.shared_lock | A.local_load_store | A.notify)
    w.free()
    for use in (lambda: w.team, lambda: w.local, lambda: w.remote(0), w.shared_query, lambda: w.segments(0),
                lambda: w.put(world.rank, 0, 1), lambda: w.notified(0), w.lock_all):
        raises(Errc.win, oriel.Error, use)


def test_what_only_a_text_tells_in_cpp(make, world):
    w = make(8, assertions=A.shared_lock | A.notify)
    for use in (lambda: w.notified(99), lambda: w.take_notified(99)):
        raises(Errc.arg, ValueError, use)
        w.clear_failure()
    raises(Errc.not_asserted, oriel.Error, w.test)
    w.clear_failure()
    with pytest.raises(TimeoutError, match="within 10 ms"):
        w.wait_notify(0, 1, at_most=0.01)
