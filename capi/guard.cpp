#include "capi/guard.hpp"

#include <new>

#include "oriel/detail/failure_note.hpp"

namespace oriel::capi {
namespace {

// One per thread, since oriel_last_error has nothing else to hang it from.
thread_local std::string last;
thread_local const char* shown = "";

}  // namespace

int explain_failure(errc code, const char* text) noexcept {
  try {
    last = text;
    shown = last.c_str();
  } catch (const std::bad_alloc&) {
    shown = "no memory is left for the text of what failed";
  }
  return static_cast<int>(code);
}

int explain_failure(errc code, const std::string& text) noexcept {
  return explain_failure(code, text.c_str());
}

int explain_exception() noexcept {
  try {
    throw;
  } catch (const error& e) {
    return explain_failure(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return explain_failure(errc::no_mem, "this process has no memory left");
  } catch (const std::exception& e) {
    return explain_failure(errc::system, e.what());
  } catch (...) {
    return explain_failure(errc::system, "an exception of no known type was thrown");
  }
}

int explain_status(errc code) noexcept {
  return guarded([code] {
    const std::string text = detail::noted_failure(code);
    throw error(code, text.empty() ? std::string(name(code)) : text);
  });
}

// A failure that was latched by none, as that of a wrong number, has only its name.
int explain_window(const any_window& window, errc code) noexcept {
  return guarded([&] {
    const std::string text = window.failure();
    throw error(code, text.empty() ? std::string(name(code)) : text);
  });
}

const char* explanation() noexcept {
  return shown;
}

void give_text(std::string_view from, char* text, std::size_t capacity,
               std::size_t* length) noexcept {
  if (length != nullptr) *length = from.size();
  if (capacity == 0) return;
  const std::size_t fitting = std::min(capacity - 1, from.size());
  std::copy_n(from.data(), fitting, text);
  text[fitting] = '\0';
}

}  // namespace oriel::capi
