#include "kardan/io/hdf5_seal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "kardan/io/checksum.h"
#include "kardan/io/input_file.h"

namespace kardan {
namespace {

constexpr const char* seal_title = "KARDAN RESULT";
constexpr int seal_version = 1;

std::string lines_of(const Seal& seal) {
  const std::string lines =
      fmt::format("{} {}\nstate {}\nbytes {}\nrows {}\nchecksum {:08x}\n", seal_title, seal_version,
                  seal.state == SealState::complete ? "complete" : "running", seal.bytes, seal.rows,
                  seal.checksum);
  return lines + fmt::format("seal {:08x}\n", checksum(lines));
}

/// -1: not ours; 0: damaged; 1: read.
int parse(const std::string& head, Seal& seal) {
  if (head.compare(0, std::string_view(seal_title).size(), seal_title) != 0) return -1;
  char state[16] = {};
  int found_version = 0;
  unsigned own = 0;
  const int count =
      std::sscanf(head.c_str(),
                  "KARDAN RESULT %d\nstate %15s\nbytes %" SCNu64 "\nrows %" SCNu64
                  "\nchecksum %" SCNx32 "\nseal %x",
                  &found_version, state, &seal.bytes, &seal.rows, &seal.checksum, &own);
  if (count >= 1 && found_version != seal_version) return 2;
  const std::string_view word = state;
  if (count != 6 || (word != "complete" && word != "running")) return 0;
  seal.state = word == "complete" ? SealState::complete : SealState::running;
  std::string again = lines_of(seal);
  again.resize(seal_size, '\0');
  return head == again ? 1 : 0;
}

}  // namespace

void write_seal(const std::string& path, const Seal& seal) {
  std::string text = lines_of(seal);
  text.resize(seal_size, '\0');
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool good =
      file >= 0 && ::pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!good) throw std::system_error(error, std::generic_category(), path);
}

void measure(const std::string& path, Seal& seal) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(seal_size);
  std::vector<char> piece(1 << 20);
  seal.checksum = 0;
  seal.bytes = seal_size;
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    seal.checksum = checksum({piece.data(), count}, seal.checksum);
    seal.bytes += count;
  }
}

bool check_seal(const std::string& path, Seal& seal, Diagnostics& diagnostics) {
  const SourceLocation where{path};
  if (const auto why = why_unreadable(path)) {
    diagnostics.error("file.open", *why, where, "give a file that `kardan run --out` has written");
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  std::string head(seal_size, '\0');
  file.read(head.data(), seal_size);
  head.resize(static_cast<std::size_t>(file.gcount()));
  const int status = parse(head, seal);
  if (status == -1) {
    diagnostics.error("result.foreign", "this is no result of Kardan", where,
                      "give a file that `kardan run --out FILE.h5` has written");
    return false;
  }
  if (status == 2) {
    diagnostics.error("result.version", "written by another version of the format", where,
                      fmt::format("this program reads version {}", seal_version));
    return false;
  }
  const std::uint64_t size = std::filesystem::file_size(path);
  Seal found;
  if (status == 1 && seal.state == SealState::complete) measure(path, found);
  const bool good = status == 1 && (seal.state == SealState::complete
                                        ? size == seal.bytes && found.checksum == seal.checksum
                                        : size >= seal.bytes);
  if (!good)
    diagnostics.error("result.damaged", "the checksum does not fit: the file was changed or cut",
                      where, "copy it again, or repeat the run");
  return good;
}

}  // namespace kardan
