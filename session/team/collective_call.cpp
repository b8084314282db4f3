#include "session/team/collective_call.hpp"

namespace oriel::sessions {

std::string describe(const collective_call& c) {
  switch (c.kind) {
    case collective::none:
      break;
    case collective::barrier:
      return "team::barrier";
    case collective::broadcast:
      return "team::broadcast of " + std::to_string(c.bytes) + " bytes from rank " +
             std::to_string(c.subject);
    case collective::allgather:
      return "team::allgather of " + std::to_string(c.bytes) + " bytes a rank";
    case collective::allreduce:
      return "team::allreduce of " + std::string(name(c.type)) + " with " + std::string(name(c.op));
    case collective::split:
      return "team::split";
    case collective::subset:
      return "team::subset";
    case collective::allocate:
      return "window::allocate";
    case collective::create:
      return "window::create";
    case collective::free:
      return "window::free";
    case collective::shrink:
      return "team::shrink";
  }
  return "a collective";
}

namespace {

// What distinguishes a call from another that is described by the same words.
std::string beyond_words(const collective_call& c) {
  switch (c.kind) {
    case collective::subset:
      return " of other ranks";
    case collective::free:
      return " of another window";
    default:
      return " in another step of it";
  }
}

}  // namespace

std::string describe(const different_calls& d) {
  const std::string one = describe(d.first.call);
  std::string two = describe(d.other.call);
  if (one == two) two += beyond_words(d.other.call);
  return "the ranks called different collectives: rank " + std::to_string(d.first.rank) + " " +
         one + ", rank " + std::to_string(d.other.rank) + " " + two +
         "; all must call the same one, with the same arguments";
}

void different_calls::add(std::int32_t rank, const collective_call& call) noexcept {
  if ((call.notes & collective_call::bereaved) != 0) bereaved = 1;
  const of_rank next{rank, 0, call};
  if (first.rank < 0) {
    first = next;
  } else if (rank < first.rank) {
    if (!alike(call, first.call)) other = first;
    first = next;
  } else if (!alike(call, first.call) && (!found() || rank < other.rank)) {
    other = next;
  }
}

different_calls different_calls::named(std::span<const int> names) const noexcept {
  different_calls renamed;
  for (const of_rank& c : {first, other})
    if (c.rank >= 0) renamed.add(names[static_cast<std::size_t>(c.rank)], c.call);
  return renamed;
}

void different_calls::add(const different_calls& more) noexcept {
  if (more.first.rank >= 0) add(more.first.rank, more.first.call);
  if (more.found()) add(more.other.rank, more.other.call);
  bereaved |= more.bereaved;
}

}  // namespace oriel::sessions
