#include "kardan/formulation/error_units.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

Vec3d first_three(std::span<const double> x, int at, int dimension) {
  return {x[at], x[at + 1], dimension == 3 ? x[at + 2] : 0.0};
}

/// Of numbers of any size: their squares may be none.
double length(const Vec3d& x) {
  const double squares = kardan::norm(x);
  return std::isfinite(squares) ? squares : std::hypot(x[0], x[1], x[2]);
}

double unit(const Vector& absolute, const Vector& relative, double relative_of_all, std::size_t i,
            double size) {
  return absolute[i] + (relative.empty() ? relative_of_all : relative[i]) * size;
}

}  // namespace

ErrorUnits::ErrorUnits(const System& system)
    : system_(system), position_(system.sizes().v), velocity_(system.sizes().v) {
  if (!system.has_bodies()) {
    for (int j = 0; j < system.sizes().v; ++j) add_vector(j, 1);
    return;
  }
  mechanisms_ = find_mechanisms(system.blueprint());
  const int D = system.dimension();
  for (std::size_t b = 1; b < system.bodies().size(); ++b) {
    const BodyLayout& body = system.bodies()[b];
    add_vector(body.v, D);
    add_vector(body.v + D, body.v_count - D);
  }
}

void ErrorUnits::add_vector(int first, int count) {
  if (count > 0) vectors_.push_back({first, first + count});
}

ErrorUnits::Standing ErrorUnits::standing(const Mechanism& m, const State& state,
                                          std::span<const double> before) const {
  const int D = system_.dimension();
  const double share = 1.0 / static_cast<double>(m.bodies.size());
  Vec3d middle;
  Standing out;
  for (int b : m.bodies) {
    const BodyLayout& body = system_.bodies()[b];
    middle += share * first_three(state.p, body.p, D);
    if (!m.floats) continue;
    out.speed += share * first_three(state.v, body.v, D);
    out.before += share * first_three(before, body.v, D);
  }
  for (int b : m.bodies) {
    const Vec3d from = first_three(state.p, system_.bodies()[b].p, D) - middle;
    out.extent = std::max(out.extent, length(from));
  }
  out.extent += system_.scales().length;
  out.place = m.floats ? middle : m.place;
  return out;
}

void ErrorUnits::measure(const Mechanism& m, const State& state, std::span<const double> before) {
  const int D = system_.dimension();
  const Standing at = standing(m, state, before);
  for (int b : m.bodies) {
    const BodyLayout& body = system_.bodies()[b];
    const Vec3d now = first_three(state.v, body.v, D), last = first_three(before, body.v, D);
    const double far =
        std::min(length(first_three(state.p, body.p, D) - at.place), at.extent);
    const double fast = std::max(length(now - at.speed), length(last - at.before));
    std::fill_n(position_.begin() + body.v, D, far);
    std::fill_n(velocity_.begin() + body.v, D, fast);
    if (body.v_count <= D) continue;
    const int turn = body.v + D, count = body.v_count - D;
    const auto spin = [&](std::span<const double> v) {
      return count == 1 ? std::abs(v[turn]) : length(first_three(v, turn, 3));
    };
    const double turned =
        count == 1 ? std::abs(state.p[body.p + D] - system_.blueprint().bodies[b].angle) : 0.0;
    std::fill_n(position_.begin() + turn, count, turned);
    std::fill_n(velocity_.begin() + turn, count, std::max(spin(state.v), spin(before)));
  }
}

void ErrorUnits::units(const State& state, std::span<const double> before, const ErrorScale& scale,
                       Local& out) {
  if (system_.has_bodies()) {
    for (const Mechanism& m : mechanisms_) measure(m, state, before);
  } else {
    for (std::size_t j = 0; j < position_.size(); ++j) {
      position_[j] = std::abs(state.p[j]);
      velocity_[j] = std::max(std::abs(state.v[j]), std::abs(before[j]));
    }
  }
  out.resize(system_.sizes().v, system_.sizes().r);
  for (std::size_t j = 0; j < position_.size(); ++j) {
    out.x[j] = unit(scale.position, scale.relative_position, scale.relative, j, position_[j]);
    out.u[j] = unit(scale.velocity, scale.relative_velocity, scale.relative, j, velocity_[j]);
  }
  for (std::size_t i = 0; i < out.z.size(); ++i)
    out.z[i] = unit(scale.first, scale.relative_first, scale.relative, i, std::abs(state.r[i]));
}

double ErrorUnits::norm(const Local& errors, const State& state, std::span<const double> before,
                        const ErrorScale& scale) {
  units(state, before, scale, units_);
  const bool finite = all_finite(errors.x) && all_finite(errors.u) && all_finite(errors.z);
  if (!finite) return std::nan("");
  double worst = std::max(largest(errors.x, units_.x), largest(errors.u, units_.u));
  for (std::size_t i = 0; i < errors.z.size(); ++i)
    worst = std::max(worst, std::abs(errors.z[i]) / units_.z[i]);
  return worst;
}

double ErrorUnits::largest(std::span<const double> errors, std::span<const double> units) const {
  double worst = 0;
  for (const Part& part : vectors_) {
    double sum = 0, most = 0;
    for (int j = part.first; j < part.end; ++j) {
      const double share = errors[j] / units[j];
      sum += share * share;
      most = std::max(most, std::abs(share));
    }
    worst = std::max(worst, std::isfinite(sum) ? std::sqrt(sum) : most);
  }
  return worst;
}

ErrorScale ErrorUnits::default_scale(double tolerance) const {
  ErrorScale s;
  s.relative = tolerance;
  const Scales& unit = system_.scales();
  for (int j = 0; j < system_.sizes().v; ++j) {
    const double length = system_.coordinate_scale(j);
    s.position.push_back(tolerance * length);
    s.velocity.push_back(tolerance * length * unit.speed / unit.length);
  }
  for (int i = 0; i < system_.sizes().r; ++i) s.first.push_back(tolerance * system_.state_scale(i));
  return s;
}

}  // namespace kardan
