import ctypes
import sys

import oriel

with oriel.Session() as job, job.window(1, ctypes.c_int64, "shared_lock") as counter:
    counter.lock_all()
    counter.fetch_op("sum", 0, 0, 1)
    counter.unlock_all()
    job.barrier()
    counter.lock_all()
    total = counter.get(0, 0)[0]
    counter.unlock_all()
    job.barrier()
sys.exit(0 if total == job.size == 2 else 1)
