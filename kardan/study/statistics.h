#pragma once
/// What many runs say together. Everything is summed in the order of the runs, so that it has the
/// same bits whoever did them; memory does not depend on their number.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kardan/study/run_row.h"

namespace kardan {

/// Tells all rows there are, in the order of their runs; may be asked for several times.
using RowVisitor = std::function<void(std::uint64_t run, std::span<const double> row)>;
using RowScan = std::function<void(const RowVisitor&)>;

/// Of a parameter or a kept value, over the runs that know it.
struct Moments {
  std::uint64_t count = 0;
  double mean = 0, deviation = 0;  ///< deviation: with count - 1
  double smallest = 0, largest = 0;
  std::uint64_t smallest_run = 0, largest_run = 0;
};

/// A share of a number of independent trials, with the interval that holds the probability in 95 of
/// 100 studies: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209-212.
struct Share {
  std::uint64_t hits = 0, trials = 0;
  double value = 0, low = 0, high = 0;
};
[[nodiscard]] Share share_of_trials(std::uint64_t hits, std::uint64_t trials);

struct StudyStatistics {
  std::uint64_t runs = 0, failed = 0, amber = 0;
  Share not_met;                                 ///< runs that fail or break what is required
  std::vector<Moments> moments;                  ///< by column
  std::vector<std::vector<double>> correlation;  ///< Pearson's; not-a-number without variance
};
[[nodiscard]] StudyStatistics statistics(const RowShape& shape, const RowScan& scan);

/// The value below which a share lies, exactly as after sorting: between neighbours in order it is
/// interpolated (R. J. Hyndman, Y. Fan, The American Statistician 50 (1996) 361-365, definition 7).
/// result[column][share]; found digit by digit, in passes over the rows.
[[nodiscard]] std::vector<std::vector<double>> quantiles(std::size_t columns,
                                                         const std::vector<Moments>& moments,
                                                         const std::vector<double>& shares,
                                                         const RowScan& scan);

/// The share of a kept value's variance that a parameter explains alone, and with all others; each
/// with its standard error.
struct Sensitivity {
  double first = 0, first_error = 0, total = 0, total_error = 0;
};
/// result[kept][parameter], of a design whose rows are `parameters + 2` runs. First order: Saltelli
/// et al. 2010 (designs/pick_freeze.h), table 2 (b), total: (f), which is M. J. W. Jansen, Comput.
/// Phys. Commun. 117 (1999) 35-43. A row of which a run is missing is left out.
struct Sensitivities {
  std::vector<std::vector<Sensitivity>> of;
  std::vector<std::uint64_t> rows;  ///< that count, by kept value
};
[[nodiscard]] Sensitivities sensitivities(const RowShape& shape, const RowScan& scan);

}  // namespace kardan
