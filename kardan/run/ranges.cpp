#include "kardan/run/ranges.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kardan/base/text.h"

namespace kardan {
namespace {

class RangeCheck {
 public:
  RangeCheck(const OptionPlace& place, Diagnostics& diagnostics)
      : place_(place), diagnostics_(diagnostics) {}

  void fail(const char* code, std::string_view name, double value, std::string_view wanted,
            const char* hint = "") {
    diagnostics_.error(code, fmt::format("{} = {}; wanted {}", name, format_number(value), wanted),
                       place_ ? place_(name) : SourceLocation(), hint);
  }

  /// 0 stands for: not given.
  void tolerance(std::string_view name, double value, bool needed) {
    if (value == 0 && !needed) return;
    if (value >= tightest_tolerance && value <= loosest_tolerance) return;
    fail("tolerance.range", name, value,
         fmt::format("{:.0e} to {}", tightest_tolerance, loosest_tolerance));
  }
  bool length(std::string_view name, double value) {
    if (std::isfinite(value) && value >= 0) return true;
    fail("run.range", name, value, "a finite number > 0");
    return false;
  }

 private:
  const OptionPlace& place_;
  Diagnostics& diagnostics_;
};

/// What a step control can work with.
void check_control(const DriverOptions& o, RangeCheck& check) {
  check.length("first_step", o.first_step);
  check.length("smallest_step", o.smallest_step);
  check.length("largest_step", o.largest_step);
  check.length("event_resolution", o.event_resolution);
  if (!(o.safety > 0 && o.safety <= 1))
    check.fail("run.range", "safety", o.safety, "0 < safety <= 1");
  if (!(o.growth >= 1 && std::isfinite(o.growth)))
    check.fail("run.range", "growth", o.growth, "a finite number >= 1");
  if (!(o.shrink > 0 && o.shrink < 1))
    check.fail("run.range", "shrink", o.shrink, "0 < shrink < 1");
  if (!(o.keep_below > 0 && std::isfinite(o.keep_below)))
    check.fail("run.range", "keep_below", o.keep_below, "a finite number > 0");
  if (o.max_steps < 1) check.fail("run.range", "max_steps", o.max_steps, "a number > 0");
  if (o.event_samples < 1)
    check.fail("run.range", "event_samples", o.event_samples, "a number > 0");
  for (double t : o.stop_times)
    if (!std::isfinite(t)) check.fail("run.range", "stop_times", t, "finite times");
}

}  // namespace

void check_ranges(const SimulateOptions& o, double start, const OptionPlace& place,
                  Diagnostics& diagnostics) {
  RangeCheck check(place, diagnostics);
  check.tolerance("tolerance", o.driver.tolerance, true);
  check.tolerance("relative", o.relative, false);
  if (!(std::isfinite(o.absolute) && o.absolute >= 0))
    check.fail("tolerance.range", "absolute", o.absolute, "a finite number > 0");
  for (const VariableTolerance& t : o.tolerance_of)
    if (!(std::isfinite(t.value) && t.value > 0))
      check.fail("tolerance.range", "tolerance of '" + t.name + "'", t.value,
                 "a finite number > 0");
  check_control(o.driver, check);
  const bool ends = std::isfinite(o.t_end);
  if (!ends) check.fail("run.range", "t_end", o.t_end, "a finite time");
  const bool grid = check.length("every", o.every);
  check.length("checkpoint_every", o.checkpoint_every);
  const bool step = check.length("step", o.driver.fixed_step);
  if (!ends) return;
  if (grid && o.every > 0 && (o.t_end - start) / o.every > most_grid_points)
    check.fail("run.range", "every", o.every,
               fmt::format("at most {:.0e} points of the grid", most_grid_points),
               "raise it, or end the run earlier");
  const double round_off =
      16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(o.t_end), std::abs(start));
  if (step && o.driver.fixed_step > 0 && o.driver.fixed_step < round_off)
    check.fail("run.range", "step", o.driver.fixed_step,
               fmt::format("more than {:.1e} s, the round-off of the time", round_off));
}

}  // namespace kardan
