#include "apps/cli/step_log.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "kardan/base/text.h"
#include "kardan/io/output_guard.h"

namespace kardan::cli {
namespace {

/// How many bytes of an earlier log are its head and whole lines up to t; 0: there is none.
std::uintmax_t bytes_until(const std::string& path, double t) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line) || line + "\n" != log_header) return 0;
  std::uintmax_t bytes = log_header.size();
  while (std::getline(file, line) && !file.eof()) {
    double at = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), at);
    if (error != std::errc() || end == line.data() + line.size() || at > t) break;
    bytes += line.size() + 1;
  }
  return bytes;
}

}  // namespace

StepLog::StepLog(const std::string& path, const Checkpoint* from, Diagnostics& diagnostics) {
  if (path.empty()) return;
  try {
    // What is kept is never taken away, not even for a moment: the program may be killed again.
    const std::uintmax_t kept = from ? bytes_until(path, from->memory.state.t) : 0;
    if (kept > 0) std::filesystem::resize_file(path, kept);
    file_ = std::make_unique<OutputFile>(
        path, kept > 0 ? OutputFile::Open::at_end : OutputFile::Open::anew);
    if (kept == 0) file_->write(log_header);
  } catch (const std::system_error& e) {
    diagnostics.error("output.file", fmt::format("--log {}: {}", path, e.code().message()), {},
                      "is the folder there, and may it be written?");
  }
}

template <class Write>
void StepLog::keep(const Write& write) {
  if (!file_ || !failure_.empty()) return;
  try {
    write();
  } catch (const std::system_error& e) {
    failure_ = fmt::format("cannot write {}", e.what());
  }
}

void StepLog::add(const StepView& step) {
  keep([&] {
    file_->print("{},{},{},{},{},{},{}\n", format_number(step.t), format_number(step.h),
                 format_number(step.error), step.counters->rejected, step.counters->failed,
                 step.counters->evaluations, step.counters->iterations);
  });
}

void StepLog::sync() {
  keep([&] { file_->sync(); });
}

void StepLog::close() {
  keep([&] { file_->close(); });
}

}  // namespace kardan::cli
