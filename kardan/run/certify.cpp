#include "kardan/run/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/run/choice.h"
#include "kardan/run/cross_check.h"

namespace kardan {
namespace {

/// The reference is this much tighter than the run, and never by less than the second.
constexpr double reference_share = 1e-2, least_share = 0.1;
/// Between run and reference errors must fall: a run at `check_share` of the tolerance has at most
/// 1/`falls` of the error, or the reference may be as far off as the run itself. What is smaller
/// than `too_small` is rounding.
constexpr double check_share = 0.3, falls = 2, too_small = 1e-12;
/// The next reference is tighter than the last by this.
constexpr double tighter_share = 0.1;
/// Tolerances below this are beyond double numbers, which are rounded to 1e-16: a hundred steps
/// would add up to it.
constexpr double tightest = 1e-14;
/// What numbers are rounded to: where it grows to the accuracy asked for, nothing can be known.
constexpr double rounding = 1e-15;
/// Runs of other methods are given up after so many steps, or so many times those of the first run.
constexpr int crossing_steps = 5000, crossing_times = 10;
/// A first run of fewer steps counts as one of so many in the budget; times its velocities, as one
/// of so many: the steps of five bodies in space, which cost no more in a smaller model.
constexpr long least_first = 200, least_work = 30 * least_first;
/// Aim below the accuracy asked for, and do not go further than the first measurement reaches.
constexpr double aim = 0.5, longest_way = 1e-4, shortest_way = 0.3;

/// The options with everything that decides about the error made tighter by `factor`.
SimulateOptions tightened(SimulateOptions o, double factor) {
  if (o.driver.fixed_step > 0) {
    o.driver.fixed_step *= factor;
    return o;
  }
  o.driver.tolerance *= factor;
  o.relative *= factor;
  o.absolute *= factor;
  for (VariableTolerance& t : o.tolerance_of) t.value *= factor;
  return o;
}

double accuracy_of(const SimulateOptions& o) {
  double accuracy = o.driver.tolerance;
  if (o.relative > 0 || o.absolute > 0)
    accuracy =
        std::min(o.relative > 0 ? o.relative : accuracy, o.absolute > 0 ? o.absolute : accuracy);
  return accuracy;
}

double worst_at(const std::vector<ComponentError>& components, std::size_t i) {
  const ReachedError worst = reached_error(components, i);
  return std::isnan(worst.position) ? worst.position : std::fmax(worst.position, worst.velocity);
}

/// Rate of the exponential that errors follow, by least squares over the times between round-off
/// and saturation; 0 where they grow by less than a factor of a thousand in that time.
double growth_rate(const std::vector<double>& times,
                   const std::vector<ComponentError>& components) {
  constexpr double round_off = 1e-14, saturated = 0.1, least_growth = 1e3;
  double n = 0, t1 = 0, y1 = 0, t2 = 0, ty = 0, low = saturated, high = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double error = worst_at(components, i);
    if (error > saturated) break;
    if (!(error > round_off)) continue;
    const double y = std::log(error);
    n += 1, t1 += times[i], y1 += y, t2 += times[i] * times[i], ty += times[i] * y;
    low = std::min(low, error), high = std::max(high, error);
  }
  const double spread = n * t2 - t1 * t1;
  if (n < 3 || high < least_growth * low || !(spread > 0)) return 0;
  return (n * ty - t1 * y1) / spread;
}

class Search {
 public:
  Search(const PrepareRun& make, const SimulateOptions& asked, const CertifyOptions& options,
         Diagnostics& diagnostics)
      : make_(make), asked_(asked), options_(options), diagnostics_(diagnostics) {
    asked_.every = asked.t_end / options.points;  // as `kardan compare` does
    result_.accuracy.asked = accuracy_of(asked);
    result_.accuracy.budget = options.budget;
    result_.options = asked;
  }

  Certification find() {
    double factor = 1;
    while (measure(factor)) {
      Accuracy& a = result_.accuracy;
      const double worst = std::max(a.position, a.velocity);
      if (worst <= a.asked) {
        if (!settle_reference(factor)) break;
        const double settled = std::max(a.position, a.velocity);
        if (settled > a.asked) continue;  // against a better reference
        a.verdict = settled + doubt_ <= a.asked ? Certified::reached : Certified::out_of_reach;
        if (a.verdict == Certified::reached) look_from_outside();
        break;
      }
      const double next = next_factor(factor, worst);
      if (!(next < factor)) {
        a.verdict = Certified::out_of_reach;
        break;
      }
      factor = next;
    }
    // What was measured holds where no tighter run came to the end.
    Accuracy& last = result_.accuracy;
    if (last.verdict == Certified::failed && std::max(last.position, last.velocity) > last.asked)
      last.verdict = Certified::out_of_reach;
    result_.accuracy.used = first_ > 0 ? static_cast<double>(steps_) / counted_ : 0;
    explain();
    return std::move(result_);
  }

