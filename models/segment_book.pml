/* The segment book: a tree that its owner changes by copying, and that others read meanwhile.

   stands for: win/segment_tree.hpp segment_snapshot good published_ overwritten
   stands for: win/segment_tree.cpp publish take retire seek read
   stands for: win/segment_book.cpp find find_in
   The tree has a root and a leaf, of two words; each change makes both anew, from few nodes, so that
   those of the last change but one are written again. The owner may be killed before any step. A
   reader finds a record whole, of its snapshot or later, never follows what is no reference, and
   starts again a bounded number of times.
   The order of the accesses is what fences and release make it: a mutant without one has them the
   other way round, as a processor or compiler may.
   Left out: more levels and entries; how nodes split and join. */
#define RANKS 1
#define NODES 5
#define CHANGES 4
#define NOTHING 255
#include "wait.pml"

byte first_word[NODES], second_word[NODES]; /* of the root: the leaf; of a leaf: 100 + change, twice */
byte root = NOTHING, published, overwritten;

#ifdef MUTANT_names_the_change_before
#define RETIRED_BY(k) ((k) - 1)
#else
#define RETIRED_BY(k) (k)
#endif

/* The nodes in turn: node n is taken for the (fresh or retired) nth time. */
inline take(n) {
  n = taken % NODES;
  taken++;
#if !defined(MUTANT_writes_before_it_warns) && !defined(MUTANT_warns_nobody)
  if :: taken > NODES -> overwritten = by[n] :: else fi
#endif
}
inline warn_late(n) {
#ifdef MUTANT_writes_before_it_warns
  if :: by[n] != 0 -> overwritten = by[n] :: else fi
#else
  skip
#endif
}

active proctype owner() {
  byte k, leaf, inner, old_leaf, old_inner, taken;
  byte by[NODES];
  {
    for (k : 1 .. CHANGES) {
      take(leaf);
#ifdef MUTANT_publishes_before_it_writes
      take(inner);
      root = inner;
#endif
      first_word[leaf] = 100 + k;
      second_word[leaf] = 100 + k;
      warn_late(leaf);
#ifndef MUTANT_publishes_before_it_writes
      take(inner);
#endif
      first_word[inner] = leaf;
      warn_late(inner);
#ifdef MUTANT_counts_before_it_publishes
      published = k;
#endif
      root = inner;
#ifndef MUTANT_counts_before_it_publishes
      published = k;
#endif
      atomic {
        if :: k > 1 -> by[old_leaf] = RETIRED_BY(k); by[old_inner] = RETIRED_BY(k) :: else fi;
        old_leaf = leaf;
        old_inner = inner
      }
    }
  } unless DEATH(0)
}

#ifdef MUTANT_looks_before_it_reads
#define LOOK_EARLY seen = overwritten
#define LOOK skip
#else
#define LOOK_EARLY skip
#define LOOK seen = overwritten
#endif

active proctype reader() {
  byte c, r, leaf, one, other, seen, starts, reads, newest;
  for (reads : 1 .. 2) {
    do
    :: starts++;
      assert(starts <= 2 * CHANGES);
#ifdef MUTANT_takes_the_root_first
      r = root;
      c = published;
#else
      c = published;
      r = root;
#endif
      if :: r == NOTHING -> assert(c == 0 && newest == 0); break :: else fi;
      LOOK_EARLY;
      leaf = first_word[r];
      LOOK;
#ifndef MUTANT_follows_before_it_looks
      if :: seen > c -> goto again :: else fi;
#endif
      assert(leaf < NODES);
      LOOK_EARLY;
      one = first_word[leaf];
      other = second_word[leaf];
      LOOK;
      if
      :: seen <= c ->
        atomic {
          assert(one == other && one >= 100 + c && one >= newest);
          newest = one
        };
        break
      :: else
      fi;
again:
      skip
    od
  }
}
active proctype fate() { if :: killed = 0 :: skip fi }
