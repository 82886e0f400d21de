#pragma once
/// Consistent initial values: from a guess that may be far off to positions, velocities,
/// accelerations and multipliers that satisfy all equations and all their hidden consequences.
///
///   positions       g = 0 and position wishes, by damped Gauss-Newton steps, each the smallest in
///                   the mass metric
///   velocities      G v + g_t = 0, H v + h = 0 and velocity wishes, nearest to the given ones in
///                   the mass metric
///   w               d = 0
///   accelerations   M a + G' lambda + H' mu = f,  G a = gamma  (with every time-dependent term)

#include <string>
#include <vector>

#include "kardan/formulation/residuals.h"
#include "kardan/formulation/wishes.h"
#include "kardan/integrate/diagnosis.h"
#include "kardan/system/system.h"

namespace kardan {

struct WishResult {
  std::string text;
  Priority priority = Priority::exactly;
  double wanted = 0, reached = 0;
  bool met = false;
};

/// Constraints and wishes that cannot hold together.
struct Conflict {
  std::string level;                 ///< "position", "velocity" or "acceleration"
  std::vector<std::string> members;  ///< "hinge_2 translation along world x", "wish 'a.x = 1'"
  double size = 0;                   ///< by how much the member with the largest part in it would
                                     ///< be missed if all others held [m or rad, per s or s^2]
};

/// How far a body was moved from the start given.
struct MovedBody {
  std::string body;
  double length = 0;  ///< [m] its centre; coordinates without bodies: in their own unit
  double angle = 0;   ///< [rad]
};

/// A velocity that was given and could not be kept.
struct ChangedVelocity {
  std::string name;
  double from = 0, to = 0;
};

/// What a start was changed by, beyond rounding (told_share of the model's scales). Velocities
/// count as given where a body's velocity, or its spin, is not zero.
struct StartChanges {
  std::vector<MovedBody> moved;
  std::vector<ChangedVelocity> velocities;
  /// In words, what is more than a share of the model's size and may not be meant.
  std::vector<std::string> warnings;

  static constexpr double told_share = 1e-6;
  static constexpr double warned_share = 0.1;
};

struct AssemblyReport {
  Eval status = Eval::ok;
  /// Why there is no start; or, where there is one, that conditions leave some of it free.
  Diagnosis diagnosis = Diagnosis::none;
  std::string message;  ///< what went wrong, empty if nothing
  std::string advice;
  int iterations = 0;
  bool shaken = false;  ///< the guess was displaced a little: no step led on from it
  Residuals given, reached;
  double moved = 0;  ///< [m] farthest way of a body's centre from the guess
  std::string moved_body;
  StartChanges changes;
  std::vector<WishResult> wishes;
  std::vector<Conflict> conflicts;
  /// Coordinates and velocities that constraints and exact wishes do not determine: there the
  /// nearest to those given are taken. Empty for large models.
  std::vector<std::string> free_positions, free_velocities;
};

struct ConsistentStart {
  State state;
  Vector a;       ///< accelerations
  Vector lambda;  ///< multipliers of all constraint rows (lambda, then mu)
  AssemblyReport report;
};

/// Assembles from `guess` (the model's start by default), honouring wishes by priority.
ConsistentStart assemble(const System& system, State guess, const std::vector<BoundWish>& wishes);

/// The given positions and velocities unchanged, refused where they are not consistent or miss an
/// exact wish.
ConsistentStart take_as_given(const System& system, State given,
                              const std::vector<BoundWish>& wishes);

/// How `to` differs from the start `from` that was given, in the scales of the model.
StartChanges find_changes(const System& system, const State& from, const State& to);

/// Names of as many coordinates, or velocities, as constraints and exact wishes leave free.
std::vector<std::string> free_coordinates(const System& system, const State& state,
                                          const std::vector<BoundWish>& wishes, WishLevel level,
                                          Workspace& ws);

/// Accelerations, multipliers and w at consistent positions and velocities.
Eval solve_accelerations(const System& system, State& state, Vector& a, Vector& lambda,
                         Workspace& ws);

}  // namespace kardan
