#include "session/node/network_interface.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/framing.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

// An interface as a rank announces it: its name behind one of these.
constexpr char is_up = '+', is_down = '-';

std::string describe(const ifaddrs* all, const std::string& name) {
  bool known = false;
  char state = is_down;
  constexpr unsigned working = IFF_UP | IFF_RUNNING;
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (name != i->ifa_name) continue;
    known = true;
    if (i->ifa_addr != nullptr && i->ifa_addr->sa_family == AF_INET &&
        (i->ifa_flags & working) == working)
      state = is_up;
  }
  if (!known)
    throw error(errc::arg, "ORIEL_INTERFACE names '" + name +
                               "'; valid: interfaces of this host, separated by commas");
  return state + name;
}

std::vector<std::string> describe_all(const std::vector<std::string>& named) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) system_failure("the network interfaces cannot be listed");
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  std::vector<std::string> described;
  described.reserve(named.size());
  for (const std::string& name : named) described.push_back(describe(all, name));
  return described;
}

using offers = std::vector<std::vector<std::string>>;  // by rank

offers decode(const std::vector<std::string>& announced) {
  offers all;
  for (const std::string& text : announced) {
    auto list = decode_list(text);
    if (!list) throw error(errc::peer_failed, "a rank announced no list of interfaces");
    all.push_back(std::move(*list));
  }
  return all;
}

void check_that_all_name_as_many(const offers& all) {
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r].size() != all[0].size())
      throw error(errc::arg, "ORIEL_INTERFACE names " + std::to_string(all[0].size()) +
                                 " interfaces on rank 0 and " + std::to_string(all[r].size()) +
                                 " on rank " + std::to_string(r) +
                                 "; valid: as many on every rank");
}

// Where it is down: "eth0 on rank 2"; empty where it is up on every rank.
std::string place_of_failure(const offers& all, std::size_t which) {
  for (std::size_t r = 0; r < all.size(); ++r)
    if (!all[r][which].starts_with(is_up))
      return all[r][which].substr(1) + " on rank " + std::to_string(r);
  return "";
}

void report(const char* why, const std::string& which) {
  std::fprintf(stderr, "oriel: interfaces that ORIEL_INTERFACE names are left out; %s: %s\n", why,
               which.c_str());
}

}  // namespace

std::vector<std::string> named_interfaces() {
  return variable_list("ORIEL_INTERFACE");
}

// One that is named alone is not looked at here: who uses it says what is wrong with it.
std::string announce_interfaces(const std::vector<std::string>& named, std::uint32_t given_up) {
  if (named.size() < 2) return encode_list(named);
  std::vector<std::string> described = describe_all(named);
  for (std::size_t i = 0; i < described.size(); ++i)
    if ((given_up >> i & 1u) != 0) described[i].front() = is_down;
  return encode_list(described);
}

std::vector<std::string> choose_interfaces(const std::vector<std::string>& announced, int rank) {
  const offers all = decode(announced);
  const std::vector<std::string>& mine = all[static_cast<std::size_t>(rank)];
  if (std::all_of(all.begin(), all.end(), [](const auto& o) { return o.size() < 2; }))
    return {mine.empty() ? "" : mine.front()};
  check_that_all_name_as_many(all);
  if (mine.size() > most_rails)
    throw error(errc::arg, "ORIEL_INTERFACE names " + std::to_string(mine.size()) +
                               " interfaces; valid: " + std::to_string(most_rails) + " at most");
  std::vector<std::string> usable;
  std::string left_out;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::string down = place_of_failure(all, i);
    if (down.empty())
      usable.push_back(mine[i].substr(1));
    else
      left_out += (left_out.empty() ? "" : ", ") + down;
  }
  if (usable.empty())
    throw error(errc::system,
                "no interface that ORIEL_INTERFACE names is up, with an IPv4 address, on every "
                "rank; down: " +
                    left_out);
  if (!left_out.empty() && rank == 0) report("down or not reached", left_out);
  return usable;
}

void report_given_up(const std::vector<std::string>& used, std::uint32_t given_up, int rank) {
  std::string which;
  for (std::size_t i = 0; i < used.size(); ++i)
    if ((given_up >> i & 1u) != 0) which += (which.empty() ? "" : ", ") + used[i];
  if (!which.empty() && rank == 0) report("some ranks do not reach each other there", which);
}

}  // namespace oriel::sessions
