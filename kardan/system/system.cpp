#include "kardan/system/system.h"

#include <algorithm>

namespace kardan {
namespace {

/// The body that owns a column: they are laid out in order.
int body_of(const System& system, int column) {
  const auto& bodies = system.bodies();
  const auto next = std::upper_bound(bodies.begin() + 1, bodies.end(), column,
                                     [](int c, const BodyLayout& b) { return c < b.v; });
  return static_cast<int>(next - bodies.begin()) - 1;
}

std::string name_of(const System& system, int column, const char* const (&planar)[3],
                    const char* const (&spatial)[6]) {
  const int body = body_of(system, column), k = column - system.bodies()[body].v;
  return system.blueprint().bodies[body].name + "." +
         (system.dimension() == 2 ? planar[k] : spatial[k]);
}

}  // namespace

int System::asked_event(int asked) const {
  const Blueprint& b = blueprint();
  return static_cast<int>(event_names().size() - b.impulses.size() - b.events.size()) + asked;
}

int System::rest_event(int impulse) const {
  return static_cast<int>(event_names().size() - blueprint().impulses.size()) + impulse;
}

void System::mark_rest(const State& s, std::span<double> z) const {
  const std::vector<int>& impulses = blueprint().impulses;
  for (int i = 0; i < static_cast<int>(impulses.size()); ++i) {
    const int side = s.modes[rest_mode(i)];
    if (side != 0) z[asked_event(impulses[i])] = side;
    z[rest_event(i)] = side != 0 ? 1 : -1;
  }
}

std::string System::row_name(int row) const {
  const std::string& label = rows()[row].label;
  return label.empty() ? element_of_row(row) : element_of_row(row) + " " + label;
}

void System::force_vectors(const State&, std::span<Vec3d> out, Workspace&) const {
  std::fill(out.begin(), out.end(), Vec3d{});
}

const std::string& System::element_of_row(int row) const {
  return blueprint().elements[rows()[row].element].name;
}

std::string System::coordinate_name(int column) const {
  // Rotations in the body frame: about its axes, as the spin is.
  return name_of(*this, column, {"x", "y", "angle"}, {"x", "y", "z", "rx", "ry", "rz"});
}

std::string System::velocity_name(int column) const {
  return name_of(*this, column, {"vx", "vy", "omega"}, {"vx", "vy", "vz", "wx", "wy", "wz"});
}

std::string System::acceleration_name(int column) const {
  return name_of(*this, column, {"ax", "ay", "alpha"},
                 {"ax", "ay", "az", "alphax", "alphay", "alphaz"});
}

bool System::is_rotation(int column) const {
  return column - bodies()[body_of(*this, column)].v >= dimension();
}

double System::coordinate_scale(int column) const {
  return is_rotation(column) ? 1.0 : scales().length;
}

double System::row_scale(int row) const {
  return rows()[row].unit == RowUnit::length ? scales().length : 1.0;
}

double System::state_scale(int) const {
  return scales().mass * scales().acceleration;
}

}  // namespace kardan