 private:
  struct Run {
    double factor = 0;
    Trajectory path;
  };

  double size_at(double factor) const {
    return factor * (fixed() ? asked_.driver.fixed_step : accuracy_of(asked_));
  }
  bool fixed() const { return asked_.driver.fixed_step > 0; }

  /// The smallest factor that tolerances allow; fixed steps are limited by the budget alone.
  double least_factor() const { return fixed() ? 0 : tightest / accuracy_of(asked_); }

  /// A fixed step is made shorter by the root that the order of the method asks for.
  double by_order(double share) const {
    Diagnostics told;
    const Method* method = choose_method(asked_.method, told).method;
    return fixed() && method ? std::pow(share, 1.0 / method->order) : share;
  }

  double next_factor(double factor, double worst) const {
    const double wanted = aim * result_.accuracy.asked / worst;
    const double share = by_order(std::clamp(wanted, longest_way, shortest_way));
    // The reference must still be tighter than the run.
    return std::min(factor, std::max(factor * share, least_factor() / least_share));
  }

  /// The error of the run at `factor`; false when it could not be measured.
  bool measure(double factor) {
    if (!run_ || run_->factor != factor) run_ = run_at(factor);
    if (!run_) return false;
    if (!reference_ || reference_->factor > factor * by_order(least_share)) {
      reference_ = run_at(std::max(factor * by_order(reference_share), least_factor()));
      // The tightest runs may not come to the end; a looser one is good enough.
      if (!reference_ && result_.accuracy.verdict == Certified::failed)
        reference_ = run_at(factor * by_order(least_share));
      if (!reference_) return false;
    }
    compare(factor);
    return true;
  }

  /// Behind a singular position errors do not fall with the tolerance, and the reference is no
  /// better than the run. Then tighter ones are made until two of them agree as far as it takes.
  /// What remains between the tightest ones that can be made, or that the budget leaves, is kept as
  /// a doubt. False when the reference could not be checked.
  bool settle_reference(double factor) {
    doubt_ = 0;
    std::optional<Run> between = run_at(factor * by_order(check_share));
    while (between) {
      compare(factor);
      const Prepared model = make_();
      const auto errors = component_errors(*model.system, between->path, reference_->path);
      Accuracy& a = result_.accuracy;
      if (have_fallen(a, errors)) return true;
      if (std::max(a.position, a.velocity) > a.asked) return true;  // another run will be made
      std::optional<Run> next;
      if (tighter(reference_->factor) < reference_->factor)
        next = run_at(tighter(reference_->factor));
      if (!next) {
        const ReachedError apart = reached_error(errors);
        doubt_ = std::max(apart.position, apart.velocity);
        a.message.clear();
        return true;
      }
      between = std::exchange(reference_, std::move(next));
    }
    return false;
  }

  /// Evidence that the method itself cannot give (cross_check.h).
  void look_from_outside() {
    Accuracy& a = result_.accuracy;
    const int most = static_cast<int>(std::max<long>(crossing_steps, crossing_times * first_));
    const Crossing crossing = cross(make_, asked_, method_, reference_->path, a.asked, most);
    a.crossed = crossing.method;
    a.apart = crossing.apart;
    if (!crossing.differs.empty()) {
      a.verdict = Certified::contradicted;
      contradiction_ = crossing.differs;
      return;
    }
    long unused = 0;
    const auto grown =
        magnification(make_, tightened(asked_, reference_->factor), reference_->path, unused);
    a.magnified = grown.value_or(0);
    if (a.magnified * rounding > a.asked) a.verdict = Certified::out_of_reach;
  }

  /// Over the run, and at its end: early errors may be larger than those that matter later.
  static bool have_fallen(const Accuracy& a, const std::vector<ComponentError>& errors) {
    auto fell = [](double from, double to) { return to <= std::max(from / falls, too_small); };
    auto both = [&](const ReachedError& from, const ReachedError& to) {
      return fell(from.position, to.position) && fell(from.velocity, to.velocity);
    };
    const std::size_t end = a.times.size() - 1;
    return both({a.position, a.velocity}, reached_error(errors)) &&
           both(reached_error(a.bands, end), reached_error(errors, end));
  }

  double tighter(double factor) const {
    return std::max(factor * by_order(tighter_share), least_factor());
  }

  /// Bands and reached error of the run against the reference.
  void compare(double factor) {
    const Prepared model = make_();
    Accuracy& a = result_.accuracy;
    a.bands = component_errors(*model.system, run_->path, reference_->path);
    const ReachedError error = reached_error(a.bands);
    a.position = error.position;
    a.velocity = error.velocity;
    const std::size_t count = std::min(run_->path.times.size(), reference_->path.times.size());
    a.times.assign(run_->path.times.begin(), run_->path.times.begin() + static_cast<long>(count));
    a.tolerance = size_at(factor);
    a.reference = size_at(reference_->factor);
    a.until = a.times.empty() ? 0 : a.times.front();
    for (std::size_t i = 0; i < count && worst_at(a.bands, i) <= a.asked; ++i) a.until = a.times[i];
    a.growth = growth_rate(a.times, a.bands);
    result_.options = tightened(original(), factor);
  }

