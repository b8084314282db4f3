// Opening the fabric of a job, collectively: one provider for all, addresses, and what the provider
// is found to do. Every rank comes to the same end, with the same error.
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/random_bytes.hpp"
#include "session/bootstrap/socket_fd.hpp"
#include "session/bootstrap/together.hpp"
#include "session/node/address_table.hpp"
#include "session/node/network_interface.hpp"
#include "session/team/job.hpp"
#include "transport/fabric_probe.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

using namespace sessions;

template <class Part>
std::vector<std::string> connect_together(bootstrap& launcher, Part part) {
  return sessions::together(launcher, "the ranks are on several nodes, and no fabric connects them",
                            part);
}

bool lists(const std::string& lines, const std::string& name) {
  return ("\n" + lines).find("\n" + name + "\n") != std::string::npos;
}

// The vendors of the devices whose memory a session provides.
std::vector<kinds::vendor> vendors_of(const memory_kind_list& provided) {
  std::vector<kinds::vendor> found;
  for (const kinds::vendor v : kinds::all_vendors)
    if (provided.kinds().contains(std::string(kinds::name(v)))) found.push_back(v);
  return found;
}

// The provider on one interface, or whichever it offers where `interface` is empty.
std::vector<info_list> usable_on(const std::string& interface) {
  return usable_providers(interface.empty() ? std::vector<std::string>{}
                                            : std::vector<std::string>{interface});
}

struct agreement {
  std::string provider;
  bool devices = false;  // some rank provides memory of devices
};

// The first provider of rank 0's that every rank has; `usable` becomes all that this rank has.
agreement agree_on_provider(bootstrap& launcher, std::vector<info_list>& usable,
                            const std::string& interface, bool my_devices) {
  auto all = connect_together(launcher, [&] {
    usable = usable_on(interface);
    if (usable.empty()) {
      std::string wanted;
      for (const std::string& w : wanted_providers()) wanted += (wanted.empty() ? "" : ",") + w;
      std::string why = wanted.empty() ? "libfabric has no provider with RMA here"
                                       : "ORIEL_FABRIC is '" + wanted +
                                             "', and libfabric has no such provider with RMA here "
                                             "(the command oriel-info lists those there are)";
      if (!interface.empty())
        why += ", on the interface '" + interface + "' that ORIEL_INTERFACE names";
      throw error(errc::system, why);
    }
    std::string lines = my_devices ? "d" : "-";
    for (const info_list& i : usable) lines += provider_name(*i) + "\n";
    return lines;
  });
  agreement found;
  for (std::string& lines : all) {
    found.devices = found.devices || lines.starts_with('d');
    lines.erase(0, 1);
  }
  for (std::size_t at = 0, end; (end = all[0].find('\n', at)) != std::string::npos; at = end + 1) {
    found.provider = all[0].substr(at, end - at);
    if (std::all_of(all.begin(), all.end(),
                    [&](const auto& l) { return lists(l, found.provider); }))
      return found;
  }
  throw error(errc::system, "the ranks have no libfabric provider in common (set ORIEL_FABRIC)");
}

// The provider as it is opened when some rank provides memory of devices: the same form on every
// rank, since the two forms of one provider need not understand each other.
info_list agree_on_devices(bootstrap& launcher, const fi_info& plain, std::string& why_not) {
  info_list with = with_device_memory(plain);
  const auto offers =
      connect_together(launcher, [&] { return std::string(with == nullptr ? "-" : "d"); });
  const auto without = std::find(offers.begin(), offers.end(), "-");
  if (without == offers.end()) return with;
  why_not = provider_name(plain) + " does not offer FI_HMEM";
  if (with != nullptr) why_not += " on rank " + std::to_string(without - offers.begin());
  return nullptr;
}

device_registrations try_devices(endpoint& port, const std::vector<kinds::vendor>& vendors,
                                 const std::string& why_not) {
  device_registrations found;
  for (const kinds::vendor v : vendors)
    found.answer(v, !why_not.empty() ? why_not : objection(try_registration(port, v), v));
  return found;
}

bool told_to_poll() {
  const char* const word = std::getenv("ORIEL_FABRIC_WAIT");
  const std::string_view how = word == nullptr ? "sleep" : word;
  if (how != "sleep" && how != "poll")
    throw error(errc::arg, "ORIEL_FABRIC_WAIT is '" + std::string(how) + "'; valid: sleep, poll");
  return how == "poll";
}

