// Hints: string keys and values, as oriel/info.hpp.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_info oriel_info;

// A handle without keys. Functions that take hints copy them.
int oriel_info_create(oriel_info** info);
int oriel_info_free(oriel_info* info);

// Adds a key, or replaces its value.
int oriel_info_set(oriel_info* info, const char* key, const char* value);
// Does nothing where there is no such key.
int oriel_info_erase(oriel_info* info, const char* key);
// The key's value. Returns ORIEL_ERR_INFO where there is no such key.
int oriel_info_get(const oriel_info* info, const char* key, char* text, size_t capacity,
                   size_t* length);
// How many keys there are, and one of them. Keys are numbered from 0 in the order of their bytes.
// Returns ORIEL_ERR_ARG past the last.
int oriel_info_size(const oriel_info* info, size_t* keys);
int oriel_info_key(const oriel_info* info, size_t number, char* text, size_t capacity,
                   size_t* length);

#ifdef __cplusplus
}
#endif
