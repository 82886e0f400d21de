/// Examples of FIPS 180-4 and of RFC 6234, section 8.5.

#include "apps/pictures/sha256.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace kardan {
namespace {

std::string hex(std::string_view text) {
  std::string out;
  for (const std::uint8_t byte : sha256(text)) out += fmt::format("{:02x}", byte);
  return out;
}

TEST(Sha256, OfPublishedExamples) {
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace kardan
