#include "tests/faults/random/held_windows.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace oriel::testing {
namespace {

constexpr assertion_set everything_but_attach =
    assertion::local_load_store | assertion::fence | assertion::pscw | assertion::shared_lock |
    assertion::exclusive_lock | assertion::multi_element | assertion::user_datatype |
    assertion::notify;
// Without an agent, without lock words, with one lock word.
constexpr assertion_set active_only =
    assertion::local_load_store | assertion::fence | assertion::pscw | assertion::multi_element;
constexpr assertion_set shared_only =
    assertion::local_load_store | assertion::shared_lock | assertion::multi_element;
constexpr assertion_set exclusive_only =
    assertion::local_load_store | assertion::exclusive_lock | assertion::fence;

}  // namespace

graveyard::~graveyard() {
  for (const auto s : shared_) static_cast<void>(session_.free_mem(s));
}

void graveyard::bury(held_window&& h) {
  if (h.how == flavor::allocated) return;
  std::fill(h.memory.begin(), h.memory.end(), canary);
  if (h.own != nullptr) own_.push_back(std::move(h.own));
  if (!h.shared.empty()) shared_.push_back(h.shared);
}

void graveyard::bury(std::deque<std::vector<element>>&& buffers) {
  for (auto& b : buffers) {
    std::fill(b.begin(), b.end(), canary);
    buffers_.push_back(std::move(b));
  }
}

std::string graveyard::disturbed() const {
  const auto untouched = [](const element* at, std::size_t n) {
    return std::all_of(at, at + n, [](element e) { return e == canary; });
  };
  for (const auto& m : own_)
    if (!untouched(m.get(), layout::elements)) return "memory of a window that was freed";
  for (const auto m : shared_)
    if (!untouched(reinterpret_cast<const element*>(m.data()), layout::elements))
      return "shared memory of a window that was freed";
  for (const auto& b : buffers_)
    if (!untouched(b.data(), b.size())) return "the buffer of an operation that had failed";
  return {};
}

held_windows::held_windows(session& s, participant& self, graveyard& graves)
    : session_(s), self_(self), graves_(graves) {}

// One of everything, and some others, in an order of their own.
void held_windows::build() {
  dice d = self_.common(1);
  static constexpr flavor flavors[] = {flavor::allocated, flavor::created,
                                       flavor::created_on_shared, flavor::attached};
  add(flavors[d.below(3)], everything_but_attach);
  std::vector<std::pair<flavor, assertion_set>> others{
      {flavor::attached, everything_but_attach | assertion::attach},
      {flavors[d.below(3)], active_only},
      {flavors[d.below(3)], shared_only},
      {flavors[d.below(3)], exclusive_only},
      {flavors[d.below(3)], everything_but_attach}};
  for (std::size_t i = others.size(); i > 1; --i) std::swap(others[i - 1], others[d.below(i)]);
  others.resize(1 + d.below(others.size()));
  for (const auto& [how, promised] : others) add(how, promised);
}

void held_windows::add(flavor how, assertion_set promised) {
  construct(how, promised);
  self_.end_constructing(static_cast<int>(windows_.size()));
}

void held_windows::construct(flavor how, assertion_set promised) {
  const team& t = self_.members();
  held_window& h = windows_.emplace_back();
  h.how = how;
  h.number = static_cast<int>(windows_.size()) - 1;
  self_.step("construct", participant::any, h.number);
  self_.begin_constructing(h.number);
  window_options options;
  options.name = "w" + std::to_string(h.number);
  options.aggregate = self_.gathers(h.number);
  h.first.assign(static_cast<std::size_t>(t.size()), 0);
  if (how == flavor::allocated) {
    h.w = window<element>::allocate(t, layout::elements, promised, options);
    h.memory = h.w.shared_query(t.me()).span();
    return;
  }
  if (how == flavor::created_on_shared) {
    h.shared = session_.alloc_mem(layout::elements * sizeof(element));
    h.memory = {reinterpret_cast<element*>(h.shared.data()), layout::elements};
  } else {
    h.own = std::make_unique<element[]>(layout::elements);
    h.memory = {h.own.get(), layout::elements};
  }
  if (how != flavor::attached) {
    h.w = window<element>::create(t, h.memory, promised, options);
    return;
  }
  h.w = window<element>::create(t, promised, options);
  const auto s = h.w.attach(h.memory);
  h.attached = s.handle;
  self_.step("allgather of displacements", participant::any, h.number);
  h.first = t.allgather(s.first.value);
}

held_window& held_windows::one_for(assertion_set needed, dice& d) {
  std::vector<held_window*> able;
  for (held_window& h : windows_)
    if (h.w.assertions().contains(needed)) able.push_back(&h);
  return *able[d.below(able.size())];
}

void held_windows::free() {
  dice d = self_.of(self_.my_place(), 2);
  for (held_window& h : windows_) {
    if (d.one_in(3)) std::this_thread::sleep_for(std::chrono::milliseconds(d.below(40)));
    if (h.w.valid()) {
      self_.step("free", participant::any, h.number);
      self_.begin_freeing(h.number);
      try {
        self_.met(h.w.free(), "free", participant::any);
      } catch (const team_has_lost_a_rank&) {
      }
    }
    graves_.bury(std::move(h));
  }
  windows_.clear();
}

}  // namespace oriel::testing
