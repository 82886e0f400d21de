#include "kardan/run/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/formulation/catalog.h"
#include "kardan/integrate/driver.h"

namespace kardan {
namespace {

/// So few explicit steps cost less than finding out whether others would be cheaper.
constexpr double few_steps = 60;
/// An implicit method of order 4 takes about tolerance^(-1/4) steps for a motion that has nothing
/// fast left in it; this many times as many explicit ones cost more, while it steps over what is
/// damped,
constexpr double many_steps = 2.5;
/// and the cosine between a difference and the next one above which that motion is damped: it stays
/// in its direction, where an oscillation turns.
constexpr double damped_cosine = 0.7;
/// The same where nothing but the damped motion is left, which oscillations miss by chance alone.
constexpr double surely_damped_cosine = 0.99;
/// Attempts for each step at the limit of stability: every few, an error that has grown is
/// rejected.
constexpr double attempts_at_limit = 1.3;
/// Of the power method: even, since positions and velocities take turns in second-order equations.
constexpr int power_steps = 8;
/// Of the scaled state.
constexpr double power_distance = 1e-6;
/// How far linearity is looked for, of the scaled state, and what counts as rounding there.
constexpr double far = 0.1, linear_rounding = 1e-11;
/// Attempts of a probe, and the growth of a step below which it has settled.
constexpr int most_probe_steps = 10, least_probe_steps = 3;
constexpr double settled_growth = 1.5;

/// Of the work of a run, what a look at one method may cost, and what another one has to save of
/// the rest; of the steps of a look, those that are not counted; and so few show nothing.
constexpr double look_share = 0.015, worth_changing = 0.4, compared_share = 0.5;
constexpr std::size_t least_seen = 4;

/// Of an explicit step beyond its evaluations and its end: the states inside it, where forces do
/// work.
constexpr double dense_work = 4;

class Chooser {
 public:
  Chooser(const System& system, const State& start, const SimulateOptions& options)
      : system_(system), start_(start), options_(options), span_(options.t_end - start.t) {}

  AutomaticChoice choose() {
    if (!by_model()) by_probe();
    return counted();
  }
  AutomaticChoice choose_by_probe() {
    by_probe();
    return counted();
  }
  AutomaticChoice find_cheaper(const std::string& method, double h, double work) {
    look_further(method, h, look_share * work);
    return counted();
  }

 private:
  AutomaticChoice counted() {
    out_.evaluations = counted_.evaluations;
    return std::move(out_);
  }

  void take(std::string method, std::string why) {
    out_.method = std::move(method);
    out_.why = std::move(why);
  }

  bool exact() const {
    return system_.exact_derivatives() &&
           std::ranges::all_of(system_.blueprint().elements,
                               [](const ElementData& e) { return e.differentiable; });
  }

  /// What the model alone decides.
  bool by_model() {
    if (system_.sizes().multiplier_forces)
      take(name_for(Task::whatever_comes), "forces depend on multipliers");
    else if (system_.sizes().e > 0)
      take(name_for(Task::whatever_comes), "the model has invariants to be kept");
    else if (!treats(free_form(), system_))
      take(explicit_name(), "implicit methods would need too much memory");
    else if (options_.driver.fixed_step > 0)
      take(name_for(exact() ? Task::fixed_steps : Task::fixed_steps_without_derivatives),
           "fixed steps: stable however stiff the equations are");
    else if (has_events() && system_.sizes().constraints() == 0 && exact() && linear())
      take(name_for(Task::linear_between_events), "linear between events: its flow is exact");
    return !out_.method.empty();
  }

  /// The model alone leaves no choice.
  bool is_bound() const {
    return system_.sizes().multiplier_forces || system_.sizes().e > 0 ||
           options_.driver.fixed_step > 0;
  }