  /// As asked, with the output grid of the user.
  SimulateOptions original() const {
    SimulateOptions o = asked_;
    o.every = result_.options.every;
    return o;
  }

  std::optional<Run> run_at(double factor) {
    Prepared prepared = make_();
    Accuracy& a = result_.accuracy;
    if (!prepared.system || prepared.start.report.status != Eval::ok) {
      a.message = "the model could not be assembled";
      return std::nullopt;
    }
    SimulateOptions o = tightened(asked_, factor);
    const double left =
        first_ > 0 ? options_.budget * counted_ - static_cast<double>(steps_) : o.driver.max_steps;
    const bool short_of_budget = left < o.driver.max_steps;
    if (short_of_budget) o.driver.max_steps = static_cast<int>(std::max(1.0, left));
    RunReport report;
    Run run{factor, {}};
    std::optional<Trajectory> path = trajectory(prepared, o, report, diagnostics_);
    if (path && method_.empty()) method_ = report.method + "@" + report.formulation;
    const Counters& c = report.driver.counters;
    const long steps = c.steps + c.rejected + c.failed;
    if (first_ == 0) {
      first_ = std::max(1L, steps);
      const long small = least_work / std::max(1, prepared.system->sizes().v);
      counted_ = static_cast<double>(std::max({first_, least_first, small}));
    }
    steps_ += steps;
    a.runs.push_back({size_at(factor), steps});
    if (path) {
      run.path = std::move(*path);
      return run;
    }
    if (short_of_budget && report.driver.reason == Reason::too_many_steps) {
      a.verdict = Certified::over_budget;
    } else {
      a.verdict = Certified::failed;
      a.message = report.driver.message;
    }
    return std::nullopt;
  }

  void explain() {
    Accuracy& a = result_.accuracy;
    const char* what = fixed() ? "steps of" : "tolerance";
    switch (a.verdict) {
      case Certified::reached:
        a.message = fmt::format("reached with {} {:.1e}", what, a.tolerance);
        a.message += a.crossed.empty()
                         ? "; no method of another kind came to the end to confirm it"
                         : fmt::format(", confirmed by {} to {:.1e}", a.crossed, a.apart);
        break;
      case Certified::contradicted:
        a.message =
            fmt::format("contradicted: {} comes to another motion ({})", a.crossed, contradiction_);
        break;
      case Certified::out_of_reach:
        if (a.magnified * rounding > a.asked) {
          a.message = fmt::format(
              "cannot be known: an error at the start is {:.0e} times as large at the worst time, "
              "so that the rounding of numbers decides",
              a.magnified);
          break;
        }
        if (doubt_ > 0) {
          a.message = fmt::format(
              "not certain: errors do not fall with the tolerance; the reference itself is {:.1e} "
              "from a looser one",
              doubt_);
          break;
        }
        a.message = fmt::format(
            "out of reach after t = {:.6g} s: even with {} {:.1e} errors become larger{}", a.until,
            what, a.tolerance,
            a.growth > 0 ? fmt::format("; they grow like exp({:.2g} t)", a.growth) : "");
        break;
      case Certified::over_budget:
        a.message =
            a.bands.empty()
                ? fmt::format("not measured: the budget of {:g} times the first run is used up",
                              a.budget)
                : fmt::format(
                      "not reached within the budget of {:g} times the first run: with {} "
                      "{:.1e} it holds up to t = {:.6g} s",
                      a.budget, what, a.tolerance, a.until);
        break;
      case Certified::failed:
        a.message = fmt::format("not measured: {}", a.message);
        break;
    }
  }

  const PrepareRun& make_;
  SimulateOptions asked_;
  const CertifyOptions& options_;
  Diagnostics& diagnostics_;
  Certification result_;
  std::optional<Run> run_, reference_;
  std::string method_;          // used by the first run, with its formulation
  std::string contradiction_;   // in words
  double doubt_ = 0;            // how far the tightest references are apart, where that matters
  long first_ = 0, steps_ = 0;  // of the first run, of all
  double counted_ = 0;          // the steps of the first run, in the budget
};

}  // namespace

std::string_view to_string(Certified verdict) {
  switch (verdict) {
    case Certified::reached:
      return "reached";
    case Certified::out_of_reach:
      return "out_of_reach";
    case Certified::over_budget:
      return "over_budget";
    case Certified::contradicted:
      return "contradicted";
    case Certified::failed:
      break;
  }
  return "failed";
}

Certification certify(const PrepareRun& make, const SimulateOptions& asked,
                      const CertifyOptions& options, Diagnostics& diagnostics) {
  return Search(make, asked, options, diagnostics).find();
}

}  // namespace kardan
