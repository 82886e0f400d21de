#pragma once
/// The rows and steps of a run so far, beside its checkpoint: a run that goes on writes them again
/// to its result files, which are then those of a run in one piece. The file only grows; a
/// checkpoint says how much of it counts.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kardan/io/output_file.h"
#include "kardan/io/result_sink.h"

namespace kardan {

/// How far a journal counts: the number of bytes, and their checksum.
struct JournalMark {
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;
};

class RowJournal final : public ResultSink {
 public:
  /// Begins the file anew, or goes on at a mark that check_journal has found good: what is behind
  /// is cut off. Throws std::system_error.
  explicit RowJournal(const std::string& path);
  RowJournal(const std::string& path, const JournalMark& mark);

  void begin(const ResultDescription&) override {}
  void row(std::span<const double> row) override;
  void step(const StepRecord& step) override;
  void end(const Json&) override { file_.close(); }

  /// Everything given so far, on the disk.
  JournalMark sync();

 private:
  void add(char kind, std::span<const double> numbers);

  OutputFile file_;
  JournalMark mark_;
};

/// Whether the file holds what the mark says, as rows of `width` numbers and steps; else why not.
std::string check_journal(const std::string& path, const JournalMark& mark, std::size_t width);

/// Tells the rows and steps up to the mark. False when the file is not what it was.
bool read_journal(const std::string& path, const JournalMark& mark, std::size_t width,
                  const std::function<void(std::span<const double>)>& row,
                  const std::function<void(const StepRecord&)>& step);

}  // namespace kardan
