// Messages on the rendezvous sockets: a length, then that many bytes. Lengths are checked before a
// byte is kept, and every call has a deadline.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::boot {

using deadline = std::chrono::steady_clock::time_point;

inline constexpr std::size_t longest_message = 64u << 20;
inline constexpr std::size_t longest_hello = 1024;

enum class io_result { done, gone, late, malformed };

// Unframed, for other protocols: all of `bytes`, and what has come, 1 to `n` bytes of it.
io_result send_bytes(int fd, std::string_view bytes, deadline until);
io_result receive_some(int fd, char* to, std::size_t n, std::size_t& got, deadline until);

io_result send_message(int fd, std::string_view bytes, deadline until);
io_result receive_message(int fd, std::string& bytes, std::size_t longest, deadline until);

// What a joiner says first.
struct hello {
  std::int32_t rank = -1;
  std::int32_t size = 0;
  std::string secret;
};
std::string encode(const hello&);
// Nothing when the bytes are not a hello of this protocol.
std::optional<hello> decode_hello(std::string_view bytes);

// Several byte strings as one, and back. Nothing when malformed.
std::string encode_list(const std::vector<std::string>& items);
std::optional<std::vector<std::string>> decode_list(std::string_view bytes);

// Compares in time that depends on the lengths alone.
bool same_secret(std::string_view a, std::string_view b) noexcept;

}  // namespace oriel::boot
