// The handshake of a rank that joins another: rank 0, or its parent in the tree along which ranks
// gather. Each proves to the other that it knows the job's secret, which itself never travels:
//
//   joiner -> host   hello: the protocol, its rank, the job's size, whom it joins, where it listens
//                    itself, a nonce
//   host -> joiner   challenge: a nonce of its own
//   joiner -> host   proof of both messages, as the joiner
//   host -> joiner   proof of the same, as the host; or a refusal, with the reason
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
  std::int32_t to = 0;
  std::uint16_t port = 0;  // where the rank listens for its own children; 0 where it does not
};
std::string encode(const hello&);
// Nothing when the bytes are not a hello of this protocol.
std::optional<hello> decode_hello(std::string_view bytes);
// Whether the bytes begin a hello of this or another version.
bool is_some_hello(std::string_view bytes) noexcept;

// What ranks answer each other, and what the bytes hold.
enum class answer_kind : char {
  challenge = 'c',  // the host's nonce
  welcome = 'w',    // the host's proof
  refusal = 'n',    // a text: the joiner gives up
  complete = 'o',   // every rank has joined rank 0; where the parent listens, unless that is rank 0
                    // (unlinked in its place where a parent does not). To a parent that was given:
                    // all below this rank have joined
  missing = 'm',    // downwards: no rank has any more time to join. Upwards: lists of ranks below
  linked = 'l',     // to rank 0: the ranks below this one are a tree; downwards, all are one
  unlinked = 'u',   // a text: they cannot be; from rank 0, ranks gather as a star
  incomplete = 't',  // a text: some rank did not appear, or did not answer, in time
  gathered = 'g',    // a list: the bytes of the ranks below; downwards, of every rank
  broken = 'b'       // a text: some rank has gone
};
struct answer {
  answer_kind kind{};
  std::string bytes;
};
std::string encode(const answer&);
std::optional<answer> decode_answer(std::string_view bytes);
// The text of a peer that may not be what it says, for a terminal or a log: what is printable of
// it, and no more than 200 characters.
std::string quoted(std::string_view text);

// 32 bytes as they travel, and back; nothing for another length.
std::string to_bytes(const std::array<unsigned char, 32>&);
std::optional<std::array<unsigned char, 32>> to_array(std::string_view bytes) noexcept;

enum class speaker : char { joiner = 'j', host = 'h' };
// Returns the proof of `who` for the handshake that these two messages began.
proof prove(std::string_view secret, speaker who, const hello&, const nonce& of_host);

// Of what a joiner may send before it has proven anything.
inline constexpr std::size_t longest_from_stranger = 64;

}  // namespace oriel::sessions
