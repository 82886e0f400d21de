#include "kardan/formulation/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/closing.h"
#include "kardan/formulation/culprit.h"
#include "kardan/formulation/mirror_image.h"
#include "kardan/formulation/residuals.h"
#include "kardan/linalg/motion/saddle.h"

namespace kardan {
namespace {

constexpr int max_iterations = 200;
/// Scaled residuals below this count as met; Newton goes on below it while it gains.
constexpr double met_tolerance = 1e-11;
/// At most this many conditions are named in a message.
constexpr std::size_t most_named = 8;
/// Largest turn and largest displacement (of the length scale) in one Newton step.
constexpr double max_turn = 0.5;
constexpr double max_shift = 0.5;

double met_positions(const System& system, const State& state) {
  return std::max(met_tolerance, position_rounding(system, state));
}

double met_velocities(const System& system, const State& state) {
  return std::max(met_tolerance, velocity_rounding(system, state));
}

/// The metric of the assembly: M, with a small share of the mean mass where there is none.
Vector metric(const System& system, const Workspace& ws) {
  Vector W = ws.M.values;
  const SparsePattern& pattern = *ws.M.pattern;
  const Scales& s = system.scales();
  for (int i = 0; i < pattern.rows; ++i) {
    const bool turn = is_rotation(system, i);
    const double unit = turn ? s.mass * s.length * s.length : s.mass;
    double& w = W[pattern.find(i, i)];
    w = std::max(w, 1e-6 * unit);
  }
  return W;
}

/// Positions or velocities: residuals c(x) of constraints and wishes, and Newton steps on them.
class Stage {
 public:
  Stage(const System& system, WishLevel level, std::vector<const BoundWish*> wishes, Workspace& ws)
      : system_(system),
        level_(level),
        wishes_(std::move(wishes)),
        ws_(ws),
        saddle_(system.patterns().mass, system.patterns().constraint, columns(wishes_)),
        weights_(metric(system, ws)),
        rows_(static_cast<int>(wishes_.size()), system.sizes().v),
        c_(saddle_.rows()),
        step_(system.sizes().v),
        multipliers_(saddle_.rows()) {}

  /// Evaluates residuals (and gradients) at a state; the largest scaled residual, or infinity.
  double evaluate(const State& state) {
    const Request request = level_ == WishLevel::position
                                ? Request{.position = true, .velocity = true}
                                : Request{.velocity = true};
    if (system_.evaluate(state, request, ws_) != Eval::ok)
      return std::numeric_limits<double>::infinity();
    const int m = system_.sizes().constraints();
    const int holonomic = system_.sizes().lambda;
    double largest = 0;
    for (int i = 0; i < m; ++i) {
      // Nonholonomic rows say nothing about positions.
      const bool counts = level_ == WishLevel::velocity || i < holonomic;
      c_[i] = !counts ? 0 : (level_ == WishLevel::position ? ws_.g[i] : ws_.rate[i]);
      largest = std::max(largest, scaled(i));
    }
    for (std::size_t k = 0; k < wishes_.size(); ++k) {
      const std::span<double> row(rows_.row(static_cast<int>(k)), system_.sizes().v);
      c_[m + k] = wish_residual(*wishes_[k], system_, state, row, ws_);
      largest = std::max(largest, scaled(m + static_cast<int>(k)));
    }
    if (!all_finite(c_) || !all_finite(rows_.values()))
      return std::numeric_limits<double>::infinity();
    return largest;
  }

  double merit() const {
    double sum = 0;
    for (int i = 0; i < saddle_.rows(); ++i) sum += scaled(i) * scaled(i);
    return sum;
  }

  /// The smallest step (in the metric) that removes the linearized residual, damped.
  bool newton(double damping, std::span<double> step) {
    if (!factor(damping)) return false;
    std::fill(step.begin(), step.end(), 0.0);
    for (int i = 0; i < saddle_.rows(); ++i) multipliers_[i] = -c_[i];
    if (level_ == WishLevel::velocity)
      saddle_.solve(step, multipliers_);
    else
      saddle_.solve_damped(step, multipliers_);
    return all_finite(step);
  }

