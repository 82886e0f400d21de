#include "kardan/run/row_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/base/rotation_rates.h"
#include "kardan/formulation/catalog.h"
#include "kardan/integrate/constrained_problem.h"
#include "kardan/run/automatic.h"

namespace kardan {
namespace {

/// Share of the tolerance that a row may be off by because it is interpolated.
constexpr double share = 0.2;
/// The defect vanishes where s (1-s) = 1/5, and that of first-order variables in the middle: there
/// it is taken for no less than what it is nearby.
constexpr double blind = 0.03;
/// e' and e, of those that the quintic has at most, by h e'' and h^2 e''.
constexpr double velocity_share = 1.0 / 6, position_share = 1.0 / 40;

/// The same of each step to a row; and of steps that resolve every mode, or that another method
/// takes: the run's steps may be better than asked for.
constexpr double step_share = 0.1;
constexpr double fine_share = 0.01;
/// [tolerances] What rows may be off by in any case.
constexpr double doubt = 10;
/// Into which the way to a row is cut.
constexpr double most_parts = 64;
/// Of implicit methods whose ends carry fast modes. (Those of order 1 are farther from the motion
/// in a step than rows may be.)
constexpr int order_off_slow_motion = 2;
/// Of methods that stand in for others.
constexpr int least_order = 3;
/// Of the tolerance, to which steps to rows iterate.
constexpr double iteration_share = 0.1;
/// Of a step: between the points on both sides of a row by which a flow is differentiated.
constexpr double apart = 1e-4;

bool can_begin_anywhere(const Method& method) {
  return method.make && method.problem != ProblemKind::constrained &&
         method.order >= (method.is_explicit ? 3 : 2);
}

/// Redundant constraints that a run keeps open by its error look independent to another form.
bool is_locked(const ChartProblem& run, const ChartProblem& other) {
  if (run.kind() != ProblemKind::constrained || other.kind() != ProblemKind::ode) return false;
  const auto& constrained = static_cast<const ConstrainedProblem&>(run);
  return other.second_order() < run.second_order() - constrained.rows();
}

void scale_by(double factor, Vector& x) {
  for (double& value : x) value *= factor;
}

}  // namespace

RowSolver::RowSolver(const Method& method, const OptionValues& options)
    : method_(method), options_(options) {}

void RowSolver::use(const System& system, const Formulation& formulation,
                    const OptionValues& options, const ErrorScale& scale, bool exact) {
  system_ = &system;
  formulation_ = &formulation;
  formulation_options_ = options;
  scale_ = iteration_ = scale;
  iteration_.relative *= iteration_share;
  for (Vector* part :
       {&iteration_.position, &iteration_.velocity, &iteration_.first,
        &iteration_.relative_position, &iteration_.relative_velocity, &iteration_.relative_first})
    scale_by(iteration_share, *part);
  exact_ = exact;
  problem_.reset();
  chosen_ = has_begun_ = last_.known = last_.has_start = false;
  memory_.problem.reset();
  memory_.has_origin = false;
  memory_.count = memory_.order = 0;
  const bool implicit = method_.needs_jacobian || method_.needs_jacobian_anywhere ||
                        (!can_begin_anywhere(method_) && !method_.is_explicit);
  looks_back_ = implicit && method_.order == order_off_slow_motion;
}

bool RowSolver::find(const Method& m, bool own_form) {
  if (!can_begin_anywhere(m) || (m.needs_exact_jacobian && !exact_)) return false;
  for (const Formulation& f : formulations()) {
    if (own_form ? &f != formulation_ : f.velocity_index > 1) continue;
    Diagnostics unused;
    const Choice choice = choose_method(fmt::format("{}@{}", m.name, f.name), unused);
    if (!choice.formulation || !treats(f, *system_)) continue;
    way_ = choice;
    return true;
  }
  return false;
}

/// The method and the formulation of steps to rows: the run's own, else of the catalogs the first
/// that fit, beginning with the run's formulation. Implicit methods of low order leave in fast
/// modes what solves the equations at their ends: so must those that stand in for them.
void RowSolver::choose() {
  chosen_ = true;
  way_ = {};
  // Velocities that are differences of positions do not bear short steps.
  const bool own_first = formulation_->velocity_index <= 1;
  if (find(method_, own_first) || find(method_, !own_first)) return;
  const bool solves_end = !method_.is_explicit && method_.order <= 2;
  for (const bool own_form : {true, false})
    for (const bool strict : {true, false})
      for (const Method& m : methods()) {
        if (m.order < least_order || (strict && solves_end && !m.needs_jacobian_anywhere)) continue;
        if (m.is_explicit == method_.is_explicit && find(m, own_form)) return;
      }
  for (const Method& m : methods())
    if (find(m, false)) return;
}

/// scratch_.second and scratch_.rate: q'' of the quintic, z' of the cubic.
void RowSolver::follow_polynomial(const DenseStep& dense, double s) {
  const ChartPoint &A = dense.from, &B = dense.to;
  const double h = dense.h(), r = 1 - s;
  const double way = 60 * s * r * (1 - 2 * s) / (h * h);
  const double v0 = s * (-36 + s * (96 - 60 * s)) / h, v1 = s * (-24 + s * (84 - 60 * s)) / h;
  const double a0 = 1 + s * (-9 + s * (18 - 10 * s)), a1 = s * (3 + s * (-12 + 10 * s));
  scratch_.second.resize(A.q.size());
  for (std::size_t i = 0; i < scratch_.second.size(); ++i)
    scratch_.second[i] =
        way * (B.q[i] - A.q[i]) + v0 * A.dq[i] + v1 * B.dq[i] + a0 * A.ddq[i] + a1 * B.ddq[i];
  scratch_.rate.resize(A.z.size());
  for (std::size_t i = 0; i < scratch_.rate.size(); ++i)
    scratch_.rate[i] =
        6 * s * r * (B.z[i] - A.z[i]) / h + r * (1 - 3 * s) * A.dz[i] + s * (1 - 3 * r) * B.dz[i];
}

/// The same of a flow.
void RowSolver::differentiate_flow(const DenseStep& dense, double s) {
  const double first = std::max(s - apart / 2, 0.0), last = std::min(s + apart / 2, 1.0);
  const double time = (last - first) * dense.h();
  dense.at(first, scratch_.before);
  dense.at(last, scratch_.behind);
  scratch_.second.resize(scratch_.before.dq.size());
  for (std::size_t i = 0; i < scratch_.second.size(); ++i)
    scratch_.second[i] = (scratch_.behind.dq[i] - scratch_.before.dq[i]) / time;
  scratch_.rate.resize(scratch_.before.z.size());
  for (std::size_t i = 0; i < scratch_.rate.size(); ++i)
    scratch_.rate[i] = (scratch_.behind.z[i] - scratch_.before.z[i]) / time;
}

/// scratch_.expected: q'' that go with the accelerations at the point.
void RowSolver::to_chart(const ChartPoint& point, const Vector& a) {
  scratch_.expected = a;
  if (system_->dimension() != 3) return;
  for (std::size_t b = 1; b < system_->bodies().size(); ++b) {
    const BodyLayout& body = system_->bodies()[b];
    if (body.v_count <= 3) continue;
    const std::size_t i = body.v + 3;
    const Vec3d second = rotation_second_rate({point.q[i], point.q[i + 1], point.q[i + 2]},
                                              {point.dq[i], point.dq[i + 1], point.dq[i + 2]},
                                              {a[i], a[i + 1], a[i + 2]});
    for (int c = 0; c < 3; ++c) scratch_.expected[i + c] = second[c];
  }
}

/// The tolerance of an acceleration: that of the velocity over a time of the model's.
double RowSolver::acceleration_unit(std::size_t i, double size) const {
  const Scales& model = system_->scales();
  const double rate = std::min(model.acceleration / model.speed, model.speed / model.length);
  const double relative =
      scale_.relative_velocity.empty() ? scale_.relative : scale_.relative_velocity[i];
  return scale_.velocity[i] * rate + relative * size;
}

bool RowSolver::trusts(const StepView& step, const ChartPoint& point, const Vector& a,
                       const Vector& b) {
  const DenseStep& dense = *step.dense;
  // Where linear equations are solved exactly, the flow is what a step to there would give.
  if (dense.flow && method_.exact_if_linear) return true;
  const double h = dense.h(), s = (point.t - dense.from.t) / h, r = 1 - s;
  dense.flow ? differentiate_flow(dense, s) : follow_polynomial(dense, s);
  to_chart(point, a);
  const double near = s * s * r * r / (6 * std::max(std::abs(1 - 5 * s * r), blind));
  const double position = h * h * std::max(near, position_share), velocity = h * velocity_share;
  const double first = h * s * r / (2 * std::max(std::abs(1 - 2 * s), blind));
  const auto unit = [&](std::size_t i, double value, const Vector& absolute,
                        const Vector& relative) {
    return share * (absolute[i] + (relative.empty() ? scale_.relative : relative[i]) * value);
  };
  for (std::size_t i = 0; i < scratch_.second.size(); ++i) {
    const double d = std::abs(scratch_.expected[i] - scratch_.second[i]);
    const double way = std::abs(dense.to.q[i] - dense.from.q[i]);
    const double speed = std::max(std::abs(dense.from.dq[i]), std::abs(dense.to.dq[i]));
    // Where fast modes rule, d is the error of the accelerations themselves.
    const double most = std::max(
        {std::abs(dense.from.ddq[i]), std::abs(dense.to.ddq[i]), std::abs(scratch_.expected[i])});
    if (!(d <= share * acceleration_unit(i, most)) ||
        !(d * position <= unit(i, way, scale_.position, scale_.relative_position)) ||
        !(d * velocity <= unit(i, speed, scale_.velocity, scale_.relative_velocity)))
      return false;
  }
  for (std::size_t i = 0; i < scratch_.rate.size(); ++i)
    if (!(std::abs(b[i] - scratch_.rate[i]) * first <=
          unit(i, std::abs(point.z[i]), scale_.first, scale_.relative_first)))
      return false;
  return true;
}

Eval RowSolver::prepare_base() {
  if (Eval e = problem_->rebase(start_); e != Eval::ok) return e;
  if (way_.method->needs_jacobian)
    if (Eval e = problem_->jacobian(jacobian_); e != Eval::ok) return e;
  if (StepHistory* const history = stepper_->abilities().history)
    history->accept(After::event);  // each row is the first of its motion
  return Eval::ok;
}

/// Which constraints are redundant shows where they are closed: where the motion began. A form that
/// lets them drift would take them for independent, seen for the first time at a later state.
void RowSolver::learn_constraints(const StepView& step, ChartProblem& problem) {
  if (!memory_.has_origin) memory_.origin = *step.start;
  memory_.has_origin = true;
  (void)problem.rebase(memory_.origin);  // what fails here fails again where it matters
}

/// The base at the start of the step.
Eval RowSolver::begin(const StepView& step) {
  if (has_begun_ && begun_ == step.dense->from.t) return Eval::ok;
  has_begun_ = false;
  if (!chosen_) choose();
  if (!way_.method) return Eval::fatal;
  const Method& method = *way_.method;
  const bool own_form = way_.formulation == formulation_;
  if (!problem_) {
    const bool own = way_.method == &method_;
    problem_ = way_.formulation->make(
        *system_, complete_options(way_.formulation->options,
                                   own_form ? formulation_options_ : OptionValues{}));
    if (own_form) learn_constraints(step, *problem_);
    stepper_ = method.make(complete_options(method.options, own ? options_ : OptionValues{}));
  }
  begun_ = step.dense->from.t;
  if (knows_last(step)) {
    start_ = last_.start;
    if (prepare_base() == Eval::ok && (own_form || !is_locked(*step.problem, *problem_))) {
      has_begun_ = true;
      return Eval::ok;
    }
  }
  // Another formulation may not know what to make of constraints that this one keeps open.
  using Consistency = ChartProblem::Consistency;
  if (Eval e = step.problem->state_at(
          step.dense->from, own_form ? Consistency::as_interpolated : Consistency::projected,
          start_);
      e != Eval::ok)
    return e;
  if (Eval e = prepare_base(); e != Eval::ok) return e;
  if (!own_form && is_locked(*step.problem, *problem_)) return Eval::recoverable;
  has_begun_ = true;
  return Eval::ok;
}

/// Whether last_.start is where the step before this one began, of the same motion.
bool RowSolver::knows_last(const StepView& step) const {
  return looks_back_ && last_.has_start && step.counters->events == last_.events &&
         last_.end.t == step.dense->from.t;
}

/// The ends that the method has its next step from.
void RowSolver::note_end(const StepView& step) {
  std::vector<State>& ends = memory_.ends;
  ends.resize(BackwardStep::most);
  const auto keep = [&](const State& state) {
    std::ranges::rotate(ends, ends.end() - 1);
    ends.front() = state;
    memory_.count = std::min(memory_.count + 1, BackwardStep::most);
  };
  if (memory_.count == 0 || ends.front().t != step.start->t) {
    memory_.count = 0;
    keep(*step.start);
  }
  keep(*step.state);
  memory_.order = 0;
}

void RowSolver::remember(const StepView& step) {
  if (!memory_.has_origin) memory_.origin = *step.start;
  memory_.has_origin = true;
  if (method_.differentiates_backward) note_end(step);
  if (!looks_back_) return;
  last_.has_start =
      last_.known && step.counters->events == last_.events && last_.end.t == step.dense->from.t;
  if (last_.has_start) std::swap(last_.start, last_.end);
  last_.end = *step.state;
  last_.known = true;
  last_.events = step.counters->events;
}

/// From start_, the base.
Eval RowSolver::step_to(double t, State& state, bool& good) {
  const double h = t - start_.t;
  if (Eval e = problem_->begin_step(h); e != Eval::ok) return e;
  const StepStart start{start_.t,   &problem_->base(), &problem_->base_rate(),
                        &jacobian_, &start_,           &iteration_};
  if (Eval e = stepper_->attempt(*problem_, start, h, trial_, scratch_.unused); e != Eval::ok)
    return e;
  if (Eval e = problem_->finish(t, trial_.y, state, end_); e != Eval::ok) return e;
  const double error =
      way_.method->error_weight * problem_->error_norm(trial_.error, state, scale_);
  good = error <= (own_way() && !method_.is_explicit ? step_share : fine_share);
  return Eval::ok;
}

/// By how much the error of the step just made changes the accelerations at its end, end_, in their
/// tolerances: stiff springs show more of it than positions do.
double RowSolver::acceleration_error(double t) {
  Local& y = trial_.y;
  const auto add = [](const Vector& e, Vector& x) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += e[i];
  };
  add(trial_.error.x, y.x);
  add(trial_.error.u, y.u);
  add(trial_.error.z, y.z);
  if (problem_->finish(t, y, closed_, scratch_.before) != Eval::ok)
    return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < scratch_.before.ddq.size(); ++i) {
    const double size = std::max(std::abs(scratch_.before.ddq[i]), std::abs(end_.ddq[i]));
    worst = std::max(worst,
                     std::abs(scratch_.before.ddq[i] - end_.ddq[i]) / acceleration_unit(i, size));
  }
  return worst;
}

