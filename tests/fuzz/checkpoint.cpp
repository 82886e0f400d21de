#include "kardan/io/checkpoint.h"

#include <string>

#include "fuzz/targets.h"
#include "kardan/io/checksum.h"

namespace kardan::fuzz {
namespace {

void read(std::string_view bytes) {
  const auto result = io::read_checkpoint(bytes);
  if (!result) return require(!result.error().message.empty(), "a refusal says why");
  require(io::read_checkpoint(io::to_bytes(*result)).has_value(),
          "what was read can be written and read again");
}

/// The head that makes any body a checkpoint as far as length and checksum tell.
std::string sealed(std::string_view head, std::string_view body) {
  char sum[9];
  std::snprintf(sum, sizeof sum, "%08x", io::checksum(body));
  return std::string(head.substr(0, head.find('\n'))) + "\nbytes " + std::to_string(body.size()) +
         "\nchecksum " + sum + "\n\n" + std::string(body);
}

}  // namespace

/// As it is, which the checksum mostly refuses, and with a checksum that fits.
void feed_checkpoint(std::string_view bytes) {
  read(bytes);
  if (const auto end = bytes.find("\n\n"); end != std::string_view::npos)
    read(sealed(bytes.substr(0, end), bytes.substr(end + 2)));
}

}  // namespace kardan::fuzz