  /// Residual of row i in units of the model's scales.
  double scaled(int i) const { return std::abs(c_[i]) / unit(i); }

  /// What contradicts: with a little damping the multipliers y of the step are, but for a factor,
  /// the combination of rows that no motion changes, y'C = 0, so that y'c cannot be removed. It is
  /// what the row with the largest part in it must miss if all others hold.
  Conflict conflict(std::string level) {
    Conflict out;
    out.level = std::move(level);
    if (!factor(1e-9)) return out;
    std::fill(step_.begin(), step_.end(), 0.0);
    for (int i = 0; i < saddle_.rows(); ++i) multipliers_[i] = -c_[i];
    saddle_.solve_damped(step_, multipliers_);
    int most = 0;
    double remains = 0;
    auto part = [&](int i) { return std::abs(multipliers_[i]) * unit(i); };
    for (int i = 0; i < saddle_.rows(); ++i) {
      remains += multipliers_[i] * c_[i];
      if (part(i) > part(most)) most = i;
    }
    const int m = system_.sizes().constraints();
    for (int i = 0; i < saddle_.rows(); ++i)
      if (part(i) >= 0.05 * part(most))
        out.members.push_back(i < m ? system_.row_name(i)
                                    : fmt::format("wish '{}'", wishes_[i - m]->data->text));
    out.size = std::abs(remains / multipliers_[most]);
    return out;
  }
  /// The same for residuals of the constraints that are given.
  Conflict conflict(std::string level, Vector residuals) {
    c_ = std::move(residuals);
    return conflict(std::move(level));
  }

 private:
  bool factor(double damping) {
    if (level_ == WishLevel::position)
      for (int i = system_.sizes().lambda; i < system_.sizes().constraints(); ++i) {
        const SparsePattern& p = *ws_.G.pattern;
        for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) ws_.G.values[k] = 0;
      }
    return saddle_.factor(weights_, ws_.G.values, rows_, system_.scales().mass, damping) ==
           Eval::ok;
  }

  /// Scale of row i; of wishes what a unit motion changes.
  double unit(int i) const {
    const int m = system_.sizes().constraints();
    const int level = level_ == WishLevel::position ? 0 : 1;
    if (i < m) return 1 / scaled_residual(system_, i, level, 1);
    const double* row = rows_.row(i - m);
    double change = 0;
    for (int j : wishes_[i - m]->columns)
      change = std::max(change, std::abs(row[j]) * column_scale(system_, j));
    if (level_ == WishLevel::velocity) change *= system_.scales().speed / system_.scales().length;
    return change > 0 ? change : 1 + std::abs(wishes_[i - m]->data->equals);
  }

  static std::vector<std::vector<int>> columns(const std::vector<const BoundWish*>& wishes) {
    std::vector<std::vector<int>> out;
    out.reserve(wishes.size());
    for (const BoundWish* w : wishes) out.push_back(w->columns);
    return out;
  }

  const System& system_;
  WishLevel level_;
  std::vector<const BoundWish*> wishes_;
  Workspace& ws_;
  Saddle saddle_;
  Vector weights_;
  Matrix rows_;
  Vector c_, step_, multipliers_;
};

/// Largest factor by which a step may be taken.
double step_limit(const System& system, std::span<const double> step) {
  double limit = 1;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const double scale = column_scale(system, static_cast<int>(i));
    const double size = std::abs(step[i]) / scale;
    const double most = is_rotation(system, static_cast<int>(i)) ? max_turn : max_shift;
    if (size * limit > most) limit = most / size;
  }
  return limit;
}

struct StageResult {
  bool met = false, shaken = false;
  bool ended = true;     // the search came to rest: what remains is a contradiction
  int mirrored = -1;     // the element that closes in its mirror image only
  bool opposed = false;  // its axes point against each other in the start given
  int iterations = 0;
  Conflict conflict;
};

