/* Post, start, complete, wait, in shared memory.

   stands for: sync/pscw.hpp origin_line target_line
   stands for: sync/pscw.cpp post start complete wait
   stands for: sync/wait.hpp wait_for wake_all
   Ranks 0 and 1 are origins of rank 2, which exposes twice; rank 0 is exposed to rank 1 as well, so
   that an origin starts with two targets. One death. An origin accesses only what is exposed to it,
   what it stored is there when the exposure ends, and no survivor stays behind.
   Left out: letters, tests instead of waits, completions of other nodes. */
#define RANKS 3
#define TURNS 2
#include "wait.pml"

byte posts[RANKS * RANKS]; /* origin * RANKS + target */
wait_word posted[RANKS], completed[RANKS];
bool exposed[RANKS];
byte stored[RANKS * RANKS]; /* at a target, by an origin: the turn */
#ifdef MUTANT_completes_by_a_store
#define COMPLETE(t) tmp = completed[t].value; completed[t].value = tmp + 1
#else
#define COMPLETE(t) completed[t].value++
#endif
#ifdef MUTANT_watches_nobody
#define GONE false
#else
#define GONE (dead[0] || dead[1] || dead[2])
#endif

inline post(origin) {
#ifdef MUTANT_bumps_before_it_posts
  posted[origin].value++;
  wake_all(posted[origin]);
#endif
#ifdef MUTANT_posts_a_flag
  posts[origin * RANKS + me] = 1;
#else
  posts[origin * RANKS + me]++;
#endif
#ifndef MUTANT_bumps_before_it_posts
#ifndef MUTANT_bumps_nothing
  posted[origin].value++;
#endif
  wake_all(posted[origin])
#endif
}
inline start(target, consumed) {
#ifndef MUTANT_starts_at_once
  wait_for(posted[me], posts[me * RANKS + target] != consumed, GONE, failed);
  if :: failed -> goto given_up :: else fi;
#endif
  consumed = posts[me * RANKS + target]
}
inline access(target) {
  atomic { assert(exposed[target] || killed != NOBODY); stored[target * RANKS + me] = turn }
}
inline complete(target) {
  COMPLETE(target);
  wake_all(completed[target])
}

proctype rank(byte me) {
  byte turn, seen, tmp, consumed_of_0, consumed_of_2, awaited;
  bool failed;
  {
    for (turn : 1 .. TURNS) {
      if
      :: me == 2 ->
        exposed[2] = true;
        awaited = awaited + 2;
        post(0);
        post(1);
        wait_for(completed[2], completed[2].value == awaited, GONE, failed);
        if :: failed -> goto given_up :: else fi;
        atomic {
          exposed[2] = false;
          assert(stored[2 * RANKS] == turn && stored[2 * RANKS + 1] == turn)
        }
      :: me == 0 && turn == 1 ->
        exposed[0] = true;
        awaited = awaited + 1;
        post(1);
        start(2, consumed_of_2);
        access(2);
        complete(2);
        wait_for(completed[0], completed[0].value == awaited, GONE, failed);
        if :: failed -> goto given_up :: else fi;
        atomic { exposed[0] = false; assert(stored[1] == turn) }
      :: me == 0 && turn != 1 ->
        start(2, consumed_of_2);
        access(2);
        complete(2)
      :: me == 1 ->
        start(2, consumed_of_2);
        if :: turn == 1 -> start(0, consumed_of_0) :: else fi;
#ifdef MUTANT_accesses_after_it_completes
        complete(2);
        access(2);
#else
        access(2);
        if :: turn == 1 -> access(0) :: else fi;
        complete(2);
#endif
        if :: turn == 1 -> complete(0) :: else fi
      fi
    }
given_up:
    atomic {
      assert(!failed || killed != NOBODY);
      turn = 0; consumed_of_0 = 0; consumed_of_2 = 0; awaited = 0; failed = false
    }
  } unless DEATH(me)
}

init { atomic { run rank(0); run rank(1); run rank(2) } }
FATE
