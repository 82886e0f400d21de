#include "kardan/study/study.h"

#include <fmt/format.h>

#include <cstring>
#include <mutex>

#include "kardan/base/crew.h"

namespace kardan {

namespace {

/// Small enough that all end at about the same time, large enough that asking costs nothing.
std::uint64_t block_size(std::uint64_t runs, const StudyOptions& options) {
  constexpr std::uint64_t blocks_each = 50, largest = 256;
  const auto workers = static_cast<std::uint64_t>(options.share.processes) *
                       static_cast<std::uint64_t>(crew_size(options.threads));
  return std::clamp<std::uint64_t>(runs / (blocks_each * workers), 1, largest);
}

}  // namespace

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
  const auto do_one = [&](std::uint64_t i) {
    if (there[i]) return true;
    std::vector<double> row(shape.width());
    WholeRun whole;
    do_run(plan, shape, first + i, row, whole);
    store.table().write(first + i, row);
    const std::lock_guard lock(one_at_a_time);
    ++progress.done;
    if (shape.failed(row)) ++progress.failed;
    return !options.progress || options.progress(progress);
  };
  if (!options.share.next) {
    for_each_piece(last - first, options.threads, [&](std::uint64_t i, int) { return do_one(i); });
  } else {
    const std::uint64_t size = block_size(last - first, options);
    std::mutex asking;
    for_each_piece(static_cast<std::uint64_t>(crew_size(options.threads)), options.threads,
                   [&](std::uint64_t, int) {
                     for (;;) {
                       std::uint64_t block = 0;
                       {
                         const std::lock_guard lock(asking);
                         block = options.share.next();
                       }
                       if (block >= (last - first + size - 1) / size) return true;
                       const std::uint64_t end = std::min(last - first, (block + 1) * size);
                       for (std::uint64_t i = block * size; i < end; ++i)
                         if (!do_one(i)) return false;
                     }
                   });
  }
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
