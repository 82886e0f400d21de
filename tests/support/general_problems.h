#pragma once
/// Problems that together have every term of the general form, as user equations with reference
/// solutions (tests/data/general_problems.json):
///
///   pendulum        point mass on a rod in Cartesian coordinates, the example of GEOMS
///                   (Steinbrecher 2007, Example 2.8): g, e
///   sleigh_turning  a sleigh on a belt of constant speed, blade behind the centre: H, h(p), e
///   sleigh_driven   a sleigh on an accelerating belt, blade in the centre: H, h(t, p)
///   disc            a disc rolls on a moving wavy curve, driven and dragged: r, w, s, g(s), c(t),
///                   H, h(t, s), forces that depend on lambda and mu
///   parallelogram   three parallel cranks and a coupler: 12 constraints of rank 11
///   andrews         Andrews' squeezing mechanism in 7 angles with 6 constraints (Test Set for IVP
///                   Solvers, release 2.4, problem II-13): M(p)

#include <memory>
#include <string>
#include <vector>

#include "kardan/system/callback_equations.h"
#include "kardan/system/system.h"

namespace kardan::test {

/// The solution at one time.
struct ReferencePoint {
  State state;
  Vector a;                 ///< accelerations, where known
  Vector lambda;            ///< multipliers of all rows, of least norm where they are not unique;
                            ///< empty where unknown
  Vector constraint_force;  ///< G' lambda, where lambda is not unique
};

struct GeneralProblem {
  std::string name;
  std::unique_ptr<System> system;
  std::vector<ReferencePoint> reference;  ///< by time; the first may be the start
};

/// One of the problems above, its start as near the consistent one as doubles can be.
GeneralProblem general_problem(const std::string& name);
std::vector<std::string> general_problem_names();

/// The pendulum from the bottom with speed `speed`, or at rest at (1, 0) for speed 0.
GeneralProblem general_pendulum(double speed);

/// The pendulum at rest at (1, 0) as callbacks without derivatives.
CallbackEquations pendulum_callbacks();

/// Largest |x - y| / (1 + |y|) of two vectors, y the reference.
double weighed_difference(const Vector& x, const Vector& y);

}  // namespace kardan::test
