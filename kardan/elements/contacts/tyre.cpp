#include "kardan/elements/contacts/tyre.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace kardan {

Road::Height Road::at(double x, bool on_bump) const {
  if (shape == RoadShape::table) {
    const TimeJet h = table->at(x);
    return {h.value, h.d1, h.d2};
  }
  if (!on_bump) return {};
  // With y = h + R: y^2 = (R+r)^2 - (x-xb)^2, y y_x = -(x-xb), y y_xx = -1 - y_x^2.
  const double reach = wheel_radius + bump_radius, s = x - bump_center;
  const double y = std::sqrt(reach * reach - s * s), y_x = -s / y;
  return {y - wheel_radius, y_x, -(1 + y_x * y_x) / y};
}

double Road::bump_function(double x) const {
  if (shape != RoadShape::bump) return -1;
  const double s = x - bump_center;
  return bump_radius * (bump_radius + 2 * wheel_radius) - s * s;
}

template <int D>
auto TyreKernel<D>::deflection(const BodyMotion<D>& B, const FixedVector<D>& arm, int mode) const
    -> Deflection {
  const VecOf<D> P = B.x + arm.U0, V = B.v + arm.U1;
  Deflection y;
  y.x = P[0];
  y.vx = V[0];
  y.road = road.at(y.x, (mode & bump_bit) != 0);
  y.d = radius + y.road.h - P[D - 1];
  y.rate = y.road.h_x * V[0] - V[D - 1];
  return y;
}

template <int D>
void TyreKernel<D>::evaluate(double, const Pair<D>& bodies, int mode, Depth depth,
                             Force<D>& out) const {
  out.clear(depth);
  if (!(mode & contact_bit)) return;
  const FixedVector<D> arm(bodies.B, s);
  const Deflection y = deflection(bodies.B, arm, mode);
  constexpr int up = D - 1;
  PointForce<D> f;
  f.F[up] = stiffness * y.d + damping * y.rate;
  f.F_P[up][0] = stiffness * y.road.h_x + damping * y.road.h_xx * y.vx;
  f.F_P[up][up] = -stiffness;
  f.F_V[up][0] = damping * y.road.h_x;
  f.F_V[up][up] = -damping;
  add_point_force(arm, f, depth, out);
}

template <int D>
Potential TyreKernel<D>::potential(double, const Pair<D>& bodies, int mode) const {
  if (damping > 0 || !(mode & contact_bit) || road.shape != RoadShape::flat) return {};
  const Deflection y = deflection(bodies.B, FixedVector<D>(bodies.B, s), mode);
  return {0.5 * stiffness * y.d * y.d, stiffness * y.d * y.rate};
}

template <int D>
double TyreKernel<D>::magnitude(double, const Pair<D>& bodies, int mode) const {
  if (!(mode & contact_bit)) return 0;
  const Deflection y = deflection(bodies.B, FixedVector<D>(bodies.B, s), mode);
  return stiffness * y.d + damping * y.rate;
}

template <int D>
void TyreKernel<D>::event_functions(double, const Pair<D>& bodies, int mode, double* z) const {
  const Deflection y = deflection(bodies.B, FixedVector<D>(bodies.B, s), mode);
  const double force = y.d + damping / stiffness * y.rate;
  z[0] = (mode & contact_bit) ? force : std::min(y.d, force);
  z[1] = road.bump_function(y.x);
}

template <int D>
int TyreKernel<D>::choose_mode(double, const Pair<D>& bodies) const {
  const FixedVector<D> arm(bodies.B, s);
  const double x = bodies.B.x.x + arm.U0.x;
  const int on_bump = road.bump_function(x) > 0 ? bump_bit : 0;
  const Deflection y = deflection(bodies.B, arm, on_bump);
  const bool acts = y.d > 0 && stiffness * y.d + damping * y.rate > 0;
  return on_bump | (acts ? contact_bit : 0);
}

