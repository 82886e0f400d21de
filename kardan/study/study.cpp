#include "kardan/study/study.h"

#include <fmt/format.h>

#include <cstring>
#include <mutex>

#include "kardan/base/crew.h"

namespace kardan {

StudyProgress do_runs(const StudyPlan& plan, StudyStore& store, const StudyOptions& options) {
  const std::uint64_t first = options.chunk.first(plan.design->runs());
  const std::uint64_t last = options.chunk.last(plan.design->runs());
  // One bit a run, of those that are there.
  std::vector<bool> there(last - first, false);
  StudyProgress progress;
  progress.of = last - first;
  store.table().scan([&](std::uint64_t run, std::span<const double>) {
    if (run < first || run >= last) return;
    there[run - first] = true;
    --progress.of;
  });
  const RowShape& shape = store.shape();
  std::mutex one_at_a_time;
  for_each_piece(last - first, options.threads, [&](std::uint64_t i, int) {
    if (there[i]) return true;
    std::vector<double> row(shape.width());
    WholeRun whole;
    do_run(plan, shape, first + i, row, whole);
    store.table().write(first + i, row);
    const std::lock_guard lock(one_at_a_time);
    ++progress.done;
    if (shape.failed(row)) ++progress.failed;
    return !options.progress || options.progress(progress);
  });
  store.table().sync();
  return progress;
}

std::uint64_t merge(StudyStore& store, const StudyStore& part, Diagnostics& diagnostics) {
  std::uint64_t copied = 0;
  std::vector<double> mine(store.shape().width());
  part.table().scan([&](std::uint64_t run, std::span<const double> row) {
    if (!store.table().read(run, mine)) {
      store.table().write(run, row);
      ++copied;
    } else if (std::memcmp(mine.data(), row.data(), row.size_bytes()) != 0) {
      diagnostics.warning("study.bits", fmt::format("run {} has other bits", run),
                          {part.table().path(), 0, 0},
                          "the row of the file named first is kept; see what computed each");
    }
  });
  return copied;
}

}  // namespace kardan
