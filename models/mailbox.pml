/* Requests to the owner of memory: the slots, the bell, and who serves.

   stands for: sync/mailbox.hpp serve_pending answer taken_by is_taken withdrawing are_few
   stands for: sync/mailbox.cpp ask post wait_for_answer withdraw late_
   stands for: sync/owner_watch.hpp note_looks
   stands for: sync/request_bell.hpp ring wake_agent be_attended attended
   stands for: transport/agent.cpp begin_round until_next end_early serve_rung
   stands for: transport/service_thread.cpp run serve_here serve_all
   sizes: -DORIGINS=1 -DMANY -DALONE
   sizes: -DORIGINS=1
   sizes: -DORIGINS=2 -DALONE
   An origin asks an owner twice, and may withdraw either request, or give up the first; or two ask once of an agent
   ALONE. The owner looks at all slots, which are few, or at bits, which stand for MANY. Its agent
   sleeps on the bell; a thread of its program serves once, when it likes, and computes for ever
   after that. The owner may be killed. No request waits for ever, each is answered once and with its
   own reply, or withdrawn and never carried out, the agent ends when it is to, and a request that names its operands
   leaves them alone once its origin has given up waiting.
   No wake of a bell may be lost here, which the library's sleep of 50 ms would hide.
   Left out: payloads that do not fit, letters, how often an origin looks, whether it withdraws a request for lack of
   time or for another thread of its own. */
#define RANKS 3
#define OWNER 2 /* the others are origins */
#include "wait.pml"

wait_word state[2], rung; /* a slot's state is four times the request's number, and what follows */
#define UNDER_WAY 1
#define LEFT 2
#define NUMBER 4
bool withdrawing[2];      /* of the same word */
byte request[2], reply[2], origins_left = ORIGINS;
bool bit_of[2], attended, stop, held;
bool in_service[2]; /* the operands of a request are read or written */
byte gone[2];       /* the state of the request that was withdrawn last */
byte taken;         /* what the owner carries out */
#define NAME(o, asked) (((o) + 1) * 32 + (asked))
#define IS_ASKED(o) (state[o].value % NUMBER == UNDER_WAY)
#define IS_ANSWERED (state[me].value != asked && state[me].value != asked + LEFT)

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

/* `expires`: the origin may wait no longer. */
inline await(expires) {
  if
  :: later -> if :: IS_ASKED(me) -> wake_all(rung) :: else fi
  :: else
  fi;
  atomic { later = false; failed = false };
  if
  :: wait_for(state[me], IS_ANSWERED || (withdrawing[me] && taken != NAME(me, asked)), GONE, failed)
  :: expires -> skip
  fi
}
inline withdraw() {
#ifdef MUTANT_looks_before_it_withdraws
  found = taken != NAME(me, asked);
  atomic { found = found && !IS_ANSWERED; if :: found -> withdrawing[me] = true :: else fi };
#else
  atomic { found = !IS_ANSWERED; if :: found -> withdrawing[me] = true :: else fi };
#ifdef MUTANT_looks_first_whether_it_is_answered
  if :: found && IS_ANSWERED -> found = false :: else fi;
#endif
#ifndef MUTANT_withdraws_what_is_taken
  if :: found && taken == NAME(me, asked) -> found = false :: else fi;
#endif
#endif
#if !defined MUTANT_withdraws_what_is_answered && !defined MUTANT_looks_first_whether_it_is_answered
  if :: found && IS_ANSWERED -> found = false :: else fi;
#endif
  if
  :: found ->
    atomic { state[me].value = asked - UNDER_WAY; withdrawing[me] = false; gone[me] = asked };
    assert(reply[me] != request[me] && (!in_service[me] || dead[OWNER])); /* the operands' memory may be used */
    found = false;
    withdrawn = true
  :: else
  fi
}
inline ask() {
#ifndef MUTANT_asks_though_unanswered
  if :: late -> await(false); if :: failed -> goto given_up :: else fi :: else fi;
#endif
  atomic { late = false; withdrawn = false; request[me]++ };
#ifdef MUTANT_rings_before_it_asks
  ring_bell(later);
#endif
  atomic {
    asked = state[me].value / NUMBER * NUMBER + NUMBER + UNDER_WAY;
    state[me].value = asked;
    withdrawing[me] = false
  };
#ifdef MANY
  bit_of[me] = true;
#endif
#ifndef MUTANT_rings_before_it_asks
  ring_bell(later);
#endif
  await(true);
  if
  :: IS_ANSWERED
  :: else ->
    if :: failed -> goto given_up :: else fi;
    withdraw();
    if
    :: withdrawn
    :: else ->
      await(!names);
      if
      :: IS_ANSWERED
      :: else ->
        if :: failed -> goto given_up :: else fi;
        withdraw();
        late = !withdrawn && !IS_ANSWERED
      fi
    fi
  fi;
  assert(!late || !names);
  assert(late || withdrawn || reply[me] == request[me])
}

proctype origin(byte me; bool names) {
  byte seen, asked;
  bool failed, later, late, found, withdrawn;
  ask();
#if ORIGINS == 1
  names = false;
  ask();
#endif
given_up:
  atomic { assert(!failed || killed != NOBODY); origins_left-- }
}

inline answer(o) {
  atomic { asked = state[o].value; serves = IS_ASKED(o) && !withdrawing[o] };
  if
  :: serves ->
#ifndef MUTANT_looks_before_it_takes
    taken = NAME(o, asked);
#endif
#ifndef MUTANT_serves_without_a_second_look
#ifdef MUTANT_looks_for_any_request_again
    atomic { serves = IS_ASKED(o) && !withdrawing[o] };
#else
    atomic { serves = state[o].value == asked && !withdrawing[o] };
#endif
#endif
#ifdef MUTANT_looks_before_it_takes
    taken = NAME(o, asked);
#endif
    if
    :: serves ->
      in_service[o] = true;
      atomic { assert(asked != gone[o]); reply[o] = request[o]; in_service[o] = false };
      atomic { state[o].value = asked - UNDER_WAY; withdrawing[o] = false };
      taken = 0
    :: else ->
      taken = 0;
#ifndef MUTANT_leaves_without_a_word
      atomic { if :: state[o].value == asked && withdrawing[o] -> state[o].value = asked + LEFT :: else fi }
#endif
    fi;
    wake_all(state[o]);
    worked = true
  :: else
  fi;
  atomic { asked = 0; serves = false }
}
inline serve_pending() {
  for (r : 0 .. ORIGINS - 1) {
#ifdef MANY
#ifdef MUTANT_clears_its_bits_late
    if :: bit_of[r] -> answer(r); bit_of[r] = false :: else fi
#else
    if :: atomic { bit_of[r] -> bit_of[r] = false }; answer(r) :: else fi
#endif
#else
    answer(r)
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
  byte seen, r, asked;
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
  byte r, asked;
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
init { byte o; atomic { for (o : 0 .. ORIGINS - 1) {
  if :: run origin(o, true) :: ORIGINS == 1 -> run origin(o, false) fi
} } }