StageResult close_positions(const System& system, State& state,
                            const std::vector<const BoundWish*>& wishes, Workspace& ws) {
  Stage stage(system, WishLevel::position, wishes, ws);
  StageResult result;
  Vector step(system.sizes().v), scaled_step(step);
  State trial = state;
  double size = stage.evaluate(state);
  double merit = stage.merit();
  double damping = 0;
  for (; result.iterations < max_iterations && size > 0; ++result.iterations) {
    // Levenberg's damping vanishes with the residual, so convergence stays fast also where the
    // constraints are redundant.
    const double mu = std::max(damping, std::clamp(size * size, 1e-12, 1e-3));
    if (!stage.newton(mu, step)) break;
    double factor = step_limit(system, step);
    bool gained = false;
    double new_size = 0, new_merit = 0;
    for (int halvings = 0; halvings < 12 && !gained; ++halvings, factor *= 0.5) {
      for (std::size_t i = 0; i < step.size(); ++i) scaled_step[i] = factor * step[i];
      system.retract(state.p, scaled_step, trial.p);
      system.follow_turns(state, scaled_step, trial, ws);
      new_size = stage.evaluate(trial);
      new_merit = stage.merit();
      gained = std::isfinite(new_size) && new_merit < (1 - 1e-4 * factor) * merit;
    }
    if (!gained) {
      // At round-off no step gains any more; away from it more damping may help.
      size = stage.evaluate(state);
      if (size < met_positions(system, state) || damping > 1e2) break;
      damping = std::max(100 * mu, 1e-6);
      continue;
    }
    damping *= 0.1;
    const bool slow = new_merit > 0.25 * merit;
    state = trial;
    merit = new_merit;
    size = new_size;
    if (size < met_positions(system, state) && slow) break;
  }
  size = stage.evaluate(state);
  result.met = size <= met_positions(system, state);
  result.ended = result.iterations < max_iterations && std::isfinite(size);
  if (!result.met) result.conflict = stage.conflict("position");
  return result;
}

/// The same, and joints that close in a mirror image are turned the right way first: those found,
/// then, if that does not help, all of them.
StageResult solve_positions(const System& system, State& state,
                            const std::vector<const BoundWish*>& wishes, Workspace& ws) {
  const State guess = state;
  StageResult result = close_positions(system, state, wishes, ws);
  std::vector<int> turned;
  for (bool all = false; result.met;) {
    const int mirrored = mirrored_joint(system, state);
    if (mirrored < 0) return result;
    const bool again = std::ranges::find(turned, mirrored) != turned.end();
    if (again && !all) {
      turned = all_aligned(system);
      all = true;
    } else if (!again) {
      turned.push_back(mirrored);
    } else {
      result.met = false;
      result.mirrored = mirrored;
      return result;
    }
    State aligned = guess;
    if (const int opposed = align_joints(system, turned, aligned); opposed >= 0) {
      result.met = false;
      result.mirrored = opposed;
      result.opposed = true;
      return result;
    }
    const int before = result.iterations;
    state = aligned;
    result = close_positions(system, state, wishes, ws);
    result.iterations += before;
  }
  return result;
}

StageResult solve_velocities(const System& system, State& state,
                             const std::vector<const BoundWish*>& wishes, Workspace& ws) {
  Stage stage(system, WishLevel::velocity, wishes, ws);
  StageResult result;
  Vector step(system.sizes().v);
  double size = stage.evaluate(state);
  if (!std::isfinite(size) && !wishes.empty()) {
    // A wish without gradient here (a speed at rest) may have one at consistent velocities.
    (void)solve_velocities(system, state, {}, ws);
    size = stage.evaluate(state);
  }
  // Linear in v but for wishes; a second sweep removes round-off.
  for (; result.iterations < 30 && size > 0; ++result.iterations) {
    if (!stage.newton(1e-9, step)) break;
    const Vector before = state.v;
    for (std::size_t i = 0; i < step.size(); ++i) state.v[i] += step[i];
    const double new_size = stage.evaluate(state);
    if (!(new_size < size)) {
      if (!(new_size <= met_velocities(system, state))) state.v = before;
      break;
    }
    const bool done = new_size < met_velocities(system, state) && new_size > 0.1 * size;
    size = new_size;
    if (done) break;
  }
  size = stage.evaluate(state);
  result.met = size <= met_velocities(system, state);
  result.ended = std::isfinite(size);
  if (!result.met) result.conflict = stage.conflict("velocity");
  return result;
}

