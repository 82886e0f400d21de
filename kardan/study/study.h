#pragma once
/// Does the runs of a study that are not done, on several threads.

#include <algorithm>
#include <cstdint>
#include <functional>

#include "kardan/study/store.h"

namespace kardan {

/// Part `index` (from 1) of `count` parts of a study, for several processes.
struct Chunk {
  std::uint64_t index = 1, count = 1;
  /// Runs from `first` to before `last`.
  [[nodiscard]] std::uint64_t first(std::uint64_t runs) const {
    return runs / count * (index - 1) + std::min(index - 1, runs % count);
  }
  [[nodiscard]] std::uint64_t last(std::uint64_t runs) const {
    return Chunk{index + 1, count}.first(runs);
  }
};

struct StudyProgress {
  std::uint64_t done = 0, of = 0;  ///< of the runs to do, in this call
  std::uint64_t failed = 0;        ///< of those done
};

/// Processes that do a study together, each with a store of its own of one file.
struct StudyShare {
  int processes = 1;
  /// Numbers from 0 on, each given to one of all processes. Called from one thread at a time.
  std::function<std::uint64_t()> next = {};
};

struct StudyOptions {
  int threads = 0;  ///< 0: all processors
  Chunk chunk = {};
  /// After every run, from one thread at a time; false: no further run is begun.
  std::function<bool(const StudyProgress&)> progress = {};
  StudyShare share = {};
};

/// Rows that are there already are not done again.
StudyProgress do_runs(const StudyPlan& plan, StudyStore& store, const StudyOptions& options);

/// Copies the rows that `part` has and `store` has not; how many. Parts that know a row with other
/// bits are reported, with the run.
std::uint64_t merge(StudyStore& store, const StudyStore& part, Diagnostics& diagnostics);

}  // namespace kardan