// Endpoints on the rails behind the first. None where the fabric has no use for several: it is not
// over the interfaces; or it needs what is one rail's, keys or registrations of buffers.
std::vector<std::unique_ptr<endpoint>> open_rails(const fi_info& first_info, const endpoint& first,
                                                  bool devices, bool sleeps,
                                                  const std::vector<std::string>& interfaces) {
  std::vector<std::unique_ptr<endpoint>> more;
  if (devices || !is_over_sockets(first_info) || !first.keys_are_agreed() ||
      first.wants_local_registration())
    return more;
  for (std::size_t rail = 1; rail < interfaces.size(); ++rail)
    for (const info_list& i : usable_on(interfaces[rail]))
      if (provider_name(*i) == provider_name(first_info))
        more.push_back(std::make_unique<endpoint>(*i, sleeps));
  return more;
}

// What each rank announces: its job's number, its network, and its address on each rail.
struct announced_addresses {
  std::uint64_t job = 0;
  std::vector<std::string> networks;                // by rank
  std::vector<std::vector<std::string>> addresses;  // of each rail that all have, by rank
};

announced_addresses read_addresses(const std::vector<std::string>& announced) {
  announced_addresses all;
  std::vector<std::vector<std::string>> by_rank;
  std::size_t rails = sessions::most_rails;
  for (const std::string& a : announced) {
    auto parts = decode_list(a);
    if (!parts || parts->size() < 3 || parts->front().size() != sizeof all.job)
      throw error(errc::system, "a rank announced what is no address of the fabric's");
    rails = std::min(rails, parts->size() - 2);
    by_rank.push_back(std::move(*parts));
  }
  std::memcpy(&all.job, by_rank[0].front().data(), sizeof all.job);
  all.addresses.resize(rails);
  for (std::vector<std::string>& parts : by_rank) {
    all.networks.push_back(std::move(parts[1]));
    for (std::size_t rail = 0; rail < rails; ++rail)
      all.addresses[rail].push_back(std::move(parts[2 + rail]));
  }
  return all;
}

// Providers connect to a rank with the first message to it, which is too late for a window to fail
// on every rank alike. So the descriptors for it are tried here: for each of the first ranks a
// connection from either side, and a few for the waits.
void want_descriptors(int remote_ranks, std::size_t rails) {
  const int wanted = 8 + 2 * std::min(remote_ranks, 16) * static_cast<int>(rails);
  std::vector<socket_fd> tried;
  while (static_cast<int>(tried.size()) < wanted) {
    tried.emplace_back(eventfd(0, EFD_CLOEXEC));
    if (tried.back().valid()) continue;
    throw error(errc::system, "it may open " + std::to_string(tried.size() - 1) +
                                  " more descriptors, and " + std::to_string(wanted) +
                                  " are wanted to connect with other nodes: " +
                                  std::strerror(errno) + " (RLIMIT_NOFILE, ulimit -n)");
  }
}

// A rank whose network is down when its endpoint opens is given the loopback, which no other
// network reaches. Throws, on all ranks alike, where some have that and the ranks are in several
// networks.
void check_addresses(const fi_info& provider, const std::vector<std::string>& addresses,
                     const std::vector<std::string>& networks) {
  if (std::all_of(networks.begin(), networks.end(),
                  [&](const std::string& n) { return n == networks[0]; }))
    return;
  std::string confined;
  for (std::size_t r = 0; r < addresses.size(); ++r)
    if (loops_back(provider, addresses[r]))
      confined += (confined.empty() ? "rank " : ", ") + std::to_string(r);
  if (confined.empty()) return;
  throw agreed_error(errc::system, confined + ": the ranks are on several nodes, and " +
                                       provider_name(provider) +
                                       " has nothing but the loopback there: is the network down? "
                                       "(ORIEL_INTERFACE names the interface to use)");
}

struct found_out {
  completion how;
  notice_way notices;
  std::size_t data_bytes;
};

// Tries the fabric. A rank that fails waits for the others then, and these may need its progress.
found_out try_provider(libfabric& f, job& all, std::chrono::milliseconds timeout) {
  try {
    const completion how = probe_completion(f, all, timeout);
    return {how, probe_notices(f, all, timeout), f.port().completion_data_bytes()};
  } catch (const std::exception&) {
    f.start_agent();
    throw;
  }
}

