#include "bench/driver/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace bench {
namespace {

constexpr const char* solo_cases =
    "put_flush,put_rate,get_flush,fetch_add,compare_swap,accumulate,put_bw,get_bw,acc_1m,"
    "created_put,created_get,attached_put,attached_get,attach_detach,alloc_free,shared_1g,"
    "construct_among,lock_put_unlock,fence,pscw,construct,fetch_add_bare,compare_swap_bare,"
    "hash_insert,hash_find,hash_find_batch,map_insert,map_fetch_add,map_find,map_find_one,"
    "map_find_one_mixed,list_gather,list_scatter,list_histogram,list_swap,view_get,view_add,"
    "view_swap,private_list_gather,private_list_scatter,private_list_histogram,private_list_swap,"
    "private_add,private_add_one_way,put_static,put_mapped,put_all,put_"
    "dynamic,put_dynamic_all,"
    "get_static,get_mapped,get_all,get_dynamic,get_dynamic_all,fetch_add_static,fetch_add_mapped,"
    "fetch_add_all,fetch_add_dynamic,fetch_add_dynamic_all,lock_put_unlock_all,fence_all";
constexpr const char* net_cases =
    "net_put_flush,net_get_flush,net_put_stream,net_put_1m,net_get_1m,"
    "net_attached_put,net_attached_get,net_attached_put_1m,net_attached_get_1m,net_put_tile,"
    "net_get_tile,net_add_tile,net_put_16th,net_get_16th,net_fetch_add,net_cas,net_accumulate,"
    "net_lock_put_unlock,net_notify_pingpong,net_notify_step,net_far_put,net_far_accumulate,net_"
    "far_get_nbi,net_far_fetch_add_nbi,"
    "net_far_swap_nbi,net_far_scatter,net_far_histogram,net_far_gather,net_list_histogram,"
    "net_list_gather,net_list_swap,net_list_permutation,net_map_insert,net_map_fetch_add,net_map_"
    "find";
// Of unmodified MPI programs, and of coarray programs, which are programs of their own.
constexpr const char* mpi_cases =
    "put_flush,put_rate,get_flush,fetch_add,compare_swap,accumulate,put_bw,get_bw,created_put,"
    "created_get,attached_put,attached_get,attach_detach,alloc_free,shared_1g,lock_put_unlock,"
    "fence,pscw,create_put_flush,create_put_rate,create_get_flush,create_fetch_add,"
    "create_compare_swap,create_accumulate,create_fence,create_pscw,dynamic_put_flush,"
    "dynamic_put_rate,dynamic_get_flush,dynamic_fetch_add,dynamic_compare_swap,dynamic_accumulate,"
    "dynamic_fence,dynamic_pscw,create_free,dynamic_free,sum_char,sum_int,sum_double,"
    "create_sum_char,create_sum_int,create_sum_double,create_strided_put,create_strided_get,"
    "create_strided_sum,rput_wait,lock_shared_put_unlock,"
    "tile_sum,tile_sum_both,tile_sum_locked,construct";
constexpr const char* coarray_cases =
    "coarray_put,coarray_get,coarray_atomic_add,coarray_fetch_add";

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// mpiexec or oshrun and its options, without the program.
std::vector<std::string> start_mpi(const options& o, const std::string& peer,
                                   const std::string& mpi, int ranks) {
  std::vector<std::string> words;
  const bool is_shmem = peer == openshmem;
  // Over TCP like oriel, and as on different nodes: its shared memory is not what is compared.
  if (o.net && is_shmem)
    words = {"env", "UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo"};
  else if (o.net)
    words = {"env", "UCX_TLS=tcp", "UCX_NET_DEVICES=lo", "MPIR_CVAR_NOLOCAL=1"};
  words.push_back(is_shmem ? "oshrun" : "mpiexec." + mpi);
  const bool preloads = peer.ends_with(preloaded);
  const std::string face = face_of(o, mpi).string();
  if (mpi != "openmpi" && !is_shmem) {
    if (preloads) words.insert(words.end(), {"-genv", "LD_PRELOAD", face});
    return words;
  }
  // Where there are cores for all, Open MPI binds each rank to one, as it does for most users.
  if (static_cast<unsigned>(ranks) > std::thread::hardware_concurrency())
    words.emplace_back("--oversubscribe");
  if (preloads) words.insert(words.end(), {"-x", "LD_PRELOAD=" + face});
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  // Its shared-memory component, which is not the one that it chooses by itself.
  if (peer == "openmpi-sm") words.insert(words.end(), {"--mca", "osc", "sm"});
  return words;
}

std::vector<std::string> program(const options& o, const std::string& who, int ranks,
                                 bool coarrays) {
  const std::string n = std::to_string(ranks);
  const auto bin = [&o](const std::string& name) { return (o.bin / name).string(); };
  if (who == "limits" && o.net) return {bin("oriel-limits-net"), "--ranks", n};
  if (who == "limits") return {bin("oriel-limits")};
  std::vector<std::string> words;
  std::string rows = "oriel-bench-rows";
  if (who == "oriel" || who == asleep) {
    // The limit polls, and so do MPI libraries.
    if (o.net && who == "oriel") words = {"env", "ORIEL_FABRIC_WAIT=poll"};
    words.insert(words.end(), {bin("oriel-run"), "-n", n});
    if (o.net) words.insert(words.end(), {"--nodes", "2"});
  } else {
    const std::string mpi = who.substr(0, who.find_first_of("-+"));
    words = start_mpi(o, who, mpi, ranks);
    words.insert(words.end(), {"-n", n});
    rows = (coarrays ? "oriel-coarray-" : "oriel-peer-") + mpi;
  }
  words.push_back(bin(rows));
  if (o.net) words.emplace_back("--net");
  return words;
}

// Each has cases that the others have not.
struct way_to_measure {
  options with;
  const char* how;
};
std::vector<way_to_measure> ways_to_measure() {
  options within, between, hosted;
  between.net = true;
  hosted.mpi = true;
  return {{within, "without --net and --mpi"}, {between, "with --net"}, {hosted, "with --mpi"}};
}

bool measures(const options& o, const std::string& name) {
  const std::vector<job_size> sizes = job_sizes(o);
  return std::any_of(sizes.begin(), sizes.end(),
                     [&name](const job_size& s) { return !chosen(name, s.cases).empty(); });
}

}  // namespace

