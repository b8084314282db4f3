#include "tests/drivers/ptx/fat_binary.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(ORIEL_TEST_ZSTD)
#include <zstd.h>
#endif

namespace oriel::test_driver::ptx {
namespace {

struct wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* unused;
};
constexpr std::uint32_t wrapper_magic = 0x466243b1;

struct header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // of all entries
};
constexpr std::uint32_t fat_magic = 0xba55ed50;

struct entry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  // of the payload, with padding
  std::uint32_t compressed_bytes;
  std::uint32_t options;
  std::uint16_t minor, major;
  std::uint32_t architecture, name, name_bytes;
  std::uint64_t flags, unused, plain_bytes;
};
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t compressed_by_lz4 = 0x2000, compressed_by_zstd = 0x8000;

std::optional<std::string> text_of(const entry& e, const std::byte* payload, std::string& why) {
  if ((e.flags & (compressed_by_lz4 | compressed_by_zstd)) == 0)
    return std::string(reinterpret_cast<const char*>(payload), e.bytes);
#if defined(ORIEL_TEST_ZSTD)
  if ((e.flags & compressed_by_zstd) != 0) {
    std::string text(e.plain_bytes, '\0');
    const std::size_t n = ZSTD_decompress(text.data(), text.size(), payload, e.compressed_bytes);
    if (ZSTD_isError(n) != 0) {
      why = std::string("the PTX cannot be decompressed: ") + ZSTD_getErrorName(n);
      return std::nullopt;
    }
    text.resize(n);
    return text;
  }
#endif
  why =
      "the PTX is compressed in a way that this build does not read; nvcc --no-compress leaves it "
      "plain";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ptx_of(const void* image, std::string& why) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == wrapper_magic) return ptx_of(static_cast<const wrapper*>(image)->data, why);
  const auto* at = static_cast<const std::byte*>(image);
  if (magic != fat_magic) {
    if (std::memcmp(image, ".ver", 4) == 0) return std::string(static_cast<const char*>(image));
    why = "this is no fat binary";
    return std::nullopt;
  }
  header h;
  std::memcpy(&h, at, sizeof h);
  const std::byte* const end = at + h.header_bytes + h.bytes;
  std::optional<std::string> found;
  std::uint32_t oldest = ~0u;
  why = "the fat binary has no PTX";
  for (at += h.header_bytes; at < end;) {
    entry e;
    std::memcpy(&e, at, sizeof e);
    if (e.kind == kind_ptx && e.architecture < oldest) {
      oldest = e.architecture;
      found = text_of(e, at + e.header_bytes, why);
    }
    at += e.header_bytes + e.bytes;
  }
  return found;
}

}  // namespace oriel::test_driver::ptx
