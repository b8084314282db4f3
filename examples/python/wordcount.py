"""Counts the words of files in a hash map of all ranks, each of which reads every n-th line.

    oriel-run -n 4 python3 examples/python/wordcount.py [FILE…]     (default: the licences that Debian carries)

Prints the ten words that are most frequent, and compares the total with that of all lines. Words are told apart
by their first 32 bytes.
"""

import glob
import re
import sys

import numpy as np

import oriel
from oriel import Op

WORD = re.compile(rb"[0-9a-z]+")
BATCH = 1 << 16  # words


def words_of(files, rank, ranks):
    """Lists of words of every `ranks`-th line, a batch each."""
    batch = []
    for name in files:
        with open(name, "rb") as lines:
            for number, line in enumerate(lines):
                if number % ranks == rank:
                    batch += WORD.findall(line.lower())
                    if len(batch) >= BATCH:
                        yield batch
                        batch = []
    yield batch


def main(files):
    files = files or sorted(glob.glob("/usr/share/common-licenses/*"))
    with oriel.Session() as job:
        world = job.world
        with oriel.HashMap(world, 200_000, "S32", np.int64, name="words") as counts:
            total = 0
            with counts.insert_only() as phase:
                for batch in words_of(files, world.rank, world.size):
                    if batch:
                        phase.fetch_add(np.array(batch, "S32"), 1)
                        total += len(batch)
            distinct = counts.size()
            words, times = counts.local_items()
            counted = world.allreduce(int(times.sum()), Op.sum)
            # The best of each rank, of which all ranks take the best.
            best = np.zeros(10, [("times", "i8"), ("word", "S32")])
            mine = np.argsort(times)[::-1][:10]
            best["times"][:len(mine)], best["word"][:len(mine)] = times[mine], words[mine]
            everywhere = np.sort(world.allgather(best).reshape(-1), order=["times", "word"])[::-1][:10]
            if world.rank == 0:
                print(f"{counted} words, {distinct} different")
                for row in everywhere:
                    print(f"{row['times']:8} {row['word'].decode()}")
            return int(counted != world.allreduce(total, Op.sum) or counted == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
