#include "kardan/formulation/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace kardan {
namespace {

/// Names the elements of a redundant set after the row itself.
std::string describe(const System& system, const RedundantSet& set) {
  std::vector<std::string> elements;
  for (const auto& [row, coefficient] : set.others) {
    const std::string& name = system.element_of_row(row);
    if (name == system.element_of_row(set.row)) continue;
    if (std::find(elements.begin(), elements.end(), name) == elements.end())
      elements.push_back(name);
  }
  if (set.others.empty()) return system.row_name(set.row) + ", by itself (it holds nothing)";
  if (elements.empty()) return system.row_name(set.row) + ", with other rows of the same joint";
  return fmt::format("{}, with {}", system.row_name(set.row), fmt::join(elements, ", "));
}

/// Rank near the configuration, shaken a little and closed again; -1 if it cannot be closed. Only
/// positions matter: velocities may have no answer so close to a singular position.
int nearby_rank(const System& system, const State& state, Workspace& ws) {
  constexpr double shake = 1e-3, closed = 1e-9;
  const ConsistentStart near = assemble(system, shaken(system, state, shake), {});
  if (!(near.report.reached.position < closed)) return -1;
  return constraint_dependencies(system, near.state, ws).rank;
}

void find_massless(const System& system, ConstraintAnalysis& out) {
  const auto& bodies = system.blueprint().bodies;
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    const BodyData& body = bodies[b];
    bool whole = body.mass > 0;
    if (body.kind == BodyKind::rigid) {
      const Mat3d& J = body.inertia;
      whole = whole && J[2][2] > 0 && (system.dimension() == 2 || (J[0][0] > 0 && J[1][1] > 0));
    }
    if (!whole) out.massless.push_back(body.name);
  }
}

void find_unused(const System& system, ConstraintAnalysis& out) {
  if (!system.has_bodies()) return;
  std::set<int> touched;
  for (const ElementData& e : system.blueprint().elements)
    if (e.type->category != Category::sensor)
      for (const FrameData& f : e.frames) touched.insert(f.body);
  for (const std::vector<int>& bodies : system.row_bodies())
    touched.insert(bodies.begin(), bodies.end());
  for (int b = 1; b < static_cast<int>(system.bodies().size()); ++b)
    if (!touched.count(b)) out.unused.push_back(system.blueprint().bodies[b].name);
}

/// Rank and dependencies of the first rows; the others count as zero.
RowDependencies dependencies_of_first(int rows, const System& system, const State& state,
                                      Workspace& ws, RankOptions options) {
  if (system.evaluate(state, {.velocity = true}, ws) != Eval::ok) {
    RowDependencies none;
    none.eval = Eval::recoverable;
    return none;
  }
  SparseMatrix scaled = ws.G;
  const SparsePattern& pattern = *scaled.pattern;
  std::fill(scaled.values.begin() + pattern.row_start[rows], scaled.values.end(), 0.0);
  Vector scale(pattern.cols);
  for (int j = 0; j < pattern.cols; ++j) scale[j] = column_scale(system, j);
  for (int k = 0; k < pattern.nonzeros(); ++k) scaled.values[k] *= scale[pattern.column[k]];
  return find_row_dependencies(scaled, options);
}

}  // namespace

RowDependencies constraint_dependencies(const System& system, const State& state, Workspace& ws,
                                        double tolerance) {
  return dependencies_of_first(
      system.sizes().constraints(), system, state, ws,
      {.tolerance = tolerance, .condition = RankOptions::Condition::left_out});
}

double constraint_condition(const System& system, const State& state, Workspace& ws) {
  return dependencies_of_first(system.sizes().constraints(), system, state, ws,
                               {.tolerance = rank_tolerance})
      .condition;
}

RowDependencies holonomic_dependencies(const System& system, const State& state, Workspace& ws) {
  return dependencies_of_first(
      system.sizes().lambda, system, state, ws,
      {.tolerance = rank_tolerance, .condition = RankOptions::Condition::left_out});
}

ConstraintAnalysis analyse(const System& system, const State& state, Workspace& ws) {
  ConstraintAnalysis out;
  const RowDependencies found = dependencies_of_first(system.sizes().constraints(), system, state,
                                                      ws, {.tolerance = rank_tolerance});
  const Sizes& n = system.sizes();
  out.rank = found.rank;
  out.position_rank = n.mu > 0 ? holonomic_dependencies(system, state, ws).rank : found.rank;
  out.degrees_of_freedom = n.v - found.rank;
  out.condition = found.condition;
  for (const Dependency& d : found.dependent) {
    RedundantSet set{d.row, d.combination, ""};
    set.text = describe(system, set);
    out.redundant.push_back(std::move(set));
  }
  find_massless(system, out);
  find_unused(system, out);
  out.generic_rank = n.constraints() > 0 ? nearby_rank(system, state, ws) : 0;
  if (out.generic_rank < 0)
    out.notes.push_back("the constraints could not be looked at in positions nearby");
  else if (out.generic_rank > out.rank)
    out.notes.push_back(
        fmt::format("singular position: the constraints have rank {} here but {} nearby; the "
                    "motion may branch",
                    out.rank, out.generic_rank));
  else if (out.condition > near_singular_condition)
    out.notes.push_back(fmt::format("nearly singular position: condition {:.2g}", out.condition));
  return out;
}

std::vector<Reaction> reactions(const System& system, const State& state,
                                std::span<const double> lambda, const ConstraintAnalysis& analysis,
                                Workspace& ws) {
  std::vector<Reaction> out;
  if (system.evaluate(state, {.velocity = true}, ws) != Eval::ok) return out;
  std::set<int> shared;  // elements whose reactions can be shifted among each other
  for (const RedundantSet& set : analysis.redundant) {
    shared.insert(system.rows()[set.row].element);
    for (const auto& [row, c] : set.others) shared.insert(system.rows()[row].element);
  }
  const auto& elements = system.blueprint().elements;
  const SparsePattern& pattern = *ws.G.pattern;
  const int D = system.dimension();
  std::vector<std::vector<int>> rows(elements.size());
  for (int i = 0; i < system.sizes().constraints(); ++i)
    rows[system.rows()[i].element].push_back(i);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (rows[e].empty() || elements[e].frames.empty()) continue;
    Reaction r;
    r.element = elements[e].name;
    r.unique = !shared.count(static_cast<int>(e));
    // On the second body, or on the first where the second is the ground (with the sign turned).
    FrameData frame = elements[e].frames.back();
    double sign = -1;
    if (frame.body == 0) {
      frame = elements[e].frames.front();
      sign = 1;
    }
    const BodyLayout& body = system.bodies()[frame.body];
    Vec3d force, spin;
    for (int i : rows[e])
      for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
        const int c = pattern.column[k] - body.v;
        if (c < 0 || c >= body.v_count) continue;
        const double q = sign * lambda[i] * ws.G.values[k];
        if (c < D)
          force[c] += q;
        else
          spin[D == 2 ? 2 : c - D] += q;
      }
    const double* p = state.p.data() + body.p;
    Mat3d R = Mat3d::identity();
    if (D == 2 && body.v_count > 2) R = rotation_exp({0, 0, p[2]});
    if (D == 3 && body.v_count > 3) R = rotation_matrix(Quaternion{p[3], p[4], p[5], p[6]});
    r.force = force;
    // From the centre of mass to the joint's frame.
    r.torque = R * spin - cross(R * frame.s, force);
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace kardan
