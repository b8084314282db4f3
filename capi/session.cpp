#include "capi/enumerators.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "oriel/memory_kinds.hpp"

namespace capi = oriel::capi;

template <>
inline constexpr auto oriel::detail::entries_of<oriel::thread_level> = std::array{
#define ORIEL_THREAD_LEVEL(number, name, c_name) oriel::thread_level::name,
#include "oriel/enumerations/thread_level.def"
};
template <>
inline constexpr capi::enumeration_text capi::text_of<oriel::thread_level>{
    oriel::errc::arg, "thread level", "ORIEL_THREAD_DEFAULT to ORIEL_THREAD_MULTIPLE, 0 to 3"};

namespace {

oriel::thread_level level_from(int number) {
  return number == ORIEL_THREAD_DEFAULT ? oriel::session_options{}.threads
                                        : capi::enumerator<oriel::thread_level>(number);
}

// What a program's function returned; a number that is no code is a failure all the same.
oriel::status status_from(int code) {
  return capi::numbered<oriel::errc>(code).value_or(oriel::errc::system);
}

oriel::session_options options_from(const oriel_session_options* given) {
  const oriel_session_options known = capi::read_options(given);
  oriel::session_options options;
  options.threads = level_from(known.threads);
  if (known.hints != nullptr) options.hints = known.hints->pairs;
  if (known.bootstrap_allgather != nullptr)
    options.bootstrap = oriel::bootstrap_callbacks{
        known.bootstrap_rank, known.bootstrap_size,
        [allgather = known.bootstrap_allgather, context = known.bootstrap_context](
            const void* mine, std::size_t bytes, void* all) {
          return status_from(allgather(context, mine, bytes, all));
        }};
  return options;
}

}  // namespace

extern "C" {

int oriel_session_open(const oriel_session_options* options, oriel_session** session) {
  return capi::guarded(
      [&] { *session = new oriel_session{oriel::session(options_from(options))}; });
}

int oriel_session_close(oriel_session* session) {
  delete session;
  return ORIEL_SUCCESS;
}

int oriel_session_world(const oriel_session* session, oriel_team** team) {
  return capi::guarded([&] { *team = new oriel_team{session->session.world()}; });
}

int oriel_session_node(const oriel_session* session, oriel_team** team) {
  return capi::guarded([&] { *team = new oriel_team{session->session.node()}; });
}

int oriel_session_threads(const oriel_session* session, int* threads) {
  *threads = static_cast<int>(session->session.threads());
  return ORIEL_SUCCESS;
}

int oriel_session_hints(const oriel_session* session, oriel_info** hints) {
  return capi::guarded([&] { *hints = new oriel_info{session->session.hints()}; });
}

int oriel_session_alloc_mem(oriel_session* session, size_t bytes, const char* kind,
                            const oriel_info* hints, void** memory) {
  return capi::guarded([&] {
    const oriel::info none;
    const oriel::info& said = hints != nullptr ? hints->pairs : none;
    const auto given = kind != nullptr ? session->session.alloc_mem(bytes, kind, said)
                                       : session->session.alloc_mem(bytes, said);
    *memory = given.data();
  });
}

int oriel_session_free_mem(oriel_session* session, void* memory) {
  const oriel::status s = session->session.free_mem({static_cast<std::byte*>(memory), 0});
  return capi::code_of(s);
}

int oriel_session_copy(oriel_session* session, void* to, const void* from, size_t bytes) {
  return capi::code_of(session->session.copy(to, from, bytes));
}

int oriel_session_kind_of(const oriel_session* session, const void* memory, char* text,
                          size_t capacity, size_t* length) {
  return capi::guarded(
      [&] { capi::give_text(session->session.kind_of(memory), text, capacity, length); });
}

int oriel_memory_kinds_normal(const char* list, char* text, size_t capacity, size_t* length) {
  return capi::guarded([&] {
    capi::give_text(to_string(oriel::memory_kind_list::parse(list)), text, capacity, length);
  });
}

int oriel_memory_kinds_contain(const char* list, const char* element, int* contained) {
  return capi::guarded(
      [&] { *contained = oriel::memory_kind_list::parse(list).contains(element) ? 1 : 0; });
}

}  // extern "C"
