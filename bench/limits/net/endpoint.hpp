// One endpoint of raw libfabric (FI_EP_RDM, FI_MSG | FI_RMA) in each process of a measurement:
// remote memory to write and read, and messages of 8 bytes, with no more around the calls than they
// need.
//
// Everything that waits makes progress, and gives up with an error after some seconds.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>

#include <array>
#include <memory>

#include "bench/limits/patience.hpp"
#include "bench/limits/processes.hpp"

namespace bench::net {

struct close_fid {
  template <class Fid>
  void operator()(Fid* object) const {
    fi_close(&object->fid);
  }
};
template <class Fid>
using fid_ptr = std::unique_ptr<Fid, close_fid>;
struct free_info {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using info_ptr = std::unique_ptr<fi_info, free_info>;

class endpoint {
 public:
  static constexpr std::size_t window_bytes = net_transfer;
  // The most transfers in flight.
  static constexpr std::size_t at_once = puts_a_stream;
  // Kinds of message; each is received by its own count.
  static constexpr std::size_t kinds = 2;

  // Collective over `all`, which outlives it.
  endpoint(const std::string& provider, processes& all);
  ~endpoint();
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  // Between this process's buffer and `rank`'s window, both at `offset`. A write is complete when
  // it is in the target's memory.
  void write(int rank, std::size_t offset, std::size_t bytes);
  void read(int rank, std::size_t offset, std::size_t bytes);
  // For all transfers so far.
  void wait_transfers();

  void send(int rank, std::uint64_t kind);
  // For one more message of this kind, from anyone.
  void receive(std::uint64_t kind);

 private:
  // What is under way: the context that it completes with.
  struct operation {
    fi_context2 provider_use;  // first, where modes FI_CONTEXT and FI_CONTEXT2 want it
    std::uint64_t* received;   // the message, where it is a receive
  };
  struct target {
    fi_addr_t address;
    std::uint64_t base;
    std::uint64_t key;
  };

  void open(const std::string& provider);
  void meet();
  void try_out();
  fid_ptr<fid_mr> register_memory(void* memory, std::size_t bytes, std::uint64_t access,
                                  std::uint64_t key);
  void progress();
  [[noreturn]] void completion_failed();
  operation& next_transfer();
  template <class Post>
  void post(Post call, const char* name);

  processes& all_;
  page_buffer window_{window_bytes};
  // Of the transfers; behind them lie the messages received.
  page_buffer buffer_{window_bytes + 4096};
  info_ptr info_;
  fid_ptr<fid_fabric> fabric_;
  fid_ptr<fid_domain> domain_;
  fid_ptr<fid_av> addresses_;
  fid_ptr<fid_cq> completions_;
  fid_ptr<fid_ep> endpoint_;
  fid_ptr<fid_mr> window_region_, buffer_region_;
  std::vector<target> targets_;

  std::array<operation, at_once> transfers_{};
  std::size_t posted_ = 0, completed_ = 0;
  // One process is at most one message of a kind ahead of another.
  std::array<operation, 2 * kinds> receives_{};
  std::vector<operation*> unposted_;  // receives
  std::array<std::uint64_t, kinds> arrived_{};
};

}  // namespace bench::net