/// The deflection d, while no force acts or damping does not count; where it does, what d has more
/// than the damper can take from the force, d + damping/stiffness d' > 0, if that is much. Then the
/// way to the ends of the bump. The slope of the bump is largest at its ends.
template <int D>
void TyreKernel<D>::event_guards(double, const Pair<D>& bodies, int mode, const SpeedBound<D>&,
                                 const SpeedBound<D>& B, double* guard, double* rate) const {
  if (road.shape == RoadShape::table) return;
  const Deflection y = deflection(bodies.B, FixedVector<D>(bodies.B, s), mode);
  const bool bump = road.shape == RoadShape::bump;
  const double half =
      bump ? std::sqrt(road.bump_radius * (road.bump_radius + 2 * road.wheel_radius)) : 0;
  const double turning = B.w * norm(s);
  guard[1] = bump ? half - std::abs(y.x - road.bump_center) : -1;
  rate[1] = bump ? B.v[0] + turning : 0;
  const double slope = (mode & bump_bit) ? half / road.wheel_radius : 0;
  const double speed = slope * B.v[0] + B.v[D - 1] + (1 + slope) * turning;
  const double damped =
      damping > 0 && ((mode & contact_bit) || y.d > 0) ? damping / stiffness * speed : 0;
  if (damped > 0.5 * std::abs(y.d)) return;
  if (damped > 0 && !((mode & contact_bit) && y.d > 0)) return;
  guard[0] = y.d - damped;
  rate[0] = speed;
}

RoadLine Tyre::road_line(double from, double to) const {
  RoadLine out{fmt::format("{} {} {}", road, bump_center, bump_radius), {}};
  if (road == "table" && table) {
    constexpr int pieces = 400;
    for (int i = 0; i <= pieces; ++i) {
      const double x = from + (to - from) * i / pieces;
      out.points.push_back({x, table->at(x).value});
    }
    return out;
  }
  out.points.push_back({from, 0});
  if (road == "bump") {
    constexpr int pieces = 24;
    for (int i = 0; i <= pieces; ++i) {
      const double a = std::numbers::pi * (1 - static_cast<double>(i) / pieces);
      out.points.push_back({bump_center + bump_radius * std::cos(a), bump_radius * std::sin(a)});
    }
  }
  out.points.push_back({to, 0});
  return out;
}

template <int D>
void Tyre::build(Builder<D>& b) const {
  if (road != "bump" && (bump_radius > 0 || bump_center != 0))
    return b.fail("tyre.bump", "a bump is given, but the road is '" + road + "'",
                  "write road: bump, or leave bump_radius and bump_center out");
  if (road == "bump" && !(bump_radius > 0))
    return b.fail("tyre.bump", "road 'bump' needs bump_radius > 0", "give the bump's radius [m]");
  if ((road == "table") != table.has_value())
    return b.fail("tyre.table",
                  table ? "a table is given, but the road is '" + road + "'"
                        : "road 'table' needs a table of the height",
                  "write road: table and table: [[x, h], ...]");
  if (table && table->continuous_derivatives() < 1)
    return b.fail("tyre.table",
                  "the table of a road must have a slope everywhere, this one is linear",
                  "a corner of the road would be a jump of the damper force no event announces");
  Road profile;
  profile.shape = road == "bump"    ? RoadShape::bump
                  : road == "table" ? RoadShape::table
                                    : RoadShape::flat;
  profile.wheel_radius = radius;
  profile.bump_radius = bump_radius;
  profile.bump_center = bump_center;
  profile.table = table;
  if (table) b.road_input({*table, b.frame(0).s, stiffness, damping}, 0);
  b.force(TyreKernel<D>{b.frame(0).s, radius, stiffness, damping, profile}, Builder<D>::ground, 0);
}

template struct TyreKernel<2>;
template struct TyreKernel<3>;
template void Tyre::build(Builder<2>&) const;
template void Tyre::build(Builder<3>&) const;

}  // namespace kardan
