/* The ring by which kernels ask the host: many threads fill it, one agent empties it.

   stands for: include/oriel/detail/kernel_ring.hpp turn_of slot_state kernel_slot tickets
   stands for: include/oriel/detail/device_ring.cuh submit fill read_reply is_closed
   stands for: transport/kernel_ring_server.cpp serve_pending serve complete answer_all close
   Two slots, three threads with two requests each, of which one waits for an answer. The server may
   close the ring at the end of any round: then every thread returns. It serves in the order
   of tickets, each request as it was filled in; an answer is the request's, and complete.
   The order of accesses is what release and acquire make it; a mutant without has them reversed.
   Left out: payloads beside the request, failures of requests, and the count of complete tickets, by which
   fence and quiet go without a request. */
#define SLOTS 2
#define THREADS 3
#define REQUESTS 2

#ifdef MUTANT_turns_without_laps
#define TURN(lap, s) (s)
#else
#define TURN(lap, s) (4 * (lap) + (s))
#endif
#define FREE 0
#define FILLED 1
#define ANSWERED 2
#define LAP (ticket / SLOTS)
#define SLOT (ticket % SLOTS)

byte turn[SLOTS], request[SLOTS], reply[SLOTS], tickets, ended;
bool waits[SLOTS], closed;

#define FILL atomic { request[SLOT] = 1 + ticket; waits[SLOT] = answered }
#define READ atomic { assert(reply[SLOT] == 1 + ticket); reply[SLOT] = 0 }

active [THREADS] proctype thread() {
  byte ticket, n;
  bool answered, filled;
  for (n : 1 .. REQUESTS) {
#ifdef MUTANT_draws_without_an_atomic
    ticket = tickets;
    tickets = ticket + 1;
#else
    atomic { ticket = tickets; tickets++ };
#endif
    atomic { filled = false; answered = n == 1 };
    do
    :: atomic { !filled && turn[SLOT] == TURN(LAP, FREE) -> filled = true };
#ifdef MUTANT_fills_after_its_sign
      turn[SLOT] = TURN(LAP, FILLED);
      FILL;
#else
      FILL;
      turn[SLOT] = TURN(LAP, FILLED);
#endif
      if :: !answered -> break :: else fi
    :: filled && turn[SLOT] == TURN(LAP, ANSWERED) ->
#ifdef MUTANT_frees_before_it_reads
      turn[SLOT] = TURN(LAP + 1, FREE);
      READ;
#else
      READ;
#ifndef MUTANT_frees_nothing
      turn[SLOT] = TURN(LAP + 1, FREE);
#endif
#endif
      break
#ifndef MUTANT_ignores_the_end
    :: closed -> goto over
#endif
    od
  }
over:
  ended++
}

active proctype server() {
  byte ticket, last, w, first_waiting;
  byte waiting[SLOTS];
  bool closes;
  if :: closes = true :: skip fi;
  do
  :: turn[SLOT] == TURN(LAP, FILLED) ->
    last = ticket + SLOTS;
    do
    :: ticket != last && turn[SLOT] == TURN(LAP, FILLED) ->
      assert(request[SLOT] == 1 + ticket);
      if
#ifdef MUTANT_frees_what_is_answered
      :: waits[SLOT] -> waiting[w] = ticket; w++; turn[SLOT] = TURN(LAP + 1, FREE)
#else
      :: waits[SLOT] ->
#ifdef MUTANT_answers_before_it_completes
        turn[SLOT] = TURN(LAP, ANSWERED);
#endif
        waiting[w] = ticket; w++
#endif
      :: else -> turn[SLOT] = TURN(LAP + 1, FREE)
      fi;
      ticket++
    :: else -> break
    od;
    /* complete(), then answer_all() */
    last = ticket;
    for (first_waiting : 0 .. SLOTS - 1) {
      if :: first_waiting < w -> ticket = waiting[first_waiting]; reply[SLOT] = 1 + ticket :: else fi
    }
    for (first_waiting : 0 .. SLOTS - 1) {
      if
      :: first_waiting < w -> ticket = waiting[first_waiting];
#ifndef MUTANT_answers_before_it_completes
        turn[SLOT] = TURN(LAP, ANSWERED)
#endif
      :: else
      fi
    }
    ticket = last; last = 0; w = 0; first_waiting = 0
  :: closes -> closed = true; break
  :: ended == THREADS -> break
  od
}
