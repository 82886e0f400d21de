#include <cmath>
#include <limits>

#include "kardan/study/statistics.h"

namespace kardan {
namespace {

/// Sums for the ratio of two means and its standard error (by linearization).
struct Ratio {
  double x = 0, xx = 0, xv = 0;
  void add(double above, double below) {
    x += above;
    xx += above * above;
    xv += above * below;
  }
  /// n terms; those below the line sum to v, their squares to vv.
  void finish(double n, double v, double vv, double& ratio, double& error) const {
    ratio = x / v;
    const double spread = xx - 2 * ratio * xv + ratio * ratio * vv;
    error = std::sqrt(std::max(0.0, spread) / n) / (v / n) / std::sqrt(n - 1);
  }
};

/// Of one kept value.
struct Sums {
  double n = 0, v = 0, vv = 0;
  std::vector<Ratio> first, total;
};

/// Calls `use` with the kept values of the runs of every row that has all of them.
void for_each_row(std::size_t block, const RowShape& shape, std::size_t kept, const RowScan& scan,
                  const std::function<void(std::span<const double>)>& use) {
  std::vector<double> values(block);
  std::size_t known = 0;
  std::uint64_t current = 0;
  scan([&](std::uint64_t run, std::span<const double> row) {
    if (run / block != current) {
      current = run / block;
      known = 0;
    }
    const double y = row[shape.parameters().size() + kept];
    if (std::isnan(y)) return;
    values[run % block] = y;
    if (++known == block) use(values);
  });
}

}  // namespace

Sensitivities sensitivities(const RowShape& shape, const RowScan& scan) {
  const std::size_t parameters = shape.parameters().size(), block = parameters + 2;
  Sensitivities out;
  for (std::size_t k = 0; k < shape.kept().size(); ++k) {
    // Differences from the mean: the estimate of first order has less noise.
    double mean = 0, count = 0;
    for_each_row(block, shape, k, scan, [&](std::span<const double> f) {
      mean += f[0] + f[1];
      count += 2;
    });
    mean /= count;
    Sums sums;
    sums.first.resize(parameters);
    sums.total.resize(parameters);
    for_each_row(block, shape, k, scan, [&](std::span<const double> f) {
      const double a = f[0] - mean, b = f[1] - mean, v = (a * a + b * b) / 2;
      ++sums.n;
      sums.v += v;
      sums.vv += v * v;
      for (std::size_t j = 0; j < parameters; ++j) {
        const double mixed = f[2 + j] - mean;
        sums.first[j].add(b * (mixed - a), v);
        sums.total[j].add((a - mixed) * (a - mixed) / 2, v);
      }
    });
    out.rows.push_back(static_cast<std::uint64_t>(sums.n));
    auto& of = out.of.emplace_back(parameters);
    for (std::size_t j = 0; j < parameters; ++j) {
      constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
      of[j] = {unknown, unknown, unknown, unknown};
      if (sums.n < 2 || !(sums.v > 0)) continue;
      sums.first[j].finish(sums.n, sums.v, sums.vv, of[j].first, of[j].first_error);
      sums.total[j].finish(sums.n, sums.v, sums.vv, of[j].total, of[j].total_error);
    }
  }
  return out;
}

}  // namespace kardan
