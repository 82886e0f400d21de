#include "kardan/formulation/culprit.h"

#include <fmt/format.h>

#include <cmath>

#include "kardan/formulation/assembly_report.h"

namespace kardan {
namespace {

/// What is no number, in the order in which it is looked for.
struct Found {
  enum class What { nothing, element, row, force, mass } what = What::nothing;
  std::size_t index = 0;  // of the element, or of the row
};

Found find(const System& system, const State& state, Workspace& ws) {
  if (const BodyEquations* bodies = system.bodies_at(state, ws)) {
    Vector forces(system.blueprint().elements.size());
    std::vector<Vec3d> vectors(forces.size());
    bodies->element_forces(state, forces, ws);
    bodies->force_vectors(state, vectors, ws);
    for (std::size_t i = 0; i < forces.size(); ++i)
      if (!std::isfinite(forces[i]) || !std::isfinite(norm(vectors[i])))
        return {Found::What::element, i};
  }
  (void)system.evaluate(state, Request::all(), ws);
  for (std::size_t row = 0; row < ws.g.size(); ++row)
    if (!std::isfinite(ws.g[row]) || !std::isfinite(ws.gamma[row])) return {Found::What::row, row};
  if (!all_finite(ws.f)) return {Found::What::force};
  if (!all_finite(ws.M.values)) return {Found::What::mass};
  return {};
}

std::string place_of(const ElementData& e) {
  return e.where.line > 0 ? fmt::format(" ({}:{})", e.where.file.str(), e.where.line) : "";
}

}  // namespace

std::string contradicting_row(const System& system, int row) {
  return fmt::format("'{}': it contradicts the other constraints", system.row_name(row));
}

std::string not_finite_culprit(const System& system, const State& state, Workspace& ws) {
  const Found found = find(system, state, ws);
  if (found.what == Found::What::element)
    return fmt::format("'{}': its force is not finite",
                       system.blueprint().elements[found.index].name);
  if (found.what == Found::What::row)
    return fmt::format("'{}', which is not finite", system.row_name(static_cast<int>(found.index)));
  return "a force that is not finite";
}

bool blame_not_finite(const System& system, const State& state, Workspace& ws,
                      AssemblyReport& report) {
  const Found found = find(system, state, ws);
  const auto blame = [&](std::string what, const char* advice) {
    report.diagnosis = Diagnosis::not_finite;
    report.message = std::move(what);
    report.advice = advice;
  };
  switch (found.what) {
    case Found::What::nothing:
      break;
    case Found::What::element: {
      const ElementData& element = system.blueprint().elements[found.index];
      blame(fmt::format("the force of '{}'{} is not finite at the start", element.name,
                        place_of(element)),
            "look at its expressions at the start; a spring, and a line between two points, need "
            "these to be apart");
      break;
    }
    case Found::What::row:
      blame(fmt::format("the constraint '{}' is not finite at the start",
                        system.row_name(static_cast<int>(found.index))),
            "look at its expressions, and whether its points coincide");
      break;
    case Found::What::force:
      blame("a force is not finite at the start",
            "look at the expressions of the forces at the start");
      break;
    case Found::What::mass:
      blame("the mass matrix is not finite at the start",
            "look at the expressions of the masses at the start");
      break;
  }
  return found.what != Found::What::nothing;
}

std::string advice_on_mass(const Blueprint& blueprint) {
  constexpr std::size_t most_named = 8;
  std::vector<std::string> names;
  for (std::size_t b = 1; b < blueprint.bodies.size() && names.size() < most_named; ++b) {
    const BodyData& body = blueprint.bodies[b];
    bool whole = body.mass > 0;
    for (int k = blueprint.dimension == 2 ? 2 : 0; k < 3 && body.kind == BodyKind::rigid; ++k)
      whole = whole && body.inertia[k][k] > 0;
    if (!whole) names.push_back(fmt::format("'{}'", body.name));
  }
  if (names.empty()) return "give every free body mass and inertia";
  return fmt::format("give mass and inertia to {}, in directions where nothing holds them",
                     fmt::join(names, ", "));
}

}  // namespace kardan
