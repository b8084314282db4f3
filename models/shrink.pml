/* The agreement of a node's ranks on who of a team survives: they meet at the node's board, and one
   of them speaks for the node with coordinators of other nodes, or coordinates itself.

   stands for: session/team/shrink_board.cpp take give_up_before move_to has_answer answer stage writer
   stands for: session/team/shrink_agreement.cpp agree speaker wait_for_absent wait_for decide_alone
   stands for: session/team/conversation.cpp speak give_up_before coordinate listen_to
   sizes: -DRANKS=3 -DTURNS=1 -DOTHERS=1 -DDEATHS=2 -DGIVEN_UP=0
   sizes: -DRANKS=3 -DTURNS=1 -DOTHERS=0 -DDEATHS=1 -DGIVEN_UP=1
   sizes: -DRANKS=2 -DTURNS=2 -DOTHERS=1 -DDEATHS=1 -DGIVEN_UP=1
   Any ranks may be killed, up to DEATHS, before any step; up to GIVEN_UP others are taken for dead by
   all others, and go on. All that return with an answer have one, and nobody that the others have not
   given up fails. Once the node has reported to a coordinator it takes no answer of one before.
   Coordinators of other nodes are 0 to OTHERS - 1: whoever speaks hears the answer of one, or finds
   that it has died, at any time. Behind them come the node's own ranks, each with an answer of its
   own: what it decides then is the conversation's matter. Without OTHERS the team is all on one node.
   An answer lies in two words, whose writes others may see one by one.
   Left out: the sleep between two looks (notify.pml has one): a rank goes on where it would wake;
   and the job's time-out. */
#define ANSWERED 15
#define OF(turn, what) (16 * (turn) + (what))
#define IN_TURN(word, t) ((word) / 16 == (t) -> (word) % 16 : 0)

byte signed_in[RANKS], stage, writer, words[2];
bool dead[RANKS], killed[RANKS], given_up[RANKS];
byte returned[TURNS + 1];     /* what the first that returns has */
byte reported[TURNS + 1];     /* the last coordinator that the node has reported to */

#define BIT(r) (1 << (r))
#define LIVES(r) (!dead[r] && !given_up[r])
#define HAS_ANSWER (stage / 16 > turn || stage == OF(turn, ANSWERED))
#define ABSENT(r) ((gone & BIT(r)) == 0 && signed_in[r] < turn)
/* What wakes one that waits for absent ranks: all are there, or one of them has died. */
#ifdef MUTANT_waits_for_the_dead
#define DIED(r) false
#else
#define DIED(r) (ABSENT(r) && !LIVES(r))
#endif
#if RANKS == 3
#define NONE_ABSENT (!ABSENT(0) && !ABSENT(1) && !ABSENT(2))
#define SOME_DIED (DIED(0) || DIED(1) || DIED(2))
#else
#define NONE_ABSENT (!ABSENT(0) && !ABSENT(1))
#define SOME_DIED (DIED(0) || DIED(1))
#endif
#define SPEAKS(r) ((r) == me || ((gone & BIT(r)) == 0 && LIVES(r)))

/* Whether the stage was moved there, or was there. */
inline move_to(to) {
  do
  :: before = stage;
    if
    :: before / 16 > turn || IN_TURN(before, turn) > to -> moved = false; break
    :: else ->
      if
#ifdef MUTANT_moves_by_a_store
      :: stage = OF(turn, to); moved = true; break
#else
      :: atomic { stage == before -> stage = OF(turn, to) }; moved = true; break
      :: stage != before
#endif
      fi
    fi
  od;
  before = 0
}

/* shrink_board::take: `taken` where the node has an answer then. */
inline take() {
  taken = false;
  do
  :: before = writer; who = IN_TURN(before, turn);
    if
#ifndef MUTANT_writes_beside_another
    :: who != 0 && who != me + 1 && !dead[who - 1] ->
#ifdef MUTANT_waits_for_a_dead_writer
      HAS_ANSWER || writer != before
#else
      HAS_ANSWER || writer != before || dead[who - 1]
#endif
      ;
      if :: HAS_ANSWER -> taken = true; break :: else fi
#endif
    :: else ->
      if
      :: atomic { writer == before -> writer = OF(turn, me + 1) };
        if
#ifndef MUTANT_writes_though_another_has
        :: HAS_ANSWER -> taken = true
#endif
        :: else ->
#ifdef MUTANT_takes_what_was_given_up
          if
          :: stage = OF(turn, coordinator); moved = true
          fi;
#else
          move_to(coordinator);
#endif
          if
          :: moved ->
            words[0] = coordinator + 1;
            words[1] = coordinator + 1;
            if
#ifdef MUTANT_answers_by_a_store
            :: atomic { stage = OF(turn, ANSWERED); assert(reported[turn] <= coordinator) }; taken = true
#else
            :: atomic { stage == OF(turn, coordinator) -> stage = OF(turn, ANSWERED);
                assert(reported[turn] <= coordinator) }; taken = true
            :: stage != OF(turn, coordinator)
#endif
            fi
          :: else
          fi;
#ifndef MUTANT_keeps_its_claim
          if :: !taken -> writer = OF(turn, 0) :: else fi
#endif
        fi;
        break
      :: writer != before
      fi
    fi
  od;
  before = 0; who = 0; moved = false
}

