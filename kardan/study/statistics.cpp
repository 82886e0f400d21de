#include "kardan/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Sums of two columns over the runs that know both: B. P. Welford, Technometrics 4 (1962) 419-420.
struct PairSums {
  double n = 0, mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;

  void add(double x, double y) {
    ++n;
    const double dx = x - mean_x, dy = y - mean_y;
    mean_x += dx / n;
    mean_y += dy / n;
    xx += dx * (x - mean_x);
    yy += dy * (y - mean_y);
    xy += dx * (y - mean_y);
  }
  double correlation() const { return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : unknown; }
};

void add(Moments& m, double& squares, std::uint64_t run, double x) {
  if (std::isnan(x)) return;
  if (m.count == 0) {
    m.smallest = m.largest = x;
    m.smallest_run = m.largest_run = run;
  }
  const double d = x - m.mean;
  ++m.count;
  m.mean += d / static_cast<double>(m.count);
  squares += d * (x - m.mean);
  if (x < m.smallest) {
    m.smallest = x;
    m.smallest_run = run;
  }
  if (x > m.largest) {
    m.largest = x;
    m.largest_run = run;
  }
}

}  // namespace

Share share_of_trials(std::uint64_t hits, std::uint64_t trials) {
  if (trials == 0) return {0, 0, unknown, 0, 1};
  constexpr double z = 1.959963984540054;  // 95 % of the normal distribution
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(hits) / n, shrink = 1 + z * z / n;
  const double middle = (p + z * z / (2 * n)) / shrink;
  const double half = z / shrink * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {hits, trials, p, hits == 0 ? 0 : middle - half, hits == trials ? 1 : middle + half};
}

StudyStatistics statistics(const RowShape& shape, const RowScan& scan) {
  const std::size_t columns = shape.values();
  StudyStatistics out;
  out.moments.resize(columns);
  std::vector<double> squares(columns, 0);
  std::vector<PairSums> pairs(columns * columns);
  std::uint64_t missed = 0;
  scan([&](std::uint64_t run, std::span<const double> row) {
    ++out.runs;
    if (shape.failed(row)) ++out.failed;
    if (row[shape.verdict()] == 1) ++out.amber;
    if (row[shape.met()] != 1) ++missed;
    for (std::size_t i = 0; i < columns; ++i) {
      add(out.moments[i], squares[i], run, row[i]);
      if (std::isnan(row[i])) continue;
      for (std::size_t j = 0; j < i; ++j)
        if (!std::isnan(row[j])) pairs[i * columns + j].add(row[i], row[j]);
    }
  });
  out.not_met = share_of_trials(missed, out.runs);
  out.correlation.assign(columns, std::vector<double>(columns, 1));
  for (std::size_t i = 0; i < columns; ++i) {
    Moments& m = out.moments[i];
    if (m.count == 0) m.mean = m.smallest = m.largest = unknown;
    m.deviation = m.count > 1 ? std::sqrt(squares[i] / static_cast<double>(m.count - 1)) : unknown;
    for (std::size_t j = 0; j < i; ++j)
      out.correlation[i][j] = out.correlation[j][i] = pairs[i * columns + j].correlation();
  }
  return out;
}

}  // namespace kardan