using Solve = StageResult (*)(const System&, State&, const std::vector<const BoundWish*>&,
                              Workspace&);

/// Exact wishes always; then all possible ones together; if they do not fit, one after the other.
StageResult solve_with_priorities(Solve solve, WishLevel level, const System& system, State& state,
                                  const std::vector<BoundWish>& wishes, Workspace& ws) {
  std::vector<const BoundWish*> exact, soft;
  for (const BoundWish& w : wishes) {
    if (w.level != level) continue;
    if (w.data->priority == Priority::exactly) exact.push_back(&w);
    if (w.data->priority == Priority::if_possible) soft.push_back(&w);
  }
  const State guess = state;
  StageResult result;
  int iterations = 0;
  if (!soft.empty()) {
    std::vector<const BoundWish*> all = exact;
    all.insert(all.end(), soft.begin(), soft.end());
    result = solve(system, state, all, ws);
    if (result.met) return result;
    iterations += result.iterations;
  }
  state = guess;
  result = solve(system, state, exact, ws);
  // A guess in a singular position (a stretched linkage) may have no way on although there is a
  // solution: look from places beside it before speaking of a contradiction.
  for (const double size : {1e-3, 0.1}) {
    if (result.met || result.opposed || level == WishLevel::velocity) break;
    State trial = shaken(system, guess, size);
    const StageResult attempt = solve(system, trial, exact, ws);
    iterations += attempt.iterations;
    if (!attempt.met) continue;
    state = trial;
    result = attempt;
    result.shaken = true;
  }
  for (const BoundWish* w : soft) {
    if (!result.met) break;
    State trial = state;
    std::vector<const BoundWish*> more = exact;
    more.push_back(w);
    const StageResult attempt = solve(system, trial, more, ws);
    iterations += attempt.iterations;
    if (!attempt.met) continue;
    state = trial;
    exact = more;
  }
  result.iterations += iterations;
  return result;
}

/// `solved`: the last level that was solved for.
void report_wishes(const System& system, const State& state, const std::vector<BoundWish>& wishes,
                   WishLevel solved, Workspace& ws, AssemblyReport& report) {
  for (const BoundWish& w : wishes) {
    const double miss = wish_residual(w, system, state, {}, ws);
    WishResult r{w.data->text, w.data->priority, w.data->equals, w.data->equals + miss, false};
    const bool tried = w.level == WishLevel::position || solved == WishLevel::velocity;
    r.met = tried && std::abs(miss) <= 1e-9 * std::max(1.0, std::abs(w.data->equals));
    report.wishes.push_back(std::move(r));
  }
}

void report_motion(const System& system, const State& from, const State& to,
                   AssemblyReport& report) {
  for (std::size_t b = 1; b < system.bodies().size(); ++b) {
    double square = 0;
    for (int k = 0; k < system.dimension(); ++k) {
      const double d = to.p[system.bodies()[b].p + k] - from.p[system.bodies()[b].p + k];
      square += d * d;
    }
    if (std::sqrt(square) <= report.moved) continue;
    report.moved = std::sqrt(square);
    report.moved_body = system.blueprint().bodies[b].name;
  }
}

std::string named(const std::vector<std::string>& members) {
  if (members.size() <= most_named) return fmt::format("{}", fmt::join(members, "; "));
  return fmt::format("{}; and {} more",
                     fmt::join(members.begin(), members.begin() + most_named, "; "),
                     members.size() - most_named);
}

void fail(AssemblyReport& report, const Conflict& conflict, const char* advice) {
  report.status = Eval::fatal;
  report.diagnosis = Diagnosis::start_contradictory;
  report.conflicts.push_back(conflict);
  report.message =
      fmt::format("the {} conditions contradict each other; {:.3g} remains between: {}",
                  conflict.level, conflict.size, named(conflict.members));
  report.advice = advice;
}

