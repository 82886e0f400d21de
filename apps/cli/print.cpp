#include "apps/cli/print.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/io/start_json.h"

namespace kardan::cli {

void print_title(const std::string& name) {
  fmt::print("{}\n\n", printable(name, Lines::one));
}

void print_json(const Json& json) {
  const bool ascii = isatty(STDOUT_FILENO) != 0;
  fmt::print("{}\n", json.dump(2, ' ', ascii, Json::error_handler_t::replace));
}

void print_residuals(const char* label, const Residuals& r) {
  fmt::print("{:<22}position {:.1e}   velocity {:.1e}   acceleration {:.1e}  (scaled)\n", label,
             r.position, r.velocity, r.acceleration);
}

void print_given(const Residuals& r) {
  fmt::print("{:<22}position {:.1e}   velocity {:.1e}  (scaled)\n", "given start", r.position,
             r.velocity);
}

void print_changes(const StartChanges& changes) {
  constexpr std::size_t most = 10;
  const auto rest = [](std::size_t all) {
    if (all > most) fmt::print("{:<22}and {} more (--json prints all)\n", "", all - most);
  };
  for (std::size_t i = 0; i < std::min(most, changes.moved.size()); ++i) {
    const MovedBody& m = changes.moved[i];
    fmt::print("{:<22}'{}' by {:.3g} m{}\n", "moved at the start", m.body, m.length,
               m.angle > StartChanges::told_share ? fmt::format(", {:.3g} rad", m.angle) : "");
  }
  rest(changes.moved.size());
  for (std::size_t i = 0; i < std::min(most, changes.velocities.size()); ++i) {
    const ChangedVelocity& v = changes.velocities[i];
    fmt::print("{:<22}{} from {:.6g} to {:.6g}\n", "changed at the start", v.name, v.from, v.to);
  }
  rest(changes.velocities.size());
  for (const std::string& warning : changes.warnings) fmt::print("{:<22}{}\n", "warning", warning);
}

void print_wishes(const std::vector<WishResult>& wishes) {
  for (const WishResult& w : wishes)
    fmt::print("  wish {:<36} {:<12} {}\n", w.text, to_string(w.priority),
               w.met                          ? "met"
               : w.priority == Priority::free ? fmt::format("free: {:.12g}", w.reached)
                                              : fmt::format("NOT met: reached {:.12g}", w.reached));
}

/// Every quantity of user equations, one a line.
static void print_variables(const System& system, const ConsistentStart& start) {
  const auto ws = system.make_workspace();
  fmt::print("\n");
  for (const std::string& name : system.quantity_names())
    if (name != "t")
      fmt::print("{:<24}{:>20.12g}\n", name,
                 system.quantity(*system.find_quantity(name), start.state, 0, {}, {}, *ws));
}

void print_start(const System& system, const ConsistentStart& start) {
  if (!system.has_bodies()) {
    print_variables(system, start);
    return;
  }
  constexpr std::size_t most = 30;
  const int D = system.dimension();
  fmt::print("\ncentres of mass\n{:<24}{:>14}{:>14}{:>14}   {:>14}{:>14}{:>14}\n", "body", "x", "y",
             D == 2 ? "angle" : "z", "vx", "vy", D == 2 ? "omega" : "vz");
  std::size_t shown = 0;
  for (std::size_t b = 1; b < system.bodies().size() && shown < most; ++b, ++shown) {
    const BodyLayout& body = system.bodies()[b];
    fmt::print("{:<24}", system.blueprint().bodies[b].name);
    for (int k = 0; k < 3; ++k)
      fmt::print("{:>14}",
                 k < body.p_count ? fmt::format("{:.7g}", start.state.p[body.p + k]) : "");
    fmt::print("   ");
    for (int k = 0; k < 3; ++k)
      fmt::print("{:>14}",
                 k < body.v_count ? fmt::format("{:.7g}", start.state.v[body.v + k]) : "");
    fmt::print("\n");
  }
  if (system.bodies().size() - 1 > most)
    fmt::print("... and {} more (--json prints all)\n", system.bodies().size() - 1 - most);
}

std::string counted(int n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace kardan::cli
