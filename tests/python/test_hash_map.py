"""The hash map, against a dictionary: random keys, whose seed a failure prints."""

import random

import numpy as np
import pytest

import oriel


@pytest.fixture
def seed(world):
    given = np.array([random.SystemRandom().randrange(2**31)])
    world.broadcast(given)
    print("seed", given[0])
    return int(given[0])


@pytest.mark.parametrize("dtype", ["u8", "i8", "S16", "S32"])
def test_counts_of_all_ranks(world, seed, dtype):
    draws = [np.random.default_rng(seed + r).integers(0, 500, 2000) for r in range(world.size)]
    with oriel.HashMap(world, 2000, dtype, np.int64, name="counts") as counts:
        with counts.insert_only() as p:
            p.fetch_add(draws[world.rank].astype(dtype), 1)
        expected, times = np.unique(np.concatenate(draws), return_counts=True)
        asked = np.arange(600)
        with counts.find_only() as p:
            values, found = p.find(asked.astype(dtype))
            assert (found == np.isin(asked, expected)).all(), seed
            assert (values[found] == times).all() and not values[~found].any(), seed
            keys, mine = counts.local_items()
            assert all(counts.owner(k) == world.rank for k in keys[:10])
            assert world.allreduce(int(mine.sum()), oriel.Op.sum) == 2000 * world.size, seed
        assert counts.size() == len(expected)
        counts.clear()
        assert counts.size() == 0


def test_floating_values_and_mixed_phases(world):
    keys = np.arange(100, dtype=np.uint64) + np.uint64(1000 * world.rank)
    with oriel.HashMap(world, 1000 * world.size, "u8", "f8") as m:
        with m.mixed() as p:
            new = np.zeros(100, bool)
            assert p.insert(keys, keys / 4, new) == 100 and new.all()
            assert p.insert(keys, 0.0) == 0
            assert p.insert_or_assign(keys[:10], 0.5) == 0
            values, found = p.find(keys)
            assert found.all() and (values[:10] == 0.5).all() and (values[10:] == keys[10:] / 4).all()
            gone = np.zeros(10, bool)
            assert p.erase(keys[:10], gone) == 10 and gone.all()
            with pytest.raises(TypeError):
                p.fetch_add(keys, 1.0)
        assert m.size() == 90 * world.size


def test_rehash_makes_room(world):
    with oriel.HashMap(world, 8, load_factor=1.0) as m:
        keys = np.arange(2000, dtype=np.uint64) * world.size + world.rank
        with m.insert_only() as p:
            with pytest.raises(oriel.NoMemory):
                p.insert(keys, 1)
            world.barrier()
        held = m.size()
        m.rehash(2000 * world.size)
        assert m.size() == held
        with m.insert_only() as p:
            p.insert(keys, 1)
        assert m.size() == 2000 * world.size
        with m.mixed():
            with pytest.raises(oriel.Error) as refused:
                m.rehash(0)
            assert refused.value.code == oriel.Errc.rma_sync


def test_wrong_uses(world):
    with oriel.HashMap(world, 100) as m:
        for keys in ([], [1, 2]):
            with pytest.raises(ValueError):
                m.owner(keys)
        with m.find_only() as p:
            with pytest.raises(oriel.Error) as refused:
                p.insert([1], [2])
            assert refused.value.code == oriel.Errc.rma_sync
            with pytest.raises(ValueError):
                p.find([1, 2], out=np.zeros(1, np.uint64))
        with pytest.raises(oriel.Error) as refused:
            p.find([1])
        assert refused.value.code == oriel.Errc.rma_sync
        with m.insert_only() as p:
            assert p.insert([], []) == 0
            with pytest.raises(ValueError) as reserved:
                p.insert(np.array([2**64 - 1], np.uint64), 0)
            assert reserved.value.code == oriel.Errc.arg
            with pytest.raises(ValueError):
                p.insert([1, 2, 3], [1, 2])
            with pytest.raises(oriel.Error, match="no such operation"):
                p.find([1])
            with pytest.raises(ValueError):
                p.fetch_add([1], 1, [0])
    with pytest.raises(oriel.Error):
        m.size()
    gap = np.dtype([("a", "i4"), ("b", "i8")], align=True)
    floats = np.dtype([("a", "i8"), ("b", [("c", "f4", 2)])])
    for wrong in ({"key_dtype": "f8"}, {"key_dtype": "i4"}, {"value_dtype": "i4"}, {"key_dtype": gap},
                  {"key_dtype": floats}):
        with pytest.raises(TypeError):
            oriel.HashMap(world, 100, **wrong)
