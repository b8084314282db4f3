// Branches, calls, barriers of blocks and warps, shuffles, pauses.
#include <algorithm>

#include "tests/drivers/ptx/barriers.hpp"
#include "tests/drivers/ptx/machine.hpp"
#include "tests/drivers/ptx/print.hpp"
#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {
namespace {

outcome branch(thread& t, const instruction& i) {
  t.pc = t.now.code->code.data() + i.target;
  return outcome::jumped;
}
outcome make_call(thread& t, const instruction& i) {
  t.view.settle_copies();
  if (!i.calls->callee->defined) {
    print(t, i);
    ++t.pc;
    return outcome::jumped;
  }
  const frame caller = t.now;
  enter(t, *i.calls->callee, &i);
  for (const parameter_copy& a : i.calls->arguments)
    std::memcpy(t.now.parameters + a.to, caller.parameters + a.from, a.bytes);
  return outcome::jumped;
}
outcome give_back(thread& t, const instruction&) {
  t.view.settle_copies();
  if (t.callers.empty()) return outcome::left;
  const frame callee = t.now;
  t.now = t.callers.back();
  t.callers.pop_back();
  t.pc = callee.call_site + 1;
  const parameter_copy& r = callee.call_site->calls->result;
  std::memcpy(t.now.parameters + r.to, callee.parameters + r.from, r.bytes);
  return outcome::jumped;
}
outcome leave(thread&, const instruction&) {
  return outcome::left;
}
outcome trap(thread&, const instruction& i) {
  throw error(i.line, "the kernel has trapped");
}
// Which lanes are together is the machine's own choice. A program that is right needs no others.
outcome own_lane(thread& t, const instruction& i) {
  set<std::uint32_t>(t, i.op[0], 1u << t.lane);
  return outcome::next;
}

outcome block_barrier(thread& t, const instruction& i) {
  if (i.op[2].what == operand::kind::reg && holds(t, i.op[2])) ++t.in->counted;
  t.state = standing::at_block_barrier;
  ++t.in->waiting;
  return outcome::waits;
}
outcome warp_barrier(thread& t, const instruction& i) {
  t.awaited = get<std::uint32_t>(t, i.op[4]);
  if ((t.awaited >> t.lane & 1u) == 0) throw error(i.line, "a lane that is not in its own mask");
  t.state = standing::at_warp_barrier;
  return outcome::waits;
}
outcome pause(thread& t, const instruction&) {
  // In lockstep lanes that sleep keep the others of their warp from going on.
  if (t.in->in->turns.how() != policy::lockstep) t.state = standing::asleep;
  return outcome::next;
}

bool is_number(const argument& a, std::int64_t value) {
  return a.parts.size() == 1 && a.parts[0].what == operand::kind::immediate &&
         a.parts[0].immediate == value;
}

// bar.sync 0 and bar.red.popc.u32 d, 0, p, of all threads of the block.
bool decode_block_barrier(const statement& s, instruction& i) {
  const auto& a = s.arguments;
  const bool plain =
      s.words.size() == 2 && s.words[1] == "sync" && a.size() == 1 && is_number(a[0], 0);
  const bool counts = s.words.size() == 4 && s.words[1] == "red" && s.words[2] == "popc" &&
                      s.words[3] == "u32" && a.size() == 3 && is_number(a[1], 0);
  if (!plain && !counts) return false;
  if (counts) {
    i.op[0] = a[0].parts[0];
    i.op[2] = a[2].parts[0];
  }
  i.run = block_barrier;
  return true;
}

// shfl.sync.mode.b32 d|p, a, b, c, mask and bar.warp.sync mask.
bool decode_warp_barrier(const statement& s, instruction& i) {
  const auto& a = s.arguments;
  if (s.words[0] == "bar") {
    if (s.words.size() != 3 || s.words[2] != "sync" || a.size() != 1) return false;
    i.variant = warp_barrier_alone;
    i.op[4] = a[0].parts[0];
  } else {
    if (s.words.size() != 4 || s.words[1] != "sync" || s.words[3] != "b32" || a.size() != 5)
      return false;
    const auto mode = std::ranges::find(shuffles, s.words[2]);
    if (mode == shuffles.end()) return false;
    i.variant = static_cast<std::uint8_t>(mode - shuffles.begin());
    for (std::size_t k = 0; k < 5; ++k) i.op[k] = a[k].parts[0];
    if (a[0].predicate) i.vector[0] = *a[0].predicate;
  }
  i.run = warp_barrier;
  return true;
}

// vote.sync.ballot.b32 d, p, mask and vote.sync.any.pred.
bool decode_vote(const statement& s, instruction& i) {
  if (s.words.size() != 4 || s.words[1] != "sync" || s.arguments.size() != 3) return false;
  const auto how = std::ranges::find(votes, s.words[2]);
  if (how == votes.end() || s.words[3] != (how == votes.begin() ? "b32" : "pred")) return false;
  i.variant = static_cast<std::uint8_t>(first_vote + (how - votes.begin()));
  i.op[0] = s.arguments[0].parts[0];
  i.op[1] = s.arguments[1].parts[0];
  i.op[4] = s.arguments[2].parts[0];
  i.run = warp_barrier;
  return i.op[0].what == operand::kind::reg;
}

handler simple(std::string_view opcode) {
  if (opcode == "bra") return branch;
  if (opcode == "call") return make_call;
  if (opcode == "ret") return give_back;
  if (opcode == "exit") return leave;
  if (opcode == "trap") return trap;
  return nullptr;
}

}  // namespace

bool decode_control(const statement& s, instruction& i) {
  if (s.words[0] == "nanosleep" && s.words.size() == 2 && s.words[1] == "u32") {
    i.ends_group = true;
    i.run = pause;
    return true;
  }
  if (s.words[0] == "activemask" && s.words.size() == 2 && s.arguments.size() == 1) {
    i.run = own_lane;
    return take_scalars(s, i);
  }
  i.ends_group = true;
  if (s.words[0] == "bar" && s.words.size() > 1 && s.words[1] != "warp")
    return decode_block_barrier(s, i);
  if (s.words[0] == "bar" || s.words[0] == "shfl") return decode_warp_barrier(s, i);
  if (s.words[0] == "vote") return decode_vote(s, i);
  if (s.words.size() > 2 || (s.words.size() == 2 && s.words[1] != "uni")) return false;
  i.run = simple(s.words[0]);
  if (i.run == branch) i.leads = flow::branch;
  if (i.run == give_back || i.run == leave) i.leads = flow::leave;
  return i.run != nullptr && (s.words[0] != "bra" || s.arguments.size() == 1);
}

}  // namespace oriel::test_driver::ptx