std::vector<job_size> job_sizes(const options& o) {
  if (o.net)
    return {{2, net_cases, true}, {4, "net_fence,net_notify_pingpong,net_notify_step", true}};
  if (o.mpi) return {{2, mpi_cases, false}, {2, coarray_cases, false}};
  return {{2, solo_cases, true},
          {4, "fence4,lock_contention4,fetch_add4", false},
          {8, "construct", false},
          {32, "construct", false}};
}

std::vector<std::string> order_of_cases() {
  std::vector<std::string> order;
  for (const auto& [o, how] : ways_to_measure())
    for (const job_size& size : job_sizes(o))
      for (std::string& name : split(size.cases))
        if (std::find(order.begin(), order.end(), name) == order.end())
          order.push_back(std::move(name));
  return order;
}

std::vector<std::string> mpi_hosts(const options& o) {
  std::vector<std::string> hosts;
  for (const std::string mpi : {"openmpi", "mpich"})
    if (std::filesystem::exists(o.bin / ("oriel-peer-" + mpi)) &&
        std::filesystem::exists(face_of(o, mpi)))
      hosts.push_back(mpi);
  return hosts;
}

std::filesystem::path face_of(const options& o, const std::string& mpi) {
  return o.bin.parent_path() / "lib" / ("liboriel-" + mpi + ".so");
}

std::vector<std::string> chosen(const std::string& asked, const std::string& measured) {
  std::vector<std::string> cases = split(measured);
  const std::vector<std::string> wanted = split(asked);
  if (!wanted.empty())
    std::erase_if(cases, [&wanted](const std::string& c) {
      return std::find(wanted.begin(), wanted.end(), c) == wanted.end();
    });
  return cases;
}

std::vector<std::string> complaints_of_cases(const options& o) {
  std::vector<std::string> complaints;
  for (const std::string& name : split(o.cases)) {
    if (measures(o, name)) continue;
    const auto ways = ways_to_measure();
    const auto other = std::find_if(ways.begin(), ways.end(),
                                    [&name](const auto& way) { return measures(way.with, name); });
    complaints.push_back(other == ways.end()
                             ? fmt::format("there is no case '{}'", name)
                             : fmt::format("case '{}' is measured {}", name, other->how));
  }
  return complaints;
}

std::vector<std::string> launch(const options& o, const std::string& who, int ranks,
                                const std::vector<std::string>& cases) {
  const bool coarrays = !cases.empty() && cases.front().starts_with("coarray_");
  std::vector<std::string> words = program(o, who, ranks, coarrays);
  words.insert(words.end(), {"--case", fmt::format("{}", fmt::join(cases, ",")), "--seconds",
                             o.quick ? "0.01" : "0.1"});
  return words;
}

}  // namespace bench
