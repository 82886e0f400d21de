#pragma once
/// Accelerations and multipliers of the state-space form: on the free directions where they are
/// few, by the saddle-point system where they are many.

#include <memory>
#include <vector>

#include "kardan/formulation/chart.h"
#include "kardan/formulation/tangent.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/motion/motion_solver.h"
#include "kardan/system/system.h"

namespace kardan {

/// How accelerations are solved for: on the free directions, whose mass matrix is dense; by the
/// sparse saddle-point matrix [M G'; G 0]; or by what either costs.
enum class Accelerations { automatic, reduced, saddle };

class FreeAccelerations {
 public:
  /// All must outlive this.
  FreeAccelerations(const System& system, const Chart& chart, const Parametrization& split,
                    Accelerations wanted)
      : system_(system), chart_(chart), split_(split), wanted_(wanted) {}

  /// After another choice of coordinates.
  void prepare();
  /// On the free directions where they are few; their mass matrix is dense, but rank and condition
  /// are those of the constraints, not their squares. `nonzeros`: of the dependent block.
  void choose(const Workspace& ws, int nonzeros);
  bool chosen() const { return chosen_; }
  /// On the free directions, else by the saddle matrix, which gives multipliers at once.
  bool on_free_directions() const { return reduced_; }
  /// The velocities that may change along every free one, in body tangents.
  const std::vector<std::vector<int>>& supports() const { return supports_; }

  /// a and q'' at the point, with the tangent there, from the evaluation in the workspace:
  ///
  ///   U'M U x'' = U'(f - M a0),   a = a0 + U x'',   a0: [G; H] a0 = gamma with x'' = 0.
  [[nodiscard]] Eval reduced(const Workspace& ws, Tangent& tangent, EvaluatedPoint& at);
  /// lambda from the dependent part of T'(f - M a) = ([G; H] T)' lambda.
  void multipliers(const Workspace& ws, Tangent& tangent, EvaluatedPoint& at);
  /// a and lambda at once from [M G'; G 0].
  [[nodiscard]] Eval by_saddle(const Workspace& ws, EvaluatedPoint& at);

 private:
  /// The columns of U that move a body (filled up to a multiple of four by such as do not), and U
  /// there in body tangents, M times it and the square of both.
  struct BodyShare {
    int body = 0;
    std::vector<int> columns;
    Matrix U;
    Vector x;
  };
  void turn_to_body(const EvaluatedPoint& at, const Matrix& X, Matrix& Y) const;
  void update_bias(const EvaluatedPoint& at);
  void to_accelerations(EvaluatedPoint& at) const;
  void gather(const Workspace& ws, const EvaluatedPoint& at, const Matrix& U, BodyShare& share);
  void reduce_by_bodies(const Workspace& ws, const EvaluatedPoint& at, const Matrix& U);
  void reduce_at_once(const Workspace& ws, const EvaluatedPoint& at, const Matrix& U);
  void reduce_mass(const Workspace& ws, const Matrix& U);
  double reduced_work(int nonzeros) const;

  const System& system_;
  const Chart& chart_;
  const Parametrization& split_;
  Accelerations wanted_;
  bool chosen_ = false, reduced_ = true;
  std::vector<std::vector<int>> supports_;  // of the columns of U in body tangents
  std::vector<BodyShare> shares_;           // none where masses couple bodies
  Vector share_mass_, share_square_;        // M U and U'M U of the body at hand
  Matrix mass_, mass_U_, body_U_;           // U'M U, M U, and U in body tangents
  Vector x_, force_, bias_, dependent_;
  DenseLu lu_;
  PickedRows kept_;  // rows of G
  SparseMatrix kept_G_;
  Vector kept_lambda_;
  std::unique_ptr<MotionSolver> saddle_;
};

}  // namespace kardan
