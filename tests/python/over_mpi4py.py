"""A communicator of mpi4py gives the job, and its groups the teams."""

import numpy as np
from mpi4py import MPI

import oriel
from oriel import Assertion as A

comm = MPI.COMM_WORLD
with oriel.Session(comm=comm) as job:
    world = job.world
    assert (world.rank, world.size) == (comm.rank, comm.size)
    with oriel.Window.allocate(world, 4, "f8", A.fence | A.local_load_store) as w:
        with w.fence_epoch():
            w.put(world.next, 1, comm.rank + 0.5)
        assert comm.allgather(w.local[1]) == [(r - 1) % comm.size + 0.5 for r in range(comm.size)]
    backwards = comm.Split(0, -comm.rank)
    team = job.team_of(range(comm.size - 1, -1, -1), backwards)
    assert team.rank == backwards.rank and team.allreduce(1, oriel.Op.sum) == comm.size


class Broken:
    """Raises from inside of a session that opens."""

    def Get_rank(self):
        return 0

    def Get_size(self):
        return 1

    def Allgather(self, mine, all):
        raise ZeroDivisionError("from the communicator")


del w, team, world, job
try:
    oriel.Session(comm=Broken())
    raise SystemExit("a broken communicator opened a session")
except ZeroDivisionError:
    pass
comm.Barrier()
if comm.rank == 0:
    print(f"right on {comm.size} ranks of mpi4py")
