import sys

import oriel

with oriel.Session() as job:
    world = job.world
    with oriel.Window.allocate(world, 1, "i8", oriel.Assertion.shared_lock) as counter:
        with counter.lock_all():
            counter.fetch_add(0, 0, 1)
        world.barrier()
        with counter.lock_all():
            total = counter.get(0, 0)
        world.barrier()
sys.exit(0 if total == world.size == 2 else 1)