/// Whether a state differs from the polynomial at `point` by what its defects, of the last
/// trusts(), can explain, and by how little its ends' positions and velocities are of one motion.
bool RowSolver::explained(const StepView& step, const ChartPoint& point, const State& state) {
  using Consistency = ChartProblem::Consistency;
  if (step.problem->state_at(point, Consistency::as_interpolated, interpolated_) != Eval::ok)
    return false;
  const ChartPoint &A = step.dense->from, &B = step.dense->to;
  const double h = step.dense->h();
  double open = 0, unit = 0, moved = 0;
  for (std::size_t i = 0; i < scratch_.second.size(); ++i) {
    const double defect = h * h * std::abs(scratch_.expected[i] - scratch_.second[i]) +
                          std::abs(B.q[i] - A.q[i] - 0.5 * h * (A.dq[i] + B.dq[i]));
    open = std::max(open, defect);
    unit = std::max(unit, scale_.position[i]);
  }
  for (std::size_t i = 0; i < state.p.size(); ++i)
    moved = std::max(moved, std::abs(state.p[i] - interpolated_.p[i]));
  return moved <= open + doubt * unit;
}

/// A state that was stepped to, as rows stand on their constraints.
Eval RowSolver::consistent(ChartProblem& problem, const StepView& step, const ChartPoint& point,
                           State& state) {
  if (!explained(step, point, state)) return Eval::recoverable;
  const Eval e = problem.state_at(end_, ChartProblem::Consistency::projected, closed_);
  if (e == Eval::ok) std::swap(state, closed_);
  return e;
}

