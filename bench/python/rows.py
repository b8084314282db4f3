"""Rows of oriel-bench-rows from Python: batches of a hash map, lists, and single calls.

    PYTHONPATH=build-release/python oriel-run -n 2 python3 bench/python/rows.py [ROW…]

Prints `row ranks bytes ns`, as oriel-bench-rows does; nanoseconds of one key or of one call.
"""

import sys
import time

import numpy as np

import oriel
from oriel import Assertion as A
from oriel import Op

MINE = 1 << 22  # keys a rank
BATCH = 1 << 16  # keys of a call


class Rows:
    def __init__(self, world, wanted):
        self.world, self.wanted = world, wanted

    def timed(self, name, bytes_each, count, work):
        self.world.barrier()
        start = time.perf_counter_ns()
        work()
        self.world.barrier()
        took = (time.perf_counter_ns() - start) / count
        if self.world.rank == 0 and (not self.wanted or name in self.wanted):
            print(name, self.world.size, bytes_each, f"{took:.4f}", flush=True)


def hash_map_rows(rows):
    world = rows.world
    total = MINE * world.size

    def permuted(numbers):
        return numbers * np.uint64(0x9e3779b97f4a7c15)

    def each(call, keys, values, expected):
        for i in range(0, MINE, BATCH):
            if call(keys[i:i + BATCH], values[i:i + BATCH]) != expected:
                raise SystemExit("a hash_map row counted wrongly")

    def each_find(phase, keys, values):
        for i in range(0, MINE, BATCH):
            if not phase.find(keys[i:i + BATCH], out=values[i:i + BATCH])[1].all():
                raise SystemExit("a hash_map row found too little")

    numbers = np.arange(MINE, dtype=np.uint64)
    values = np.ones(MINE, np.uint64)
    with oriel.HashMap(world, total) as table:
        keys = permuted(numbers + np.uint64(world.rank * MINE))
        with table.insert_only() as p:
            rows.timed("map_insert", 16, MINE, lambda: each(p.insert, keys, values, BATCH))
        keys = permuted((numbers * np.uint64(2_654_435_761) + np.uint64(world.rank * (MINE // 2))) % np.uint64(total))
        with table.insert_only() as p:
            rows.timed("map_fetch_add", 16, MINE, lambda: each(p.fetch_add, keys, values, 0))
        with table.find_only() as p:
            rows.timed("map_find", 16, MINE, lambda: each_find(p, keys, values))


def call_rows(rows):
    world, n = rows.world, 200_000
    promise = A.shared_lock | A.local_load_store | A.multi_element
    with oriel.Window.allocate(world, 1 << 16, np.int64, promise) as w:
        to, row, out = world.next, np.arange(512), np.zeros(512, np.int64)
        ranks = np.arange(BATCH, dtype=np.int32) % world.size
        disps = np.random.default_rng(1).permutation(BATCH)

        def calls(call, *arguments, **named):
            def work():
                for _ in range(n):
                    call(*arguments, **named)
            return work

        with w.lock_all():
            rows.timed("put_call", 8, n, calls(w.put, to, 3, 7))
            rows.timed("get_call", 8, n, calls(w.get, to, 3))
            rows.timed("fetch_add_call", 8, n, calls(w.fetch_add, to, 3, 1))
            rows.timed("put_array_call", 4096, n, calls(w.put, to, 8, row))
            rows.timed("get_array_call", 4096, n, calls(w.get, to, 8, out=out))
            rows.timed("gather_list", 8, 20 * BATCH, lambda: [w.gather(ranks, disps) for _ in range(20)])
            rows.timed("accumulate_list", 8, 20 * BATCH,
                       lambda: [w.accumulate_list(Op.sum, ranks, disps, 1) for _ in range(20)])


if __name__ == "__main__":
    with oriel.Session() as job:
        measured = Rows(job.world, sys.argv[1:])
        hash_map_rows(measured)
        call_rows(measured)
