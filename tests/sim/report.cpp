// What a run that fails is described by.
// A jump to another stack is what the checked longjmp refuses.
#undef _FORTIFY_SOURCE
#include <cstdio>

#include "tests/sim/calls.hpp"
#include "tests/sim/fiber.hpp"

namespace oriel::sim {

std::string scheduler::name_of(const void* at) const {
  const auto* const r = regions_.named(at);
  if (r == nullptr) return "";
  const auto* const p = static_cast<const std::byte*>(at);
  char offset[32];
  std::snprintf(offset, sizeof offset, "+%#zx", static_cast<std::size_t>(p - r->stands_for));
  return " " + r->name + offset;
}

std::string scheduler::waits() const {
  std::string text;
  for (const auto& f : fibers_) {
    text += (text.empty() ? "" : "; ") + f->name;
    if (!alive(f->process))
      text += " was killed";
    else if (f->is == fiber::state::ended)
      text += " has ended";
    else
      text += std::string(" ") + f->what + name_of(f->waits_on);
    if (f->is == fiber::state::asleep && alive(f->process))
      text += " since " + std::to_string(f->asleep_since.count() / 1000) + " us";
  }
  return text;
}

std::string scheduler::deaths() const {
  std::string text;
  for (const int p : dead_) text += (text.empty() ? "" : ", ") + std::to_string(p);
  return text.empty() ? "" : "killed were processes " + text + "\n";
}

std::string scheduler::calls() {
  std::string text = "the calls that they are amid:\n";
  for (const auto& f : fibers_) {
    if (!f->begun || f->is == fiber::state::ended || !alive(f->process)) continue;
    told_calls_ = "";
    if (f.get() == running_) {
      told_calls_ = calls_from_here();
    } else if (_setjmp(asker_) == 0) {
      asks_for_calls_ = true;
      _longjmp(f->where, 1);
    }
    asks_for_calls_ = false;
    if (!told_calls_.empty()) text += f->name + ": " + told_calls_ + "\n";
  }
  return text;
}

// On the stack of the one that is asked.
void scheduler::tell_calls() {
  told_calls_ = calls_from_here();
  _longjmp(asker_, 1);
}

std::string scheduler::last_steps() const {
  std::string text = "the last steps:\n";
  for (const event& e : last_) {
    char line[64];
    std::snprintf(line, sizeof line, "%12.3f us  ", static_cast<double>(e.when.count()) / 1000);
    text += line + (e.thread < 0 ? "" : fibers_[static_cast<std::size_t>(e.thread)]->name) + " " +
            e.what + name_of(e.at) + " (" + std::to_string(e.value) + ")\n";
  }
  return text;
}

}  // namespace oriel::sim
