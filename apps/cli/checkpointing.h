#pragma once
/// Checkpoints of `kardan run`: written as the run goes, read when it goes on.

#include "apps/cli/command.h"
#include "kardan/io/checkpoint.h"
#include "kardan/io/result_writer.h"

namespace kardan::cli {

/// Fills in what the command leaves to the checkpoint: parameters and options. Nothing after
/// reporting that they contradict it.
std::optional<Checkpoint> read_resume(ModelOptions& options, RunOptions& given,
                                      Diagnostics& diagnostics);

/// Renews a checkpoint file, with the rows beside it.
class CheckpointWriter {
 public:
  /// Begins the rows, or goes on with those of `from`. Without a file to write it does nothing.
  CheckpointWriter(const StartedModel& started, const RunOptions& given,
                   const SimulateOptions& options, const Checkpoint* from, ResultWriter& results,
                   Diagnostics& diagnostics);

  bool active() const { return journal_ != nullptr; }
  void write(const RunMemory& memory);
  /// Why the last one could not be written; empty: all is well.
  const std::string& failure() const { return failure_; }
  const std::string& path() const { return path_; }
  double t() const { return now_.memory.state.t; }  ///< of the last one

 private:
  std::string path_, failure_;
  Checkpoint now_;
  RowJournal* journal_ = nullptr;  // owned by the results
};

}  // namespace kardan::cli
