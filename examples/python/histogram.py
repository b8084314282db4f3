"""A histogram over all ranks: each counts its numbers in the owners' bins by one list, and notifies
every owner of how many it has counted there. Owners take the notifications as they come."""

import ctypes
import sys

import oriel

NUMBERS, BINS = 5000, 64  # a rank

with oriel.Session() as job, job.window(BINS, ctypes.c_int64, "shared_lock", "local_load_store",
                                        "notify", "ordered_notify", aggregate=1,
                                        notify_counters=job.size) as bins:
    bins.lock_all()
    owners = [(j * j + job.rank) % job.size for j in range(NUMBERS)]
    disps = [(7 * j + job.rank) % BINS for j in range(NUMBERS)]
    bins.accumulate_list("sum", owners, disps, [1] * NUMBERS)
    for owner in range(job.size):
        bins.notify(owner, job.rank, 1 + owners.count(owner))

    counted = 0
    awaited = [1] * job.size
    for _ in range(job.size):
        sender = bins.wait_notify_any(0, awaited, at_most=60)
        counted += bins.take_notified(sender) - 1
        awaited[sender] = None
    right = sum(bins.local()) == counted
    job.barrier()

    # All bins, by a list; and rank 0's first one in other ways.
    ranks = [r for r in range(job.size) for _ in range(BINS)]
    places = list(range(BINS)) * job.size
    everything = bins.gather(ranks, places)
    same = bins.fetch_op_list("no_op", ranks, places, None)
    first = bins.get_nbi(0, 0)
    unchanged = bins.fetch_op_nbi("sum", 0, 0, 0)
    bins.flush_all()
    right = right and sum(everything) == NUMBERS * job.size and same == everything
    right = right and first.value == unchanged.value == everything[0]
    job.barrier()

    # Each rank moves its own first bin to the next rank's, which it tells; and nobody tells twice.
    me, right_one = job.rank, (job.rank + 1) % job.size
    before = bins.compare_swap_list([me], [0], [everything[BINS * me]], [-1])
    bins.compare_swap_nbi(me, 0, -1, -2)
    bins.flush_all()
    job.barrier()
    bins.scatter([right_one], [1], [me])
    bins.put_notify(right_one, 0, before, 0, amount=3)
    bins.wait_notify(0, 3, at_most=60)
    try:
        bins.wait_notify(0, 4, at_most=0.02)
        right = False
    except oriel.Error as error:
        right = right and error.code == "timed_out"
    left = (me - 1) % job.size
    right = right and bins.notified(0) == 3 and list(bins.local()[:2]) == [everything[BINS * left],
                                                                         left]
    if me == 0:
        print(f"{sum(everything)} numbers in the bins of {job.size} ranks")
    bins.unlock_all()
    job.barrier()

sys.exit(0 if right else 1)