  void look_further(const std::string& method, double h, double budget) {
    if (is_bound()) return;
    const double now = work_a_second(method, h, budget);
    const std::string names[] = {name_for(Task::whatever_comes), implicit_name(), explicit_name()};
    // What could be saved has to be more than what looking costs.
    if (now * span_ * worth_changing < std::size(names) * budget) return;
    double best = (1 - worth_changing) * now;
    for (const std::string& name : names) {
      if (name == method) continue;
      const double other = work_a_second(name, h, budget);
      if (!(other < best)) continue;
      best = other;
      take(name, fmt::format("'{}' takes work of {:.2g} evaluations a second, '{}' {:.2g}",
                             find(method).method->name, now, find(name).method->name, other));
    }
  }

  /// Of a method from here on, as its steps show until they have taken this work; infinite: it
  /// fails, or shows nothing.
  double work_a_second(const std::string& name, double h, double budget) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    const Choice choice = find(name);
    if (!treats(*choice.formulation, system_)) return unknown;
    const auto problem =
        choice.formulation->make(system_, complete_options(choice.formulation->options, {}));
    const int variables = problem->second_order() + problem->first_order();
    struct Seen {
      double t, work;
    };
    std::vector<Seen> seen;
    State state = start_;
    DriverOptions driver = probe_options();
    driver.first_step = h;
    const DriverReport report =
        integrate(*problem, *choice.method, state, options_.t_end, driver,
                  [&](const StepView& step) -> std::string {
                    seen.push_back({step.t, counted_work(choice, variables, *step.counters)});
                    return seen.back().work >= budget && seen.size() >= least_seen ? "seen" : "";
                  });
    counted_.evaluations += report.counters.evaluations;
    const bool works = report.reason == Reason::stopped || report.reason == Reason::finished;
    if (!works || seen.size() < least_seen) return unknown;
    const auto half = static_cast<std::size_t>(compared_share * static_cast<double>(seen.size() - 1));
    return (seen.back().work - seen[half].work) / (seen.back().t - seen[half].t);
  }

  Task explicit_task() const {
    return has_events() ? Task::not_stiff_with_events : Task::not_stiff;
  }
  std::string explicit_name() const { return name_for(explicit_task()); }
  std::string implicit_name() const {
    return name_for(exact() ? Task::stiff : Task::whatever_comes);
  }

  struct Rate {
    double rho = std::numeric_limits<double>::quiet_NaN();  ///< [1/s]; NaN: cannot be evaluated
    double cosine = 0;  ///< between the last two differences, -1 for a damped motion
    /// Of the state, in its units: with its velocity and that which the damping leaves of the
    /// accelerations, to the end of the run.
    double way = 0;
  };

  void by_probe() {
    const Rate at_start = fastest_rate(start_);
    const double rho = at_start.rho;
    if (!std::isfinite(rho)) {
      take(implicit_name(), "the equations cannot be evaluated around the start");
      return;
    }
    const double least = rho * span_ / method_for(explicit_task()).stability_limit;
    std::string rate =
        fmt::format("rates up to {:.2g}/s at the start ask explicit methods for {:.0f} steps", rho,
                    std::ceil(least));
    if (least <= few_steps) {
      if (!short_and_damped(at_start, rate)) take(explicit_name(), rate);
      return;
    }
    const double slow = std::pow(options_.driver.tolerance, -0.25);
    if (least > many_steps * slow && at_start.cosine < -damped_cosine) {
      take(implicit_name(), rate + ", and are damped");
      return;
    }
    const Probe implicit = probe(implicit_name());
    const double least_work = least * explicit_step_work();
    if (implicit.works && implicit.work < least_work) {
      take(implicit_name(),
           fmt::format("{}, work of {:.2g} evaluations; '{}' steps over them: {:.0f} steps, {:.2g}",
                       rate, least_work, implicit_name(), implicit.steps, implicit.work));
      return;
    }
    const Probe plain = probe(explicit_name());
    const bool better = plain.works && (!implicit.works || plain.work <= implicit.work);
    const auto in_words = [](const std::string& name, const Probe& p) {
      return p.works ? fmt::format("'{}' {:.0f} steps, work of {:.2g} evaluations", name, p.steps,
                                   p.work)
                     : fmt::format("'{}' fails", name);
    };
    take(better ? explicit_name() : implicit_name(),
         fmt::format("from the first steps: {}; {}", in_words(explicit_name(), plain),
                     in_words(implicit_name(), implicit)));
  }

