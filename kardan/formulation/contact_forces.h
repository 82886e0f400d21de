#pragma once
/// The forces of stops and frictions at one instant, all of them together. With the force phi_e along
/// the gradient of row e, their accelerations (or, in an impact, velocities) are
///
///   x = b + W phi,   W symmetric and positive semidefinite,
///
/// and it is required that
///
///   a stop on side s      s phi >= least,   s x >= 0,   (s phi - least) x = 0
///   a friction sticks     x = 0,   |phi| <= stick N
///   or slips towards d    phi = -d (slip N + extra),   d x >= 0 if it only begins to slip
///
/// N: its load. Of all assignments the first that answers these is taken, with sticking before
/// slipping and rest before leaving: what can stick, sticks. Where the forces of what is held are
/// not unique (two feet of one body), those are taken that leave the largest margin to the bounds:
/// what is held is let go when no forces at all would hold it.
///
/// Where something slips already and there is no answer, or another one (Painleve's paradox), that
/// is said: there is no unique motion.

#include <vector>

#include "kardan/linalg/matrix.h"

namespace kardan {

/// N = fixed + arm (phi of a stop on its side | the norm of offset + by_force phi).
struct ContactLoad {
  double fixed = 0, arm = 1;
  int stop = -1;
  Vector offset = {};
  Matrix by_force = {};
};

struct StopContact {
  int side = 0;      ///< 0: it does not touch
  double least = 0;  ///< its force at least, where it touches
};

struct FrictionContact {
  double stick = 0, slip = 0;  ///< coefficients
  double extra = 0;            ///< of what slips already
  int moves = 0;               ///< how it slips already; 0: it does not
  bool may_stick = true;
  ContactLoad load;
};

struct ContactProblem {
  Matrix W;
  Vector b;
  Vector unit;  ///< of a row: x times this is of size one
  std::vector<StopContact> stops;
  std::vector<FrictionContact> frictions;  ///< their rows follow those of the stops
  int rows() const { return static_cast<int>(b.size()); }
};

struct ContactAnswer {
  enum class Verdict {
    found,
    none,       ///< no motion is possible
    several,    ///< more than one is
    undecided,  ///< forces that a bound needs are not unique
    too_many    ///< contacts
  } verdict = Verdict::none;
  /// Stops: the side, 0: it leaves. Frictions: the direction of slip, 0: it sticks, or nothing
  /// presses.
  std::vector<int> modes;
  Vector force, x;
  /// How far what is held is from its bounds, as an x of size one; below zero: beyond.
  Vector margin;
};

ContactAnswer solve_contacts(const ContactProblem& problem);

/// Forces and margins of one assignment, whether or not it answers the conditions: found, none or
/// undecided.
ContactAnswer forces_of(const ContactProblem& problem, std::vector<int> modes);

}  // namespace kardan
