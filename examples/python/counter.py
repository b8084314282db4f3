"""A counter that all ranks draw from: every number comes once, to whoever asks next."""

import ctypes
import sys

import oriel

TICKETS = 1000  # a rank

with oriel.Session() as job, job.window(1, ctypes.c_int64, "shared_lock",
                                        "local_load_store") as counter:
    counter.lock_all()
    drawn = [counter.fetch_op("sum", 0, 0, 1) for _ in range(TICKETS)]
    counter.unlock_all()
    job.barrier()
    in_order = all(a < b for a, b in zip(drawn, drawn[1:]))

    # Rank 0's element has counted them all.
    counter.lock_all()
    total = counter.get(0, 0)[0]
    counter.unlock_all()

    # A promise that was not made is refused, with the reason.
    try:
        counter.fence()
        refused = False
    except oriel.Error as error:
        refused = error.code == "not_asserted" and "fence" in str(error)
        counter.clear_failure()

    right = in_order and total == job.size * TICKETS and refused
    if job.rank == 0:
        print(f"{total} tickets to {job.size} ranks")
    job.barrier()

sys.exit(0 if right else 1)
