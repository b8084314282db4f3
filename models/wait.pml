/* Waiting in shared memory, for the models of what waits there; no model by itself.

   stands for: sync/wait.hpp wait_for wait_slowly wake_all futex_wait
   Left out: spinning and yielding, which only look; and every time-out, so a wake that is lost is
   a rank that never goes on. In the library the kernel's time-out would end it after 50 ms.

   A rank that is killed stops before any of its steps: processes are `{ ... } unless DEATH(me)`.
   Includers define RANKS. Memory is sequentially consistent but where a model says otherwise. */

#define NOBODY 255
typedef wait_word {
  byte value;
  byte sleepers;
  byte asleep;     /* by process: the kernel's list of those that sleep on it */
  byte announcing; /* with a store for an announcement: those whose store is still in a buffer */
};
byte killed = NOBODY;
bool dead[RANKS];
#define ME_ASLEEP (1 << (_pid & 7))
#define DEATH(me) { atomic { killed == (me) -> dead[me] = true } }

/* Whom it kills, and when, is open; perhaps nobody. */
#define FATE \
  active proctype fate() { if :: killed = 0 :: killed = 1 :: killed = RANKS - 1 :: skip fi }

inline wake_all(w) {
  if
  :: w.sleepers != 0 -> w.asleep = 0
  :: else
  fi
}

/* Blocks until `done`; `failed` where `gone` and not done. `seen` is a local of the includer's. */
inline wait_for(w, done, gone, failed) {
  failed = false;
  if
  :: (done)
  :: else ->
#ifdef MUTANT_announces_after_its_look
    do
    :: atomic { seen = w.value; if :: (done) -> seen = 0; break :: else fi };
      w.sleepers++;
#else
#ifdef MUTANT_announces_by_a_store
    w.announcing = w.announcing | ME_ASLEEP;
#else
    w.sleepers++;
#endif
    do
    :: atomic { seen = w.value; if :: (done) -> seen = 0; break :: else fi };
#endif
#ifdef MUTANT_sleeps_whatever_the_word_is
      w.asleep = w.asleep | ME_ASLEEP;
#else
      atomic { if :: w.value == seen -> w.asleep = w.asleep | ME_ASLEEP :: else fi; seen = 0 };
#endif
      if
      :: (w.asleep & ME_ASLEEP) == 0
      :: (gone) ->
#ifdef MUTANT_reports_without_another_look
        failed = true;
#else
        atomic { if :: (done) :: else -> failed = true fi };
#endif
        break
      fi
    od
  fi
}
