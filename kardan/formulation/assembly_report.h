#pragma once
/// How a start was made consistent (assembly.h), or why there is none.

#include <string>
#include <vector>

#include "kardan/formulation/residuals.h"
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

}  // namespace kardan
