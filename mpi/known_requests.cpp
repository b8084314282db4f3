#include "mpi/known_requests.hpp"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "mpi/order.hpp"
#include "sync/system.hpp"

namespace oriel::mpi {
namespace {

// A number of a handle, whatever the host makes its handles of.
std::uint64_t bits_of(MPI_Request handle) noexcept {
  std::uint64_t bits = 0;
  static_assert(sizeof handle <= sizeof bits);
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

// The process's, since handles are.
struct known_requests {
  sync::mutex mutex;
  std::unordered_map<std::uint64_t, int> sources;
};
known_requests& all_known() noexcept {
  static known_requests all;
  return all;
}

bool is_checking() noexcept {
  return order_of_messages.load(std::memory_order_relaxed) != nullptr;
}

// Of a host that has one handle for all requests that are complete at once, the last counts.
int note_as(int code, MPI_Request request, int source) noexcept {
  const std::lock_guard hold(all_known().mutex);
  try {
    all_known().sources[bits_of(request)] = source;
  } catch (const std::bad_alloc&) {
    all_known().sources.erase(bits_of(request));
  }
  return code;
}

}  // namespace

int note_send(int code, const MPI_Request* request) noexcept {
  return is_checking() && code == MPI_SUCCESS ? note_as(code, *request, MPI_PROC_NULL) : code;
}

int note_receive(int code, const MPI_Request* request, int source, MPI_Comm comm) noexcept {
  if (!is_checking() || code != MPI_SUCCESS) [[likely]]
    return code;
  if (source == MPI_PROC_NULL) return note_as(code, *request, source);
  const int r = source < 0 ? MPI_UNDEFINED : rank_in_job(source, comm);
  if (r != MPI_UNDEFINED) return note_as(code, *request, r);
  forget_request(request);
  return code;
}

void forget_request(const MPI_Request* request) noexcept {
  if (!is_checking()) [[likely]]
    return;
  const std::lock_guard hold(all_known().mutex);
  all_known().sources.erase(bits_of(*request));
}

completed_requests::completed_requests(int count, const MPI_Request requests[]) noexcept
    : requests_(requests) {
  if (!is_checking()) [[likely]]
    return;
  const std::lock_guard hold(all_known().mutex);
  try {
    before_.emplace();
    for (int i = 0; i < count; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) {
        before_->push_back({requests[i], MPI_PROC_NULL});
        continue;
      }
      const auto at = all_known().sources.find(bits_of(requests[i]));
      if (at == all_known().sources.end()) {
        before_.reset();
        return;
      }
      before_->push_back({requests[i], at->second});
    }
  } catch (const std::bad_alloc&) {
    before_.reset();
  }
}

// Each of them is null when it is complete.
int completed_requests::after(int code) noexcept {
  if (!is_checking()) [[likely]]
    return code;
  if (!before_ || code != MPI_SUCCESS) return after_completion(code);
  release_buffers_of_requests();
  for (std::size_t i = 0; i < before_->size(); ++i) {
    const known_request& r = (*before_)[i];
    if (r.handle == MPI_REQUEST_NULL || requests_[i] != MPI_REQUEST_NULL) continue;
    forget_request(&r.handle);
    if (r.source != MPI_PROC_NULL) heard_of(r.source);
  }
  return code;
}

}  // namespace oriel::mpi
