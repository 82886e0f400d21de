#include "kardan/run/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Explicit steps of length h are stable while h times the fastest rate stays below this: Hairer,
/// Wanner, Solving Ordinary Differential Equations II, IV.2, and their codes DOP853 and DOPRI5.
constexpr double dop853_limit = 6.1, dopri5_limit = 3.25;
/// So few explicit steps cost less than finding out whether others would be cheaper.
constexpr double few_steps = 60;
/// An implicit method of order 4 takes about tolerance^(-1/4) steps for a motion that has nothing
/// fast left in it; this many times as many explicit ones cost more, while it steps over what is
/// damped,
constexpr double many_steps = 2.5;
/// and the cosine between a difference and the next one above which that motion is damped: it stays
/// in its direction, where an oscillation turns.
constexpr double damped_cosine = 0.7;
/// Of the power method: even, since positions and velocities take turns in second-order equations.
constexpr int power_steps = 8;
/// Of the scaled state.
constexpr double power_distance = 1e-6;
/// How far linearity is looked for, of the scaled state, and what counts as rounding there.
constexpr double far = 0.1, rounding = 1e-11;
/// Attempts of a probe, and the growth of a step below which it has settled.
constexpr int most_probe_steps = 10, least_probe_steps = 3;
constexpr double settled_growth = 1.5;

/// Work in evaluations of all coordinates, measured by instructions on models of 2 to 100 bodies:
/// an evaluation of independent coordinates also solves for the dependent ones at three levels.
constexpr double state_space_evaluation = 2.5, state_space_jacobian = 5;
/// Of an explicit step beyond its evaluations: the projection and the end of the step.
constexpr double projection_work = 3;
/// Operations of a dense factorization of size n, n^3/3, over those of an evaluation per body.
constexpr double evaluation_operations = 2000;

class Chooser {
 public:
  Chooser(const System& system, const State& start, const SimulateOptions& options)
      : system_(system), start_(start), options_(options), span_(options.t_end - start.t) {}

  AutomaticChoice choose() {
    if (!by_model()) by_probe();
    out_.evaluations = counted_.evaluations;
    return std::move(out_);
  }

 private:
  void take(std::string method, std::string why) {
    out_.method = std::move(method);
    out_.why = std::move(why);
  }

  static bool treats(const char* formulation, const System& system) {
    Diagnostics against;
    const Formulation& f = *find_formulation(formulation);
    if (f.refuse) f.refuse(system, against);
    return !against.has_errors();
  }

  bool exact() const {
    return system_.exact_derivatives() &&
           std::ranges::all_of(system_.blueprint().elements,
                               [](const ElementData& e) { return e.differentiable; });
  }

  /// What the model alone decides.
  bool by_model() {
    if (!treats("projected_ode", system_) || !treats("state_space", system_))
      take("radau5@strangeness_free", "forces depend on multipliers");
    else if (system_.sizes().e > 0)
      take("radau5@strangeness_free", "the model has invariants to be kept");
    else if (options_.driver.fixed_step > 0)
      take(exact() ? "rn4@state_space" : "ros2w@state_space",
           "fixed steps: stable however stiff the equations are");
    else if (has_events() && system_.sizes().constraints() == 0 && exact() && linear())
      take("llm@state_space", "linear between events: its flow is exact");
    return !out_.method.empty();
  }

  const char* explicit_name() const {
    // Events are looked for inside every step, and the dense output of dop853 is dear.
    return has_events() ? "dopri5@projected_ode" : "dop853@projected_ode";
  }
  const char* implicit_name() const {
    return exact() ? "rodasp@state_space" : "radau5@strangeness_free";
  }

