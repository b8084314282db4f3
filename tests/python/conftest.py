"""Each rank of a job runs all tests; the first that fails ends the job (-x)."""

import numpy as np
import pytest

import oriel
from oriel import Assertion as A


@pytest.fixture(scope="session")
def job():
    with oriel.Session() as session:
        yield session


@pytest.fixture
def world(job):
    yield job.world
    job.world.barrier()


@pytest.fixture
def make(world):
    """Makes windows that the test's end frees, on all ranks in one order."""
    made = []

    def make_one(shape=64, dtype=np.int64, assertions=A.shared_lock | A.local_load_store, **options):
        made.append(oriel.Window.allocate(world, shape, dtype, assertions, **options))
        return made[-1]

    yield make_one
    for window in made:
        if window.valid:
            window.clear_failure()
            window.free()
