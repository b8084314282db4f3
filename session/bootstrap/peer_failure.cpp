#include "session/bootstrap/peer_failure.hpp"

#include <string>
#include <utility>

#include "session/bootstrap/keepalive.hpp"

namespace oriel::sessions {

answer failure_of(io_result why, int rank, const job_description& job) {
  const std::string who = "rank " + std::to_string(rank) + " ";
  if (why == io_result::late)
    return {answer_kind::incomplete, who + "did not answer in time (ORIEL_TIMEOUT)"};
  if (why == io_result::silent)
    return {answer_kind::broken, who + silence_in_words(silence_of(job))};
  return {answer_kind::broken, who + "has left or has sent what it should not"};
}

answer failure_of(const error& e) {
  return {e.code() == errc::timed_out ? answer_kind::incomplete : answer_kind::broken, e.what()};
}

answer failure_in(const std::string& bytes, int sender, const job_description& job) {
  auto heard = decode_answer(bytes);
  if (heard && is_failure(*heard)) return std::move(*heard);
  return failure_of(io_result::malformed, sender, job);
}

std::string absence_of(const std::string& ranks, const job_description& job) {
  return "of " + std::to_string(job.size) + " ranks, these did not appear " + within(job.timeout) +
         ": " + ranks;
}

bool is_failure(const answer& a) noexcept {
  return a.kind == answer_kind::incomplete || a.kind == answer_kind::broken;
}

void give_up(const answer& failure) {
  throw error(failure.kind == answer_kind::incomplete ? errc::timed_out : errc::peer_failed,
              failure.bytes);
}

}  // namespace oriel::sessions
