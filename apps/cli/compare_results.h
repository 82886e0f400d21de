#pragma once
/// Two results beside each other: where their columns differ, and by how much.

#include <string>
#include <vector>

#include "apps/cli/compare_reference.h"
#include "kardan/io/report_json.h"

namespace kardan::cli {

struct ColumnDifference {
  std::string name, unit;
  double largest = 0;              ///< |a - b|, in the column's unit
  double at = 0;                   ///< [s] when
  double range = 0;                ///< greatest - least value of both
  double share = 0;                ///< largest / range; 0 where both are constant and equal
  std::size_t in_a = 0, in_b = 0;  ///< columns of the results
};

struct ResultDifferences {
  std::vector<ColumnDifference> columns;  ///< the largest share first
  std::vector<std::string> only_a, only_b;
  double from = 0, to = 0;  ///< [s] times that both have
  std::size_t rows = 0;     ///< of A, at which is compared
  bool interpolated = false;
};

/// At the times of A that lie within B; where B has no row there, on the cubic through the four
/// nearest of its rows.
[[nodiscard]] ResultDifferences differences(const ReadResult& a, const ReadResult& b);

struct CompareResults {
  std::string a, b;
  std::vector<std::string> out;  ///< .svg, .html
  bool json = false, quiet = false, force = false;
};
int compare_results(const CompareResults& given);

}  // namespace kardan::cli
