"""ORIEL_CHECK=1 names the line of Python that is wrong."""

import inspect

import pytest

import oriel
from oriel import Assertion as A


def test_a_conflict_names_both_lines(make, world, capfd):
    w = make(8, assertions=A.shared_lock | A.exclusive_lock)
    with w.lock_exclusive(world.rank):
        w.put(world.rank, 3, 1)
        line = inspect.currentframe().f_lineno + 2
        with pytest.raises(oriel.Error) as found:
            w.get(world.rank, 3)
        assert found.value.code == oriel.Errc.rma_conflict
        assert f"test_checked.py:{line})" in str(found.value)
        assert f"test_checked.py:{line - 3}," in str(found.value)
        w.clear_failure()
    assert "ORIEL_CHECK" in capfd.readouterr().err


def test_an_epoch_that_is_missing(make, world, capfd):
    w = make(8)
    with pytest.raises(oriel.Error) as found:
        w.put(world.next, 0, 1)
    assert found.value.code == oriel.Errc.rma_sync and "test_checked.py" in str(found.value)
    capfd.readouterr()
