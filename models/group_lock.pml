/* The group lock: shared and exclusive holders, a queue, and a door that keeps newcomers out.

   stands for: sync/group_lock.hpp try_enter leave admits entered shut_door open_door strike passed
   stands for: sync/group_queue.hpp group_queue first
   stands for: sync/group_lock.cpp attempt withdraw draw open_own_door attempt_first watch_first enter_slowly
   progress: served
   Waiter 0 wants to be in alone, waiter 1 with others, and a third rank enters alone and leaves
   again and again. Waiter 0 and the third may be killed before any step. No two groups are in
   at once; waiter 1 gets in, or gives up because a holder has died, though nobody wakes it. Waiter 0 may
   give up at any time. Where nobody has died, the door is open when nobody waits any more. Who opens its own
   door, as it withdraws or has been passed, opens no other's.
   A clock has no time here: a waiter may draw its ticket, and shut the door, at once. That a first
   in the queue is silent for 300 ms though it lives happens at most once.
   Left out: the doorbell (notify.pml), full queues, and holders that stay for longer than a door is shut. */
#define NOBODY 255
#define TICKETS 4

/* The lock's word: one compare_exchange changes all of it. */
byte in_shared, in_alone, shuttings;
bool door;
byte tickets, head, drawn_by[TICKETS + 1];
bool struck[TICKETS + 1];
byte shut_by, killed = NOBODY;
bool dead[3], holder_died, is_in, has_given_up, has_ended[2];
bool may_be_stopped = true;

#define SHARED 0
#define ALONE 1
#ifdef MUTANT_enters_beside_others
#define ADMITS(group) (group == SHARED || in_alone == 0)
#else
#define ADMITS(group) (in_alone == 0 && (group == SHARED || in_shared == 0))
#endif
#define ADD(group) if :: group == SHARED -> in_shared++ :: else -> in_alone++ fi
#define CHECK assert(in_alone == 0 || (in_alone == 1 && in_shared == 0))
#ifdef MUTANT_passes_the_door
#define OPEN true
#else
#define OPEN !door
#endif

inline leave(group) {
  atomic { CHECK; if :: group == SHARED -> in_shared-- :: else -> in_alone-- fi }
}
inline strike(t) {
  atomic {
    if
    :: t >= head ->
      struck[t] = true;
      do
      :: head < TICKETS && struck[head] -> head++
      :: else -> break
      od
    :: else
    fi
  }
}
#ifdef MUTANT_opens_any_door
#define IS_OWN (shut != 0)
#else
#define IS_OWN (shut != 0 && shuttings == shut)
#endif
#ifdef MUTANT_numbers_no_shutting
#define NEXT_SHUTTING 1
#else
#define NEXT_SHUTTING (shuttings % 3 + 1)
#endif
inline open_own_door() {
  atomic { if :: door && IS_OWN -> assert(shut_by == me); door = false :: else fi; shut = 0 }
}
inline withdraw() {
  if
  :: queued ->
#ifndef MUTANT_withdraws_behind_its_door
    open_own_door();
#endif
#ifndef MUTANT_leaves_its_ticket
    strike(ticket);
#endif
    queued = false
  :: else
  fi
}

proctype waiter(byte me; byte group) {
  byte ticket, shut, seen_first, seen_door, was;
  bool queued;
  {
    do
#ifndef MUTANT_waits_for_a_dead_holder
    :: holder_died -> goto given_up
#endif
    :: else ->
      if
      :: atomic { ADMITS(group) && OPEN -> ADD(group); CHECK };
        withdraw();
        break
      :: else -> skip
      fi;
      if
#ifdef MUTANT_is_passed_behind_its_door
      :: queued && ticket < head -> shut = 0; queued = false
#else
      :: queued && ticket < head -> open_own_door(); queued = false
#endif
      :: else
      fi;
      if :: me == 0 -> goto given_up /* its time is out */ :: skip fi;
      atomic {
        if
        :: !queued && tickets < TICKETS -> ticket = tickets; drawn_by[ticket] = me; tickets++; queued = true
        :: else
        fi
      };
      if
      :: queued && head == ticket ->
        if
#ifdef MUTANT_enters_by_a_store
        :: ADMITS(group) ->
          atomic { door = false; shut = 0; ADD(group); CHECK };
#else
#ifdef MUTANT_enters_behind_its_door
        :: atomic { ADMITS(group) -> shut = 0; ADD(group); CHECK };
#else
        :: atomic { ADMITS(group) -> door = false; shut = 0; ADD(group); CHECK };
#endif
#endif
          withdraw();
          break
        :: else ->
#ifndef MUTANT_shuts_no_door
          atomic {
            if
            :: shut == 0 || !door || shuttings != shut ->
              shuttings = NEXT_SHUTTING; door = true; shut = shuttings; shut_by = me
            :: else
            fi
          }
#else
          skip
#endif
        fi
      :: else ->
#ifndef MUTANT_watches_no_other
        /* Nothing has moved for long: its first one is dead, or stopped. */
        atomic { seen_first = head; seen_door = shuttings * door; was = drawn_by[seen_first] };
        if
        :: tickets > seen_first && was != me && (dead[was] || may_be_stopped) ->
          atomic { if :: !dead[was] -> may_be_stopped = false :: else fi };
          atomic { if :: seen_door != 0 && door && shuttings == seen_door -> door = false :: else fi };
#ifndef MUTANT_strikes_nobody
          strike(seen_first)
#endif
        :: tickets <= seen_first || was == me || !dead[was] -> skip
        fi
#else
        skip
#endif
      fi
    od;
    if :: me == 1 -> is_in = true :: else fi;
    leave(group);
given_up:
    withdraw();
    atomic {
      if :: me == 1 && !is_in -> has_given_up = true :: else fi;
      has_ended[me] = true;
      assert(!has_ended[0] || !has_ended[1] || dead[0] || !door)
    }
  } unless { atomic { killed == me -> dead[me] = true; holder_died = holder_died || in_alone != 0 || in_shared != 0 } }
}

/* It never waits long enough to draw a ticket. */
active proctype newcomer() {
  {
    do
    :: is_in || holder_died -> break
    :: else ->
      if
      :: atomic { ADMITS(ALONE) && OPEN -> in_alone++; CHECK };
        leave(ALONE)
      :: else
      fi
    od
  } unless { atomic { killed == 2 -> dead[2] = true; holder_died = holder_died || in_alone != 0 || in_shared != 0 } }
}
active proctype fate() { if :: killed = 0 :: killed = 2 :: skip fi }
init { atomic { run waiter(0, ALONE); run waiter(1, SHARED) } }
ltl served { <> (is_in || has_given_up) }
