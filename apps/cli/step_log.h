#pragma once
/// `--log FILE`: one line a step; counts are those of the run so far. A run that goes on keeps the
/// lines up to its checkpoint, so that the log is that of a run in one piece.

#include <memory>
#include <string>

#include "kardan/integrate/driver.h"
#include "kardan/io/checkpoint.h"
#include "kardan/io/output_file.h"

namespace kardan::cli {

class StepLog {
 public:
  /// Without a path it does nothing.
  StepLog(const std::string& path, const Checkpoint* from, Diagnostics& diagnostics);

  void add(const StepView& step);
  /// On the disk: a checkpoint that is written next finds every line before it, whatever happens.
  void sync();
  void close();
  /// Why it could not be written; empty: all is well.
  const std::string& failure() const { return failure_; }

 private:
  template <class Write>
  void keep(const Write& write);

  std::unique_ptr<OutputFile> file_;
  std::string failure_;
};

}  // namespace kardan::cli
