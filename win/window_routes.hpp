// How one process reaches the ranks of one window: their routes, and what these go by.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "sync/mailbox.hpp"
#include "sync/packet_board.hpp"
#include "win/check/far_checks.hpp"
#include "win/route/deferred_operations.hpp"
#include "win/route/packet_streams.hpp"
#include "win/route/prompt_owners.hpp"
#include "win/route/remote_window.hpp"
#include "win/route/request_room.hpp"
#include "win/route/route_table.hpp"
#include "win/route/spare_room.hpp"

namespace oriel::win {

struct window_routes : route_table {
  using route_table::operator=;

  std::optional<sync::mailbox> mailbox;           // of this node, where owners serve
  std::optional<sync::packet_board> board;        // likewise
  std::unique_ptr<deferred_operations> deferred;  // likewise
  std::unique_ptr<prompt_owners> prompt;          // likewise
  request_room* room = nullptr;                   // likewise
  // What those that serve read and write of the memory of origins that ask (serve/apply_far.hpp).
  std::unique_ptr<std::byte[]> far;
  std::vector<char> far_returns;         // by rank of the node: whether results have reached it
  spare_room list_room;                  // of lists for them
  std::atomic<bool> far_refused{false};  // by the kernel, to an owner that this rank asked
  // Where some memory may not be mapped here, by its place.
  std::unique_ptr<packet_streams> packets;
  std::unique_ptr<remote_window> remote;  // when some ranks are on other nodes
  std::unique_ptr<far_checks> checks;     // and ORIEL_CHECK compares what is done to them
};

}  // namespace oriel::win
