#include "apps/cli/output_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kardan/model/observation.h"
#include "kardan/run/result.h"
#include "kardan/study/extremes.h"

namespace kardan::cli {
namespace {

/// More would hide the report.
constexpr std::size_t most_rows = 24;

}  // namespace

OutputTable::OutputTable(const System& system, const SimulateOptions& options) : system_(system) {
  const std::vector<OutputData>& wanted = system.blueprint().outputs;
  if (wanted.empty()) return;
  static const KeptFunction least = describe_kept<Smallest>(), greatest = describe_kept<Largest>(),
                            last = describe_kept<Final>();
  plan_.options = options;
  const ResultColumns columns(system);
  for (const std::string& name : columns.names()) {
    const bool chosen = std::any_of(wanted.begin(), wanted.end(),
                                    [&](const OutputData& o) { return matches(o.pattern, name); });
    auto expression = Expression::parse(name);
    if (!chosen || !expression || rows_.size() == most_rows) continue;
    const auto quantity = system.find_quantity(name);
    Row& row = rows_.emplace_back();
    row.name = name;
    row.unit = quantity ? system.quantity_unit(*quantity) : std::string();
    for (const KeptFunction* function : {&least, &greatest, &last})
      plan_.kept.push_back({name, name, function, *expression, {}});
  }
  if (!rows_.empty()) watch_ = std::make_unique<KeptWatch>(plan_, system);
}

void OutputTable::join(const ConsistentStart& start, Watchers& watchers) {
  if (!watch_) return;
  ChosenColumns columns(system_);
  for (const Row& row : rows_) (void)columns.add(row.name);
  const auto values = columns.read({&start.state, &start.a, &start.lambda});
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].first = values[i];
  watch_->join(start, watchers);
}

void OutputTable::finish(const RunReport& report) {
  if (!watch_) return;
  std::vector<double> kept(plan_.kept.size());
  watch_->finish(report, kept);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].least = kept[3 * i];
    rows_[i].greatest = kept[3 * i + 1];
    rows_[i].last = kept[3 * i + 2];
  }
  watch_.reset();
  known_ = true;
}

double OutputTable::round_off(const Row& row) const {
  constexpr double rounding = 1e-14;
  const Scales& scales = system_.scales();
  const std::pair<std::string_view, double> sizes[] = {{"m", scales.length},
                                                       {"m/s", scales.speed},
                                                       {"m/s^2", scales.acceleration},
                                                       {"rad", 1},
                                                       {"rad/s", scales.speed / scales.length},
                                                       {"1", 1}};
  double size = 0;
  for (const auto& [unit, typical] : sizes)
    if (row.unit == unit) size = typical;
  for (const Row& other : rows_)
    if (other.unit == row.unit)
      for (const double x : {other.least, other.greatest})
        if (std::isfinite(x)) size = std::max(size, std::abs(x));
  return rounding * size;
}

void OutputTable::print() const {
  if (rows_.empty()) return;
  std::size_t width = 20;
  for (const Row& row : rows_) width = std::max(width, row.name.size() + row.unit.size() + 3);
  fmt::print("\n{:<{}}  {:>14} {:>14} {:>14} {:>14}\n", "outputs", width, "first", "least",
             "greatest", "last");
  for (const Row& row : rows_) {
    const bool named = !row.unit.empty() && row.unit != "1";
    const std::string name = named ? fmt::format("{} [{}]", row.name, row.unit) : row.name;
    fmt::print("  {:<{}}", name, width);
    const double zero = round_off(row);
    for (const double x : {row.first, row.least, row.greatest, row.last})
      fmt::print(" {:>14}", std::isnan(x)         ? "not known"
                            : std::abs(x) <= zero ? "0"
                                                  : fmt::format("{:.8g}", x));
    fmt::print("\n");
  }
  if (rows_.size() == most_rows) fmt::print("  more are in the result files (--out)\n");
}

Json OutputTable::to_json() const {
  Json out = Json::object();
  for (const Row& row : rows_)
    out[row.name] = {{"unit", row.unit},
                     {"first", row.first},
                     {"least", row.least},
                     {"greatest", row.greatest},
                     {"last", row.last}};
  return out;
}

}  // namespace kardan::cli