  /// A run so short that the motion hardly leads anywhere once what is fast has died out: the steps
  /// of an implicit method are known beforehand, or a loose run shows them. False: nothing is
  /// saved; what the loose run has shown is added to `rate`.
  bool short_and_damped(const Rate& at_start, std::string& rate) {
    if (has_events() || !exact() || at_start.cosine > -surely_damped_cosine || at_start.way > 1)
      return false;
    const double explicit_work = damped_explicit_work(at_start.rho);
    const double steps = std::pow(options_.driver.tolerance, -0.25);
    const Choice stiff = find(name_for(Task::stiff));
    const Work& work = stiff.formulation->work;
    const double step_work = stiff.method->evaluations * work.evaluation + work.jacobian;
    if (steps * step_work < explicit_work) {
      take(name_for(Task::stiff),
           fmt::format("damped rates of {:.2g}/s at the start ask explicit methods for work of "
                       "{:.2g} evaluations; a short run: about {:.0f} implicit steps, {:.2g}",
                       at_start.rho, explicit_work, steps, steps * step_work));
      return true;
    }
    const Method& other = method_for(Task::whatever_comes);
    if (explicit_work < most_probe_steps * other.long_step_work) return false;
    const Loose loose = loose_run();
    const double rho = (at_start.rho + loose.end.rho) / 2;
    if (!(loose.work < damped_explicit_work(rho))) {
      rate +=
          fmt::format(", and are damped; a loose run shows that '{}' needs more work", other.name);
      return false;
    }
    take(name_for(Task::whatever_comes),
         fmt::format("damped rates of {:.2g}/s ask explicit methods for work of {:.2g} "
                     "evaluations; '{}', as a loose run shows: {:.2g}",
                     rho, damped_explicit_work(rho), other.name, loose.work));
    return true;
  }

  /// Few steps follow a damped motion of rate rho until it is below the tolerance, as many as order
  /// 8 needs; the others are as long as stability allows.
  double damped_explicit_work(double rho) const {
    const double tolerance = options_.driver.tolerance;
    const double rest = std::max(0.0, rho * span_ + std::log(tolerance));
    const double limit = method_for(Task::not_stiff).stability_limit;
    return (std::pow(tolerance, -0.125) + attempts_at_limit * rest / limit) *
           (explicit_step_work() + dense_work);
  }

  /// An implicit method to the end at the root of the tolerance, where it steps over what is fast.
  struct Loose {
    double work = std::numeric_limits<double>::quiet_NaN();  ///< at the tolerance itself
    Rate end;
  };
  Loose loose_run() {
    const Choice choice = find(name_for(Task::whatever_comes));
    const auto problem =
        choice.formulation->make(system_, complete_options(choice.formulation->options, {}));
    State state = start_;
    DriverOptions driver = probe_options();
    driver.tolerance = std::sqrt(options_.driver.tolerance);
    driver.max_steps = most_probe_steps;
    const DriverReport report =
        integrate(*problem, *choice.method, state, options_.t_end, driver, {});
    const Counters& c = report.counters;
    counted_.evaluations += c.evaluations;
    if (report.reason != Reason::finished) return {};
    // Steps are as the 6th root, for order 5; Jacobians serve the more of them.
    const double more = std::pow(driver.tolerance / options_.driver.tolerance, 1.0 / 6);
    const Work& work = choice.formulation->work;
    return {more * work.evaluation * static_cast<double>(c.evaluations) +
                work.jacobian * static_cast<double>(c.jacobians),
            fastest_rate(state)};
  }

  DriverOptions probe_options() const {
    DriverOptions driver = options_.driver;
    driver.method_options.clear();
    return driver;
  }

  static Choice find(const std::string& name) {
    Diagnostics discarded;
    return choose_method(name, discarded);
  }

  double explicit_step_work() const {
    const Choice choice = find(explicit_name());
    return choice.method->evaluations + choice.formulation->work.step;
  }
  bool has_events() const { return system_.sizes().events > 0; }

