/* Notification: counters that others add to, a wait for one of them and a wait for any of two.

   stands for: sync/notify_counter.hpp add refuse wait_by is_decided why_refused begin_choice end_choice ring_all
   stands for: sync/notify_choice.hpp wait_by decided reached announcement
   stands for: sync/doorbell.hpp ring
   stands for: sync/wait.hpp wait_for wait_slowly
   A rank adds to both counters once and refuses once; the owner waits for one counter, then for any
   of both, in two threads. The rank that adds may be killed: a wait whose count is reached returns
   success all the same, and what was stored before the add is seen. A store buffer stands for what
   the atomic additions and announcements order.
   Mutants of wait.pml: MUTANT_announces_after_its_look MUTANT_announces_by_a_store
   MUTANT_sleeps_whatever_the_word_is MUTANT_reports_without_another_look
   Left out: take(), and the count's wrap. */
#define RANKS 3
#include "wait.pml"

byte count[2], refused[2], choosers[2], stored;
wait_word bell[2], common;

#if defined(MUTANT_adds_by_a_store) || defined(MUTANT_announces_by_a_store)
byte buffered[2];
active proctype buffers() {
end:
  do
  :: atomic { buffered[0] != 0 -> count[0] = count[0] + buffered[0]; buffered[0] = 0 }
  :: atomic { buffered[1] != 0 -> count[1] = count[1] + buffered[1]; buffered[1] = 0 }
  :: atomic { bell[0].announcing != 0 -> bell[0].sleepers++; bell[0].announcing = 0 }
  :: atomic { common.announcing != 0 -> common.sleepers++; common.announcing = 0 }
  od
}
#endif

inline ring(w) {
  if
  :: w.sleepers == 0
  :: else ->
#ifndef MUTANT_rings_without_a_change
    w.value++;
#endif
    w.asleep = 0
  fi
}
inline ring_all(k) {
  ring(bell[k]);
#ifndef MUTANT_rings_no_common_bell
  if :: choosers[k] != 0 -> ring(common) :: else fi
#endif
}
#ifdef MUTANT_counts_no_refusal
#define DECIDED(k, n) (count[k] >= n)
#else
#define DECIDED(k, n) (count[k] + refused[k] >= n)
#endif

active proctype adder() {
  byte k;
  {
#ifndef MUTANT_stores_after_its_add
    stored = 1;
#endif
    for (k : 0 .. 1) {
#ifdef MUTANT_rings_before_it_adds
      ring_all(k);
      count[k]++;
#else
#ifdef MUTANT_adds_by_a_store
      buffered[k]++;
#else
      count[k]++;
#endif
#ifdef MUTANT_stores_after_its_add
      stored = 1;
#endif
      ring_all(k);
#endif
    }
#ifdef MUTANT_rings_before_it_adds
    ring_all(0);
    refused[0]++
#else
    refused[0]++;
    ring_all(0)
#endif
  } unless DEATH(0)
}

active proctype waiter() {
  byte seen;
  bool failed;
  wait_for(bell[0], DECIDED(0, 1), dead[0], failed);
  assert(failed || count[0] + refused[0] >= 1);
  assert(!failed || count[0] < 1);
  if :: count[0] >= 1 -> assert(stored == 1) :: else fi;
  wait_for(bell[0], DECIDED(0, 2), dead[0], failed); /* the second is refused */
  assert(!failed || count[0] + refused[0] < 2);
  assert(failed || refused[0] == 1)
}

active proctype chooser() {
  byte seen;
  bool failed;
#ifndef MUTANT_announces_no_choice
  choosers[0]++;
  choosers[1]++;
#endif
  wait_for(common, DECIDED(0, 3) || DECIDED(1, 1), dead[0], failed);
  choosers[0]--;
  choosers[1]--;
  assert(failed || count[1] == 1)
}

active proctype fate() { if :: killed = 0 :: skip fi }
