// A hash table over all ranks, from C: how often each number was drawn. A slot is a key, claimed by
// compare_swap, and a count, raised by fetch_op; no rank takes part in another's insertion.
#include <inttypes.h>
#include <oriel/oriel.h>
#include <stdio.h>
#include <stdlib.h>

enum { slots_per_rank = 1024, draws = 2000, numbers = 500, empty = 0 };

// Operations are few and rare enough here to end the program with the first that fails.
static void must(int code) {
  if (code == ORIEL_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", oriel_error_name(code), oriel_last_error());
  exit(EXIT_FAILURE);
}

static uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

struct table {
  oriel_window* words;  // of each slot: its key, its count
  int ranks;
};

// Keys are not `empty`. Linear probing over the slots of all ranks, in rank order.
static void count_key(struct table* t, uint64_t key) {
  const uint64_t slots = (uint64_t)t->ranks * slots_per_rank;
  const uint64_t none = empty;
  const uint64_t one = 1;
  uint64_t probe;
  for (probe = mixed(key);; ++probe) {
    const uint64_t slot = probe % slots;
    const int rank = (int)(slot / slots_per_rank);
    const int64_t disp = (int64_t)(slot % slots_per_rank) * 2;
    uint64_t before = empty;
    must(oriel_window_compare_swap(t->words, rank, disp, &none, &key, &before));
    if (before != empty && before != key) continue;
    must(oriel_window_fetch_op(t->words, ORIEL_OP_SUM, rank, disp + 1, &one, &before));
    return;
  }
}

int main(void) {
  oriel_session* session = NULL;
  oriel_team* world = NULL;
  oriel_datatype* word = NULL;
  struct table t = {NULL, 0};
  int me = 0;
  must(oriel_session_open(NULL, &session));
  must(oriel_session_world(session, &world));
  must(oriel_team_rank(world, &me));
  must(oriel_team_size(world, &t.ranks));
  must(oriel_datatype_of(ORIEL_UINT64, &word));
  must(oriel_window_allocate(world, 2 * slots_per_rank, word,
                             ORIEL_ASSERT_SHARED_LOCK | ORIEL_ASSERT_LOCAL_LOAD_STORE, NULL,
                             &t.words));

  must(oriel_window_lock_all(t.words, ORIEL_MODE_NONE));
  for (int i = 0; i < draws; ++i) count_key(&t, 1 + mixed((uint64_t)(me * draws + i)) % numbers);
  must(oriel_window_unlock_all(t.words));
  must(oriel_team_barrier(world));
  must(oriel_window_sync(t.words));

  // Each rank adds up the slots that it holds.
  void* base = NULL;
  size_t count = 0;
  uint64_t mine[2] = {0, 0};
  uint64_t all[2] = {0, 0};
  must(oriel_window_local(t.words, &base, &count));
  const uint64_t* const slots = base;
  for (size_t i = 0; i < count; i += 2) {
    mine[0] += slots[i] != empty;
    mine[1] += slots[i + 1];
  }
  for (int i = 0; i < 2; ++i)
    must(oriel_team_allreduce(world, ORIEL_OP_SUM, ORIEL_UINT64, &mine[i], &all[i]));
  if (me == 0)
    printf("%" PRIu64 " different numbers among %" PRIu64 " draws on %d ranks\n", all[0], all[1],
           t.ranks);

  must(oriel_window_free(t.words));
  must(oriel_datatype_free(word));
  must(oriel_team_free(world));
  must(oriel_session_close(session));
  return all[1] == (uint64_t)t.ranks * draws && all[0] <= numbers ? EXIT_SUCCESS : EXIT_FAILURE;
}
