"""Memory of a device, which is the test driver's: the host reaches it by operations and copies alone."""

import numpy as np
import pytest

import oriel
from oriel import Assertion as A


@pytest.fixture(scope="session")
def job():
    kinds = "mpi,system,cuda:device,cuda:managed,cuda:host"
    with oriel.Session(hints={"mpi_memory_alloc_kinds": kinds}) as session:
        yield session


def test_windows_of_device_memory(job, world):
    with oriel.Window.allocate(world, 16, "f4", A.fence | A.multi_element,
                               memory_kind="cuda:device") as w:
        mine = w.local
        assert isinstance(mine, oriel.DeviceArray) and mine.shape == (16,) and len(mine) == 16
        assert mine.__dlpack_device__()[0] == 2 == w.__dlpack_device__()[0]
        with w.fence_epoch():
            w.put(world.next, 0, np.arange(16, dtype="f4") + world.rank)
        back = np.zeros(16, "f4")
        job.copy(back, mine)
        assert (back == np.arange(16) + world.previous).all()
        capsule = w.__dlpack__()
        del mine
        with pytest.raises(BufferError):
            w.free()
        del capsule
        world.barrier()


def test_origins_and_results_on_a_device(job, world):
    kinds = {"mpi_assert_memory_alloc_kinds": "cuda:device,system,mpi"}
    source, result = (job.alloc_mem(64, "cuda:device") for _ in range(2))
    assert source.kind == "cuda:device" == job.kind_of(source)
    job.copy(source, np.arange(8) * (world.rank + 1))
    promised = A.shared_lock | A.multi_element | A.local_load_store
    with oriel.Window.allocate(world, 8, "i8", promised, hints=kinds) as w:
        with w.lock_all():
            w.put(world.next, 0, source.array("i8"))
            w.flush_all()
            w.get(world.next, 0, out=result)
        back = np.zeros(8, "i8")
        job.copy(back, result)
        assert (back == np.arange(8) * (world.rank + 1)).all()
        with pytest.raises(TypeError):
            w.put(world.next, 0, source.array("f8"))

        class Foreign:  # what another library's array shows
            def __dlpack_device__(self):
                return source.array("i8").__dlpack_device__()

            def __dlpack__(self, stream=None):
                return source.array("i8").__dlpack__()

        with w.lock_all():
            w.put(world.rank, 0, Foreign())
            w.flush_all()
        world.barrier()


def test_kinds_that_the_host_reaches_are_arrays(job, world):
    for kind, device in (("cuda:managed", 13), ("cuda:host", 3)):
        memory = job.alloc_mem(64, kind)
        a = memory.array("f8")
        a[:] = 2
        assert isinstance(a, np.ndarray) and a.sum() == 16
        with oriel.Window.allocate(world, 8, "f8", A.shared_lock | A.local_load_store, memory_kind=kind) as w:
            assert isinstance(w.local, np.ndarray) and w.__dlpack_device__()[0] == device
        del a