  /// Whether the equations are linear at the start, and stay so along the motion when an element
  /// switches: a contact that has not been met yet is linear in no other direction.
  bool linear() {
    const auto problem = find(explicit_name()).formulation->make(system_, {});
    if (problem->rebase(start_) != Eval::ok) return false;
    Local weights, d = problem->base();
    problem->error_weights(start_, problem->default_scale(1), weights);
    spread(weights, d);
    if (!linear_along(d, start_, *problem)) return false;
    motion(*problem, weights, d);
    State switched = start_;
    // The modes of elements stand before those of rest.
    for (int i = 0; i < system_.element_modes(); ++i) {
      int& mode = switched.modes[i];
      if (mode != 0 && mode != 1) continue;
      mode = 1 - mode;
      if (problem->rebase(switched) != Eval::ok || !linear_along(d, switched, *problem))
        return false;
      mode = 1 - mode;
    }
    return true;
  }

  /// Velocities and accelerations as directions of both positions and velocities, each of size 1.
  static void motion(const ChartProblem& problem, const Local& weights, Local& d) {
    const Vector &u = problem.base().u, &a = problem.base_rate().a;
    for_each(d, d, [](double& x, double) { x = 0; });
    for (const Vector* by : {&u, &a}) {
      double size_x = 0, size_u = 0;
      for (std::size_t i = 0; i < by->size(); ++i) {
        size_x = std::hypot(size_x, weights.x[i] * (*by)[i]);
        size_u = std::hypot(size_u, weights.u[i] * (*by)[i]);
      }
      if (!(size_x > 0) || !(size_u > 0)) continue;
      add_scaled(1 / size_x, *by, d.x);
      add_scaled(1 / size_u, *by, d.u);
    }
  }

  /// f(y + d) + f(y - d) = 2 f(y) at the base, for large d.
  bool linear_along(const Local& d, const State& state, ChartProblem& problem) {
    const Local& base = problem.base();
    const LocalRate& rate = problem.base_rate();
    Local y;
    LocalRate plus, minus;
    for (LocalRate* side : {&plus, &minus}) {
      side->resize(problem.second_order(), problem.first_order());
      y = base;
      for_each(y, d, [&](double& a, double b) { a += (side == &plus ? far : -far) * b; });
      ++counted_.evaluations;
      if (problem.rate(state.t, y, *side) != Eval::ok) return false;
    }
    const auto straight = [](const Vector& p, const Vector& m, const Vector& middle) {
      for (std::size_t i = 0; i < p.size(); ++i)
        if (std::abs(p[i] + m[i] - 2 * middle[i]) >
            linear_rounding * (std::abs(p[i]) + std::abs(m[i]) + std::abs(middle[i])))
          return false;
      return true;
    };
    return straight(plus.a, minus.a, rate.a) && straight(plus.b, minus.b, rate.b);
  }

  /// A direction with a part in all of them, the same one every time.
  static void spread(const Local& weights, Local& d) {
    double sign = 1;
    const auto fill = [&](const Vector& weight, Vector& part) {
      for (std::size_t i = 0; i < part.size(); ++i, sign = -sign)
        part[i] = sign * (1 + 0.5 * std::sin(static_cast<double>(i))) / weight[i];
    };
    fill(weights.x, d.x);
    fill(weights.u, d.u);
    fill(weights.z, d.z);
  }

