#include "kardan/run/certify.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kardan/run/accuracy_words.h"
#include "kardan/run/choice.h"
#include "kardan/run/cross_check.h"
#include "kardan/run/error_estimate.h"
#include "kardan/run/tightened.h"

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
/// A referee's reference is checked by one that is looser by this.
constexpr double looser = 10;
/// What numbers are rounded to: where it grows to the accuracy asked for, nothing can be known.
constexpr double rounding = 1e-15;
/// Runs of other methods are given up after this many steps, or this many times those of the first run.
constexpr int crossing_steps = 5000, crossing_times = 10;
/// A first run of fewer steps counts as one of so many in the budget; times its velocities, as one
/// of so many: the steps of five bodies in space, which cost no more in a smaller model.
constexpr long least_first = 200, least_work = 30 * least_first;
/// Aim below the accuracy asked for, and do not go further than the first measurement reaches.
constexpr double aim = 0.5, longest_way = 1e-4, shortest_way = 0.3;
/// Half an error costs a method of order 1 twice the steps. It aims nearer, from nearer.
constexpr double aim_of_order_1 = 0.8, first_way_of_order_1 = 0.1, shortest_way_of_order_1 = 0.7;
/// A digit costs a method of order 1 ten times its steps, others three times at most: its budget is
/// as many digits.
constexpr double budget_of_order_1 = 10;
/// A run that would clearly use up the budget is not begun: this many times what is left.
constexpr double clearly = 2;
/// Powers of the tolerance with which errors are seen to fall count down to this; below it they do
/// not fall.
constexpr double least_power = 0.25;

const Method* method_named(const std::string& name) {
  Diagnostics unused;
  return choose_method(name, unused).method;
}

/// Of a method of order 1 the root of its tolerance is asked for, which is what it promises.
bool asks_for_root(const SimulateOptions& o) {
  const Method* method = method_named(o.method);
  return method && method->order == 1 && o.driver.fixed_step == 0;
}

double worst_at(const std::vector<ComponentError>& components, std::size_t i) {
  const ReachedError worst = reached_error(components, i);
  return std::isnan(worst.position) ? worst.position : std::fmax(worst.position, worst.velocity);
}

double growth_rate(const std::vector<double>& times,
                   const std::vector<ComponentError>& components) {
  std::vector<double> worst(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) worst[i] = worst_at(components, i);
  return error_growth(times, worst);
}