/* conversation::speak, or decide_alone: `failed` where the others have given this rank up. */
inline speak() {
#if OTHERS == 0
  coordinator = me;
  take();
  failed = !taken;
#else
  do
  :: HAS_ANSWER -> break
  :: else ->
    atomic { coordinator = (stage == OF(turn, ANSWERED) -> 0 : IN_TURN(stage, turn)) };
    if
    :: coordinator > OTHERS + me -> failed = true; break
    :: else ->
      /* Of coordinators that have not been given up, any number has died by now. */
      do
      :: coordinator < OTHERS -> coordinator++
      :: break
      od;
      if :: coordinator >= OTHERS -> coordinator = OTHERS + me :: else fi;
#ifdef MUTANT_reports_before_it_gives_up
      reported[turn] = (coordinator > reported[turn] -> coordinator : reported[turn]);
#endif
      move_to(coordinator);
      if
      :: !moved && HAS_ANSWER -> break
      :: else ->
#ifndef MUTANT_reports_before_it_gives_up
        reported[turn] = (coordinator > reported[turn] -> coordinator : reported[turn]);
#endif
        if
        :: take();
          if :: !taken && coordinator == OTHERS + me -> failed = true; break :: else fi
        :: coordinator < OTHERS /* has died, and another one is next */
        fi
      fi
    fi
  od;
#endif
  coordinator = 0; moved = false; taken = false
}

#define READ(i) seen[i] = words[i]

proctype rank(byte me) {
  byte turn, gone, r, before, who, coordinator, seen[2];
  bool moved, taken, failed;
  {
    for (turn : 1 .. TURNS) {
#ifndef MUTANT_does_not_sign_in
      signed_in[me] = turn;
#endif
#ifndef MUTANT_waits_for_nobody
      do
      :: atomic { HAS_ANSWER || NONE_ABSENT -> break }
      :: atomic { SOME_DIED && !HAS_ANSWER && !(NONE_ABSENT) ->
          for (r : 0 .. RANKS - 1) { if :: DIED(r) -> gone = gone | BIT(r) :: else fi }; r = 0 }
      od;
#endif
      do
      :: HAS_ANSWER -> break
      :: else ->
        atomic { who = 0; do :: SPEAKS(who) -> break :: else -> who++ od };
        if
#ifdef MUTANT_speaks_beside_another
        :: true ->
#else
        :: who == me ->
#endif
          who = 0; speak();
          if :: failed -> break :: else fi
        :: who != me ->
#ifdef MUTANT_waits_for_a_dead_speaker
          HAS_ANSWER
#else
          HAS_ANSWER || !LIVES(who)
#endif
          ; who = 0
        fi
      od;
      if
      :: failed
      :: else ->
        READ(0); READ(1);
        atomic {
#ifndef MUTANT_reads_what_may_have_changed
          if :: stage != OF(turn, ANSWERED) -> failed = true :: else fi;
#endif
          if
          :: !failed ->
            assert(seen[0] == seen[1] && seen[0] != 0);
            assert(returned[turn] == 0 || returned[turn] == seen[0]);
            returned[turn] = seen[0]
          :: else
          fi
        }
      fi;
      atomic {
        assert(!failed || given_up[me]);
        seen[0] = 0; seen[1] = 0; who = 0; gone = 0;
        if :: failed -> break :: else fi
      }
    }
    atomic { turn = 0; failed = false };
end_returned:
    false /* and may die yet */
  } unless { atomic { killed[me] -> dead[me] = true;
      turn = 0; gone = 0; r = 0; before = 0; who = 0; coordinator = 0; seen[0] = 0; seen[1] = 0;
      moved = false; taken = false; failed = false } }
}

active proctype fate() {
  byte deaths, silences;
  do
  :: atomic { deaths < DEATHS ->
      if :: killed[0] = true :: killed[1] = true :: killed[RANKS - 1] = true fi; deaths++ }
  :: atomic { silences < GIVEN_UP ->
      if :: given_up[0] = true :: given_up[1] = true :: given_up[RANKS - 1] = true fi; silences++ }
  :: atomic { deaths = DEATHS; silences = GIVEN_UP; break }
  od
}
init { byte r; atomic { for (r : 0 .. RANKS - 1) { run rank(r) } } }
