// gpu_runtime's stream_calls: those of the vendor, in the context of the stream's device.
//
// `Api` has, beyond what gpu_runtime.hpp lists:
//   lacks_stream_calls(device)                        why there are none; empty when there are
//   make_words(n, words), free_words(words)           as in stream_calls
//   exchange_capture_mode(mode)                       likewise
//   call_host, wait_for_word, is_captured             with the stream as the first argument
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kinds/gpu/device.hpp"
#include "kinds/stream_calls.hpp"

namespace oriel::kinds {

template <class Api>
class gpu_streams final : public stream_calls {
 public:
  // Both outlive it.
  gpu_streams(const Api& api, gpu_device<Api>* devices) noexcept : api_(api), devices_(devices) {}

  [[nodiscard]] std::string lacks(int device) const override {
    if (device < 0 || device >= api_.devices())
      return std::string(Api::title) + " has no device of number " + std::to_string(device);
    return api_.lacks_stream_calls(device);
  }

  std::vector<std::uint64_t*> make_words(int device, std::size_t n) override {
    std::vector<std::uint64_t*> words;
    words.reserve(n);
    bool made = false;
    if (devices_[device].ready()) {
      const current here(api_, devices_[device].context());
      made = here.ok() && api_.make_words(n, words);
    }
    if (!made)
      throw error(errc::no_mem, "words that streams of " + std::string(Api::title) +
                                    " wait for cannot be allocated (" + api_.last_failure() + ")");
    for (std::uint64_t* const word : words) *word = 0;
    return words;
  }
  void free_words(int device, std::span<std::uint64_t* const> words) noexcept override {
    const current here(api_, devices_[device].context());
    api_.free_words(words);
  }

  void exchange_capture_mode(int& mode) noexcept override { api_.exchange_capture_mode(mode); }

  errc copy(stream_of_device on, void* to, const void* from, std::size_t bytes) noexcept override {
    return with(on, [&](typename Api::stream s) { return api_.copy(to, from, bytes, s); });
  }
  errc call(stream_of_device on, void (*function)(void*), void* argument) noexcept override {
    return with(on, [&](typename Api::stream s) { return api_.call_host(s, function, argument); });
  }
  errc wait(stream_of_device on, std::uint64_t* word, std::uint64_t value) noexcept override {
    return with(on, [&](typename Api::stream s) { return api_.wait_for_word(s, word, value); });
  }
  errc is_captured(stream_of_device on, bool& captured) noexcept override {
    return with(on, [&](typename Api::stream s) { return api_.is_captured(s, captured); });
  }

 private:
  using current = typename Api::current;

  template <class Call>
  errc with(stream_of_device on, Call call) noexcept {
    gpu_device<Api>& d = devices_[on.device];
    if (!d.ready()) return errc::system;
    const current here(api_, d.context());
    return here.ok() && call(static_cast<typename Api::stream>(on.handle)) ? errc::success
                                                                           : errc::system;
  }

  const Api& api_;
  gpu_device<Api>* devices_;
};

}  // namespace oriel::kinds
