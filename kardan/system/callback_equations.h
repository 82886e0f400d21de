#pragma once
/// User equations as separate functions of plain numbers, each with those derivatives the user has.
/// What is not given is found by central differences of order six, one difference on the other for
/// higher derivatives: the certificate then says so, and methods that need exact derivatives
/// refuse. Nothing is lost where hidden constraints and all first derivatives are given.
///
///   CallbackEquations e;
///   e.description = {.name = "pendulum", .positions = {{"x", 1}, {"y", 0}}, ...};
///   e.force.value = [](const Variables<double>&, std::span<double> f) { f[1] = -9.81; };

#include <functional>
#include <memory>
#include <span>

#include "kardan/system/user_equations.h"

namespace kardan {

/// A function of the variables, written to what is zero on entry; matrices row by row.
using UserFunction = std::function<void(const Variables<double>&, std::span<double>)>;

/// A function with its derivatives: rows of the function, columns of the variables. Each may be
/// left out; one that is zero may be given as `independent`.
struct Callback {
  UserFunction value = {};
  UserFunction by_p = {}, by_v = {}, by_r = {}, by_w = {}, by_s = {}, by_t = {};
  UserFunction by_multipliers = {};  ///< lambda, then mu
};
inline const UserFunction independent = [](const Variables<double>&, std::span<double>) {};

struct CallbackEquations {
  UserDescription description = {};
  Callback kinematics = {};    ///< Z; its derivatives have n*n rows
  Callback mass = {};          ///< M, likewise
  Callback force = {};         ///< f
  Callback dynamic = {};       ///< b
  Callback auxiliary = {};     ///< d
  Callback contact = {};       ///< c
  Callback holonomic = {};     ///< g
  Callback nonholonomic = {};  ///< H
  Callback offset = {};        ///< h
  Callback invariant = {};     ///< e
  Callback output = {};
  UserFunction events = {};  ///< z
  UserFunction energy = {};  ///< kinetic, potential, power
  /// Hidden constraints of all rows, holonomic first: g' and H p' + h, and gamma in G p'' = gamma.
  /// Both or none.
  Callback rate = {}, bias = {};
};

std::unique_ptr<UserEquations> callback_equations(CallbackEquations callbacks);

/// A system from callbacks. What the description says is derived from what is given: mass,
/// kinematics, hidden constraints, energy.
std::unique_ptr<System> make_system(CallbackEquations callbacks, Diagnostics& diagnostics);

}  // namespace kardan
