#pragma once
/// What a browser does with a report: takes its header and its data apart.

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "kardan/io/report_json.h"

namespace kardan::test {

inline std::string gunzip(const std::string& packed) {
  z_stream z{};
  EXPECT_EQ(inflateInit2(&z, 15 + 16), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::array<char, 65536> piece{};
  int status = Z_OK;
  while (status == Z_OK) {
    z.next_out = reinterpret_cast<Bytef*>(piece.data());
    z.avail_out = piece.size();
    status = inflate(&z, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - z.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&z);
  return out;
}

inline std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto value = digits.find(c);
    if (value == std::string::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(value);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

struct Report {
  Json header;
  std::string data;

  explicit Report(const std::string& page) {
    const auto between = [&](const std::string& from, const std::string& to) {
      const auto begin = page.find(from);
      EXPECT_NE(begin, std::string::npos) << from;
      const auto start = begin + from.size();
      return page.substr(start, page.find(to, start) - start);
    };
    header = Json::parse(
        between("<script type=\"application/json\" id=\"kardan-report\">", "</script>"));
    data = gunzip(
        from_base64(between("<script type=\"text/plain\" id=\"kardan-data\">", "</script>")));
  }

  std::vector<double> array(const std::string& name) const {
    const Json& a = header.at("arrays").at(name);
    std::size_t count = 1;
    for (const Json& n : a.at("shape")) count *= n.get<std::size_t>();
    std::vector<double> out(count);
    const std::size_t offset = a.at("offset");
    EXPECT_EQ(offset % 8, 0u);
    for (std::size_t i = 0; i < count; ++i) {
      float f = 0;
      if (a.at("type") == "f32") {
        std::memcpy(&f, data.data() + offset + 4 * i, 4);
        out[i] = f;
      } else {
        std::memcpy(&out[i], data.data() + offset + 8 * i, 8);
      }
    }
    return out;
  }
  /// The series of a quantity.
  std::vector<double> series(const Json& quantity) const {
    const std::vector<double> all = array(quantity.at("array"));
    const std::size_t frames = header.at("frames").at("shown");
    const std::size_t width = all.size() / frames, column = quantity.at("column");
    std::vector<double> out;
    for (std::size_t f = 0; f < frames; ++f) out.push_back(all[f * width + column]);
    return out;
  }
};

}  // namespace kardan::test
