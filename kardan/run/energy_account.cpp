#include "kardan/run/energy_account.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// The largest of `values` by size; -1 where all are zero.
int largest(std::span<const double> values) {
  int at = -1;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i]) > (at < 0 ? 0.0 : std::abs(values[at]))) at = static_cast<int>(i);
  return at;
}

}  // namespace

void EnergyAccount::use(const System& system, const ErrorScale& scale, const State& state,
                        Workspace& ws) {
  system_ = &system;
  scale_ = scale;
  mass_.assign(system.sizes().v, 0.0);
  if (system.evaluate(state, Request::all(), ws) != Eval::ok) return;
  const SparsePattern& M = *ws.M.pattern;
  for (int i = 0; i < M.rows; ++i)
    for (int k = M.row_start[i]; k < M.row_start[i + 1]; ++k) mass_[i] += std::abs(ws.M.values[k]);
}

double EnergyAccount::of_step(const State& state, const Vector& a) const {
  const ErrorScale& s = scale_;
  // Positions count as the error control counts them: coordinates of bodies by their size, turns
  // in space by one.
  const auto size = [&](const BodyLayout& body, int k) {
    return k < body.p_count && !(system_->dimension() == 3 && k > 2) ? std::abs(state.p[body.p + k])
                                                                     : 1.0;
  };
  double sum = 0;
  for (const BodyLayout& body : system_->bodies())
    for (int k = 0; k < body.v_count; ++k) {
      const int j = body.v + k;
      const double rel_x = s.relative_position.empty() ? s.relative : s.relative_position[j];
      const double rel_v = s.relative_velocity.empty() ? s.relative : s.relative_velocity[j];
      const double v = std::abs(state.v[j]), x = size(body, k);
      sum += mass_[j] * v * (s.velocity[j] + rel_v * v);
      if (!a.empty()) sum += mass_[j] * std::abs(a[j]) * (s.position[j] + rel_x * x);
    }
  return sum;
}

double EnergyAccount::unit() const {
  const Scales& s = system_->scales();
  double sum = 0;
  for (std::size_t j = 0; j < mass_.size(); ++j) {
    const double size = system_->coordinate_scale(static_cast<int>(j));
    sum += mass_[j] * size * size * s.acceleration / s.length;
  }
  return sum;
}

std::string busiest_element(const System& system, const State& state, const Vector& lambda,
                            Workspace& ws) {
  if (!lambda.empty() && system.evaluate(state, {.velocity = true}, ws) == Eval::ok) {
    Vector power(std::min(lambda.size(), ws.g_t.size()));
    for (std::size_t i = 0; i < power.size(); ++i) power[i] = lambda[i] * ws.g_t[i];
    if (const int row = largest(power); row >= 0) return system.row_name(row);
    if (const int row = largest(lambda); row >= 0) return system.row_name(row);
  }
  const BodyEquations* bodies = system.bodies_at(state, ws);
  if (!bodies) return {};
  Vector forces(system.blueprint().elements.size());
  bodies->element_forces(state, forces, ws);
  for (double& f : forces)
    if (!std::isfinite(f)) f = 0;
  const int element = largest(forces);
  return element >= 0 ? system.blueprint().elements[element].name : std::string();
}

}  // namespace kardan
