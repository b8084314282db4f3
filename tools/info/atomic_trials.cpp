#include <rdma/fi_atomic.h>
#include <rdma/fi_errno.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "tools/info/trials.hpp"

namespace oriel::tools {
namespace {

constexpr std::array operations{
    std::pair{FI_SUM, "sum"},          std::pair{FI_PROD, "prod"},
    std::pair{FI_MIN, "min"},          std::pair{FI_MAX, "max"},
    std::pair{FI_BAND, "band"},        std::pair{FI_BOR, "bor"},
    std::pair{FI_BXOR, "bxor"},        std::pair{FI_LAND, "land"},
    std::pair{FI_LOR, "lor"},          std::pair{FI_LXOR, "lxor"},
    std::pair{FI_ATOMIC_READ, "read"}, std::pair{FI_ATOMIC_WRITE, "replace"}};

constexpr std::array types{std::pair{FI_INT8, "i8"},
                           std::pair{FI_INT16, "i16"},
                           std::pair{FI_INT32, "i32"},
                           std::pair{FI_INT64, "i64"},
                           std::pair{FI_UINT8, "u8"},
                           std::pair{FI_UINT16, "u16"},
                           std::pair{FI_UINT32, "u32"},
                           std::pair{FI_UINT64, "u64"},
                           std::pair{FI_FLOAT, "float"},
                           std::pair{FI_DOUBLE, "double"},
                           std::pair{FI_LONG_DOUBLE, "long double"},
                           std::pair{FI_FLOAT_COMPLEX, "float complex"},
                           std::pair{FI_DOUBLE_COMPLEX, "double complex"}};

json valid_operations(fid_ep* ep) {
  json table = json::object();
  const auto row = [&](const char* name, auto is_valid) {
    json valid = json::array();
    for (const auto& [type, type_name] : types) {
      std::size_t count = 0;
      if (is_valid(type, &count) == 0 && count > 0) valid.push_back(type_name);
    }
    table[name] = valid;
  };
  for (const auto& [op, op_name] : operations)
    row(op_name, [&, op = op](fi_datatype type, std::size_t* count) {
      return fi_fetch_atomicvalid(ep, type, op, count);
    });
  row("compare_swap", [&](fi_datatype type, std::size_t* count) {
    return fi_compare_atomicvalid(ep, type, FI_CSWAP, count);
  });
  return table;
}

// Posts one on a word of the target; `to` completes it, with what the word held before. 0 or a
// code.
int post_fetch_add(pair& p, std::size_t word, pair::transfer& from, pair::transfer& to) {
  to.ended = false;
  fi_ioc operands{&from.word, 1};
  fi_ioc results{&to.word, 1};
  void* descriptor = p.descriptor();
  const auto at = p.place(word);
  fi_rma_ioc target{at.address, 1, at.key};
  fi_msg_atomic message{};
  message.msg_iov = &operands;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = p.port().raw_address(p.other());
  message.rma_iov = &target;
  message.rma_iov_count = 1;
  message.datatype = FI_UINT64;
  message.op = FI_SUM;
  message.context = static_cast<transport::context*>(&to);
  return p.post([&] {
    return fi_fetch_atomicmsg(p.port().raw(), &message, &results, &descriptor, 1, FI_COMPLETION);
  });
}

// Fetch-adds of 1, several under way at once, until there have been `most` or time is up. Returns
// how many completed, and the first failure.
std::pair<std::uint64_t, int> add_many(pair& p, std::size_t word, std::uint64_t most) {
  constexpr std::size_t at_once = 16;
  pair::transfer& one = p.make_transfer();
  one.word = 1;
  std::array<pair::transfer*, at_once> slots{};
  for (pair::transfer*& s : slots) s = &p.make_transfer();
  std::uint64_t posted = 0, done = 0;
  const auto until = std::chrono::steady_clock::now() + pair::patience;
  for (; posted < most && std::chrono::steady_clock::now() < until; ++posted) {
    pair::transfer& slot = *slots[posted % at_once];
    int code = posted < at_once ? 0 : p.wait(slot);
    if (code == 0 && posted >= at_once) ++done;
    if (code == 0) code = post_fetch_add(p, word, one, slot);
    if (code != 0) return {done, code};
  }
  for (; done < posted; ++done)
    if (const int code = p.wait(*slots[done % at_once]); code != 0) return {done, code};
  return {done, 0};
}

}  // namespace

json atomics_trial(pair& p) {
  constexpr std::uint64_t first = 40, added = 2;
  if (!p.origin()) {
    p.shared().window[0] = first;
    p.meet();
    p.meet();
    return json::object();
  }
  json result;
  p.write(1, first, 0);  // connects
  p.meet();
  const json valid = valid_operations(p.port().raw());
  pair::transfer& from = p.make_transfer();
  pair::transfer& to = p.make_transfer();
  from.word = added;
  int code = post_fetch_add(p, 0, from, to);
  if (code == 0) code = p.wait(to);
  const std::uint64_t before = to.word;
  result["works"] = code == 0 && before == first && p.shared().window[0].load() == first + added;
  if (code != 0)
    result["error"] = fi_strerror(code);
  else if (!result["works"].get<bool>())
    result["error"] = "of " + std::to_string(first) + " + " + std::to_string(added) +
                      " it returned " + std::to_string(before) + " and left " +
                      std::to_string(p.shared().window[0].load());
  result["valid"] = valid;
  p.meet();
  return result;
}

json coherence_trial(pair& p) {
  // Enough that an addition which is not atomic is interrupted by the other many times, with the
  // processes of the trial on two processors.
  constexpr std::uint64_t additions = 20'000;
  constexpr std::size_t word = 0, added_here = 1;
  if (!p.origin()) {
    std::atomic<bool> stop{false};
    std::thread adder([&] {
      std::uint64_t n = 0;
      for (; !stop.load(std::memory_order_relaxed); ++n) p.shared().window[word].fetch_add(1);
      p.shared().window[added_here] = n;
    });
    p.meet();
    p.meet();
    stop = true;
    adder.join();
    p.meet();
    return json::object();
  }
  p.write(2, 0, 0);  // connects
  p.meet();
  const auto [done, code] = add_many(p, word, additions);
  p.meet();
  p.meet();
  const std::uint64_t expected = done + p.shared().window[added_here].load();
  const std::uint64_t found = p.shared().window[word].load();
  json result{{"works", code == 0 && done > 0 && found == expected},
              {"fetch_adds", done},
              {"additions_by_the_target", expected - done},
              {"lost", static_cast<std::int64_t>(expected - found)}};
  if (code != 0) result["error"] = fi_strerror(code);
  return result;
}

}  // namespace oriel::tools