/// The same for a search; one that did not come to rest proves nothing.
void fail(AssemblyReport& report, const StageResult& result, const char* advice) {
  fail(report, result.conflict, advice);
  if (result.ended) return;
  report.diagnosis = Diagnosis::start_not_found;
  report.message = fmt::format(
      "no {} were found that meet all conditions of the start; {:.3g} remains between: {}",
      result.conflict.level == "position" ? "positions" : "velocities", result.conflict.size,
      named(result.conflict.members));
}

/// Accelerations that leave more than this of G a = gamma, scaled, do so because rows contradict
/// each other, not by round-off.
constexpr double acceleration_tolerance = 1e-8;

/// Refuses accelerations that cannot hold all constraints.
void check_accelerations(const System& system, ConsistentStart& out, Workspace& ws) {
  if (!(out.report.reached.acceleration > acceleration_tolerance)) return;
  if (system.evaluate(out.state, {.acceleration = true}, ws) != Eval::ok) return;
  Vector accel = ws.gamma;
  for (double& x : accel) x = -x;
  ws.G.multiply_add(1, out.a, accel);
  Stage stage(system, WishLevel::velocity, {}, ws);
  fail(out.report, stage.conflict("acceleration", accel), "correct the drivers");
}

}  // namespace

ConsistentStart assemble(const System& system, State guess, const std::vector<BoundWish>& wishes) {
  ConsistentStart out;
  AssemblyReport& report = out.report;
  const auto ws = system.make_workspace();
  out.state = std::move(guess);
  const State given = out.state;
  report.given = constraint_residuals(system, given, {}, *ws);

  const StageResult positions =
      solve_with_priorities(solve_positions, WishLevel::position, system, out.state, wishes, *ws);
  report.iterations = positions.iterations;
  report.shaken = positions.shaken;
  report_motion(system, given, out.state, report);
  if (!positions.met) {
    fail(report, positions, "free one of the wishes, correct the geometry, or give a nearer start");
    if (positions.mirrored >= 0)
      tell_mirrored(system, positions.mirrored,
                    positions.opposed ? Mirrored::opposed : Mirrored::everywhere, report);
    report_wishes(system, out.state, wishes, WishLevel::position, *ws, report);
    report.reached = constraint_residuals(system, out.state, {}, *ws);
    return out;
  }
  system.choose_modes(out.state, *ws);
  const StageResult velocities =
      solve_with_priorities(solve_velocities, WishLevel::velocity, system, out.state, wishes, *ws);
  report.iterations += velocities.iterations;
  report_wishes(system, out.state, wishes, WishLevel::velocity, *ws, report);
  if (!velocities.met) {
    fail(report, velocities, "free one of the velocity wishes, or correct the drivers");
    report.reached = constraint_residuals(system, out.state, {}, *ws);
    return out;
  }
  system.choose_modes(out.state, *ws);
  report.status = solve_accelerations(system, out.state, out.a, out.lambda, *ws);
  if (report.status != Eval::ok && !blame_not_finite(system, out.state, *ws, report)) {
    report.diagnosis = Diagnosis::accelerations_singular;
    report.message =
        "the accelerations are not determined: the mass matrix is singular in a "
        "direction the constraints leave free";
    report.advice = advice_on_mass(system.blueprint());
    if (system.sizes().multiplier_forces) {
      report.message =
          "the accelerations are not determined: forces depend on multipliers, and these have no "
          "unique solution";
      report.advice = "remove redundant constraints, or start auxiliary variables nearer";
    }
  }
  report.changes = find_changes(system, given, out.state);
  report.reached = constraint_residuals(system, out.state, out.a, *ws);
  report.free_positions = free_coordinates(system, out.state, wishes, WishLevel::position, *ws);
  report.free_velocities = free_coordinates(system, out.state, wishes, WishLevel::velocity, *ws);
  if (report.status != Eval::ok) return out;
  if (!wishes.empty() && !(report.free_positions.empty() && report.free_velocities.empty()))
    report.diagnosis = Diagnosis::start_not_determined;
  check_accelerations(system, out, *ws);
  return out;
}

}  // namespace kardan
