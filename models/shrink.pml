/* The agreement of a node's ranks on who of a team survives.

   stands for: session/team/shrink_agreement.cpp agree signed_in left agreed writer absent complete
   stands for: session/team/agree_on_survivors.cpp hold takes_part
   sizes: -DRANKS=3 -DTURNS=1 -DDEATHS=2
   sizes: -DRANKS=2 -DTURNS=2 -DDEATHS=1
   Any ranks may be killed, up to DEATHS, before any step. All that return have one answer, which
   has them in it, and none that died before it signed in.
   Steps are as large as others may see: absent ranks sign in or die, and never come back, so a look
   at all of them is one step; who writes is alone with what it writes.
   Left out: the sleep between two looks (notify.pml has one): a rank goes on where it would wake;
   and the job's time-out. */
#define WRITER_OF(turn, r) (16 * (turn) + (r) + 1)

byte signed_in[RANKS], left[RANKS], agreed, writer;
bool dead[RANKS], killed[RANKS];
byte never_signed[TURNS + 1]; /* by turn: who died without signing in, a bit each */
byte answer[TURNS + 1];       /* what the first that returns has, and 128 */

#define BIT(r) (1 << (r))
#define ABSENT(r) ((gone & BIT(r)) == 0 && signed_in[r] < turn)
/* What wakes one that waits for absent ranks: all are there, or one of them has died. */
#ifdef MUTANT_waits_for_the_dead
#define DIED(r) false
#else
#define DIED(r) (ABSENT(r) && dead[r])
#endif
#if RANKS == 3
#define NONE_ABSENT (!ABSENT(0) && !ABSENT(1) && !ABSENT(2))
#define SOME_DIED (DIED(0) || DIED(1) || DIED(2))
#else
#define NONE_ABSENT (!ABSENT(0) && !ABSENT(1))
#define SOME_DIED (DIED(0) || DIED(1))
#endif

#define FOR_EACH_RANK(step) \
  do \
  :: atomic { r < RANKS -> step; r++ } \
  :: atomic { else -> r = 0; break } \
  od
inline see_the_dead() {
  if :: DIED(r) -> gone = gone | BIT(r) :: else fi
}
inline write_one() {
  if
  :: (gone & BIT(r)) == 0 && !dead[r] -> left[r] = turn
#ifndef MUTANT_keeps_what_another_began_to_write
  :: ((gone & BIT(r)) != 0 || dead[r]) && left[r] == turn -> left[r] = turn - 1
#endif
  :: else
  fi
}
inline read_one() {
  if :: left[r] >= turn -> living = living | BIT(r) :: else fi
}

/* Who has died before the writer began is not in what it writes. */
#if RANKS == 3
#define NOTE_THE_DEAD died = dead[0] + 2 * dead[1] + 4 * dead[2]
#else
#define NOTE_THE_DEAD died = dead[0] + 2 * dead[1]
#endif
#define JUDGE_THE_DEAD \
  for (r : 0 .. RANKS - 1) { assert((died & BIT(r)) == 0 || left[r] < turn) }; r = 0; died = 0

proctype rank(byte me) {
  byte turn, gone, r, before, who, living, died;
  {
    for (turn : 1 .. TURNS) {
#ifndef MUTANT_does_not_sign_in
      signed_in[me] = turn;
#endif
      do
      :: atomic { agreed >= turn -> break }
      :: else ->
        if
#ifdef MUTANT_waits_for_nobody
        :: false
#else
        :: atomic { !(NONE_ABSENT) -> agreed >= turn || NONE_ABSENT || SOME_DIED };
          FOR_EACH_RANK(see_the_dead())
#endif
        :: else ->
          atomic { before = writer; who = (before % 16) - 1 };
          if
          :: before / 16 == turn && who != me && !dead[who] ->
#ifdef MUTANT_waits_for_a_dead_writer
            agreed >= turn
#else
            agreed >= turn || dead[who]
#endif
          :: else ->
#ifdef MUTANT_claims_by_a_store
            writer = WRITER_OF(turn, me);
#else
            if
            :: atomic { writer == before -> writer = WRITER_OF(turn, me); NOTE_THE_DEAD };
#endif
#ifndef MUTANT_writes_though_another_has
              if
              :: agreed >= turn
              :: else ->
#endif
                FOR_EACH_RANK(write_one());
                atomic { agreed = turn; JUDGE_THE_DEAD }
#ifndef MUTANT_writes_though_another_has
              fi
#endif
#ifndef MUTANT_claims_by_a_store
            :: else
            fi
#endif
          fi
        fi
      od;
      FOR_EACH_RANK(read_one());
      atomic {
        assert((living & BIT(me)) != 0);
        assert((living & never_signed[turn]) == 0);
        assert(answer[turn] == 0 || answer[turn] == (living | 128));
        answer[turn] = living | 128;
        before = 0; who = 0; living = 0; gone = 0
      }
    }
    turn = 0;
end_returned:
    false /* and may die yet */
  } unless { atomic { killed[me] -> dead[me] = true;
      for (r : 1 .. TURNS) {
        if :: signed_in[me] < r -> never_signed[r] = never_signed[r] | BIT(me) :: else fi };
      turn = 0; gone = 0; r = 0; before = 0; who = 0; living = 0; died = 0 } }
}

active proctype fate() {
  byte deaths;
  do
  :: atomic { deaths < DEATHS ->
      if :: killed[0] = true :: killed[1] = true :: killed[RANKS - 1] = true fi; deaths++ }
  :: atomic { deaths = DEATHS; break }
  od
}
init { byte r; atomic { for (r : 0 .. RANKS - 1) { run rank(r) } } }
