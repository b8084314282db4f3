#include <iterator>

#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;

extern "C" {

int oriel_info_create(oriel_info** info) {
  return capi::guarded([&] { *info = new oriel_info; });
}

int oriel_info_free(oriel_info* info) {
  delete info;
  return ORIEL_SUCCESS;
}

int oriel_info_set(oriel_info* info, const char* key, const char* value) {
  return capi::guarded([&] { info->pairs.set(key, value); });
}

int oriel_info_erase(oriel_info* info, const char* key) {
  return capi::guarded([&] { info->pairs.erase(key); });
}

int oriel_info_get(const oriel_info* info, const char* key, char* text, size_t capacity,
                   size_t* length) {
  return capi::guarded([&] {
    const auto value = info->pairs.get(key);
    if (!value) throw oriel::error(oriel::errc::info, "no hint has the key " + std::string(key));
    capi::give_text(*value, text, capacity, length);
  });
}

int oriel_info_size(const oriel_info* info, size_t* keys) {
  *keys = info->pairs.size();
  return ORIEL_SUCCESS;
}

int oriel_info_key(const oriel_info* info, size_t number, char* text, size_t capacity,
                   size_t* length) {
  return capi::guarded([&] {
    const std::size_t keys = info->pairs.size();
    if (number >= keys)
      throw oriel::error(oriel::errc::arg, "there is no key number " + std::to_string(number) +
                                               "; there are " + std::to_string(keys));
    const auto found = std::next(info->pairs.begin(), static_cast<std::ptrdiff_t>(number));
    capi::give_text(found->first, text, capacity, length);
  });
}

}  // extern "C"
