/* Who releases a block of shared memory: the last to depart, for those too that have died.

   stands for: sync/last_out.hpp leave all_have_left depart
   stands for: session/team/collectives.cpp depart
   stands for: win/construct/parting.cpp until_neighbours_have_left
   Three ranks, one death. A rank leaves, waits until all others have left or died, departs, and
   reads nothing of the block behind that. The block is released once. Where nobody dies, or before
   anybody departs, it is released; a later death may leave it until the job ends.
   Left out: ranks that stay out, which depart alike. */
#define RANKS 3
#include "wait.pml"

#define HERE 0
#define LEFT 1
#define DEPARTED 2
byte stage[RANKS], counted, finished;
bool uses[RANKS], released, leaks;
#define TOUCH assert(!released)

proctype rank(byte me) {
  byte r, before, count;
  bool last;
  {
    uses[me] = true;
    /* ... the window's time ... */
#ifdef MUTANT_leaves_while_it_uses
    stage[me] = LEFT;
    uses[me] = false;
#else
    uses[me] = false;
    stage[me] = LEFT;
#endif
    for (r : 0 .. RANKS - 1) {
#ifdef MUTANT_waits_for_the_dead
      stage[r] != HERE
#else
      (stage[r] != HERE || dead[r])
#endif
    }
    /* What must stay for the others goes now. */
    for (r : 0 .. RANKS - 1) { assert(dead[r] || !uses[r]) }
#ifndef MUTANT_marks_after_its_search
    atomic { before = stage[me]; stage[me] = DEPARTED };
#endif
    count = 1;
#ifdef MUTANT_counts_before_its_search
    atomic { counted = counted + count; last = counted == RANKS; count = 0 };
    if :: last -> assert(!released); released = true :: else fi;
#endif
    for (r : 0 .. RANKS - 1) {
      TOUCH;
      if
      :: r == me || stage[r] == DEPARTED
      :: else ->
        if
        :: !dead[r] -> break
        :: else ->
#ifdef MUTANT_marks_the_dead_by_a_store
          before = stage[r];
          stage[r] = DEPARTED;
#else
          atomic { before = stage[r]; stage[r] = DEPARTED };
#endif
          if :: before != DEPARTED -> count++ :: else fi
        fi
      fi
    }
#ifdef MUTANT_marks_after_its_search
    stage[me] = DEPARTED;
#endif
#ifdef MUTANT_counts_itself_alone
    count = 1;
#endif
    TOUCH;
    atomic { counted = counted + count; last = counted == RANKS };
    if :: last -> assert(!released); released = true :: else fi;
    atomic { r = 0; before = 0; count = 0; last = false };
    finished++
  } unless { atomic { killed == me -> dead[me] = true; finished++;
      leaks = stage[0] == DEPARTED || stage[1] == DEPARTED || stage[2] == DEPARTED } }
}

active proctype judge() { finished == RANKS -> assert(released || leaks) }
init { atomic { run rank(0); run rank(1); run rank(2) } }
FATE
