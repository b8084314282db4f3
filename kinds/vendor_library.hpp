// What all vendors' libraries have in common: they are loaded when the program runs, by the names
// of their entry points, and their calls return a code.
#pragma once

#include <initializer_list>
#include <string>

namespace oriel::kinds {

// Loads a library and looks its entry points up. The library is never unloaded: its threads and its
// handlers of the process's end would not survive that.
class vendor_library {
 public:
  // Loads the first of `names` that can be loaded. `title` names the library in sentences: "the
  // CUDA driver".
  vendor_library(const char* title, std::initializer_list<const char*> names);

  // Sets `entry` to null where the library lacks the function.
  template <class Function>
  void find_if_there(Function*& entry, const char* name) const noexcept {
    entry = reinterpret_cast<Function*>(address(name));
  }
  // The same; a function that is lacking then makes `why_absent` say so.
  template <class Function>
  void find(Function*& entry, const char* name) {
    find_if_there(entry, name);
    if (entry == nullptr) lacks(name);
  }

  // Empty when the library is loaded and has all that was looked for, else the first reason.
  [[nodiscard]] const std::string& why_absent() const noexcept { return why_absent_; }

 private:
  [[nodiscard]] void* address(const char* name) const noexcept;
  void lacks(const char* name);

  const char* title_;
  void* handle_ = nullptr;
  std::string why_absent_;
};

// A call of a vendor's library that failed, and the code that it returned. The text is made when it
// is wanted: making it may fail, which must not happen where failures are noted.
template <class Code>
struct failed_call {
  const char* call = nullptr;
  Code code{};
};

// The calling thread's last one.
template <class Code>
failed_call<Code>& last_failed_call() noexcept {
  thread_local failed_call<Code> last;
  return last;
}

// "cuMemAlloc: out of memory", where `text(code)` gives the words; empty before the first failure.
template <class Code, class Text>
std::string text_of_last_failure(Text&& text) {
  const auto& [call, code] = last_failed_call<Code>();
  return call == nullptr ? std::string() : std::string(call) + ": " + text(code);
}

}  // namespace oriel::kinds
