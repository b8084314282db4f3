/* The barrier of up to eight ranks: a line each, that the others read.

   stands for: sync/barrier.hpp arrive_and_wait next_turn
   stands for: sync/wait.hpp wait_for wake_all
   sizes: -DRANKS=2 -DTURNS=3
   sizes: -DRANKS=3 -DTURNS=1
   One death. A signature that all have in common is compared, and what a
   rank stored before the barrier is read behind it.
   Left out: letters, which lie beside the signatures and by the same parity; turns that wrap. */
#include "wait.pml"

wait_word word[RANKS];
byte signature[2 * RANKS];
byte stored[RANKS];
#ifdef MUTANT_arrives_by_a_store
byte buffered[3]; /* the turn that a rank's store buffer holds; 0: none */
active proctype buffers() {
end:
  do
  :: d_step { buffered[0] != 0 -> word[0].value = buffered[0]; buffered[0] = 0 }
  :: d_step { buffered[1] != 0 -> word[1].value = buffered[1]; buffered[1] = 0 }
#if RANKS > 2
  :: d_step { buffered[2] != 0 -> word[2].value = buffered[2]; buffered[2] = 0 }
#endif
  od
}
#endif

#ifdef MUTANT_one_signature
#define SLOT(r, turn) (2 * (r))
#else
#define SLOT(r, turn) (2 * (r) + (turn) % 2)
#endif

proctype rank(byte me) {
  byte turn, r, seen;
  bool failed;
  {
    for (turn : 1 .. TURNS) {
      atomic { /* in any order: what follows orders them */
#ifndef MUTANT_stores_after_its_arrival
        stored[me] = turn;
#endif
#ifndef MUTANT_signs_after_its_arrival
        signature[SLOT(me, turn)] = turn;
#endif
        skip
      }
#ifdef MUTANT_arrives_by_a_store
      buffered[me] == 0 -> buffered[me] = turn;
#else
      word[me].value = turn;
#endif
#ifdef MUTANT_signs_after_its_arrival
      signature[SLOT(me, turn)] = turn;
#endif
#ifdef MUTANT_stores_after_its_arrival
      stored[me] = turn;
#endif
#ifndef MUTANT_wakes_nobody
      wake_all(word[me]);
#endif
      for (r : 0 .. RANKS - 1) {
        if
        :: r != me ->
#ifdef MUTANT_waits_for_its_own_turn_exactly
          wait_for(word[r], word[r].value == turn, dead[r], failed);
#else
#ifdef MUTANT_watches_nobody
          wait_for(word[r], word[r].value >= turn, false, failed);
#else
          wait_for(word[r], word[r].value >= turn, dead[r], failed);
#endif
#endif
          if
          :: failed -> goto given_up
          :: else
          fi;
          atomic { assert(signature[SLOT(r, turn)] == turn); assert(stored[r] >= turn) }
        :: else
        fi
      }
    }
given_up:
    atomic { assert(!failed || killed != NOBODY); turn = 0; r = 0; failed = false }
  } unless DEATH(me)
}

init { byte r; atomic { for (r : 0 .. RANKS - 1) { run rank(r) } } }
FATE