// The last rung that some rank has come to: character `at` of its text is the rung's number.
template <class Rung>
Rung worst_of(const std::vector<std::string>& rungs, std::size_t at, Rung last) {
  int worst = 0;
  for (const std::string& r : rungs)
    worst = std::max(worst, at < r.size() ? r[at] - '0' : static_cast<int>(last));
  return static_cast<Rung>(std::min(worst, static_cast<int>(last)));
}

void warn_of_faults(const std::string& provider) {
  const std::string fault = known_fault(provider, libfabric_library().version());
  if (!fault.empty())
    std::fprintf(stderr, "oriel: ORIEL_FABRIC names the provider %s: %s\n", provider.c_str(),
                 fault.c_str());
}

}  // namespace
}  // namespace oriel::transport

namespace oriel {

std::unique_ptr<sessions::messenger> sessions::open_messenger(
    bootstrap& launcher, job& all, node_memory& memory, const job_description& about,
    const std::vector<std::string>& interfaces, const memory_kind_list& provided) {
  using namespace transport;
  std::vector<info_list> usable;
  const std::vector<kinds::vendor> vendors = vendors_of(provided);
  const agreement agreed = agree_on_provider(launcher, usable, interfaces[0], !vendors.empty());
  if (all.rank() == 0) warn_of_faults(agreed.provider);
  const fi_info& plain = **std::find_if(usable.begin(), usable.end(), [&](const info_list& i) {
    return provider_name(*i) == agreed.provider;
  });
  std::string why_no_devices;
  const info_list with_devices =
      agreed.devices ? agree_on_devices(launcher, plain, why_no_devices) : nullptr;
  std::unique_ptr<endpoint> port;
  std::vector<std::unique_ptr<endpoint>> more;
  libfabric::settings how;
  const std::uint64_t drawn = random_value<std::uint64_t>();
  auto announced = connect_together(launcher, [&] {
    how.polls = told_to_poll();
    how.lanes = variable_switch("ORIEL_FABRIC_LANES").value_or(true);
    how.contexts = about.contexts;
    port = std::make_unique<endpoint>(with_devices ? *with_devices : plain, !how.polls);
    how.devices = try_devices(*port, vendors, why_no_devices);
    const std::string number(reinterpret_cast<const char*>(&drawn), sizeof drawn);
    std::vector<std::string> parts{number, network_identity(), port->address()};
    more = open_rails(plain, *port, with_devices != nullptr, !how.polls, interfaces);
    for (const auto& e : more) parts.push_back(e->address());
    return encode_list(parts);
  });
  announced_addresses known = read_addresses(std::exchange(announced, {}));
  how.job = known.job;
  for (const std::vector<std::string>& rail : known.addresses)
    check_addresses(plain, rail, known.networks);
  const std::size_t rails = known.addresses.size() == interfaces.size() ? interfaces.size() : 1;
  more.resize(rails - 1);
  if (rails > 1) {
    how.rails = interfaces;
    how.contexts = 1;
  }
  std::unique_ptr<libfabric> made;
  connect_together(launcher, [&] {
    const sessions::address_table addresses(memory, sessions::node_table::fabric_addresses,
                                            known.addresses);
    known = {};  // the node has one copy, and each rank of it has waited with its own
    for (std::size_t rail = 0; rail < rails; ++rail)
      (rail == 0 ? *port : *more[rail - 1])
          .know(all.size(), [=, i = static_cast<int>(rail)](int r) { return addresses.at(i, r); });
    made = std::make_unique<libfabric>(std::move(port), all, how, std::move(more));
    want_descriptors(all.size() - all.ranks_on_node(), rails);
    return std::string();
  });
  const auto rungs = connect_together(launcher, [&] {
    const auto digit = [](auto rung) { return static_cast<char>('0' + static_cast<int>(rung)); };
    const found_out f = try_provider(*made, all, about.timeout);
    return std::string{digit(f.how), digit(f.notices), digit(f.data_bytes < 8 ? 1 : 0)};
  });
  made->settle_for(worst_of(rungs, 0, completion::acknowledged));
  made->settle_for(worst_of(rungs, 1, notice_way::after_arrival),
                   worst_of(rungs, 2, 1) == 0 ? 8 : 4);
  // A read behind writes must go by the same rail.
  const bool fabric_has_one = rails == 1 && is_over_sockets(plain);
  if (fabric_has_one || made->how() == completion::read_back)
    for (std::size_t rail = 1; rail < interfaces.size(); ++rail)
      all.report_rail(static_cast<int>(rail));
  return made;
}

}  // namespace oriel
