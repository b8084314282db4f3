// Requests to a window's owner as inputs of the fuzzer of far_service.cpp have them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "sync/run_list.hpp"
#include "tests/fuzz/target.hpp"
#include "transport/message.hpp"
#include "win/check/far_access.hpp"
#include "win/route/packet.hpp"
#include "win/route/remote_call.hpp"

namespace oriel::fuzz {

using transport::message_head;
using win::remote_call;

// Of the windows.
constexpr std::size_t extent = 8;
constexpr std::size_t elements = 40;
constexpr std::uint64_t window_bytes = elements * extent;

constexpr std::uint8_t number(remote_call call) {
  return static_cast<std::uint8_t>(call);
}

// A request as an input has it: the window, the call, the body and the payload.
template <class Body = std::uint64_t>
std::string asked(int window, remote_call call, const Body& body = {},
                  const std::string& payload = "") {
  message_head h;
  h.carry(body);
  return raw(static_cast<std::uint8_t>(window)) + raw(number(call)) +
         std::string(reinterpret_cast<const char*>(h.body.data()), h.body.size()) +
         raw(static_cast<std::uint16_t>(payload.size())) + payload;
}

// A list of runs of two blocks and of one, as it travels.
inline std::string runs(std::uint64_t displacement, std::uint32_t bytes, std::int64_t stride) {
  std::array<std::byte, 256> room;
  sync::run_list list(room);
  for (const sync::block_run& r :
       {sync::block_run{displacement, bytes, 2, stride}, sync::block_run{displacement, bytes, 1}})
    std::memset(list.add(r), 'r', std::size_t{r.bytes} * r.blocks);
  return {reinterpret_cast<const char*>(list.data()), list.bytes()};
}

// Entries of a packet: calls on one element, and a put elsewhere.
inline std::string entries(std::initializer_list<detail::list_call> calls, std::uint32_t node_rank,
                           std::uint64_t index) {
  const std::string eight = "8 bytes!";
  std::string all;
  for (const detail::list_call call : calls) {
    all += raw(win::packet_word{call, 0, node_rank, index}.packed());
    if (call != detail::list_call::get && call != detail::list_call::accumulate_again) all += eight;
    if (call == detail::list_call::compare_swap) all += eight;
  }
  return all + raw(win::packet_word{detail::list_call::put, 0, 0, 1}.packed()) + eight;
}

// A put and a get of runs of `n` elements, and a put elsewhere.
inline std::string entries_of_runs(std::uint64_t n, std::uint64_t index) {
  const auto run = win::packet_run::of(n);
  return raw(win::packet_word{detail::list_call::put, run.kind, 0, index, run.type}.packed()) +
         std::string(n * extent, 'r') +
         raw(win::packet_word{detail::list_call::get, run.kind, 0, index, run.type}.packed()) +
         entries({}, 0, 0);
}

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// An access that is noted, of some runs, and what its sender knows.
inline std::string noted(win::access_kind kind, std::initializer_list<win::far_run> all) {
  win::shadow_access made{.kind = kind, .in_loop = true, .type = primitive::int32};
  if (kind == win::access_kind::accumulate) made.op = atomic_op::sum;
  std::string text = bytes_of(win::packed(made));
  constexpr std::size_t ranks = 1;
  text += std::string((ranks + sessions::most_threads) * sizeof(std::uint64_t), '\3');
  for (const win::far_run& run : all) text += bytes_of(run);
  return text;
}

// Accesses that conflict, and do not; that are complete; and what orders them.
inline std::vector<std::string> checks(int w) {
  using win::access_kind;
  using win::far_run;
  const far_run some = far_run::of(8, 16, primitive::int32);
  const far_run none = far_run::of(8, 8, primitive::int32);
  const auto note = [&](const win::note_request& what, access_kind kind, far_run run) {
    return asked(w, remote_call::note_access, what, noted(kind, {run}));
  };
  using which = win::completion_request::which;
  const auto complete = [&](which what, std::int32_t target) {
    return asked(w, remote_call::complete_accesses,
                 win::completion_request{.target = target, .what = what, .thread = -1, .time = 5},
                 what == which::alike ? bytes_of(win::completed_access{8, 16}) : "");
  };
  std::vector<std::string> all;
  for (const auto kind : {access_kind::get, access_kind::put, access_kind::accumulate,
                          access_kind::atomic_read, access_kind::load, access_kind{9}})
    for (const auto what : {which::all, which::reading, which::requested, which::alike, which{7}})
      all.push_back(note({.runs = 1, .compares_operations = 1, .tells_at = 3}, kind, some) +
                    note({.runs = 1}, access_kind::put, some) + complete(what, 0) +
                    complete(what, -1) + note({.runs = 1}, access_kind::put, some));
  all.push_back(note({.target = 1, .runs = 1}, access_kind::put, some) +
                note({.runs = 2}, access_kind::put, some) +
                note({.runs = 1, .tells_at = 256}, access_kind::put, some) +
                note({.runs = 1}, access_kind::put, none));
  const std::string time = bytes_of(std::uint64_t{7});
  for (const win::order_request& places :
       {win::order_request{0}, win::order_request{2, 255, 13, 1}, win::order_request{14},
        win::order_request{2, 1, 13, 0x20000000}, win::order_request{14, 2}})
    all.push_back(asked(w, remote_call::tell_order, places, time) +
                  asked(w, remote_call::learn_order, places));
  all.push_back(asked(w, remote_call::tell_order, win::order_request{0}, time + time));
  return all;
}

// As get_runs has it.
inline std::string alone(const sync::block_run& r) {
  return {reinterpret_cast<const char*>(&r), sizeof r};
}

}  // namespace oriel::fuzz