/// Ends of steps in the chart of a problem aside, as far as the method remembers them.
bool RowSolver::locate_ends(const StepView& step) {
  if (!memory_.problem) {
    memory_.problem = formulation_->make(*system_, formulation_options_);
    learn_constraints(step, *memory_.problem);
  }
  ChartProblem& problem = *memory_.problem;
  if (problem.kind() != ProblemKind::ode) return false;
  if (problem.rebase(*step.start) != Eval::ok) return false;
  BackwardStep& back = memory_.step;
  const auto place = [&](const State& at) {
    back.ends[back.count].t = at.t;
    problem.locate(at, back.ends[back.count].y);
    ++back.count;
  };
  back.count = 0;
  place(*step.start);
  for (int i = 0; i < memory_.count && back.count < BackwardStep::most; ++i)
    if (memory_.ends[i].t < step.start->t) place(memory_.ends[i]);
  memory_.order = std::min(step.ends, back.count);
  return memory_.order > 0;
}

/// As the method itself goes to the end of a step.
Eval RowSolver::solve_backward(const StepView& step, const ChartPoint& point, State& state) {
  if (memory_.order == 0 && !locate_ends(step)) return Eval::recoverable;
  ChartProblem& problem = *memory_.problem;
  Local& y = trial_.y;
  if (Eval e = memory_.step.solve(problem, point.t, memory_.order, *step.state, scale_, y);
      e != Eval::ok)
    return e;
  if (Eval e = problem.finish(point.t, y, state, end_); e != Eval::ok) return e;
  return consistent(problem, step, point, state);
}

Eval RowSolver::solve(const StepView& step, const ChartPoint& point, State& state) {
  if (method_.differentiates_backward && solve_backward(step, point, state) == Eval::ok)
    return Eval::ok;
  if (Eval e = begin(step); e != Eval::ok) return e;
  const double t = point.t;
  double h = t - start_.t;
  const double least = h / most_parts;
  for (;;) {
    const bool last = t - start_.t <= 1.5 * h;
    bool good = false;
    const Eval e = step_to(last ? t : start_.t + h, state, good);
    // What steps before the last one do to fast modes dies away.
    if (last && good && looks_back_) good = acceleration_error(t) <= share;
    if (h > least && (e != Eval::ok || !good)) {
      h /= 2;
      continue;
    }
    if (e != Eval::ok) return e;
    if (last) return consistent(*problem_, step, point, state);
    start_ = state;
    has_begun_ = false;
    if (Eval f = prepare_base(); f != Eval::ok) return f;
  }
}

}  // namespace kardan
