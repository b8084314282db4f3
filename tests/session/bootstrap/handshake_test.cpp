// What ranks say to be let in, and the proofs in it.
#include "session/bootstrap/handshake.hpp"

#include <gtest/gtest.h>

#include <string>

namespace oriel::testing {
namespace {

using namespace sessions;

// RFC 4231, test cases 1 and 2.
TEST(Proof, IsHmacSha256) {
  const auto in_hex = [](const proof& p) {
    std::string text;
    for (const unsigned char b : p) {
      text += "0123456789abcdef"[b >> 4];
      text += "0123456789abcdef"[b & 15];
    }
    return text;
  };
  EXPECT_EQ(in_hex(prove(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(in_hex(prove("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Proof, IsOfOneConversationAndOneSpeaker) {
  const hello h{1, 4, fresh_nonce()};
  const nonce n = fresh_nonce();
  const proof p = prove("secret", speaker::joiner, h, n);
  EXPECT_TRUE(same(p, prove("secret", speaker::joiner, h, n)));
  EXPECT_FALSE(same(p, prove("Secret", speaker::joiner, h, n)));
  EXPECT_FALSE(same(p, prove("", speaker::joiner, h, n)));
  EXPECT_FALSE(same(p, prove("secret", speaker::host, h, n)));
  EXPECT_FALSE(same(p, prove("secret", speaker::joiner, {2, 4, h.number}, n)));
  EXPECT_FALSE(same(p, prove("secret", speaker::joiner, {1, 5, h.number}, n)));
  EXPECT_FALSE(same(p, prove("secret", speaker::joiner, {1, 4, n}, n)));
  EXPECT_FALSE(same(p, prove("secret", speaker::joiner, h, fresh_nonce())));
}

TEST(Handshake, MalformedMessagesAreNone) {
  const std::string good = encode(hello{3, 4, fresh_nonce()});
  EXPECT_TRUE(decode_hello(good));
  EXPECT_FALSE(decode_hello(good + "x"));
  EXPECT_FALSE(decode_hello(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(decode_hello("oriel/1" + good.substr(7)));
  EXPECT_TRUE(is_some_hello("oriel/1" + good.substr(7)));
  EXPECT_FALSE(is_some_hello("GET / HTTP/1.1"));
  EXPECT_FALSE(decode_answer(""));
  EXPECT_FALSE(decode_answer("x"));
  EXPECT_FALSE(to_array(std::string(31, 'x')));
}

}  // namespace
}  // namespace oriel::testing
