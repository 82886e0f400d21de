#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuzz/targets.h"
#include "kardan/io/csv_result.h"
#include "kardan/io/description_json.h"
#include "kardan/io/hdf5_seal.h"
#include "kardan/io/html_result.h"
#include "kardan/io/json_result.h"
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

/// Formats that need no file of their own.
std::vector<std::unique_ptr<ResultSink>> sinks() {
  std::vector<std::unique_ptr<ResultSink>> out;
  for (const auto make : {make_csv_result, make_json_result, make_html_result})
    out.push_back(make("/dev/null", {}));
  return out;
}

/// A description, with a certificate in it, as it stands in a file whose checksum fits: refused, or
/// told to every format.
void describe(std::string_view bytes) {
  constexpr int most = 10'000;
  const Json json = Json::parse(bytes, nullptr, false);
  if (json.is_discarded()) return;
  try {
    const ResultDescription description = description_from(json);
    if (description.layout.width > most) return;
    const std::vector<double> row(static_cast<std::size_t>(description.layout.width), 0.5);
    for (const auto& sink : sinks()) {
      sink->begin(description);
      for (int i = 0; i < 3; ++i) sink->row(row);
      sink->step({});
      sink->end(json.value("certificate", Json::object()));
    }
  } catch (const Json::exception&) {  // both are what StoredResult reports
  } catch (const std::out_of_range&) {
  }
}

/// Reads a file to its end: read as a whole, or said why not.
void read(const std::string& path) {
  Diagnostics diagnostics;
  const auto stored = StoredResult::open(path, diagnostics);
  require(stored.has_value() != diagnostics.has_errors(),
          "a file is opened, or it is said why not");
  if (!stored) return;
  for (const auto& sink : sinks()) {
    Diagnostics faults;
    require(stored->replay(*sink, faults) != faults.has_errors(),
            "all is told, or it is said why not");
  }
}

/// As it is: nothing is interpreted unless its checksum fits.
void read_as_it_is(std::string_view bytes) {
  const TemporaryFile file(bytes);
  Diagnostics diagnostics;
  Seal seal;
  const bool good = check_seal(file.path(), seal, diagnostics);
  require(good != diagnostics.has_errors(), "a file is sealed, or it is said why not");
  if (good) require(seal.bytes <= bytes.size(), "a sealed file is as long as its seal says");
}

/// With a seal that fits, in both states of a run.
void read_behind_the_seal(std::string_view bytes) {
  if (bytes.size() <= seal_size) return;
  const TemporaryFile file(bytes);
  for (const SealState state : {SealState::complete, SealState::running}) {
    Seal seal;
    seal.state = state;
    measure(file.path(), seal);
    write_seal(file.path(), seal);
    read(file.path());
  }
}

}  // namespace

void feed_result(std::string_view bytes) {
  if (bytes.starts_with('{')) {
    describe(bytes);
    return;
  }
  read_as_it_is(bytes);
  read_behind_the_seal(bytes);
}

}  // namespace kardan::fuzz
