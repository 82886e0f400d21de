#pragma once
/// The exact Jacobian of the state-space form, at the base of the chart and away from it (see
/// state_space.h).

#include <string>
#include <vector>

#include "kardan/formulation/chart.h"
#include "kardan/formulation/tangent.h"
#include "kardan/integrate/problem.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/row_fours.h"
#include "kardan/system/system.h"

namespace kardan {

class StateSpaceJacobian {
 public:
  /// All must outlive this.
  StateSpaceJacobian(const System& system, const Chart& chart, const Parametrization& split,
                     Workspace& ws);

  /// After another choice of coordinates, whose `supports` are those of the free velocities.
  void find_columns(const std::vector<std::vector<int>>& supports);

  /// Where derivatives are taken: a state with its accelerations, and the directions there.
  enum class Where { base, point };
  struct Place {
    Where where;
    const State& state;
    const Vector &a, &lambda;
    Tangent& tangent;
  };
  /// The chart at the base, for velocities and accelerations there: at theta = 0, where T = I.
  void curve_base(const Vector& v, const Vector& a);
  /// At a point.
  void curve_point(const EvaluatedPoint& at);
  /// The reduced derivatives at a place whose evaluation the workspace holds.
  [[nodiscard]] Eval reduce(const Place& at, Derivatives terms, LocalJacobian& out);

  /// What velocities change with x and zeta (in the first columns), as found last.
  const Matrix& velocity_changes() const { return VU_; }
  /// Why reduce() failed.
  const std::string& culprit() const { return culprit_; }

 private:
  /// Derivatives of a body's spin w(theta, theta') and w'(theta, theta', theta'').
  struct Curvature {
    Mat3d T;                     // w by theta', w' by theta''
    Mat3d spin;                  // w by theta
    Mat3d acceleration;          // w' by theta
    Mat3d acceleration_by_rate;  // w' by theta'
  };
  int derivative_width(bool moving) const;
  void shape_derivatives(int width);
  void add_curvature(Sum sum, Mat3d Curvature::*E, Strip X, int parts, int part, Matrix& Y) const;
  void to_body(Sum sum, const Matrix& X, int parts, int part, Matrix& Y) const;
  void compile_products();
  void multiply_constraints(const RowProducts& products);
  void differentiate_velocities(const Place& at);
  void differentiate_accelerations(const Place& at);
  Eval reduce_forces(Derivatives terms, LocalJacobian& out);
  void reduce_rows(const Matrix& X, int parts, Matrix& Y);
  void reduce_vector(const Vector& x, Vector& y) const;
  void close_dependent(Where where, Tangent& tangent, Matrix& Yq, Matrix& Y);
  void resize_first_order(LocalJacobian& out) const;
  void add_drift(const Matrix& U, LocalJacobian& out);
  Eval add_auxiliary(LocalJacobian& out);
  Eval eliminate_auxiliary();

  const System& system_;
  const Chart& chart_;
  const Parametrization& split_;
  Workspace& ws_;
  std::vector<Curvature> curvature_;  // of each spatial body
  /// Columns of derivatives that may not vanish, by what their rows belong to.
  struct Columns {
    RowFours bodies, constraints, forces, body_forces;
  };
  struct Segments {
    RowSegments G, rate_p, accel_p, accel_v, f_p, f_v, M;
  } segments_;
  struct Products {
    RowProducts velocities, accelerations[2], forces[2], mass;  // [away, at the base], [-, exact]
    std::vector<int> every_row;
  } products_;
  Columns columns_[2];                          // without and with a column for time
  std::vector<std::vector<int>> body_columns_;  // of u, that move a body
  bool moving_ = false;                         // derivatives have a column for time
  int width_ = 0;                               // of one part of the matrices below
  Matrix Xq_, Vq_, Uq_, Nq_;  // changes of q and q' by (x, zeta, t), of q' by u, of q'' by all
  Matrix X_;                  // of positions by (x, zeta, t)
  Matrix VU_, AN_;            // of velocities and accelerations: a part by (x, zeta, t), one by u
  Matrix MU_, W1_, W3_, W4_;
  Vector by_time_;  // q by t
  struct AuxiliaryScratch {
    Matrix part, by_x, by_u, own, w_x, w_u, w_r, d_w, f_aux, f_r;
    Vector reduced;
    DenseLu lu;
  } aux_;
  std::string culprit_;
};

}  // namespace kardan
