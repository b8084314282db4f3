// Proofs of knowledge of a secret that do not reveal it: HMAC-SHA-256, random numbers and a
// comparison in constant time, all of libsodium. A build without it (ORIEL_WITH_SODIUM) has no
// proofs, and jobs without a secret need none.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace oriel::sessions {

using nonce = std::array<unsigned char, 32>;  // a number used once
using proof = std::array<unsigned char, 32>;

// Whether this build has proofs.
[[nodiscard]] bool proofs_available() noexcept;
// Throws errc::arg when there is a secret and this build has no proofs.
void require_proofs_for(std::string_view secret);

// Throws errc::system.
[[nodiscard]] nonce fresh_nonce();
// Returns a proof that a holder of `secret` has made `statement`; zeros where the secret is empty.
// Requires: require_proofs_for(secret) has returned.
[[nodiscard]] proof prove(std::string_view secret, std::string_view statement);
[[nodiscard]] bool same(const proof&, const proof&) noexcept;

}  // namespace oriel::sessions
