#include "session/bootstrap/proof.hpp"

#include <sodium.h>

#include "oriel/errc.hpp"

namespace oriel::sessions {
namespace {

const unsigned char* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

bool proofs_available() noexcept {
  return true;
}

void require_proofs_for(std::string_view) {}

nonce fresh_nonce() {
  if (sodium_init() < 0) throw error(errc::system, "libsodium cannot be initialized");
  nonce n;
  randombytes_buf(n.data(), n.size());
  return n;
}

proof prove(std::string_view secret, std::string_view statement) {
  proof made{};
  static_assert(made.size() == crypto_auth_hmacsha256_BYTES);
  if (secret.empty()) return made;
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, bytes_of(secret), secret.size());
  crypto_auth_hmacsha256_update(&state, bytes_of(statement), statement.size());
  crypto_auth_hmacsha256_final(&state, made.data());
  sodium_memzero(&state, sizeof state);
  return made;
}

bool same(const proof& a, const proof& b) noexcept {
  return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace oriel::sessions
