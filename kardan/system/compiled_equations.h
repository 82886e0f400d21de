#pragma once
/// User equations from code that another program has derived and written: every value and every
/// derivative is a formula, so that all of them are exact and share their common parts.
///
/// A function reads one row of variables and writes one row of results,
///
///   x = (t, p, p', r, w, s, L, a, K, parameters)
///
/// L are the multipliers forces depend on, a and K the accelerations and multipliers at which
/// derivatives are taken. Contact variables are eliminated: derivatives by p are total ones, with
/// s_p = -c_s^-1 c_p. Equations are those of the coordinates p', as Z^-1 has made them. Rows of
/// constraints are all of them, holonomic first; matrices lie row by row.

#include <functional>

#include "kardan/system/user_equations.h"

namespace kardan {

struct CompiledCode {
  using Function = std::function<void(const double* x, double* y)>;

  Function start;         ///< p, v (the user's), r, w, s
  Function contact;       ///< c, c_s
  Function position;      ///< g
  Function velocity;      ///< g, G, g_t (h of nonholonomic rows)
  Function acceleration;  ///< g, G, g_t, gamma
  Function force;         ///< f, b, d, M
  Function motion;        ///< what acceleration and force give
  /// rate_p, rate_t, accel, accel_p, accel_t, accel_v; f_p, f_t, f_v; b_t, d_t; aux_p, aux_v,
  /// aux_aux, force_aux; force_lambda, aux_lambda: as in Workspace. The last two only where forces
  /// depend on multipliers.
  Function derivatives;
  Function invariants;    ///< e, e_p, e_v
  Function events;        ///< z
  Function energy;        ///< kinetic, potential, power
  Function outputs;       ///< values, their gradients by p, by p'
  Function contact_by_p;  ///< s_p
  Function rates;         ///< Z v, with v in the place of p'; null where Z is the identity
  Function velocities;    ///< Z^-1 p', its gradients by p, by p'; null where Z is the identity
  Vector parameters;
};

/// `description` holds the names; its starts are replaced by those of the code.
std::unique_ptr<UserEquations> compiled_equations(UserDescription description, CompiledCode code);

}  // namespace kardan
