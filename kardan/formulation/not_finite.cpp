#include "kardan/formulation/not_finite.h"

#include <fmt/format.h>

#include <cmath>

namespace kardan {
namespace {

std::string place_of(const ElementData& e) {
  return e.where.line > 0 ? fmt::format(" ({}:{})", e.where.file.str(), e.where.line) : "";
}

bool tell(AssemblyReport& report, std::string what, const char* advice) {
  report.diagnosis = Diagnosis::not_finite;
  report.message = std::move(what);
  report.advice = advice;
  return true;
}

}  // namespace

bool blame_not_finite(const System& system, const State& state, Workspace& ws,
                      AssemblyReport& report) {
  const auto& elements = system.blueprint().elements;
  Vector forces(elements.size());
  std::vector<Vec3d> vectors(elements.size());
  system.element_forces(state, forces, ws);
  system.force_vectors(state, vectors, ws);
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (!std::isfinite(forces[i]) || !std::isfinite(norm(vectors[i])))
      return tell(report,
                  fmt::format("the force of '{}'{} is not finite at the start", elements[i].name,
                              place_of(elements[i])),
                  "look at its expressions at the start; a spring, and a line between two points, "
                  "need these to be apart");
  (void)system.evaluate(state, Request::all(), ws);
  for (std::size_t row = 0; row < ws.g.size(); ++row)
    if (!std::isfinite(ws.g[row]) || !std::isfinite(ws.gamma[row]))
      return tell(report,
                  fmt::format("the constraint '{}' is not finite at the start",
                              system.row_name(static_cast<int>(row))),
                  "look at its expressions, and whether its points coincide");
  if (!all_finite(ws.f))
    return tell(report, "a force is not finite at the start",
                "look at the expressions of the forces at the start");
  if (!all_finite(ws.M.values))
    return tell(report, "the mass matrix is not finite at the start",
                "look at the expressions of the masses at the start");
  return false;
}

}  // namespace kardan
