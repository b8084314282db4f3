/* Notification: counters that others add to, a wait for one of them and a wait for any of two.

   stands for: sync/notify_counter.hpp add refuse wait_by is_decided why_refused begin_choice end_choice ring_all
   stands for: sync/notify_choice.hpp wait_by decided reached announcement
   stands for: sync/doorbell.hpp ring
   stands for: sync/wait.hpp wait_for wait_slowly
   A rank adds to both counters once and refuses once, in any order, or leaves the second counter out; the
   owner waits for one counter, and in another thread for any of both. The rank that adds may be killed:
   a wait whose count is reached returns success all the same, and what was stored before the add is seen.
   Who has chosen is no chooser any more. A store buffer stands for what the atomic additions and
   announcements order.
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

/* What the chooser waits for: of the first counter what it reaches where the second is left out. */
bool leaves_out;
#define CHOSEN (DECIDED(0, 3 - leaves_out) || DECIDED(1, 1))

inline add(k) {
#ifdef MUTANT_rings_before_it_adds
  ring_all(k);
#endif
#ifndef MUTANT_stores_after_its_add
  stored = 1;
#endif
#ifdef MUTANT_adds_by_a_store
  buffered[k]++;
#else
  count[k]++;
#endif
#ifdef MUTANT_stores_after_its_add
  stored = 1;
#endif
#ifndef MUTANT_rings_before_it_adds
#ifndef MUTANT_rings_for_refusals_alone
  ring_all(k)
#endif
#endif
}
active proctype adder() {
  bool added[2], refuses;
  {
    if :: leaves_out = true; added[1] = true :: skip fi;
    do
    :: !added[0] -> added[0] = true; add(0)
    :: !added[1] -> added[1] = true; add(1)
    :: !refuses ->
      refuses = true;
      refused[0]++;
      ring_all(0)
    :: added[0] && added[1] && refuses -> break
    od
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
#ifndef MUTANT_announces_no_choice_of_the_first
  choosers[0]++;
#endif
#ifndef MUTANT_announces_no_choice_of_the_second
  choosers[1]++;
#endif
  wait_for(common, CHOSEN, dead[0], failed);
  assert(failed || CHOSEN);
#ifndef MUTANT_announces_no_choice_of_the_first
#ifndef MUTANT_chooses_for_ever
  choosers[0]--;
#endif
#endif
#ifndef MUTANT_announces_no_choice_of_the_second
  choosers[1]--;
#endif
  assert(choosers[0] == 0 && choosers[1] == 0)
}

active proctype fate() { if :: killed = 0 :: skip fi }
