#include "session/bootstrap/pmix_client.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/framing.hpp"

namespace oriel::sessions {
namespace {

pmix_info_t attribute(const char* key, pmix_data_type_t type) noexcept {
  pmix_info_t i{};
  std::strncpy(i.key, key, PMIX_MAX_KEYLEN);
  i.value.type = type;
  return i;
}

// The server keeps the time, in whole seconds, of which 0 would mean for ever.
pmix_info_t time_limit(std::chrono::milliseconds timeout) noexcept {
  pmix_info_t limit = attribute(PMIX_TIMEOUT, PMIX_INT);
  limit.value.data.integer = static_cast<int>(std::max<std::int64_t>(1, timeout.count() / 1000));
  return limit;
}

}  // namespace

// As PMIX_VALUE_RELEASE does for the types that are read here; that macro would need libpmix when
// liboriel is linked.
void pmix_client::release::operator()(pmix_value_t* v) const noexcept {
  if (v->type == PMIX_BYTE_OBJECT) std::free(v->data.bo.bytes);
  std::free(v);
}

pmix_client::pmix_client(std::chrono::milliseconds timeout)
    : calls_(pmix_library::load()), owner_(getpid()) {
  if (const pmix_status_t s = calls_.init(&me_, nullptr, 0); s != PMIX_SUCCESS)
    throw error(errc::system, "PMIx_Init failed on rank " + variable("PMIX_RANK").value_or("?") +
                                  " of job " + variable("PMIX_NAMESPACE").value_or("?") + ": " +
                                  calls_.error_string(s));
  try {
    size_ = job_size(timeout);
  } catch (...) {
    leave();
    throw;
  }
}

pmix_client::~pmix_client() {
  leave();
}

void pmix_client::leave() noexcept {
  // A child of fork() has the connection's descriptor, and not the thread that serves it.
  if (owner_ == getpid()) calls_.finalize(nullptr, 0);
}

int pmix_client::job_size(std::chrono::milliseconds timeout) const {
  const value size = get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, timeout);
  if (size->type != PMIX_UINT32)
    throw error(errc::peer_failed, "the PMIx server gives rank " + std::to_string(me_.rank) +
                                       " a job size that is no unsigned number but of type " +
                                       std::to_string(size->type));
  const std::uint32_t ranks = size->data.uint32;
  if (ranks <= me_.rank || ranks > most_ranks)
    throw error(errc::peer_failed, "the PMIx server gives rank " + std::to_string(me_.rank) +
                                       " a job of " + std::to_string(ranks) +
                                       " ranks; valid: above the rank, at most " +
                                       std::to_string(most_ranks));
  return static_cast<int>(ranks);
}

void pmix_client::share(const std::string& bytes, std::chrono::milliseconds timeout) const {
  pmix_value_t mine{};
  mine.type = PMIX_BYTE_OBJECT;
  mine.data.bo.bytes = const_cast<char*>(bytes.data());  // PMIx_Put copies and does not write
  mine.data.bo.size = bytes.size();
  check(calls_.put(PMIX_GLOBAL, key().c_str(), &mine), "PMIx_Put of " + key(), timeout);
  check(calls_.commit(), "PMIx_Commit of " + key(), timeout);
  std::array<pmix_info_t, 2> how{attribute(PMIX_COLLECT_DATA, PMIX_BOOL), time_limit(timeout)};
  how[0].value.data.flag = true;
  const pmix_proc_t everybody = process(PMIX_RANK_WILDCARD);
  check(calls_.fence(&everybody, 1, how.data(), how.size()), "PMIx_Fence of the job", timeout);
}

std::string pmix_client::fetch(int rank, std::chrono::milliseconds timeout) const {
  const value part = get(static_cast<pmix_rank_t>(rank), key(), timeout);
  const pmix_byte_object_t& bytes = part->data.bo;
  if (part->type != PMIX_BYTE_OBJECT || bytes.size > longest_message)
    throw error(errc::peer_failed,
                "rank " + std::to_string(rank) + " has sent through PMIx what it should not");
  return bytes.size == 0 ? "" : std::string(bytes.bytes, bytes.size);
}

pmix_client::value pmix_client::get(pmix_rank_t rank, const std::string& key,
                                    std::chrono::milliseconds timeout) const {
  const pmix_info_t how = time_limit(timeout);
  const pmix_proc_t whose = process(rank);
  pmix_value_t* found = nullptr;
  const std::string what =
      "PMIx_Get of " + key + (rank == PMIX_RANK_WILDCARD ? "" : " of rank " + std::to_string(rank));
  check(calls_.get(&whose, key.c_str(), &how, 1, &found), what, timeout);
  if (found == nullptr) throw error(errc::peer_failed, what + " gave no value");
  return value(found);
}

pmix_proc_t pmix_client::process(pmix_rank_t rank) const noexcept {
  pmix_proc_t p = me_;
  p.rank = rank;
  return p;
}

void pmix_client::check(pmix_status_t s, const std::string& what,
                        std::chrono::milliseconds timeout) const {
  if (s == PMIX_SUCCESS) return;
  const std::string who = "rank " + std::to_string(me_.rank) + ": " + what;
  if (s == PMIX_ERR_TIMEOUT)
    throw error(errc::timed_out,
                who + " did not end " + within(timeout) + "; has every rank opened its session?");
  throw error(errc::peer_failed, who + " failed: " + calls_.error_string(s));
}

}  // namespace oriel::sessions
