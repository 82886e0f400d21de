#include "kardan/io/zip_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "kardan/io/checksum.h"

namespace kardan {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22;
constexpr std::size_t longest_comment = 65535;
constexpr std::uint16_t version_needed = 20, made_by_unix = 3 << 8 | 20;
constexpr std::uint16_t stored = 0, deflated = 8;
constexpr std::uint16_t encrypted = 1, utf8_names = 1 << 11;
constexpr std::uint16_t first_date = 1 << 5 | 1;  // 1 January 1980
constexpr std::uint32_t plain_file = 0100644u << 16;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint32_t number(std::string_view bytes, std::size_t at, int size) {
  std::uint32_t out = 0;
  for (int i = size - 1; i >= 0; --i)
    out = out << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return out;
}

std::string deflate_bytes(const std::string& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return {};
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int done = deflate(&stream, Z_FINISH);
  out.resize(done == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

/// Nothing where the bytes are no stream of that length.
std::optional<std::string> inflate_bytes(std::string_view bytes, std::size_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  std::string out(size, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  // One byte more than there should be: a longer stream is seen.
  char beyond = 0;
  stream.next_out = reinterpret_cast<Bytef*>(size > 0 ? out.data() : &beyond);
  stream.avail_out = static_cast<uInt>(size > 0 ? size : 1);
  const int done = inflate(&stream, Z_FINISH);
  const bool whole = done == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  if (!whole) return std::nullopt;
  return out;
}

/// Neither absolute nor with a way up, and the same on every system.
bool stays_inside(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
      name.find('\0') != std::string_view::npos || name.find(':') != std::string_view::npos)
    return false;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return true;
}

std::optional<std::size_t> find_end(std::string_view archive) {
  if (archive.size() < end_size) return std::nullopt;
  const std::size_t last = archive.size() - end_size;
  for (std::size_t back = 0; back <= std::min(last, longest_comment); ++back)
    if (number(archive, last - back, 4) == end_mark && number(archive, last - back + 20, 2) == back)
      return last - back;
  return std::nullopt;
}

}  // namespace

std::string zip(const std::vector<ZipEntry>& entries) {
  std::string out, directory;
  for (const ZipEntry& e : entries) {
    std::string packed = deflate_bytes(e.bytes);
    const bool smaller = !packed.empty() && packed.size() < e.bytes.size();
    if (!smaller) packed = e.bytes;
    std::string common;
    put(common, version_needed, 2);
    put(common, utf8_names, 2);
    put(common, smaller ? deflated : stored, 2);
    put(common, 0, 2);  // time
    put(common, first_date, 2);
    put(common, checksum(e.bytes), 4);
    put(common, packed.size(), 4);
    put(common, e.bytes.size(), 4);
    put(common, e.name.size(), 2);
    put(common, 0, 2);  // extra fields
    put(directory, central_mark, 4);
    put(directory, made_by_unix, 2);
    directory += common;
    put(directory, 0, 2);  // comment
    put(directory, 0, 2);  // volume
    put(directory, 0, 2);
    put(directory, plain_file, 4);
    put(directory, out.size(), 4);
    directory += e.name;
    put(out, local_mark, 4);
    out += common + e.name + packed;
  }
  const std::size_t start = out.size();
  out += directory;
  put(out, end_mark, 4);
  put(out, 0, 4);
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);
  return out;
}

Expected<std::vector<ZipEntry>, std::string> unzip(std::string_view archive,
                                                   const ZipLimits& limits) {
  const auto end = find_end(archive);
  if (!end) return std::string("this is no zip archive, or its end is missing");
  const std::size_t count = number(archive, *end + 10, 2);
  std::size_t at = number(archive, *end + 16, 4);
  if (number(archive, *end + 4, 4) != 0 || number(archive, *end + 8, 2) != count)
    return std::string("the archive has several volumes");
  if (count == 0xffff || at == 0xffffffff) return std::string("the archive is one of zip64");
  if (count > limits.entries)
    return fmt::format("the archive has {} entries; at most {} are read", count, limits.entries);
  std::vector<ZipEntry> out;
  std::unordered_set<std::string> names;
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (at > *end || *end - at < central_size || number(archive, at, 4) != central_mark)
      return fmt::format("the directory of the archive ends at entry {} of {}", i, count);
    const std::uint32_t flags = number(archive, at + 8, 2), how = number(archive, at + 10, 2);
    const std::uint32_t crc = number(archive, at + 16, 4);
    const std::size_t packed = number(archive, at + 20, 4), size = number(archive, at + 24, 4);
    const std::size_t name_size = number(archive, at + 28, 2);
    const std::size_t local = number(archive, at + 42, 4);
    const std::size_t next =
        central_size + name_size + number(archive, at + 30, 2) + number(archive, at + 32, 2);
    if (*end - at < next) return fmt::format("entry {} of the archive is cut", i + 1);
    std::string name(archive.substr(at + central_size, name_size));
    at += next;
    if (!stays_inside(name))
      return fmt::format("the archive has an entry '{}', which leads out of its folder", name);
    if (!names.insert(name.back() == '/' ? name.substr(0, name.size() - 1) : name).second)
      return fmt::format("the archive has two entries '{}'", name);
    if (name.back() == '/') continue;
    if ((flags & encrypted) != 0) return fmt::format("'{}' is encrypted", name);
    if (how != stored && how != deflated)
      return fmt::format("'{}' is packed by method {}; wanted 0 or 8", name, how);
    total += size;
    if (total > limits.bytes)
      return fmt::format("the archive is larger than {} bytes", limits.bytes);
    if (local > *end || *end - local < local_size || number(archive, local, 4) != local_mark)
      return fmt::format("'{}' is not where the directory says", name);
    const std::size_t start =
        local + local_size + number(archive, local + 26, 2) + number(archive, local + 28, 2);
    if (start > *end || *end - start < packed) return fmt::format("'{}' is cut", name);
    const std::string_view bytes = archive.substr(start, packed);
    std::optional<std::string> unpacked;
    if (how == deflated) {
      // Deflate makes at most 1032 bytes of one.
      if (size / 1032 <= packed + 1) unpacked = inflate_bytes(bytes, size);
    } else if (packed == size) {
      unpacked = std::string(bytes);
    }
    if (!unpacked || checksum(*unpacked) != crc)
      return fmt::format("'{}' is damaged: its checksum does not fit", name);
    out.push_back({std::move(name), std::move(*unpacked)});
  }
  return out;
}

}  // namespace kardan
