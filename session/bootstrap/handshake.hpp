// The handshake of a rank that joins with rank 0. Each proves to the other that it knows the job's
// secret, which itself never travels:
//
//   joiner -> rank 0   hello: the protocol, its rank, the job's size, a nonce
//   rank 0 -> joiner   challenge: a nonce of its own
//   joiner -> rank 0   proof of both messages, as the joiner
//   rank 0 -> joiner   proof of the same, as rank 0; or a refusal, with the reason
//
// Nonces are new for each handshake, so a recorded one proves nothing; a proof contains the role of
// its sender, so none can be sent back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "session/bootstrap/proof.hpp"

namespace oriel::sessions {

struct hello {
  std::int32_t rank = -1;
  std::int32_t size = 0;
  nonce number{};
};
std::string encode(const hello&);
// Nothing when the bytes are not a hello of this protocol.
std::optional<hello> decode_hello(std::string_view bytes);
// Whether the bytes begin a hello of this or another version.
bool is_some_hello(std::string_view bytes) noexcept;

// What rank 0 answers, and what its bytes hold.
enum class answer_kind : char {
  challenge = 'c',   // its nonce
  welcome = 'w',     // its proof
  refusal = 'n',     // a text: the joiner gives up
  complete = 'o',    // every rank has joined
  incomplete = 't',  // a text: some rank did not appear, or did not answer, in time
  gathered = 'g',    // every rank's bytes
  broken = 'b'       // a text: some rank has gone
};
struct answer {
  answer_kind kind{};
  std::string bytes;
};
std::string encode(const answer&);
std::optional<answer> decode_answer(std::string_view bytes);

// 32 bytes as they travel, and back; nothing for another length.
std::string to_bytes(const std::array<unsigned char, 32>&);
std::optional<std::array<unsigned char, 32>> to_array(std::string_view bytes) noexcept;

enum class speaker : char { joiner = 'j', root = 'r' };
// Returns the proof of `who` for the handshake that these two messages began.
proof prove(std::string_view secret, speaker who, const hello&, const nonce& of_root);

// Of what a joiner may send before it has proven anything.
inline constexpr std::size_t longest_from_stranger = 64;

}  // namespace oriel::sessions
