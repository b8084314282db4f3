// What arrives from other nodes: single messages, and the parts of long ones in the inbox.
#include <map>

#include "tests/fuzz/target.hpp"
#include "transport/inbox.hpp"
#include "transport/message.hpp"

namespace oriel::fuzz {
namespace {

using transport::inbox;
using transport::message_head;
using transport::message_kind;

constexpr std::uint64_t job = 0x6f7269656c;
constexpr int ranks = 3;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void check_message(std::string_view input) {
  const auto m = transport::parse(bytes_of(input), job, ranks);
  if (!m) return;
  const message_head& h = m->head;
  require(h.job == job && h.from >= 0 && h.from < ranks, "a message is from a rank of the job");
  require(h.kind <= message_kind::last, "a message is of one of the kinds");
  if (h.kind == message_kind::reply)
    require(transport::is_known(h.carried<transport::reply_outcome>().outcome),
            "an outcome is one of the codes");
  require(m->payload.size() == h.bytes && input.size() == sizeof h + h.bytes &&
              m->payload.data() == bytes_of(input).data() + sizeof h,
          "the payload is the rest of the input");
  require(std::memcmp(&h, input.data(), sizeof h) == 0, "the head is the start of the input");
  require(!transport::parse(bytes_of(input), job + 1, ranks), "another job refuses the message");
}

// What the inbox should hold, by sender and tag.
struct letter {
  std::size_t whole = 0;
  std::vector<std::byte> bytes;
};
using key = std::pair<int, std::uint32_t>;

// Parts: who sends, the tag, the whole size and the bytes of each, one after the other.
void check_inbox(std::string_view input) {
  inbox box;
  std::map<key, letter> model;
  input_reader in(input);
  const auto tag = [](const key& k) { return sessions::message_tag{1, k.second, 0}; };
  while (!in.empty()) {
    const auto who = in.take<std::uint8_t>();
    const key k{who % ranks, who / ranks % 4};
    const std::size_t whole = in.take<std::uint16_t>();
    const auto part = bytes_of(in.take_bytes(in.take<std::uint8_t>()));
    const auto known = model.find(k);
    const std::size_t had = known == model.end() ? 0 : known->second.bytes.size();
    const bool fits = (known == model.end() || known->second.whole == whole) && had <= whole &&
                      part.size() <= whole - had;
    require(box.put(k.first, tag(k), part, whole) == fits,
            "a part is taken when it fits those before it");
    if (!fits) continue;
    letter& l = model[k];
    l.whole = whole;
    l.bytes.insert(l.bytes.end(), part.begin(), part.end());
  }
  for (int from = 0; from < ranks; ++from)
    for (std::uint32_t turn = 0; turn < 4; ++turn) {
      const key k{from, turn};
      std::vector<std::byte> bytes;
      const bool taken = box.take(from, tag(k), bytes);
      const auto known = model.find(k);
      require(taken == (known != model.end() && known->second.bytes.size() == known->second.whole),
              "a message is there when all of its parts are");
      require(!taken || bytes == known->second.bytes, "a message is its parts, in order");
      require(!box.take(from, tag(k), bytes), "a message is taken once");
    }
}

std::string message(message_kind kind, const std::string& payload) {
  message_head h;
  h.job = job;
  h.kind = kind;
  h.from = 1;
  h.bytes = static_cast<std::uint32_t>(payload.size());
  h.carry(transport::collective_part{.total_bytes = h.bytes});
  return std::string(reinterpret_cast<const char*>(&h), sizeof h) + payload;
}

std::string part(std::uint8_t who, std::uint16_t whole, const std::string& bytes) {
  return raw(who) + raw(whole) + raw(static_cast<std::uint8_t>(bytes.size())) + bytes;
}

}  // namespace

std::vector<std::string> seeds() {
  return {message(message_kind::collective, "payload"),
          message(message_kind::request, ""),
          message(message_kind::bye_back, ""),
          message(message_kind::reply, "answer"),
          message(message_kind::bye, "x").substr(0, 40),
          part(0, 10, "12345") + part(1, 3, "abc") + part(0, 10, "67890"),
          part(4, 2, "too long") + part(4, 0, ""),
          part(2, 10, "12345") + part(2, 8, "678")};
}

void check(std::string_view input) {
  check_message(input);
  check_inbox(input);
}

}  // namespace oriel::fuzz
