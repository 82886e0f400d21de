/// What the assembly has changed of the start that was given.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/formulation/assembly.h"

namespace kardan {
namespace {

/// At most this many are named in a warning; the report has all of them.
constexpr std::size_t most_listed = 5;

/// [rad] Between two unit quaternions.
double angle_between(const double* p, const double* q) {
  double same = 0, other = 0;
  for (int k = 0; k < 4; ++k) {
    same += (p[k] - q[k]) * (p[k] - q[k]);
    other += (p[k] + q[k]) * (p[k] + q[k]);
  }
  return 4 * std::asin(std::min(1.0, 0.5 * std::sqrt(std::min(same, other))));
}

/// The scale of a velocity of column j.
double speed_scale(const System& system, int j) {
  const Scales& s = system.scales();
  return system.coordinate_scale(j) * s.speed / s.length;
}

/// Velocities of the columns [first, last) of a body, where one of them was given.
void add_velocities(const System& system, const State& from, const State& to, int first, int last,
                    StartChanges& out, std::vector<std::string>& warned) {
  const auto given = [&](int j) { return from.v[static_cast<std::size_t>(j)] != 0; };
  bool any = false;
  for (int j = first; j < last; ++j) any = any || given(j);
  if (!any) return;
  for (int j = first; j < last; ++j) {
    const double a = from.v[static_cast<std::size_t>(j)], b = to.v[static_cast<std::size_t>(j)];
    const double share = std::abs(b - a) / speed_scale(system, j);
    if (!(share > StartChanges::told_share)) continue;
    const std::string name = system.velocity_name(j);
    out.velocities.push_back({name, a, b});
    if (share > StartChanges::warned_share)
      warned.push_back(fmt::format("{} from {:.4g} to {:.4g}", name, a, b));
  }
}

std::string some(const std::vector<std::string>& names) {
  if (names.size() <= most_listed) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most_listed, ", "),
                     names.size() - most_listed);
}

}  // namespace

StartChanges find_changes(const System& system, const State& from, const State& to) {
  StartChanges out;
  std::vector<std::string> far, fast;
  const int D = system.dimension();
  for (std::size_t b = 1; b < system.bodies().size(); ++b) {
    const BodyLayout& body = system.bodies()[b];
    const double* p = from.p.data() + body.p;
    const double* q = to.p.data() + body.p;
    const int places = std::min(D, body.v_count);
    double square = 0;
    for (int k = 0; k < places; ++k) square += (q[k] - p[k]) * (q[k] - p[k]);
    MovedBody m{system.blueprint().bodies[b].name, std::sqrt(square), 0};
    if (D > 1 && body.v_count > D)
      m.angle = D == 2 ? std::abs(q[2] - p[2]) : angle_between(p + 3, q + 3);
    // A turn of 1 rad counts as a way of the model's length.
    const double share = std::max(m.length / system.coordinate_scale(body.v), m.angle);
    if (share > StartChanges::warned_share) {
      std::string text = fmt::format("'{}' by {:.3g}{}", m.body, m.length, D > 1 ? " m" : "");
      if (m.angle > StartChanges::told_share) text += fmt::format(" and {:.3g} rad", m.angle);
      far.push_back(std::move(text));
    }
    if (share > StartChanges::told_share) out.moved.push_back(std::move(m));
    add_velocities(system, from, to, body.v, body.v + places, out, fast);
    add_velocities(system, from, to, body.v + places, body.v + body.v_count, out, fast);
  }
  if (!far.empty())
    out.warnings.push_back(fmt::format(
        "to assemble the start, bodies were moved far from where they were given: {} (give their "
        "places, or those of the joints on them, more nearly)",
        some(far)));
  if (!fast.empty())
    out.warnings.push_back(
        fmt::format("velocities that were given cannot be kept: {} (joints and drivers do not "
                    "allow them: correct them, or leave them out)",
                    some(fast)));
  return out;
}

}  // namespace kardan
