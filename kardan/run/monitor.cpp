#include "kardan/run/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/formulation/mirror_image.h"

namespace kardan {
namespace {

/// Gauss on [0, 1]: three points, of order 6, above that of the dense output; two, of order 4,
/// along a path that has no more.
struct Gauss {
  int points;
  double node[3], weight[3];
};
constexpr Gauss order_6{
    3, {0.11270166537925831, 0.5, 0.88729833462074169}, {5.0 / 18, 8.0 / 18, 5.0 / 18}};
constexpr Gauss order_4{2, {0.21132486540518712, 0.78867513459481288, 0}, {0.5, 0.5, 0}};

/// Of a step, for the work along a flow.
constexpr double most_work_parts = 256;

/// Steps whose work is resolved anew, beside one in ten.
constexpr long free_refinements = 100;
/// A coordinate has jumped that is so far from where its velocities and accelerations lead, and so
/// many tolerances.
constexpr double jump_share = 0.5, jump_tolerances = 1000;
/// With fixed steps: errors of such a part of what moves are no accuracy at all.
constexpr double part_of_motion = 0.1;
/// Sums of energies are rounded by so much of them in a step.
constexpr double energy_rounding = 1e-13;

/// True where constraints may do work: drivers and moving surfaces. (Users' equations state their
/// power themselves.)
bool may_be_driven(const System& system) {
  if (!system.has_bodies()) return false;
  const auto& elements = system.blueprint().elements;
  return std::any_of(elements.begin(), elements.end(), [](const ElementData& e) {
    const bool holds =
        e.type->category == Category::driver || e.type->category == Category::nonholonomic;
    return holds && e.type->does_work;
  });
}

/// Joints, and gravity, do no work that is not in the energy.
bool may_do_work(const System& system) {
  const auto& elements = system.blueprint().elements;
  return !system.has_bodies() || may_be_driven(system) || !system.blueprint().events.empty() ||
         !system.frictions().empty() ||
         std::any_of(elements.begin(), elements.end(),
                     [](const ElementData& e) { return e.does_work; });
}

}  // namespace

Monitor::Monitor(const Prepared& start, const Method& method, const SimulateOptions& options,
                 const Watchers& watchers, RunMemory& memory)
    : system_(start.system.get()),
      rows_(start.system->sizes().lambda),
      constraints_(start.system->sizes().constraints()),
      method_(method),
      options_(options),
      watchers_(watchers),
      memory_(memory),
      report_(memory.report),
      ws_(system_->make_workspace()),
      accelerations_(std::make_unique<AccelerationSolver>(*system_)),
      row_solver_(method, options.options),
      driven_(may_be_driven(*system_)),
      works_(may_do_work(*system_)) {
  // Errors of methods of order 1 are about the root of the tolerance.
  const DriverOptions& d = options.driver;
  share_ = method.order > 1 ? 1.0 : 1 / std::sqrt(d.tolerance);
}

void Monitor::judge_by(const ErrorScale& scale, const State& state) {
  account_.use(*system_, scale, state, *ws_);
}

std::string Monitor::begin(const State& start, const Vector& a) {
  const Energy e = system_->energy(start, *ws_);
  report_.energy.initial = report_.energy.final = e.kinetic + e.potential;
  report_.energy.known = e.known;
  if (!e.known) report_.energy.balance_error = std::numeric_limits<double>::quiet_NaN();
  if (!e.known) report_.energy.allowed = std::numeric_limits<double>::quiet_NaN();
  inside_ = start;
  if (!a.empty())
    add_residuals(start, a);
  else if (accelerations_->solve(inside_, a_, lambda_, *ws_) == Eval::ok)
    add_residuals(start, a_);
  record(nullptr, start.t, e);
  if (!watchers_.grid || !(options_.every > 0)) return {};
  if (std::string none = noted(determine()); !none.empty()) return none;
  return hand_over(inside_);
}

std::string Monitor::observe(const StepView& step) {
  const State& s = *step.state;
  if (const int e = mirrored_joint(*system_, s); e >= 0) {
    failed_ = true;
    return fmt::format(
        "t = {:.9g}: the step of {:.3g} s ended in a mirror image of '{}': the axes of its two "
        "frames no longer point the same way; a smaller largest_step follows the motion",
        s.t, step.h, system_->blueprint().elements[static_cast<std::size_t>(e)].name);
  }
  if (watchers_.evidence == Evidence::gathered) gather_evidence(step);
  const bool rows = watchers_.grid && options_.every > 0;
  if (!rows && !watchers_.inside) return {};
  std::string stop_request = rows ? fill_grid(step) : std::string();
  if (watchers_.inside)
    watchers_.inside(step, [&](double t, RowBy way) { return row_at(step, t, way); });
  row_solver_.remember(step);
  return stop_request;
}

void Monitor::gather_evidence(const StepView& step) {
  const State& s = *step.state;
  double work = 0;
  const bool known = add_work(step, work);
  const Energy e = system_->energy(s, *ws_);
  report_.energy.final = e.kinetic + e.potential;
  if (!step.dense->to.a.empty()) {
    add_residuals(s, step.dense->to.a);
  } else {
    inside_ = s;
    if (accelerations_->solve(inside_, a_, lambda_, *ws_) == Eval::ok)
      add_residuals(s, a_);
    else
      a_.clear();
  }
  judge_energy(step, step.dense->to.a.empty() ? a_ : step.dense->to.a, known, work);
  judge_positions(*step.dense);
  if (fixed()) judge_fixed(step, e.kinetic);
  record(&step, s.t, e);
}

bool Monitor::by_cubic(const DenseStep& dense) const {
  return !method_.is_explicit && !dense.flow;
}

/// point_ at from.t + theta h. An implicit method steps over fast modes; what it leaves in them is
/// small, but multiplied by their eigenvalues in the accelerations. There the path follows the
/// cubic of the ends' positions and velocities alone, whose work is of order 4 too: its velocity
/// error is odd about the middle of the step.
void Monitor::between(const DenseStep& dense, double theta) {
  by_cubic(dense) ? follow_cubic(dense, theta) : dense.at(theta, point_);
}

void Monitor::follow_cubic(const DenseStep& dense, double theta) {
  const ChartPoint &A = dense.from, &B = dense.to;
  const double s = theta, r = 1 - s, h = dense.h();
  point_.t = A.t + s * h;
  point_.q.resize(A.q.size());
  point_.dq.resize(A.q.size());
  point_.z.resize(A.z.size());
  for (std::size_t i = 0; i < A.z.size(); ++i)
    point_.z[i] =
        A.z[i] + s * s * (1 + 2 * r) * (B.z[i] - A.z[i]) + h * s * r * (r * A.dz[i] - s * B.dz[i]);
  for (std::size_t i = 0; i < A.q.size(); ++i) {
    const double way = B.q[i] - A.q[i];
    point_.q[i] = A.q[i] + s * s * (1 + 2 * r) * way + h * s * r * (r * A.dq[i] - s * B.dq[i]);
    point_.dq[i] = 6 * s * r * way / h + r * (1 - 3 * s) * A.dq[i] + s * (1 - 3 * r) * B.dq[i];
  }
}

/// Power along the step, by Gauss on equal parts of it. False: a state could not be found.
bool Monitor::integrate_power(const StepView& step, int parts, double& work, Way way) {
  work = 0;
  // A stop at rest moves with time, however long the step.
  const auto consistency =
      holds() ? ChartProblem::Consistency::projected : step.dense->consistency();
  const bool usual = way == Way::usual;
  const Gauss& gauss = usual && by_cubic(*step.dense) ? order_4 : order_6;
  for (int k = 0; k < gauss.points * parts; ++k) {
    const int i = k % gauss.points, before = k / gauss.points;
    const double theta = (before + gauss.node[i]) / parts;
    if (usual)
      between(*step.dense, theta);
    else
      way == Way::cubic ? follow_cubic(*step.dense, theta) : step.dense->at(theta, point_);
    if (step.problem->state_at(point_, consistency, inside_) != Eval::ok) return false;
    const double power = system_->energy(inside_, *ws_).applied_power + driving_power(inside_);
    work += gauss.weight[i] * step.h / parts * power;
  }
  return true;
}

/// False: it could not be found.
bool Monitor::add_work(const StepView& step, double& work) {
  work = 0;
  if (!works_) return true;
  if (!integrate_power(step, 1, work)) return false;
  // A flow may swing many times within a step.
  const double swings = step.dense->flow ? step.dense->flow->fastest() * step.h : 1;
  const double rounding = 1e-12 * std::abs(report_.energy.final);
  if (std::abs(work) > rounding && swings > 1) {
    const int parts = static_cast<int>(std::min(std::ceil(swings / 2), most_work_parts));
    if (!integrate_power(step, parts, work)) return false;
  }
  // Where nothing but a stop moves, nothing limits the step.
  double last = 0;
  for (int parts = 2; holds() && std::abs(work - last) > rounding && parts < most_work_parts;
       parts *= 2) {
    last = work;
    if (!integrate_power(step, parts, work)) return false;
  }
  report_.energy.work += work;
  report_.energy.exchanged += std::abs(work);
  return true;
}

/// The balance after a step, and whether errors of steps within the tolerance can have left it.
void Monitor::judge_energy(const StepView& step, const Vector& a, bool known, double work) {
  EnergyBalance& b = report_.energy;
  const auto unbalanced = [&b] { return b.final - b.initial - b.work; };
  if (!std::isnan(b.allowed)) {
    const double share = fixed() ? std::max(share_, step.error) : share_;
    const double open =
        share * EnergyAccount::doubt * account_.of_step(*step.state, a) +
        energy_rounding * (std::abs(b.final) + std::abs(b.initial) + b.exchanged + account_.unit());
    b.allowed += open;
    if (!known) b.allowed += std::abs(unbalanced() - b.unbalanced);
    const bool far = std::abs(unbalanced() - b.unbalanced) > open;
    if (far && known && works_ && report_.against.empty())
      b.allowed += resolve_work(step, open, work);
    if (std::abs(unbalanced()) > b.allowed && report_.against.empty()) {
      inside_ = *step.state;
      if (accelerations_->solve(inside_, a_, lambda_, *ws_) != Eval::ok) lambda_.clear();
      const std::string busiest = busiest_element(*system_, inside_, lambda_, *ws_);
      report_.against.push_back(fmt::format(
          "energy and work do not balance: at t = {:.6g} s {:.2g} J have come from nowhere, where "
          "the {} explains {:.2g} J{}",
          step.t, unbalanced(), fixed() ? "estimate of errors" : "tolerance", b.allowed,
          busiest.empty() ? "" : fmt::format("; most is done by '{}'", busiest)));
    }
  }
  b.unbalanced = unbalanced();
  b.balance_error = std::max(b.balance_error, std::abs(b.unbalanced));
}

/// Replaces the work of a step by the same on ever finer parts, until it changes by little of what
/// is open; [J] what then remains uncertain of it, since the way between the ends is known to the
/// order of dense output only.
double Monitor::resolve_work(const StepView& step, double open, double work) {
  if (++refinements_ > free_refinements + step.counters->steps / 10) return std::abs(work);
  constexpr double settled = 0.1;
  double last = work, finer = 0;
  int parts = 2;
  for (; parts <= static_cast<int>(most_work_parts); parts *= 2) {
    if (!integrate_power(step, parts, finer)) return std::abs(work);
    if (std::abs(finer - last) <= settled * open) break;
    last = finer;
  }
  double uncertain = std::abs(finer - last), other = 0;
  // Fixed steps may be as long as they like: there no way between the ends is the right one.
  const bool cubic = by_cubic(*step.dense);
  if (cubic || fixed())
    if (integrate_power(step, parts / 2, other, cubic ? Way::dense : Way::cubic))
      uncertain += std::abs(finer - other);
  report_.energy.work += finer - work;
  report_.energy.exchanged += std::abs(finer) - std::abs(work);
  return uncertain;
}

/// Positions go where velocities lead: by the trapezoidal rule with or without its correction by
/// the accelerations. A mechanism that has closed on another branch does not.
void Monitor::judge_positions(const DenseStep& dense) {
  if (fixed() || !report_.against.empty()) return;
  const ChartPoint &A = dense.from, &B = dense.to;
  const bool curved = A.ddq.size() == A.q.size() && B.ddq.size() == A.q.size();
  const double h = dense.h();
  for (std::size_t i = 0; i < A.q.size(); ++i) {
    const double way = B.q[i] - A.q[i], straight = 0.5 * h * (A.dq[i] + B.dq[i]);
    const double bend = curved ? h * h / 12 * (A.ddq[i] - B.ddq[i]) : 0.0;
    const double defect = std::min(std::abs(way - straight), std::abs(way - straight - bend));
    double reach = h * (std::abs(A.dq[i]) + std::abs(B.dq[i]));
    if (curved) reach += h * h / 4 * (std::abs(A.ddq[i]) + std::abs(B.ddq[i]));
    if (!(defect > jump_share * reach)) continue;
    const double size = std::max(1.0, std::abs(B.q[i]));
    if (defect <= share_ * jump_tolerances * options_.driver.tolerance * size) continue;
    report_.against.push_back(fmt::format(
        "positions and velocities are not of one motion: in the step to t = {:.6g} s '{}' moves by "
        "{:.2g}, where its velocities lead to {:.2g}",
        B.t, system_->coordinate_name(static_cast<int>(i)), way, straight));
    return;
  }
}

/// A fixed step keeps no tolerance, but where its own estimate says that it errs by a good part of
/// what moves, its end is no longer the motion.
void Monitor::judge_fixed(const StepView& step, double kinetic) {
  report_.energy.in_play =
      std::max({report_.energy.in_play, kinetic, std::abs(report_.energy.work)});
  const double share = step.error * report_.tolerance;
  if (!std::isfinite(share)) return;
  report_.fixed_errors += share;
  if (share <= part_of_motion || !report_.against.empty()) return;
  report_.against.push_back(fmt::format(
      "fixed steps of {:.3g} s are too long: the one to t = {:.6g} s errs by {:.0f} % of "
      "the size of what moves, as its own estimate says; take shorter ones, or none",
      step.h, step.t, 100 * std::min(share, 1e6)));
}

/// Nor is it where energy has come or gone that is a good part of all that was in play, whatever the
/// estimates of single steps explain.
void Monitor::judge_fixed_energy() {
  const EnergyBalance& b = report_.energy;
  const double rounding =
      report_.tolerance * (std::abs(b.initial) + std::abs(b.final) + b.exchanged);
  if (!b.known || !report_.against.empty()) return;
  if (b.balance_error <= part_of_motion * b.in_play || b.balance_error <= rounding) return;
  report_.against.push_back(fmt::format(
      "fixed steps of {:.3g} s are too long: {:.2g} J have come or gone, where {:.2g} J were in "
      "play; take shorter ones, or none",
      options_.driver.fixed_step, b.balance_error, b.in_play));
}

/// Of constraints that depend on time: -lambda'G v = lambda'g_t.
double Monitor::driving_power(State& state) {
  if (!driven_) return 0;
  if (system_->evaluate(state, {.velocity = true}, *ws_) != Eval::ok) return 0;
  if (norm_max(ws_->g_t) == 0) return 0;
  if (accelerations_->solve(state, a_, lambda_, *ws_) != Eval::ok) return 0;
  return dot(lambda_, ws_->g_t);
}

void Monitor::add_residuals(const State& s, const Vector& a) {
  const Residuals r = constraint_residuals(*system_, s, a, *ws_);
  if (std::isnan(r.position)) return;
  memory_.last_residuals = r;
  Residuals& largest = report_.residuals;
  largest.position = std::max(largest.position, r.position);
  largest.velocity = std::max(largest.velocity, r.velocity);
  largest.acceleration = std::max(largest.acceleration, r.acceleration);
}

void Monitor::record(const StepView* step, double t, const Energy& energy) const {
  if (!watchers_.record) return;
  StepRecord r;
  r.t = t;
  if (step) {
    r.h = step->h;
    r.error = step->error;
    r.rejected = step->counters->rejected + step->counters->failed;
  }
  r.residuals = memory_.last_residuals;
  r.kinetic = energy.kinetic;
  r.potential = energy.potential;
  r.work = report_.energy.work;
  r.unbalanced = energy.kinetic + energy.potential - report_.energy.initial - r.work;
  watchers_.record(r);
}

/// inside_ at point_, on its constraints. Right next to a singular position that may not be
/// possible where steps can pass: then it is left as interpolated.
bool Monitor::state_between(ChartProblem& problem) {
  if (problem.state_at(point_, ChartProblem::Consistency::projected, inside_) == Eval::ok)
    return true;
  if (problem.state_at(point_, ChartProblem::Consistency::as_interpolated, inside_) != Eval::ok)
    return false;
  remark("rows of the result next to a singular position are interpolated, not closed");
  return true;
}

void Monitor::remark(const char* text) {
  if (std::ranges::find(report_.remarks, text) == report_.remarks.end())
    report_.remarks.emplace_back(text);
}

/// Steps are never shortened for the grid.
std::string Monitor::fill_grid(const StepView& step) {
  const double slack = 1e-9 * options_.every;
  for (;;) {
    const double t = memory_.start + static_cast<double>(memory_.shown) * options_.every;
    if (t > step.t + slack) return {};
    if (std::string none = look(step, t); !none.empty()) return none;
    if (std::string stop_request = hand_over(inside_); !stop_request.empty()) return stop_request;
  }
}

std::string Monitor::look(const StepView& step, double t) {
  return noted(arrive(step, t, RowBy::solution));
}

std::string Monitor::look(const State& state) {
  inside_ = state;
  return noted(determine());
}

/// A moment inside the step for who asks for it, as a row of the grid would show it.
const Instant* Monitor::row_at(const StepView& step, double t, RowBy way) {
  if (!arrive(step, t, way).empty()) return nullptr;
  row_ = {&inside_, &a_, &lambda_};
  return &row_;
}

/// inside_, a_ and lambda_ at a moment of the step; why they are not known, where they are not.
std::string Monitor::arrive(const StepView& step, double t, RowBy way) {
  const double theta = (t - (step.t - step.h)) / step.h;
  if (theta >= 1 - 1e-12) {
    inside_ = *step.state;
    return determine();
  }
  step.dense->at(theta, point_);
  // Next to a singular position the stages of dense output may lie where none can be evaluated.
  if (!all_finite(point_.q) || !all_finite(point_.dq)) {
    follow_cubic(*step.dense, theta);
    remark("rows of the result next to a singular position follow the cubic of a step's ends");
  }
  if (!state_between(*step.problem))
    return fmt::format("t = {:.9g}: the state between two steps could not be found: {}", t,
                       step.problem->culprit());
  if (std::string none = determine(); !none.empty()) return none;
  if (way == RowBy::dense_output || !solve_row(step)) return {};
  inside_ = solved_;
  return determine();
}

/// Whether solved_ shall stand for the row at point_, whose accelerations are a_.
bool Monitor::solve_row(const StepView& step) {
  if (row_solver_.trusts(step, point_, a_, ws_->b)) return false;
  const bool solved = row_solver_.solve(step, point_, solved_) == Eval::ok;
  if (!solved)
    remark_row("are interpolated where that is not the motion, and could not be solved for");
  return solved;
}

/// Rows may be worse than ends of steps; the first one shows it.
void Monitor::remark_row(std::string_view what) {
  constexpr std::string_view which = "rows of the result inside steps ";
  for (const std::string& known : report_.remarks)
    if (known.starts_with(which)) return;
  report_.remarks.push_back(fmt::format(
      "{}{}, the first at t = {:.6g} s: velocities, accelerations, forces and reactions "
      "there may be worse than at ends of steps",
      which, what, point_.t));
}

/// a_, and lambda_ without the multipliers of what is held.
bool Monitor::accelerate(State& state) {
  if (accelerations_->solve(state, a_, lambda_, *ws_) != Eval::ok) return false;
  leave_out_held(lambda_);
  return true;
}

/// The same at inside_; why not, where they are not determined.
std::string Monitor::determine() {
  if (accelerate(inside_)) return {};
  return fmt::format("t = {:.9g}: the accelerations are not determined", inside_.t);
}

/// What ends the run, if there is something.
std::string Monitor::noted(std::string why) {
  failed_ = failed_ || !why.empty();
  return why;
}

void Monitor::solve_rows(const Formulation& formulation, const ErrorScale& scale) {
  row_solver_.use(*system_, formulation, report_.formulation_options, scale,
                  report_.exact_derivatives);
}

/// With the accelerations and multipliers there.
std::string Monitor::hand_over(State& state) {
  ++memory_.shown;
  return watchers_.grid({&state, &a_, &lambda_});
}

void Monitor::use(const System& system) {
  if (&system == system_) return;
  system_ = &system;
  held_ = system.sizes().lambda - rows_;
  ws_ = system.make_workspace();
  accelerations_ = std::make_unique<AccelerationSolver>(system);
  driven_ = may_be_driven(system);
}

void Monitor::leave_out_held(Vector& lambda) const {
  lambda.erase(lambda.begin() + rows_, lambda.begin() + rows_ + held_);
  lambda.resize(static_cast<std::size_t>(constraints_));  // frictions that stick come last
}

void Monitor::end(ConsistentStart& end) {
  if (fixed() && watchers_.evidence == Evidence::gathered) judge_fixed_energy();
  if (accelerations_->solve(end.state, end.a, end.lambda, *ws_) == Eval::ok) {
    leave_out_held(end.lambda);
    return;
  }
  end.a.clear();
  end.lambda.clear();
}

}  // namespace kardan
