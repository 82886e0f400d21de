#include "kardan/io/packing.h"

#include <zlib.h>

#include <cstdint>
#include <stdexcept>

namespace kardan {

std::string gzip(std::span<const std::byte> data) {
  constexpr int gzip_window = 15 + 16, level = 6, memory = 8;
  z_stream z{};
  if (deflateInit2(&z, level, Z_DEFLATED, gzip_window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib could not be started");
  std::string out(deflateBound(&z, data.size()), '\0');
  // zlib reads, but its type has no const.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data()));
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_in = static_cast<uInt>(data.size());
  z.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib could not compress");
  return out;
}

std::string base64(std::string_view data) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < data.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, data.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(data[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out.push_back(k <= count ? digits[bits >> (18 - 6 * k) & 63U] : '=');
  }
  return out;
}

}  // namespace kardan
