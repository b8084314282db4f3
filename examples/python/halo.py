"""Heat on a ring of tiles: each rank owns a tile of a plane that is divided into columns, and puts its
edge columns into its neighbours' halos before each step. The edges are strided; the notification says that
they are there. Compares the result with the whole plane, computed by rank 0.

    oriel-run -n 4 python3 examples/python/halo.py
"""

import sys

import numpy as np

import oriel
from oriel import Assertion as A
from oriel import Op

ROWS, COLUMNS, STEPS = 64, 32, 50  # of a tile, halos aside
FROM_LEFT, FROM_RIGHT = 0, 1  # counters


def start(column):
    """The plane at the beginning, in its column `column`."""
    return np.sin(np.arange(ROWS) * 0.1) + np.cos(column * 0.3)


def step(wide):
    """One step of the columns between the first and the last, which stay."""
    inner = wide[:, 1:-1]
    inner[1:-1] += 0.1 * (wide[2:, 1:-1] + wide[:-2, 1:-1] + wide[1:-1, 2:] + wide[1:-1, :-2] - 4 * inner[1:-1])


def whole(ranks):
    columns = COLUMNS * ranks
    plane = np.stack([start(c) for c in range(columns)], axis=1)
    for _ in range(STEPS):
        wide = np.concatenate([plane[:, -1:], plane, plane[:, :1]], axis=1)
        step(wide)
        plane = wide[:, 1:-1]
    return plane


def main():
    with oriel.Session() as job:
        world = job.world
        width = COLUMNS + 2
        promise = A.shared_lock | A.local_load_store | A.user_datatype | A.multi_element | A.notify
        # Two tiles, in turn: a neighbour that is a step ahead writes into the other.
        with oriel.Window.allocate(world, (2, ROWS, width), np.float64, promise, name="tiles",
                                   notify_counters=2) as tiles:
            mine = tiles.local
            mine[0, :, 1:-1] = np.stack([start(world.rank * COLUMNS + c) for c in range(COLUMNS)], axis=1)
            world.barrier()
            with tiles.lock_all():
                for now in range(STEPS):
                    tile, at = mine[now % 2], now % 2 * ROWS * width
                    tiles.put_notify(world.previous, at + width - 1, tile[:, 1], FROM_RIGHT, strides=width)
                    tiles.put_notify(world.next, at, tile[:, -2], FROM_LEFT, strides=width)
                    tiles.wait_notify(FROM_LEFT, now + 1)
                    tiles.wait_notify(FROM_RIGHT, now + 1)
                    wide = tile.copy()
                    step(wide)
                    mine[(now + 1) % 2, :, 1:-1] = wide[:, 1:-1]
            tile = np.ascontiguousarray(mine[STEPS % 2, :, 1:-1])
            planes = world.allgather(tile)
            wrong = 0
            if world.rank == 0:
                wrong = int(not np.allclose(np.concatenate(list(planes), axis=1), whole(world.size)))
                print(f"{STEPS} steps on {world.size} tiles of {ROWS} x {COLUMNS}: {'wrong' if wrong else 'right'}")
            return world.allreduce(wrong, Op.max)


if __name__ == "__main__":
    sys.exit(main())