  void by_probe() {
    double cosine = 0;
    const double rho = fastest_rate(cosine);
    if (!std::isfinite(rho)) {
      take(implicit_name(), "the equations cannot be evaluated around the start");
      return;
    }
    const double least = rho * span_ / (has_events() ? dopri5_limit : dop853_limit);
    const std::string rate =
        fmt::format("rates up to {:.2g}/s at the start ask explicit methods for {:.0f} steps", rho,
                    std::ceil(least));
    if (least <= few_steps) {
      take(explicit_name(), rate);
      return;
    }
    const double slow = std::pow(options_.driver.tolerance, -0.25);
    if (least > many_steps * slow && cosine < -damped_cosine) {
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
    const auto tell = [](const char* name, const Probe& p) {
      return p.works ? fmt::format("'{}' {:.0f} steps, work of {:.2g} evaluations", name, p.steps,
                                   p.work)
                     : fmt::format("'{}' fails", name);
    };
    take(better ? explicit_name() : implicit_name(),
         fmt::format("from the first steps: {}; {}", tell(explicit_name(), plain),
                     tell(implicit_name(), implicit)));
  }

  static Choice find(const std::string& name) {
    Diagnostics told;
    return choose_method(name, told);
  }

  double explicit_step_work() const { return (has_events() ? 6 : 12) + projection_work; }
  bool has_events() const { return system_.sizes().events > 0; }

  /// f(y + d) + f(y - d) = 2 f(y) for large d. Modes change at events alone.
  bool linear() {
    const auto problem = find(explicit_name()).formulation->make(system_, {});
    if (problem->rebase(start_) != Eval::ok) return false;
    const Local& base = problem->base();
    const LocalRate& rate = problem->base_rate();
    Local weights, d = base, y;
    problem->error_weights(start_, problem->default_scale(1), weights);
    spread(weights, d);
    LocalRate plus, minus;
    for (LocalRate* side : {&plus, &minus}) {
      side->resize(problem->second(), problem->first());
      y = base;
      for_each(y, d, [&](double& a, double b) { a += (side == &plus ? far : -far) * b; });
      ++counted_.evaluations;
      if (problem->rate(start_.t, y, *side) != Eval::ok) return false;
    }
    const auto straight = [](const Vector& p, const Vector& m, const Vector& middle) {
      for (std::size_t i = 0; i < p.size(); ++i)
        if (std::abs(p[i] + m[i] - 2 * middle[i]) >
            rounding * (std::abs(p[i]) + std::abs(m[i]) + std::abs(middle[i])))
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
  /// state. `cosine`: between the last two, -1 for a damped motion.
  double fastest_rate(double& cosine) {
    const auto problem = find(explicit_name()).formulation->make(system_, {});
    if (problem->rebase(start_) != Eval::ok) return std::numeric_limits<double>::quiet_NaN();
    const Local& base = problem->base();
    const LocalRate& rate = problem->base_rate();
    const ErrorScale unit = problem->default_scale(1);
    Local weights, d, y, last_d;
    problem->error_weights(start_, unit, weights);
    d = base;
    spread(weights, d);
    double last = 1, now = 1;
    LocalRate moved;
    moved.resize(problem->second(), problem->first());
    for (int k = 0; k < power_steps; ++k) {
      const double size = norm(d, weights);
      if (!(size > 0)) return 0;
      y = base;
      for_each(y, d, [&](double& a, double b) { a += power_distance / size * b; });
      ++counted_.evaluations;
      if (problem->rate(start_.t, y, moved) != Eval::ok)
        return std::numeric_limits<double>::quiet_NaN();
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
    cosine = product(d, last_d, weights) / (norm(d, weights) * norm(last_d, weights));
    return std::sqrt(last * now);
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
    DriverOptions driver = options_.driver;
    driver.method_options.clear();
    driver.interrupt = {};
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
    out.work = out.steps / done * work(choice, *problem, c);
    return out;
  }

  /// Counted work in evaluations of all coordinates.
  static double work(const Choice& choice, const ChartProblem& problem, const Counters& c) {
    const auto evaluations = static_cast<double>(c.evaluations);
    if (choice.formulation->name == "projected_ode")
      return evaluations + projection_work * static_cast<double>(c.steps);
    const double n = problem.second() + problem.first();
    const double factor = n * n * n / 3 / (evaluation_operations * std::max(1.0, n));
    return state_space_evaluation * evaluations +
           state_space_jacobian * static_cast<double>(c.jacobians) +
           factor * static_cast<double>(c.factorizations);
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

}  // namespace kardan