  /// |f(y + e d) - f(y)| / e over |d|, d the last difference: the power method, in the units of the
  /// state.
  Rate fastest_rate(const State& state) {
    Rate out;
    const auto problem = find(explicit_name()).formulation->make(system_, {});
    if (problem->rebase(state) != Eval::ok) return out;
    const Local& base = problem->base();
    const LocalRate& rate = problem->base_rate();
    const ErrorScale unit = problem->default_scale(1);
    Local weights, d, y, last_d;
    problem->error_weights(state, unit, weights);
    d = base;
    spread(weights, d);
    double last = 1, now = 1;
    LocalRate moved;
    moved.resize(problem->second_order(), problem->first_order());
    for (int k = 0; k < power_steps; ++k) {
      const double size = norm(d, weights);
      if (!(size > 0)) {
        out.rho = 0;
        return out;
      }
      y = base;
      for_each(y, d, [&](double& a, double b) { a += power_distance / size * b; });
      ++counted_.evaluations;
      if (problem->rate(state.t, y, moved) != Eval::ok) return out;
      const double scale = size / power_distance;
      last_d = d;
      for (std::size_t i = 0; i < d.x.size(); ++i) {
        d.x[i] = scale * (y.u[i] - base.u[i]);
        d.u[i] = scale * (moved.a[i] - rate.a[i]);
      }
      for (std::size_t i = 0; i < d.z.size(); ++i) d.z[i] = scale * (moved.b[i] - rate.b[i]);
      last = now;
      now = norm(d, weights) / size;
    }
    out.cosine = product(d, last_d, weights) / (norm(d, weights) * norm(last_d, weights));
    out.rho = std::sqrt(last * now);
    for (std::size_t i = 0; i < base.u.size(); ++i)
      out.way = std::hypot(
          out.way, span_ * weights.x[i] * (std::abs(base.u[i]) + std::abs(rate.a[i]) / out.rho));
    return out;
  }

  template <class Use>
  static void for_each(Local& a, const Local& b, Use use) {
    for (std::size_t i = 0; i < a.x.size(); ++i) use(a.x[i], b.x[i]);
    for (std::size_t i = 0; i < a.u.size(); ++i) use(a.u[i], b.u[i]);
    for (std::size_t i = 0; i < a.z.size(); ++i) use(a.z[i], b.z[i]);
  }
  static double product(const Local& a, const Local& b, const Local& weights) {
    double sum = 0;
    const auto add = [&](const Vector& x, const Vector& y, const Vector& w) {
      for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * w[i] * y[i] * w[i];
    };
    add(a.x, b.x, weights.x);
    add(a.u, b.u, weights.u);
    add(a.z, b.z, weights.z);
    return sum;
  }
  static double norm(const Local& d, const Local& weights) {
    return std::sqrt(product(d, d, weights));
  }

  /// What the whole run would take if it went on as it began.
  struct Probe {
    bool works = false;
    double steps = 0, work = 0;
  };
  Probe probe(const std::string& name) {
    const Choice choice = find(name);
    const OptionValues defaults = complete_options(choice.formulation->options, {});
    const auto problem = choice.formulation->make(system_, defaults);
    State state = start_;
    const DriverOptions driver = probe_options();
    double before = 0, settled = 0;
    int steps = 0;
    const DriverReport report = integrate(
        *problem, *choice.method, state, options_.t_end, driver,
        [&](const StepView& step) -> std::string {
          ++steps;
          settled = std::max(step.h, 0.0);
          const bool grows = step.h > settled_growth * before;
          before = step.h;
          return steps >= most_probe_steps || (steps >= least_probe_steps && !grows) ? "settled"
                                                                                     : "";
        });
    const Counters& c = report.counters;
    counted_.evaluations += c.evaluations;
    Probe out;
    out.works = report.reason == Reason::stopped || report.reason == Reason::finished;
    if (!out.works || !(settled > 0)) return {};
    const double done = static_cast<double>(c.steps + c.rejected + c.failed);
    out.steps = std::ceil(span_ / settled);
    out.work = out.steps / done *
               counted_work(choice, problem->second_order() + problem->first_order(), c);
    return out;
  }

  const System& system_;
  const State& start_;
  const SimulateOptions& options_;
  double span_;
  Counters counted_;
  AutomaticChoice out_;
};

}  // namespace

AutomaticChoice choose_automatically(const System& system, const State& start,
                                     const SimulateOptions& options) {
  return Chooser(system, start, options).choose();
}

AutomaticChoice choose_by_probe(const System& system, const State& start,
                                const SimulateOptions& options) {
  return Chooser(system, start, options).choose_by_probe();
}

AutomaticChoice find_cheaper(const System& system, const State& state,
                             const SimulateOptions& options, const std::string& method, double h,
                             double work) {
  return Chooser(system, state, options).find_cheaper(method, h, work);
}

}  // namespace kardan
