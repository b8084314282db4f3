// Instead of proof.cpp, in builds without libsodium.
#include "oriel/errc.hpp"
#include "session/bootstrap/proof.hpp"

namespace oriel::sessions {

bool proofs_available() noexcept {
  return false;
}

void require_proofs_for(std::string_view secret) {
  if (secret.empty()) return;
  throw error(errc::arg,
              "ORIEL_JOB_SECRET is set, and this oriel was built without libsodium "
              "(ORIEL_WITH_SODIUM), so no rank can prove that it knows the secret; valid: no "
              "secret, or a build with libsodium");
}

nonce fresh_nonce() {
  return {};
}

proof prove(std::string_view, std::string_view) {
  return {};
}

bool same(const proof& a, const proof& b) noexcept {
  return a == b;
}

}  // namespace oriel::sessions
