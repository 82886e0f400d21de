#pragma once
/// The first 512 bytes of a stored result: lines of text that say whose file it is, whether the run
/// came to its end, and what the checksum of everything behind them is. HDF5 leaves that place to
/// its user. A file is looked at here before the HDF5 library may interpret it.

#include <cstdint>
#include <string>

#include "kardan/base/diagnostics.h"

namespace kardan {

inline constexpr std::size_t seal_size = 512;

enum class SealState { running, complete };

struct Seal {
  SealState state = SealState::running;
  std::uint64_t bytes = 0;     ///< of the file, at the last flush or at the end
  std::uint64_t rows = 0;      ///< flushed
  std::uint32_t checksum = 0;  ///< CRC-32 of all bytes behind the seal, where complete
};

/// Throws std::system_error when it cannot be written.
void write_seal(const std::string& path, const Seal& seal);
/// The checksum of what stands behind the seal, and the size of the file.
void measure(const std::string& path, Seal& seal);

/// Reads the seal and, of a complete file, compares the checksum. False after reporting that the
/// file is missing, not ours, of another version, or damaged.
bool check_seal(const std::string& path, Seal& seal, Diagnostics& diagnostics);

}  // namespace kardan
