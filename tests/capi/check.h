// What the C face's tests share: checks that count their failures, and the job they run in.
#pragma once

#include "oriel/oriel.h"

struct world {
  oriel_session* session;
  oriel_team* team;
  int me;
  int ranks;
  int next;  // the neighbours on a ring
  int previous;
};

// Prints what is wrong; `failures()` of all checks make the program fail.
void check(int holds, const char* what, const char* file, int line);
void check_code(int code, int expected, const char* call, const char* file, int line);
// `text` contains `part`.
void check_says(const char* text, const char* part, const char* file, int line);
int failures(void);

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_CODE(expected, call) check_code((call), (expected), #call, __FILE__, __LINE__)
#define OK(call) CHECK_CODE(ORIEL_SUCCESS, call)
#define CHECK_SAYS(text, part) check_says((text), (part), __FILE__, __LINE__)

// A window of `row` int64 a rank, all zero, with every rank in a shared lock on all; ops as in the
// options.
enum { row = 8 };
oriel_window* open_window(const struct world* w, int assertions, int ops);
void close_window(const struct world* w, oriel_window* window);

// One for each header.
void test_constants(void);
void test_info(void);
void test_datatypes(void);
void test_session(const struct world* w);
void test_team(const struct world* w);
void test_windows(const struct world* w);
void test_statistics(const struct world* w);
void test_operations(const struct world* w);
void test_list_operations(const struct world* w);
void test_notifications(const struct world* w);
void test_stream_operations(const struct world* w);
void test_typed_operations(const struct world* w);
void test_operations_as(const struct world* w);
void test_requests(const struct world* w);
void test_synchronization(const struct world* w);