class Search {
 public:
  Search(const PrepareRun& make, const SimulateOptions& asked, const CertifyOptions& options,
         Diagnostics& diagnostics)
      : make_(make), asked_(asked), options_(options), diagnostics_(diagnostics) {
    asked_.every = asked.t_end / options.points;  // as `kardan compare` does
    const double tolerance = tolerance_of(asked);
    const bool root = asks_for_root(asked);
    result_.accuracy.asked = root ? std::sqrt(tolerance) : tolerance;
    result_.accuracy.budget = options.budget * (root ? budget_of_order_1 : 1);
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
        if (a.verdict == Certified::reached && !look_from_outside()) continue;
        break;
      }
      // The referee may be the worse of the two.
      if (!falls_with(factor, worst) && dismiss_referees()) continue;
      const double next = next_factor(factor, worst);
      if (!(next < factor)) {
        a.verdict = Certified::out_of_reach;
        break;
      }
      if (too_many_ = steps_to(factor, next); too_many_ > clearly * steps_left()) {
        a.verdict = Certified::over_budget;
        break;
      }
      too_many_ = 0;
      factor = next;
    }
    // What was measured holds where no tighter run came to the end.
    Accuracy& last = result_.accuracy;
    if (last.verdict == Certified::failed && std::max(last.position, last.velocity) > last.asked)
      last.verdict = Certified::out_of_reach;
    result_.accuracy.referee = referees_.empty() ? std::string() : referees_.front();
    result_.accuracy.used = first_ > 0 ? static_cast<double>(steps_) / counted_ : 0;
    explain();
    return std::move(result_);
  }

 private:
  struct Run {
    double factor = 0;
    Trajectory path;
    long steps = 0;
  };

  double size_at(double factor) const {
    return factor * (fixed() ? asked_.driver.fixed_step : tolerance_of(asked_));
  }
  bool fixed() const { return asked_.driver.fixed_step > 0; }
  const Method* method() const { return method_named(method_.empty() ? asked_.method : method_); }

  /// The smallest factor that tolerances allow; fixed steps are limited by the budget alone.
  double least_factor() const { return fixed() ? 0 : tightest / tolerance_of(asked_); }

  /// A fixed step is made shorter by the root that the order of the method asks for.
  double by_order(double share) const {
    return fixed() && method() ? std::pow(share, 1.0 / method()->order) : share;
  }

  /// The power of the tolerance, or of a fixed step, with which errors fall, as the orders of the
  /// method and of its estimate let expect.
  double expected_power() const {
    const Method* m = method();
    if (!m) return 1;
    if (fixed()) return m->order;
    return std::min(1.0, m->order / tolerance_power());
  }
  /// The power of the step that the tolerance bounds.
  double tolerance_power() const {
    const Method* m = method();
    return m->error_order + (m->error_per_unit_step ? 0 : 1);
  }

  /// As seen between the last run and the one before it; expected where there was none.
  double seen_power(double factor, double worst) const {
    const double expected = expected_power();
    if (!(before_.factor > factor) || !(before_.worst > 0) || !(worst > 0)) return expected;
    return std::min(expected, std::log(before_.worst / worst) / std::log(before_.factor / factor));
  }
  bool falls_with(double factor, double worst) const {
    return seen_power(factor, worst) > least_power;
  }

  double next_factor(double factor, double worst) {
    const bool root = asks_for_root(asked_);
    const double wanted =
        std::clamp((root ? aim_of_order_1 : aim) * result_.accuracy.asked / worst,
                   root && before_.factor == 0 ? first_way_of_order_1 : longest_way,
                   root ? shortest_way_of_order_1 : shortest_way);
    const double power = std::max(seen_power(factor, worst), least_power);
    before_ = {factor, worst};
    // A reference of the method's own must still be tighter than the run.
    const double share = referees_.empty() ? least_share : 1;
    return std::min(factor, std::max(factor * std::pow(wanted, 1 / power), least_factor() / share));
  }

  double steps_left() const {
    return result_.accuracy.budget * counted_ - static_cast<double>(steps_);
  }
  /// What a run at `next` will take after one at `factor`, as the order of its estimate lets expect;
  /// 0 where steps of low order are not what makes it long.
  double steps_to(double factor, double next) const {
    if (referees_.empty() || fixed()) return 0;
    return static_cast<double>(run_->steps) * std::pow(factor / next, 1 / tolerance_power());
  }

  /// The error of the run at `factor`; false when it could not be measured.
  bool measure(double factor) {
    if (!run_ || run_->factor != factor) run_ = run_at(factor);
    if (!run_) return false;
    if (!reference_ || (referees_.empty() && reference_->factor > factor * by_order(least_share)))
      make_reference(factor);
    if (!reference_) return false;
    compare(factor);
    return true;
  }

  /// The run of a referee that comes to the end, or one of the method itself.
  void make_reference(double factor) {
    for (; !referees_.empty(); referees_.erase(referees_.begin()))
      if ((reference_ = refer(reference_share))) return;
    reference_ = run_at(std::max(factor * by_order(reference_share), least_factor()));
    // The tightest runs may not come to the end; a looser one is good enough.
    if (!reference_ && result_.accuracy.verdict == Certified::failed)
      reference_ = run_at(factor * by_order(least_share));
  }

  /// Of a referee the factor is that of the accuracy asked for.
  SimulateOptions reference_options(double factor) const {
    return referees_.empty() ? tightened(asked_, factor)
                             : crossing_options(asked_, referees_.front(),
                                                factor * result_.accuracy.asked, most_steps());
  }
  std::optional<Run> refer(double factor) { return run_with(reference_options(factor), factor); }
  int most_steps() const {
    return static_cast<int>(std::max<long>(crossing_steps, crossing_times * first_));
  }

  /// From now on the method is its own reference, which is nothing to spend more on; false: it is
  /// already.
  bool dismiss_referees() {
    if (referees_.empty()) return false;
    referees_.clear();
    result_.accuracy.budget = options_.budget;
    reference_.reset();
    before_ = {};
    return true;
  }

  /// Behind a singular position errors do not fall with the tolerance, and the reference is no
  /// better than the run. Then tighter ones are made until two of them agree as far as it takes.
  /// What remains between the tightest ones that can be made, or that the budget leaves, is kept as
  /// a doubt. False when the reference could not be checked.
  bool settle_reference(double factor) {
    doubt_ = 0;
    std::optional<Run> between = referees_.empty() ? run_at(factor * by_order(check_share))
                                                   : refer(reference_->factor * looser);
    while (between) {
      compare(factor);
      const Prepared model = make_();
      const auto errors = component_errors(*model.system, between->path, reference_->path);
      Accuracy& a = result_.accuracy;
      if (have_fallen(a, errors)) return true;
      if (std::max(a.position, a.velocity) > a.asked) return true;  // another run will be made
      std::optional<Run> next;
      if (tighter(reference_->factor) < reference_->factor)
        next = refer(tighter(reference_->factor));
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

  /// Evidence that the method itself cannot give (cross_check.h); false: the referee knows of other
  /// auxiliary variables, and the search goes on without it.
  bool look_from_outside() {
    Accuracy& a = result_.accuracy;
    Crossing crossing;
    if (referees_.empty()) {
      crossing = cross(make_, asked_, method_, reference_->path, a.asked, most_steps());
    } else {
      const Prepared model = make_();
      crossing.method = referees_.front();
      crossing.differs =
          difference(*model.system, run_->path, reference_->path, a.asked, crossing.apart);
      if (!crossing.differs.empty() && dismiss_referees()) return false;
    }
    a.crossed = crossing.method;
    a.apart = crossing.apart;
    if (!crossing.differs.empty()) {
      a.verdict = Certified::contradicted;
      contradiction_ = crossing.differs;
      return true;
    }
    long unused = 0;
    const auto grown =
        magnification(make_, reference_options(reference_->factor), reference_->path, unused);
    a.magnified = grown.value_or(0);
    if (a.magnified * rounding > a.asked) a.verdict = Certified::out_of_reach;
    return true;
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
    if (!referees_.empty())
      return std::max(factor * tighter_share, tightest_crossing / result_.accuracy.asked);
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
    a.reference = referees_.empty() ? size_at(reference_->factor) : reference_->factor * a.asked;
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

  std::optional<Run> run_at(double factor) { return run_with(tightened(asked_, factor), factor); }

  std::optional<Run> run_with(SimulateOptions o, double factor) {
    Prepared prepared = make_();
    Accuracy& a = result_.accuracy;
    if (!prepared.system || prepared.start.report.status != Eval::ok) {
      a.message = "the model could not be assembled";
      return std::nullopt;
    }
    const double left = first_ > 0 ? steps_left() : o.driver.max_steps;
    const bool short_of_budget = left < o.driver.max_steps;
    if (short_of_budget) o.driver.max_steps = static_cast<int>(std::max(1.0, left));
    RunReport report;
    Run run{factor, {}, 0};
    std::optional<Trajectory> path =
        trajectory(prepared, o, report, diagnostics_, Evidence::left_out);
    if (path && method_.empty()) {
      method_ = report.method + "@" + report.formulation;
      referees_ = reference_methods(method_);
    }
    const Counters& c = report.driver.counters;
    const long steps = c.steps + c.rejected + c.failed;
    if (first_ == 0) {
      first_ = std::max(1L, steps);
      const long small = least_work / std::max(1, prepared.system->sizes().v);
      counted_ = static_cast<double>(std::max({first_, least_first, small}));
    }
    steps_ += steps;
    run.steps = steps;
    a.runs.push_back(
        {fixed() && o.driver.fixed_step > 0 ? o.driver.fixed_step : tolerance_of(o), steps});
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
    SearchFacts facts;
    facts.fixed = fixed();
    facts.root = asks_for_root(asked_);
    facts.doubt = doubt_;
    facts.contradiction = contradiction_;
    if (too_many_ > 0) facts.beyond = {too_many_, steps_left(), method()->order, reference_->steps};
    result_.accuracy.message = in_words(result_.accuracy, facts, rounding);
  }

  const PrepareRun& make_;
  SimulateOptions asked_;
  const CertifyOptions& options_;
  Diagnostics& diagnostics_;
  Certification result_;
  std::optional<Run> run_, reference_;
  /// Methods whose tight runs are the references, the first one at present; none: the method
  /// itself.
  std::vector<std::string> referees_;
  struct Measured {
    double factor = 0, worst = 0;
  };
  Measured before_;             // of the run before the last
  std::string method_;          // used by the first run, with its formulation
  std::string contradiction_;   // in words
  double doubt_ = 0;            // how far the tightest references are apart, where that matters
  long first_ = 0, steps_ = 0;  // of the first run, of all
  double counted_ = 0;          // the steps of the first run, in the budget
  double too_many_ = 0;         // steps of a run that was not begun
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
