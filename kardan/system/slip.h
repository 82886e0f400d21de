#pragma once
/// Forces of dry friction that slip, among the equations of motion:
///
///   f -= F_j G_j',   F_j = sigma_j (mu_j(s_j) (P_j + arm_j L_j) + c_j s_j),   s_j = sigma_j y_j'
///
/// y_j: function along which it slips, G_j: its gradient, sigma_j: direction of slip, P_j: preload,
/// L_j: the force of a stop or joint, which depends on the multipliers. They are found with the
/// accelerations, M a + G' lambda = f, G a = gamma: lambda = lambda_0 + sum F_j lambda_j leaves as
/// many equations as there are such forces. So f is a function of t, p and v for whoever
/// integrates, whatever its form, and its derivatives follow from the same equations (of adjoints).

#include <optional>

#include "kardan/linalg/motion/saddle.h"
#include "kardan/system/names.h"
#include "kardan/system/quantity_jet.h"

namespace kardan {

/// The friction of one function, without its place in the matrices.
struct SlipLaw {
  double stick = 0, slip = 0, viscous = 0, stribeck = 0, preload = 0, arm = 1;

  /// The coefficient at a speed, and its change with it.
  struct Coefficient {
    double value = 0, rate = 0;
  };
  Coefficient coefficient(double speed) const;
};

/// The force that presses, from multipliers.
struct SlipLoad {
  int stop_row = -1;            ///< of a stop at rest
  int side = 0;                 ///< on which it rests
  std::vector<int> joint_rows;  ///< of the force of a joint

  bool depends() const { return stop_row >= 0 || !joint_rows.empty(); }
  double value(const Vector& lambda) const;
  /// value' along a change of the multipliers, and the gradient.
  double along(const Vector& lambda, const Vector& change) const;
  void gradient(const Vector& lambda, Vector& out) const;
};

/// Of one friction at a state.
struct SlipNow {
  QuantityJet y;
  int direction = 0;  ///< 0: it has no force
  SlipLaw::Coefficient mu;
  double speed = 0, force = 0;   ///< s_j, F_j
  double fixed = 0, weight = 0;  ///< F_j = fixed + weight L_j
  SlipLoad load;
  Vector a, lambda;   ///< the motion's answer to F_j = 1
  Vector by_p, by_v;  ///< gradient of F_j
  double by_t = 0;
};

/// What a workspace keeps of them.
struct SlipScratch {
  std::vector<SlipNow> slips;
  std::vector<int> loaded;  ///< those whose force depends on multipliers
  std::optional<Saddle> saddle;
  Vector a, lambda;  ///< at the state
  Matrix inverse;    ///< of the equations for F_j
  Vector left, right;
};

/// Finds the forces that depend on multipliers. On entry `slips` has their laws and ways, and
/// f, G, gamma and M hold without them; `mass`: a typical one. Recoverable where there is no solution, or not one only.
Eval solve_slips(const Patterns& patterns, double mass, const Workspace& ws, SlipScratch& scratch);

}  // namespace kardan
