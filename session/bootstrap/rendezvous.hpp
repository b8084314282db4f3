// The rendezvous of the ranks of a job, used while a session opens, by TCP. Few meet at rank 0 and
// stay connected with it: a star. More become a tree, along which they gather (gathering.hpp), so
// that rank 0 has but ceil(log2 p) messages a gather: each joins its parent at once where it knows
// its place (given_tree.hpp), or else all meet at rank 0 first, which tells them (linking.hpp).
//
// Ranks and those that they join prove to each other that they know the job's secret
// (handshake.hpp); a rank that joins must then have a number that is free and the job's size.
// Anything else is refused, and the rank that is joined goes on waiting. The constructor ends
// within four times the job's time-out, a gather within twice and, where it fails, some seconds
// more (last_words); both end a few seconds after a rank is no longer reached (keepalive.hpp), with
// the same error on all that are. What is gathered is neither encrypted nor signed
// (docs/SECURITY.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "session/bootstrap/admission.hpp"
#include "session/bootstrap/bootstrap.hpp"
#include "session/bootstrap/connection.hpp"
#include "session/bootstrap/gathering.hpp"
#include "session/bootstrap/gathering_tree.hpp"
#include "session/bootstrap/handshake.hpp"

namespace oriel::sessions {

class rendezvous final : public bootstrap {
 public:
  // Collective over the job, with one `largest_star`. Throws timed_out, on every rank that did
  // appear, with those that did not; arg where this rank is refused (wrong secret, rank taken,
  // other size), where the peer that answers is not rank 0 or this rank's parent, and where there
  // is a secret and this build has no proofs; system. Where parents are known also what
  // open_given_tree throws.
  explicit rendezvous(const job_description& job, int largest_star = sessions::largest_star);
  rendezvous(const rendezvous&) = delete;
  rendezvous& operator=(const rendezvous&) = delete;

  [[nodiscard]] int rank() const noexcept override { return job_.rank; }
  [[nodiscard]] int size() const noexcept override { return job_.size; }
  std::vector<std::string> allgather(const std::string& mine) override;

  // Those of this rank since it has been let in, or has let all in.
  [[nodiscard]] traffic messages() const noexcept;

 private:
  void gather_as_root(const tree_place&, bool star);
  void join_root(const tree_place&, bool star);
  // Rank 0's: returns the others, whose connections are `contacts_` then.
  std::vector<admission::member> admit_all();
  // Tells each that all are there, and where its parent listens or, where something hinders that,
  // that there is none. Returns what does; empty otherwise, and for a star.
  std::string invite(const std::vector<admission::member>&, bool star);
  void tell_contacts(const answer&);

  job_description job_;
  // Rank 0's with the ranks that are not its children, until all are known to be a tree.
  std::vector<connection> contacts_;
  std::unique_ptr<gathering> gathering_;
};

}  // namespace oriel::sessions
