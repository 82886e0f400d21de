/// What constraints and exact wishes leave free at a consistent start, and starts that are taken
/// as they are given.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/analysis.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/culprit.h"
#include "kardan/formulation/mirror_image.h"
#include "kardan/linalg/row_space.h"

namespace kardan {
namespace {

/// Above this the names would not be read, and dense factors would take long.
constexpr int largest_named = 300;
/// A start to be taken as given may miss a constraint by this, scaled.
constexpr double given_tolerance = 1e-8;
/// And a wish by this, of the value wanted.
constexpr double wish_tolerance = 1e-9;

}  // namespace

std::vector<std::string> free_coordinates(const System& system, const State& state,
                                          const std::vector<BoundWish>& wishes, WishLevel level,
                                          Workspace& ws) {
  const int n = system.sizes().v;
  const int rows =
      level == WishLevel::position ? system.sizes().lambda : system.sizes().constraints();
  std::vector<std::string> names;
  if (n > largest_named || system.evaluate(state, {.velocity = true}, ws) != Eval::ok) return names;
  std::vector<const BoundWish*> exact;
  for (const BoundWish& w : wishes)
    if (w.level == level && w.data->priority == Priority::exactly) exact.push_back(&w);
  Matrix A(rows + static_cast<int>(exact.size()), n);
  A.set_zero();
  const SparsePattern& p = *ws.G.pattern;
  for (int i = 0; i < rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) A(i, p.column[k]) = ws.G.values[k];
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const std::span<double> row{A.row(rows + static_cast<int>(k)), static_cast<std::size_t>(n)};
    (void)wish_residual(*exact[k], system, state, row, ws);
  }
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < n; ++j) A(i, j) *= column_scale(system, j);
  RowSpace space;
  if (space.factor(A, rank_tolerance, std::min(A.rows(), n)) != Eval::ok) return names;
  // Coordinates by the largest row of the null space, less what those before have of it.
  Matrix N;
  space.null_space(N);
  const auto width = static_cast<std::size_t>(N.cols());
  std::vector<int> chosen;
  for (std::size_t c = 0; c < width; ++c) {
    int best = 0;
    double largest = -1;
    for (int j = 0; j < n; ++j) {
      // Of equal ones the first, whatever the rounding.
      const double size = norm_two({N.row(j), width});
      if (size > largest * (1 + 1e-6)) largest = size, best = j;
    }
    chosen.push_back(best);
    Vector along(N.row(best), N.row(best) + width);
    for (double& value : along) value /= largest;
    for (int j = 0; j < n; ++j) {
      const std::span<double> row{N.row(j), width};
      add_scaled(-dot(row, along), along, row);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  for (const int j : chosen)
    names.push_back(level == WishLevel::position ? system.coordinate_name(j)
                                                 : system.velocity_name(j));
  return names;
}

ConsistentStart take_as_given(const System& system, State given,
                              const std::vector<BoundWish>& wishes) {
  ConsistentStart out;
  AssemblyReport& report = out.report;
  const auto ws = system.make_workspace();
  out.state = std::move(given);
  system.choose_modes(out.state, *ws);
  std::vector<std::string> missed;
  if (system.evaluate(out.state, {.position = true, .velocity = true}, *ws) != Eval::ok) {
    missed.push_back("the constraints, which are not finite there");
  } else {
    for (int i = 0; i < system.sizes().constraints(); ++i)
      for (const int l : {0, 1}) {
        const double off = scaled_residual(system, i, l, l == 0 ? ws->g[i] : ws->rate[i]);
        if (std::abs(off) > given_tolerance)
          missed.push_back(fmt::format("'{}' by {:.2g} ({})", system.row_name(i), std::abs(off),
                                       l == 0 ? "position" : "velocity"));
      }
  }
  if (const int e = mirrored_joint(system, out.state); e >= 0)
    missed.push_back(fmt::format("the joint '{}', whose axes do not point the same way",
                                 system.blueprint().elements[static_cast<std::size_t>(e)].name));
  for (const BoundWish& w : wishes) {
    const double miss = wish_residual(w, system, out.state, {}, *ws);
    WishResult r{w.data->text, w.data->priority, w.data->equals, w.data->equals + miss, false};
    r.met = std::abs(miss) <= wish_tolerance * std::max(1.0, std::abs(w.data->equals));
    if (!r.met && r.priority == Priority::exactly)
      missed.push_back(fmt::format("wish '{}' by {:.2g}", r.text, std::abs(miss)));
    report.wishes.push_back(std::move(r));
  }
  report.given = report.reached = constraint_residuals(system, out.state, {}, *ws);
  if (!missed.empty()) {
    report.status = Eval::fatal;
    report.diagnosis = Diagnosis::start_contradictory;
    report.message =
        fmt::format("the start is to be taken as given, but misses {}", fmt::join(missed, "; "));
    report.advice = "correct it, or let it be assembled (start: assembled)";
    return out;
  }
  report.status = solve_accelerations(system, out.state, out.a, out.lambda, *ws);
  if (report.status != Eval::ok && !blame_not_finite(system, out.state, *ws, report)) {
    report.diagnosis = Diagnosis::accelerations_singular;
    report.message = "the accelerations are not determined at the start";
    report.advice = advice_on_mass(system.blueprint());
  }
  report.reached = constraint_residuals(system, out.state, out.a, *ws);
  return out;
}

}  // namespace kardan
