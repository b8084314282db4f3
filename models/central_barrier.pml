/* The barrier of many ranks: one counter, whose last rank releases the others.

   stands for: sync/barrier.cpp central
   stands for: sync/wait.hpp wait_for wake_all
   Three ranks, two turns, one death, and signatures that differ in one turn: each rank learns of
   that in that turn, and in no other.
   Left out: the sum of signatures is a bit that says whether any two differed. */
#define RANKS 3
#define TURNS 2
#define DIFFER 1
#include "wait.pml"

byte arrived, differing;
bool unlike; /* the cut sum of signatures does not match */
wait_word released;
byte stored[RANKS];

proctype rank(byte me) {
  byte turn, all, r, seen;
  bool failed, odd;
  {
    for (turn : 1 .. TURNS) {
      stored[me] = turn;
#ifdef MUTANT_counts_without_an_atomic
      all = arrived + 1;
      arrived = all;
      if :: turn == DIFFER && me == 0 -> unlike = true :: else fi;
      odd = unlike;
#else
      atomic {
        arrived++;
        all = arrived;
        if :: turn == DIFFER && me == 0 -> unlike = true :: else fi;
        odd = unlike
      }
#endif
      if
      :: all == RANKS ->
#ifndef MUTANT_releases_before_it_resets
        atomic { arrived = 0; unlike = false };
#endif
#ifndef MUTANT_releases_before_it_reports
        if :: odd -> differing = turn :: else fi;
#endif
        released.value = turn;
#ifdef MUTANT_releases_before_it_resets
        atomic { arrived = 0; unlike = false };
#endif
#ifdef MUTANT_releases_before_it_reports
        if :: odd -> differing = turn :: else fi;
#endif
#ifndef MUTANT_wakes_nobody
        wake_all(released)
#endif
      :: else ->
#ifdef MUTANT_watches_nobody
        wait_for(released, released.value >= turn, false, failed);
#else
        wait_for(released, released.value >= turn, dead[0] || dead[1] || dead[2], failed);
#endif
        if :: failed -> goto given_up :: else fi
      fi;
      atomic {
        assert((differing == turn) == (turn == DIFFER));
        for (r : 0 .. RANKS - 1) { assert(stored[r] >= turn) }
        all = 0; odd = 0; r = 0
      }
    }
given_up:
    assert(!failed || killed != NOBODY)
  } unless DEATH(me)
}

init { atomic { run rank(0); run rank(1); run rank(2) } }
FATE
