#pragma once
/// Files of strangers, before a byte of them is read: what is no plain file (a device, a pipe that
/// nobody writes into, a folder) is refused instead of waited for.

#include <cstddef>
#include <optional>
#include <string>

#include "kardan/base/expected.h"

namespace kardan {

enum class FileKind {
  regular,          ///< only what lies on a disk
  regular_or_pipe,  ///< also what another program writes, as in `kardan check <(make_model)`
};

/// Why the path cannot be read as a regular file, as in "'x' is a device"; nothing when it can.
[[nodiscard]] std::optional<std::string> why_unreadable(const std::string& path);

/// Why a file could not be read.
struct Unreadable {
  std::string why;
};

/// The bytes of a file, of a longer one the first `most`; or why not. A pipe into which nothing is
/// written for five seconds counts as silent.
[[nodiscard]] Expected<std::string, Unreadable> read_input(const std::string& path,
                                                           std::size_t most, FileKind kind);

}  // namespace kardan
