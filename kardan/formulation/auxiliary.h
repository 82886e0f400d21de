#pragma once
/// The auxiliary variables w of a state, from 0 = d(t, p, v, r, w) by Newton's method. Memory is
/// kept between calls.

#include "kardan/linalg/dense_lu.h"
#include "kardan/system/system.h"

namespace kardan {

class AuxiliarySolver {
 public:
  /// Sets state.w. The workspace holds the forces at the solution afterwards, and derivatives.
  Eval solve(const System& system, State& state, Workspace& ws);
  /// The same on the branch of `from`, where w is known; only systems without bodies have any w.
  Eval follow(const System& system, const State& from, State& state, Workspace& ws);

 private:
  Matrix d_w_;
  DenseLu lu_;
  Vector step_, zero_, w_;
  State between_;
  BranchFollower follower_;
};

}  // namespace kardan
