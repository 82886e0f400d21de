#pragma once
/// What the constraints of a model do: rank, degrees of freedom, redundant sets by joint and
/// direction, reactions that are unique or not, singular positions.
///
/// Rank is decided on the constraint matrix with displacements measured in the model's length scale
/// and every row scaled to unit length, so that it does not depend on units: a row is dependent
/// when less than `rank_tolerance` of it remains after removing its components along the others.

#include <string>
#include <vector>

#include "kardan/formulation/assembly.h"
#include "kardan/linalg/rank.h"
#include "kardan/system/system.h"

namespace kardan {

inline constexpr double rank_tolerance = 1e-9;
/// Condition of the independent rows from which a configuration counts as nearly singular.
inline constexpr double near_singular_condition = 1e7;

/// A constraint row that follows from others: row = sum of coefficient * other.
struct RedundantSet {
  int row = 0;
  std::vector<std::pair<int, double>> others;
  std::string text;  ///< "hinge_3 rotation about local y, with hinge_1, hinge_2"
};

/// Force and torque a joint exerts on its second body.
struct Reaction {
  std::string element;
  Vec3d force;   ///< [N] world
  Vec3d torque;  ///< [N m] world, about the joint's frame on the second body
  bool unique = true;
};

struct ConstraintAnalysis {
  int rank = 0;
  int position_rank = 0;       ///< of the holonomic rows alone
  int degrees_of_freedom = 0;  ///< free velocities
  int generic_rank = 0;        ///< rank at configurations nearby; larger at a singular position
  double condition = 1;
  std::vector<RedundantSet> redundant;
  std::vector<std::string> massless;  ///< bodies without mass or inertia in some direction
  std::vector<std::string> unused;    ///< bodies no element touches
  std::vector<std::string> notes;     ///< near-singular, singular, ...
};

/// Analyses the constraints at a consistent state.
ConstraintAnalysis analyse(const System& system, const State& state, Workspace& ws);

/// Rank and dependencies at a state, on the scaled matrix: of all rows, and of the holonomic ones;
/// without the condition.
RowDependencies constraint_dependencies(const System& system, const State& state, Workspace& ws,
                                        double tolerance = rank_tolerance);
RowDependencies holonomic_dependencies(const System& system, const State& state, Workspace& ws);
/// Of all rows there, the condition of those that are independent.
double constraint_condition(const System& system, const State& state, Workspace& ws);

/// Reactions of all joints from the multipliers at a state.
std::vector<Reaction> reactions(const System& system, const State& state,
                                std::span<const double> lambda, const ConstraintAnalysis& analysis,
                                Workspace& ws);

}  // namespace kardan
