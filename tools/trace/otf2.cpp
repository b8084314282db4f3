#include "tools/trace/otf2.hpp"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace oriel::tools {
namespace {

using win::trace::call;

constexpr std::uint64_t nanoseconds_a_second = 1'000'000'000;

void require(OTF2_ErrorCode e, const char* what) {
  if (e != OTF2_SUCCESS)
    throw std::runtime_error(fmt::format("OTF2: {}: {}", what, OTF2_Error_GetDescription(e)));
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

// From 0 on.
OTF2_RegionRef region_of(call c) {
  return static_cast<OTF2_RegionRef>(c) - 1;
}

// What runs the calls of one thread of a rank.
struct location {
  std::size_t rank;  // place in job_trace::ranks
  std::uint32_t thread;
  auto operator<=>(const location&) const = default;
};

class archive {
 public:
  archive(const job_trace& job, const std::filesystem::path& folder) : job_(job) {
    if (std::filesystem::exists(folder))
      throw std::runtime_error(folder.string() + " is there already");
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      locations_.try_emplace({r, 0}, 0);
      for (const traced_call& c : job.ranks[r].calls) {
        locations_.try_emplace({r, c.about.thread}, 0);
        windows_.try_emplace(c.window_id, job.ranks[r].window_of(c));
      }
    }
    // The first thread of each rank stands for it.
    std::uint64_t next = 0;
    for (auto& [where, id] : locations_) id = next++;
    made_.reset(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                  OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (made_ == nullptr) throw std::runtime_error("OTF2: " + folder.string() + " cannot be made");
    static const OTF2_FlushCallbacks callbacks{flush, nullptr};
    require(OTF2_Archive_SetFlushCallbacks(made_.get(), &callbacks, nullptr), "callbacks");
    require(OTF2_Archive_SetSerialCollectiveCallbacks(made_.get()), "callbacks");
    require(OTF2_Archive_SetCreator(made_.get(), "oriel-trace"), "its creator");
  }

  void write() {
    require(OTF2_Archive_OpenEvtFiles(made_.get()), "files of events");
    for (const auto& [where, id] : locations_) write_events(where, id);
    require(OTF2_Archive_CloseEvtFiles(made_.get()), "files of events");
    require(OTF2_Archive_OpenDefFiles(made_.get()), "files of definitions");
    for (const auto& [where, id] : locations_)
      require(OTF2_Archive_CloseDefWriter(made_.get(), OTF2_Archive_GetDefWriter(made_.get(), id)),
              "definitions");
    require(OTF2_Archive_CloseDefFiles(made_.get()), "files of definitions");
    write_definitions();
    require(OTF2_Archive_Close(made_.release()), "the archive");
  }

 private:
  struct closes {
    void operator()(OTF2_Archive* a) const { OTF2_Archive_Close(a); }
  };

  [[nodiscard]] OTF2_RmaWinRef number_of(std::uint64_t window) const {
    return static_cast<OTF2_RmaWinRef>(std::distance(windows_.begin(), windows_.find(window)));
  }

  void write_events(location where, std::uint64_t id) {
    OTF2_EvtWriter* const to = OTF2_Archive_GetEvtWriter(made_.get(), id);
    if (to == nullptr) throw std::runtime_error("OTF2: events cannot be written");
    // Clocks are compared now and then alone: times of a thread are kept from going back.
    std::int64_t now = 0;
    const auto time = [&now](std::int64_t t) {
      return static_cast<OTF2_TimeStamp>(now = std::max(now, t));
    };
    std::uint64_t events = 0;
    for (const traced_call& c : job_.ranks[where.rank].calls) {
      if (c.about.thread != where.thread) continue;
      const auto region = region_of(c.about.what);
      require(OTF2_EvtWriter_Enter(to, nullptr, time(c.began), region), "an event");
      write_access(to, c, time(c.began), ++matching_);
      require(OTF2_EvtWriter_Leave(to, nullptr, time(c.ended), region), "an event");
      latest_ = std::max(latest_, now);
    }
    require(OTF2_EvtWriter_GetNumberOfEvents(to, &events), "events");
    events_[id] = events;
    require(OTF2_Archive_CloseEvtWriter(made_.get(), to), "events");
  }

  void write_access(OTF2_EvtWriter* to, const traced_call& c, OTF2_TimeStamp at, std::uint64_t id) {
    if (c.about.peer == win::trace::no_peer) return;
    const auto peer = static_cast<std::uint32_t>(c.about.peer);
    const OTF2_RmaWinRef w = number_of(c.window_id);
    const auto atomic = [&](OTF2_RmaAtomicType type, bool fetches) {
      return OTF2_EvtWriter_RmaAtomic(to, nullptr, at, w, peer, type, c.about.bytes,
                                      fetches ? c.about.bytes : 0, id);
    };
    switch (c.about.what) {
      case call::put:
      case call::put_notify:
        require(OTF2_EvtWriter_RmaPut(to, nullptr, at, w, peer, c.about.bytes, id), "a put");
        break;
      case call::get:
        require(OTF2_EvtWriter_RmaGet(to, nullptr, at, w, peer, c.about.bytes, id), "a get");
        break;
      case call::accumulate:
        require(atomic(OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, false), "an atomic");
        break;
      case call::fetch_op:
        require(atomic(OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, true), "an atomic");
        break;
      case call::compare_swap:
        require(atomic(OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, true), "an atomic");
        break;
      default:
        return;
    }
    require(OTF2_EvtWriter_RmaOpCompleteNonBlocking(to, nullptr, at, w, id), "a completion");
  }

  OTF2_StringRef text(const std::string& s) {
    require(OTF2_GlobalDefWriter_WriteString(definitions_, strings_, s.c_str()), "a name");
    return strings_++;
  }

  void write_definitions() {
    definitions_ = OTF2_Archive_GetGlobalDefWriter(made_.get());
    if (definitions_ == nullptr) throw std::runtime_error("OTF2: definitions cannot be written");
    require(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, nanoseconds_a_second, 0,
                                                      static_cast<std::uint64_t>(latest_) + 1,
                                                      OTF2_UNDEFINED_TIMESTAMP),
            "the clock");
    const OTF2_StringRef none = text("");
    for (std::size_t i = 1; i < win::trace::calls; ++i) {
      const auto c = static_cast<call>(i);
      const OTF2_StringRef named = text(std::string(win::trace::name(c)));
      require(OTF2_GlobalDefWriter_WriteRegion(
                  definitions_, region_of(c), named, named, none,
                  c == call::fence ? OTF2_REGION_ROLE_BARRIER
                  : win::trace::is_synchronization(c) || win::trace::is_enqueueing(c)
                      ? OTF2_REGION_ROLE_FUNCTION
                      : OTF2_REGION_ROLE_RMA,
                  OTF2_PARADIGM_SHMEM, OTF2_REGION_FLAG_NONE, none, 0, 0),
              "a call");
    }
    write_places();
    write_windows();
  }

  // Hosts, ranks on them, threads of these.
  void write_places() {
    const OTF2_StringRef node = text("node");
    std::map<int, OTF2_SystemTreeNodeRef> nodes;
    for (const rank_trace& r : job_.ranks) {
      const auto next = static_cast<OTF2_SystemTreeNodeRef>(nodes.size());
      if (!nodes.try_emplace(r.node, next).second) continue;
      require(OTF2_GlobalDefWriter_WriteSystemTreeNode(
                  definitions_, next, text(fmt::format("{} (node {})", r.host, r.node)), node,
                  OTF2_UNDEFINED_SYSTEM_TREE_NODE),
              "a node");
    }
    for (std::size_t i = 0; i < job_.ranks.size(); ++i)
      require(
          OTF2_GlobalDefWriter_WriteLocationGroup(
              definitions_, static_cast<OTF2_LocationGroupRef>(i),
              text(fmt::format("rank {}", job_.ranks[i].rank)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
              nodes.at(job_.ranks[i].node), OTF2_UNDEFINED_LOCATION_GROUP),
          "a rank");
    for (const auto& [where, id] : locations_)
      require(OTF2_GlobalDefWriter_WriteLocation(
                  definitions_, id, text(name_of_thread(where.thread)),
                  is_stream(where.thread) ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                          : OTF2_LOCATION_TYPE_CPU_THREAD,
                  events_[id], static_cast<OTF2_LocationGroupRef>(where.rank)),
              "a thread");
  }

  // All windows are of all ranks here: targets are told by their rank in the job.
  void write_windows() {
    std::vector<std::uint64_t> firsts, ranks;
    for (const auto& [where, id] : locations_)
      if (where.thread == 0) {
        ranks.push_back(firsts.size());
        firsts.push_back(id);
      }
    const auto n = static_cast<std::uint32_t>(firsts.size());
    const OTF2_StringRef all = text("ranks of the job");
    require(OTF2_GlobalDefWriter_WriteGroup(definitions_, 0, all, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                            OTF2_PARADIGM_SHMEM, OTF2_GROUP_FLAG_NONE, n,
                                            firsts.data()),
            "the ranks");
    require(
        OTF2_GlobalDefWriter_WriteGroup(definitions_, 1, all, OTF2_GROUP_TYPE_COMM_GROUP,
                                        OTF2_PARADIGM_SHMEM, OTF2_GROUP_FLAG_NONE, n, ranks.data()),
        "the ranks");
    require(OTF2_GlobalDefWriter_WriteComm(definitions_, 0, all, 1, OTF2_UNDEFINED_COMM,
                                           OTF2_COMM_FLAG_NONE),
            "the ranks");
    for (const auto& [id, name] : windows_)
      require(OTF2_GlobalDefWriter_WriteRmaWin(definitions_, number_of(id), text(name), 0,
                                               OTF2_RMA_WIN_FLAG_NONE),
              "a window");
  }

  const job_trace& job_;
  std::map<location, std::uint64_t> locations_;
  std::map<std::uint64_t, std::string> windows_;
  std::map<std::uint64_t, std::uint64_t> events_;  // of locations
  std::unique_ptr<OTF2_Archive, closes> made_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  OTF2_StringRef strings_ = 0;
  std::uint64_t matching_ = 0;
  std::int64_t latest_ = 0;
};

}  // namespace

void write_otf2(const job_trace& job, const std::filesystem::path& folder) {
  archive(job, folder).write();
}

}  // namespace oriel::tools
