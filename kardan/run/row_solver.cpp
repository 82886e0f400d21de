#include "kardan/run/row_solver.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/rotation_rates.h"

namespace kardan {
namespace {

/// Share of the tolerance that a row may be off by because it is interpolated.
constexpr double share = 0.2;
/// Tolerances that accelerations may be off by for that reason.
constexpr double acceleration_share = 1;
/// The defect vanishes where s (1-s) = 1/5, and that of first-order variables in the middle: there
/// it is taken for no less than what it is nearby.
constexpr double blind = 0.03;
/// e' and e, of those that the quintic has at most, by h e'' and h^2 e''.
constexpr double velocity_share = 1.0 / 6, position_share = 1.0 / 40;

/// A method with a stepper that treats the same problems.
const Method& one_step(const Method& method) {
  if (method.make) return method;
  for (const Method& m : methods())
    if (m.make && m.problem == method.problem && m.is_explicit == method.is_explicit) return m;
  return method;
}

/// Methods that enforce constraints themselves take what their positions are off by over the square
/// of the step for a force: short steps are worse than the polynomial.
bool solves(const Method& method) {
  return method.make && method.problem != ProblemKind::constrained && method.order > 1;
}

}  // namespace

RowSolver::RowSolver(const Method& method, const OptionValues& options)
    : method_(&one_step(method)), options_(method_ == &method ? options : OptionValues{}) {}

void RowSolver::use(const System& system, const Formulation& formulation,
                    const OptionValues& options, const ErrorScale& scale) {
  system_ = &system;
  formulation_ = &formulation;
  formulation_options_ = options;
  scale_ = scale;
  problem_.reset();
  has_begun_ = false;
}

/// second_ and rate_: q'' of the quintic, z' of the cubic.
void RowSolver::follow_polynomial(const DenseStep& dense, double s) {
  const ChartPoint &A = dense.from, &B = dense.to;
  const double h = dense.h(), r = 1 - s;
  const double way = 60 * s * r * (1 - 2 * s) / (h * h);
  const double v0 = s * (-36 + s * (96 - 60 * s)) / h, v1 = s * (-24 + s * (84 - 60 * s)) / h;
  const double a0 = 1 + s * (-9 + s * (18 - 10 * s)), a1 = s * (3 + s * (-12 + 10 * s));
  second_.resize(A.q.size());
  for (std::size_t i = 0; i < second_.size(); ++i)
    second_[i] =
        way * (B.q[i] - A.q[i]) + v0 * A.dq[i] + v1 * B.dq[i] + a0 * A.ddq[i] + a1 * B.ddq[i];
  rate_.resize(A.z.size());
  for (std::size_t i = 0; i < rate_.size(); ++i)
    rate_[i] =
        6 * s * r * (B.z[i] - A.z[i]) / h + r * (1 - 3 * s) * A.dz[i] + s * (1 - 3 * r) * B.dz[i];
}

/// expected_: q'' that go with the accelerations at the point.
void RowSolver::to_chart(const ChartPoint& point, const Vector& a) {
  expected_ = a;
  if (system_->dimension() != 3) return;
  for (std::size_t b = 1; b < system_->bodies().size(); ++b) {
    const BodyLayout& body = system_->bodies()[b];
    if (body.v_count <= 3) continue;
    const std::size_t i = body.v + 3;
    const Vec3d second = rotation_second_rate({point.q[i], point.q[i + 1], point.q[i + 2]},
                                              {point.dq[i], point.dq[i + 1], point.dq[i + 2]},
                                              {a[i], a[i + 1], a[i + 2]});
    for (int c = 0; c < 3; ++c) expected_[i + c] = second[c];
  }
}

bool RowSolver::trusts(const StepView& step, const ChartPoint& point, const Vector& a,
                       const Vector& b) {
  const DenseStep& dense = *step.dense;
  if (dense.flow || !solves(*method_)) return true;
  const double h = dense.h(), s = (point.t - dense.from.t) / h, r = 1 - s;
  follow_polynomial(dense, s);
  to_chart(point, a);
  const double near = s * s * r * r / (6 * std::max(std::abs(1 - 5 * s * r), blind));
  const double position = h * h * std::max(near, position_share), velocity = h * velocity_share;
  const double first = h * s * r / (2 * std::max(std::abs(1 - 2 * s), blind));
  const auto unit = [&](std::size_t i, double value, const Vector& absolute,
                        const Vector& relative) {
    return share * (absolute[i] + (relative.empty() ? scale_.relative : relative[i]) * value);
  };
  const auto relative_of = [&](std::size_t i) {
    return scale_.relative_velocity.empty() ? scale_.relative : scale_.relative_velocity[i];
  };
  for (std::size_t i = 0; i < second_.size(); ++i) {
    const double d = std::abs(expected_[i] - second_[i]);
    const double way = std::abs(dense.to.q[i] - dense.from.q[i]);
    const double speed = std::max(std::abs(dense.from.dq[i]), std::abs(dense.to.dq[i]));
    // Where fast modes rule, d is the error of the accelerations themselves.
    const double most =
        std::max({std::abs(dense.from.ddq[i]), std::abs(dense.to.ddq[i]), std::abs(expected_[i])});
    const double least = scale_.velocity[i] * scale_.velocity[i] / scale_.position[i];
    if (!(d <= acceleration_share * (least + relative_of(i) * most)) ||
        !(d * position <= unit(i, way, scale_.position, scale_.relative_position)) ||
        !(d * velocity <= unit(i, speed, scale_.velocity, scale_.relative_velocity)))
      return false;
  }
  for (std::size_t i = 0; i < rate_.size(); ++i)
    if (!(std::abs(b[i] - rate_[i]) * first <=
          unit(i, std::abs(point.z[i]), scale_.first, scale_.relative_first)))
      return false;
  return true;
}

/// The base at the start of the step.
Eval RowSolver::begin(const StepView& step) {
  if (has_begun_ && begun_ == step.dense->from.t) return Eval::ok;
  has_begun_ = false;
  if (!problem_) {
    problem_ = formulation_->make(*system_, formulation_options_);
    stepper_ = method_->make(complete_options(method_->options, options_));
  }
  using Consistency = ChartProblem::Consistency;
  if (Eval e = step.problem->state_at(step.dense->from, Consistency::as_interpolated, start_);
      e != Eval::ok)
    return e;
  if (Eval e = problem_->rebase(start_); e != Eval::ok) return e;
  if (method_->needs_jacobian)
    if (Eval e = problem_->jacobian(jacobian_); e != Eval::ok) return e;
  stepper_->accept(After::event);  // each row is the first of its motion
  begun_ = step.dense->from.t;
  has_begun_ = true;
  return Eval::ok;
}

Eval RowSolver::solve(const StepView& step, double t, State& state) {
  if (Eval e = begin(step); e != Eval::ok) return e;
  const double h = t - start_.t;
  if (Eval e = problem_->begin_step(h); e != Eval::ok) return e;
  const StepStart start{start_.t,   &problem_->base(), &problem_->base_rate(),
                        &jacobian_, &start_,           &scale_};
  if (Eval e = stepper_->attempt(*problem_, start, h, trial_, unused_); e != Eval::ok) return e;
  return problem_->finish(t, trial_.y, state, end_);
}

}  // namespace kardan
