#include <stdlib.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "fuzz/targets.h"
#include "kardan/io/description_json.h"
#include "kardan/io/hdf5_seal.h"
#include "kardan/io/stored_result.h"

namespace kardan::fuzz {
namespace {

/// A file of these bytes, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes) {
    const int file = ::mkstemp(path_.data());
    const bool good = file >= 0 && ::write(file, bytes.data(), bytes.size()) ==
                                       static_cast<ssize_t>(bytes.size());
    if (file >= 0) ::close(file);
    if (!good) throw std::runtime_error("cannot write " + path_);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/kardan_fuzz_XXXXXX";
};

/// What stands in a file whose checksum fits is taken as it is, but never beyond its bounds.
void describe(std::string_view bytes) {
  const Json json = Json::parse(bytes, nullptr, false);
  if (json.is_discarded()) return;
  try {
    (void)description_from(json);
  } catch (const std::exception&) {  // what StoredResult::open reports
  }
}

}  // namespace

/// A file as a stored result: nothing is interpreted unless its checksum fits.
void feed_result(std::string_view bytes) {
  if (bytes.starts_with('{')) {
    describe(bytes);
    return;
  }
  const TemporaryFile file(bytes);
  Diagnostics diagnostics;
  io::Seal seal;
  const bool good = io::check_seal(file.path(), seal, diagnostics);
  require(good != diagnostics.has_errors(), "a file is sealed, or it is said why not");
  if (!good) return;
  require(seal.bytes <= bytes.size(), "a sealed file is as long as its seal says");
  // Only a complete file has a checksum of what HDF5 would interpret.
  if (seal.state == io::SealState::complete) (void)StoredResult::open(file.path(), diagnostics);
}

}  // namespace kardan::fuzz
