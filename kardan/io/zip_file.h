#pragma once
/// Zip archives (PKWARE APPNOTE 6.3): entries stored or deflated, without encryption, several
/// volumes or zip64, which FMUs do not need.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/base/expected.h"

namespace kardan {

struct ZipEntry {
  std::string name;  ///< with slashes: "resources/model.bin"
  std::string bytes;
};

/// The bytes of an archive: the same for the same entries.
[[nodiscard]] std::string zip(const std::vector<ZipEntry>& entries);

/// What an archive may hold: a small file can stand for terabytes.
struct ZipLimits {
  std::size_t entries = 10'000;
  std::size_t bytes = std::size_t{1} << 30;  ///< unpacked, of all entries
};

/// All files of an archive, whatever the bytes are, or what is wrong with it. Names that lead out of
/// the folder an archive is unpacked to, or that come twice, are refused; folders are left out.
[[nodiscard]] Expected<std::vector<ZipEntry>, std::string> unzip(std::string_view archive,
                                                                 const ZipLimits& limits = {});

}  // namespace kardan
