/* Requests to the owner of memory: the slots, the bell, and who serves.

   stands for: sync/mailbox.hpp serve_pending answer take withdrawn served are_few
   stands for: sync/mailbox.cpp ask wait_for_answer note_looks late_
   stands for: sync/request_bell.hpp ring wake_agent be_attended attended
   stands for: transport/agent.cpp begin_round until_next end_early serve_rung
   stands for: transport/service_thread.cpp run serve_here serve_all
   sizes: -DORIGINS=1
   sizes: -DORIGINS=1 -DMANY
   sizes: -DORIGINS=2 -DALONE
   An origin asks an owner twice, and may give up the first time; or two ask once of an agent ALONE. The owner looks at
   all slots, which are few, or at bits, which stand for MANY. Its agent
   sleeps on the bell; a thread of its program serves once, when it likes, and computes for ever
   after that. The owner may be killed. No request waits for ever, each is answered once and with its
   own reply, the agent ends when it is to, and a request that names its operands leaves them alone
   once its origin has given up waiting.
   No wake of a bell may be lost here, which the library's sleep of 50 ms would hide.
   Left out: payloads that do not fit, letters, how often an origin looks. */
#define RANKS 3
#define OWNER 2 /* the others are origins */
#include "wait.pml"

wait_word state[2], rung; /* a slot's state is odd while its request is under way */
byte request[2], reply[2], origins_left = ORIGINS;
bool bit_of[2], attended, stop, held;
bool in_service[2]; /* the operands that a request names are read or written */
byte taken; /* of slot 0, where its request names its operands and may be withdrawn */
#define OPEN 0
#define SERVED 1
#define WITHDRAWN 2
#define IS_ASKED(o) (state[o].value % 2 == 1)

inline ring_bell(later) {
  rung.value++;
#ifdef MUTANT_leaves_it_to_the_program
  if :: attended -> later = false :: else -> wake_all(rung) fi
#else
#ifdef MUTANT_wakes_nobody
  later = false
#else
  if :: attended -> later = true :: else -> later = false; wake_all(rung) fi
#endif
#endif
}

#ifdef MUTANT_watches_nobody
#define GONE false
#else
#define GONE dead[OWNER]
#endif

/* `expires`: the origin may give up after ORIEL_TIMEOUT. */
inline await(expires) {
  if
  :: later -> if :: IS_ASKED(me) -> wake_all(rung) :: else fi
  :: else
  fi;
  later = false;
  timed_out = false;
  if
  :: wait_for(state[me], !IS_ASKED(me), GONE, failed)
  :: expires -> skip; timed_out = IS_ASKED(me)
  fi
}
inline ask(names) {
  atomic {
    request[me]++;
    taken = OPEN
  };
#ifdef MUTANT_rings_before_it_asks
  ring_bell(later);
#endif
  state[me].value = (state[me].value | 1) + 2;
#ifdef MANY
  bit_of[me] = true;
#endif
#ifndef MUTANT_rings_before_it_asks
  ring_bell(later);
#endif
  await(names);
  if
  :: failed -> goto given_up
  :: timed_out ->
#ifdef MUTANT_withdraws_without_taking
    late = true
#else
    if
    :: atomic { taken == OPEN -> taken = WITHDRAWN }; late = true
    :: else ->
      await(false);
      if :: failed -> goto given_up :: else fi
    fi
#endif
  :: else
  fi;
  if
  :: late -> assert(!in_service[me] || dead[OWNER]) /* its caller may use the operands' memory */
  :: else -> assert(reply[me] == request[me])
  fi
}

proctype origin(byte me) {
  byte seen;
  bool failed, later, late, timed_out;
  ask(ORIGINS == 1);
#if ORIGINS == 1
#ifndef MUTANT_asks_though_unanswered
  if
  :: late -> await(false); if :: failed -> goto given_up :: else fi
  :: else
  fi;
#endif
  late = false;
  ask(false);
#endif
given_up:
  atomic { assert(!failed || killed != NOBODY); origins_left-- }
}

inline answer(o) {
  serves = true;
#ifndef MUTANT_serves_without_taking
#if ORIGINS == 1
  atomic { if :: taken == OPEN -> taken = SERVED :: else -> serves = false fi };
#endif
#endif
  if
  :: serves -> in_service[o] = true; atomic { reply[o] = request[o]; in_service[o] = false }
  :: else
  fi;
  state[o].value = state[o].value - state[o].value % 2;
  wake_all(state[o])
}
inline serve_pending() {
  for (r : 0 .. ORIGINS - 1) {
#ifdef MANY
#ifdef MUTANT_clears_its_bits_late
    if :: bit_of[r] -> answer(r); bit_of[r] = false; worked = true :: else fi
#else
    if :: atomic { bit_of[r] -> bit_of[r] = false }; answer(r); worked = true :: else fi
#endif
#else
    if :: IS_ASKED(r) -> answer(r); worked = true :: else fi
#endif
  }
}
byte served; /* what the bell showed when it was served last */
inline serve_all() {
#ifndef MUTANT_notes_the_bell_after_its_round
  served = rung.value;
#endif
  worked = false;
  serve_pending();
#ifdef MUTANT_notes_the_bell_after_its_round
  served = rung.value
#endif
}

active proctype agent() {
  byte seen, r;
  bool failed, worked, serves;
  {
    do
    :: stop -> break
    :: else ->
      atomic { !held -> held = true };
      serve_all();
      held = false;
      if :: worked && attended -> attended = false :: else fi;
      wait_for(rung, rung.value != served || stop, false, failed)
    od
  } unless DEATH(OWNER)
}
active proctype program() {
  byte r;
  bool worked, serves, later;
  {
#ifndef ALONE
#ifdef MUTANT_serves_beside_the_agent
    skip;
#else
    if :: atomic { !held -> held = true } :: atomic { held -> goto computes } fi;
#endif
    serve_all();
#ifndef MUTANT_serves_beside_the_agent
    held = false;
#endif
    if :: worked && !attended -> attended = true :: else fi;
computes:
#endif
    origins_left == 0;
    stop = true;
    /* end_early() */
    ring_bell(later);
    if :: later -> wake_all(rung) :: else fi
  } unless { killed == OWNER }
}
active proctype fate() { if :: killed = OWNER :: skip fi }
init { byte o; atomic { for (o : 0 .. ORIGINS - 1) { run origin(o) } } }
