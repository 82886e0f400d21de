#pragma once
/// An impulse along the gradient of a stop z(t, p), under the constraints and the stops at rest:
/// with the rate z' = z_p v + z_t before,
///
///   M dv + G' Lambda + C' Pi = z_p' P,   G dv = 0,   C dv = 0,   z_p dv = -(1 + e) z'
///
/// C: rows of the stops at rest, e: restitution. A stop at rest pushes (Pi on the side it is at),
/// or lets go at once.

#include "kardan/linalg/motion/saddle.h"
#include "kardan/system/system.h"

namespace kardan {

class ImpulseSolver {
 public:
  /// `stops` is `system` with all its impulses held (System::hold). Both must outlive this.
  ImpulseSolver(const System& system, const System& stops);

  /// Values and rates of all stops.
  Eval look(const State& state);
  double value(int stop) const { return ws_->g[first_ + stop]; }
  double rate(int stop) const { return ws_->rate[first_ + stop]; }

  /// Changes the velocities of `state`, in whose modes the stops at rest stand; recoverable where
  /// the constraints do not let them change.
  Eval apply(int stop, double restitution, State& state);

 private:
  void load(std::span<const int> resting);
  std::vector<int> row_of(int stop) const;

  const System& system_;
  const System& stops_;
  int first_, count_;  // rows of the stops
  std::unique_ptr<Workspace> ws_, own_;
  Vector gradient_, change_, reaction_;
  Matrix rows_;
};

}  // namespace kardan
