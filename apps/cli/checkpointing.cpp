#include "apps/cli/checkpointing.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "kardan/base/parse_number.h"
#include "kardan/base/text.h"
#include "kardan/io/run_options.h"
#include "kardan/run/versions.h"

namespace kardan::cli {
namespace {

/// The options of a command that a run keeps when it goes on, by name, for both ways.
template <class Visit>
void each_option(RunOptions& given, Visit visit) {
  visit("--method", given.method);
  for (const RunOption& option : run_options())
    visit(option.flag.c_str(), given.numbers[option.key]);
  visit("--option", given.option);
  visit("--tol-of", given.tolerance_of);
}

struct Collect {
  NamedTexts out;
  void operator()(const char* name, const std::string& value) {
    if (!value.empty()) out.emplace_back(name, value);
  }
  void operator()(const char* name, const std::optional<double>& value) {
    if (value) out.emplace_back(name, format_number(*value));
  }
  void operator()(const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values) out.emplace_back(name, value);
  }
};

/// What is not given takes its value from the checkpoint.
struct Restore {
  const NamedTexts& from;
  void operator()(const char* name, std::string& value) const {
    if (!value.empty()) return;
    for (const auto& [key, text] : from)
      if (key == name) value = text;
  }
  void operator()(const char* name, std::optional<double>& value) const {
    if (value) return;
    for (const auto& [key, text] : from)
      if (key == name) value = parse_number(text).value_or(0);
  }
  /// Earlier assignments stand first: later ones replace them.
  void operator()(const char* name, std::vector<std::string>& values) const {
    std::vector<std::string> all;
    for (const auto& [key, text] : from)
      if (key == name) all.push_back(text);
    all.insert(all.end(), values.begin(), values.end());
    values = std::move(all);
  }
};

std::string program_version() {
  for (const auto& [name, version] : versions())
    if (name == "kardan") return version;
  return "";
}

}  // namespace

std::optional<Checkpoint> read_resume(ModelOptions& options, RunOptions& given,
                                      Diagnostics& diagnostics) {
  auto checkpoint = load_checkpoint(given.resume, diagnostics);
  if (!checkpoint) return std::nullopt;
  if (options.set.empty())
    for (const auto& [name, value] : checkpoint->set) options.set.push_back(name + "=" + value);
  each_option(given, Restore{checkpoint->command});
  if (given.checkpoint.empty()) given.checkpoint = given.resume;
  return checkpoint;
}

CheckpointWriter::CheckpointWriter(const StartedModel& started, const RunOptions& given,
                                   const SimulateOptions& options, const Checkpoint* from,
                                   ResultWriter& results, Diagnostics& diagnostics)
    : path_(given.checkpoint) {
  if (path_.empty()) return;
  now_.program = program_version();
  now_.model = model_hash(started.model, started.overrides);
  for (const auto& [name, value] : started.overrides)
    now_.set.emplace_back(name, format_number(value));
  now_.options = option_texts(options);
  RunOptions command = given;
  command.numbers["every"] = options.every;
  command.numbers["checkpoint_every"] = options.checkpoint_every;
  Collect collect;
  each_option(command, [&](const char* name, const auto& value) { collect(name, value); });
  now_.command = std::move(collect.out);
  const std::string rows = rows_path(path_);
  try {
    namespace fs = std::filesystem;
    const bool goes_on = from && fs::exists(path_) && fs::equivalent(path_, given.resume);
    if (fs::exists(path_) && !fs::is_regular_file(path_))
      throw std::system_error(EINVAL, std::generic_category());
    // Rows and checkpoint belong together: an old one goes with its rows.
    if (!goes_on) fs::remove(path_);
    auto journal = goes_on ? std::make_unique<RowJournal>(rows, from->rows)
                           : std::make_unique<RowJournal>(rows);
    journal_ = journal.get();
    if (goes_on) now_.memory = from->memory;
    // Into another file, the rows so far are copied.
    if (from && !goes_on) results.add(std::move(journal));
    if (from)
      (void)read_journal(
          rows_path(given.resume), from->rows, results.width(),
          [&](std::span<const double> row) { results.row(row); },
          [&](const StepRecord& step) { results.step(step); });
    if (journal) results.add(std::move(journal));
    if (from && !goes_on) write(from->memory);
  } catch (const std::system_error& e) {
    diagnostics.error("output.file", fmt::format("--checkpoint {}: {}", path_, e.code().message()),
                      {}, "is the folder there, and may it be written?");
  }
}

void CheckpointWriter::write(const RunMemory& memory) {
  if (!active() || !failure_.empty()) return;
  try {
    Checkpoint next = now_;
    next.rows = journal_->sync();
    next.memory = memory;
    write_atomically(path_, to_bytes(next));
    now_ = std::move(next);
  } catch (const std::system_error& e) {
    failure_ = fmt::format("cannot write {}", e.what());
  }
}

}  // namespace kardan::cli
