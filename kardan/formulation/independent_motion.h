#pragma once
/// M a + G' lambda = f, G a = c with the rows that are independent where they were chosen: for
/// points that lie near motions. They are chosen anew on the way where others are better. Where the chosen rows come near to depending on each other all
/// rows are taken, whatever their rank.

#include <memory>
#include <optional>
#include <span>

#include "kardan/linalg/motion/motion_solver.h"
#include "kardan/linalg/motion/saddle.h"
#include "kardan/system/system.h"

namespace kardan {

class IndependentMotion {
 public:
  explicit IndependentMotion(const System& system) : system_(system) {}

  /// Takes M and G of `ws`, which holds the evaluation at `state`.
  Eval factor(const State& state, Workspace& ws);
  /// In place, with the last factors: a holds f on entry, lambda holds c, of all rows. Multipliers
  /// of rows that are left out are zero.
  void solve(Vector& a, Vector& lambda);

 private:
  Eval choose(const State& state, Workspace& ws);
  bool by_chosen(const Workspace& ws);

  const System& system_;
  std::vector<int> rows_;
  PickedRows picked_;
  SparseMatrix G_;
  Vector lambda_;
  std::optional<MotionSolver> chosen_;  // from the first use on
  double pivot_ = 0;                    // where they were chosen
  std::unique_ptr<Saddle> all_;         // from the first need on
  bool in_all_ = false;                 // the last factors
};

}  // namespace kardan
