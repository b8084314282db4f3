"""Each rank puts a row to its right neighbour and gets one from its left."""

import ctypes
import sys

import oriel

N = 100

with oriel.Session() as job, job.window(2 * N, ctypes.c_double, "shared_lock", "multi_element",
                                        "local_load_store") as rows:
    left, right = (job.rank - 1) % job.size, (job.rank + 1) % job.size
    rows.lock_all()
    rows.put(right, N, *(job.rank + i / N for i in range(N)))
    mine = rows.local()
    mine[:N] = [-job.rank - i / N for i in range(N)]
    rows.unlock_all()
    job.barrier()

    rows.lock_all()
    gotten = rows.get(left, 0, N)
    rows.unlock_all()
    came = list(mine[N:])
    good = (came == [left + i / N for i in range(N)] and
            gotten == [-left - i / N for i in range(N)])
    print(f"rank {job.rank}: {'passed on' if good else 'lost'} {N} values")
    job.barrier()

sys.exit(0 if good else 1)
