"""One-sided communication from Python over numpy buffers, through mpi4py: every way to make a window, the
transfers, the atomics and the synchronizations. What an operation reads stays in a variable until the
operation is complete. Debian 12 builds mpi4py for Open MPI only."""

import sys

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
me, size = world.Get_rank(), world.Get_size()
following, preceding = (me + 1) % size, (me - 1) % size
LENGTH = 64


def expect(right, what):
    """Ends the job with a message unless right."""
    if not right:
        print(f"numpy windows: wrong on rank {me}: {what}", flush=True)
        world.Abort(1)


def line(rank):
    """What rank writes: different for every rank and place."""
    return 1000.0 * rank + numpy.arange(LENGTH)


def created():
    """Fences around puts and gets in memory of numpy's own, at offsets and with strides."""
    memory, mine = numpy.zeros(LENGTH), line(me)
    window = MPI.Win.Create(memory, memory.itemsize, comm=world)
    window.Fence()
    window.Put(mine, following)
    window.Fence()
    expect((memory == line(preceding)).all(), "put between fences")

    some = numpy.empty(5)
    window.Get(some, following, target=(10, 5, MPI.DOUBLE))
    window.Fence()
    expect((some == line(me)[10:15]).all(), "get between fences")

    every_fourth = MPI.DOUBLE.Create_vector(LENGTH // 4, 1, 4).Commit()
    minus = numpy.full(LENGTH // 4, -1.0)
    window.Put([minus, LENGTH // 4, MPI.DOUBLE], following, target=(0, 1, every_fourth))
    window.Fence()
    expect((memory[::4] == -1).all() and (memory[1::4] == line(preceding)[1::4]).all(), "strided put")
    every_fourth.Free()

    window.Fence()
    ones = numpy.ones(LENGTH)
    window.Accumulate(ones, 0, op=MPI.SUM)
    window.Fence(MPI.MODE_NOSUCCEED)
    if me == 0:
        expect(memory[4] == -1 + size, "accumulate between fences")
    window.Free()


def allocated():
    """Locks, flushes, requests and atomics in memory that the window brings."""
    window = MPI.Win.Allocate(LENGTH * 8, 8, comm=world)
    memory = numpy.frombuffer(window, dtype="i8")
    memory[:] = 0
    world.Barrier()
    one, old = numpy.ones(1, dtype="i8"), numpy.empty(1, dtype="i8")
    tickets = []
    window.Lock_all()
    for _ in range(50):
        window.Fetch_and_op(one, old, 0, 3, MPI.SUM)
        window.Flush(0)
        tickets.append(int(old[0]))
    window.Unlock_all()
    expect(tickets == sorted(set(tickets)), "tickets of one rank rise")
    expect(sorted(sum(world.allgather(tickets), [])) == list(range(50 * size)), "tickets are drawn once")

    desired, nobody = numpy.array([me + 1], "i8"), numpy.zeros(1, "i8")
    window.Lock(size - 1, MPI.LOCK_SHARED)
    window.Compare_and_swap(desired, nobody, old, size - 1, 7)
    window.Unlock(size - 1)
    winners = world.allreduce(int(old[0] == 0))
    expect(winners == 1, "compare and swap has one winner")

    for _ in range(20):
        window.Lock(0, MPI.LOCK_EXCLUSIVE)
        window.Get(old, 0, target=(5, 1, MPI.INT64_T))
        window.Flush(0)
        old += 1
        window.Put(old, 0, target=(5, 1, MPI.INT64_T))
        window.Unlock(0)
    world.Barrier()
    if me == 0:
        window.Lock(0, MPI.LOCK_SHARED)
        expect(memory[5] == 20 * size, "exclusive locks exclude")
        window.Unlock(0)
    world.Barrier()

    window.Lock(following, MPI.LOCK_SHARED)
    values = numpy.arange(10, dtype="i8") + 100 * me
    requests = [window.Rput(values[i : i + 1], following, target=(20 + i, 1, MPI.INT64_T)) for i in range(10)]
    MPI.Request.Waitall(requests)
    window.Flush(following)
    got = numpy.empty(10, dtype="i8")
    window.Rget(got, following, target=(20, 10, MPI.INT64_T)).Wait()
    expect((got == values).all(), "Rput and Rget")
    window.Raccumulate(values, following, target=(20, 10, MPI.INT64_T), op=MPI.MAX).Wait()
    window.Rget_accumulate(values, got, following, target=(20, 10, MPI.INT64_T), op=MPI.NO_OP).Wait()
    expect((got == values).all(), "Raccumulate and Rget_accumulate")
    window.Unlock(following)
    world.Barrier()
    window.Free()


def posted():
    """Post, start, complete and wait between neighbours only."""
    memory, mine = numpy.zeros(LENGTH), line(me)
    window = MPI.Win.Create(memory, memory.itemsize, comm=world)
    group = world.Get_group()
    origins, targets = group.Incl([preceding]), group.Incl([following])
    for step in range(5):
        window.Post(origins)
        window.Start(targets)
        stepped = mine + step
        window.Put(stepped, following)
        window.Complete()
        window.Wait()
        expect((memory == line(preceding) + step).all(), "post, start, complete, wait")
    for each in (origins, targets, group):
        each.Free()
    window.Free()


def shared():
    """Memory of others by load and store, after a query."""
    node = world.Split_type(MPI.COMM_TYPE_SHARED)
    window = MPI.Win.Allocate_shared(LENGTH * 8, 8, comm=node)
    memory, unit = window.Shared_query(node.Get_rank())
    numpy.frombuffer(memory, dtype="d")[:] = line(me)
    expect(unit == 8, "displacement unit")
    window.Fence()
    other = (node.Get_rank() + 1) % node.Get_size()
    theirs = numpy.frombuffer(window.Shared_query(other)[0], dtype="d")
    expect((theirs == line(node.allgather(me)[other])).all(), "shared memory")
    window.Fence()
    window.Free()
    node.Free()


def dynamic():
    """Attached memory, at addresses."""
    memory, mine = numpy.zeros(LENGTH), line(me)
    window = MPI.Win.Create_dynamic(comm=world)
    window.Attach(memory)
    places = world.allgather(MPI.Get_address(memory))
    window.Lock(following)
    window.Put(mine, following, target=(places[following], LENGTH, MPI.DOUBLE))
    window.Unlock(following)
    world.Barrier()
    expect((memory == line(preceding)).all(), "put into attached memory")
    world.Barrier()
    window.Detach(memory)
    window.Free()


def main():
    """Everything in turn; rank 0 says so at the end."""
    for part in (created, allocated, posted, shared, dynamic):
        part()
    world.Barrier()
    if me == 0:
        print(f"numpy windows: right on {size} ranks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
