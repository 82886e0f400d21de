#pragma once
/// Equations a user writes, in the letters of the general form:
///
///   (1) p' = Z(p) v                                 (2) M(p,t) v' = f - Z'G' lambda - Z'H' mu
///   (3) r' = b(t,p,v,r,w,s,lambda,mu)               (4) 0 = d(t,p,v,r,w,s,lambda,mu)
///   (5) 0 = c(t,p,s)                                (6) 0 = H(t,p,s) Z(p) v + h(t,p,s)
///   (7) 0 = g(t,p,s)                                (8) 0 = e(t,p,v,s)      (9) events z
///
/// with f of the same variables as b and d. G is found from g, the hidden constraints g', g'' and
/// (H Z v + h)' from g, H and h. What is left out is zero; Z and M are the identity where they are
/// not given.
///
/// The functions are written once, as a template over the scalar,
///
///   struct Pendulum {
///     template <class T>
///     void operator()(const Variables<T>& x, Terms<T>& y) const {
///       y.f[1] = -9.81;
///       y.g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1.0;
///     }
///   };
///
/// so that all derivatives are exact (automatic_equations.h), or as callbacks on plain numbers
/// (callback_equations.h). `make_system` makes a System of either.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/model/blueprint.h"
#include "kardan/system/system.h"

namespace kardan {

/// A variable with its value at the start: of p and v a guess until the start is assembled.
struct UserVariable {
  std::string name;
  double start = 0;
};

/// Names and numbers of the variables and equations.
struct UserDescription {
  std::string name = {};
  std::vector<UserVariable> positions = {};    ///< p
  std::vector<UserVariable> velocities = {};   ///< v: as many as positions
  std::vector<UserVariable> dynamic = {};      ///< r
  std::vector<UserVariable> auxiliary = {};    ///< w
  std::vector<UserVariable> contact = {};      ///< s
  std::vector<std::string> holonomic = {};     ///< rows of g, with multipliers lambda
  std::vector<std::string> nonholonomic = {};  ///< rows of H, with multipliers mu
  std::vector<std::string> invariants = {};    ///< e
  std::vector<std::string> events = {};        ///< z
  std::vector<std::string> outputs = {};       ///< further quantities to be shown
  bool mass = true;                            ///< M is given
  bool kinematics = false;                     ///< Z is given
  bool rows_on_velocities = false;             ///< H is meant to multiply v, not Z v
  bool hidden = false;                         ///< rate and bias of the constraints are given
  bool energy = false;                         ///< kinetic and potential energy are given
  /// Forces depend on multipliers. Found by itself where they do so at the start.
  bool multiplier_forces = false;
  /// Of (lambda, mu), from which they are found where forces depend on them; empty: 0.
  std::vector<double> multiplier_starts = {};
  std::vector<SourceLocation> places = {};  ///< of the forces, where they stand in a file
};

/// The variables at one point. Multipliers are NaN where no force is known to depend on them.
template <class T>
struct Variables {
  T t{};
  std::span<const T> p, v, r, w, s, lambda, mu;
};

template <class T>
struct MatrixView {
  T* data = nullptr;
  int cols = 0;
  T& operator()(int i, int j) const { return data[i * cols + j]; }
};

/// Which equations a call is after. To look is never necessary, only faster.
enum class Part {
  contact,      ///< c
  constraints,  ///< g, H, h
  dynamics,     ///< M, f, b, d
  kinematics,   ///< Z
  outputs,      ///< e, z, outputs, energies
  hidden        ///< rate, bias
};

/// The right-hand sides, zero on entry (M and Z too).
template <class T>
struct Terms {
  Part part = Part::contact;
  MatrixView<T> Z, M, H;
  std::span<T> f, b, d, c, g, h, e, z, output;
  /// Where the user knows them, of all constraint rows: g' = G p' + g_t and H p' + h, and gamma in
  /// G p'' = gamma, H p'' = gamma; functions of t, p, v and s.
  std::span<T> rate, bias;
  /// Energies, and the power of the forces that have no potential: energy' = power.
  T kinetic{}, potential{}, power{};
  std::span<T> all;                      ///< all terms of the part that is asked for
  Workspace::Scratch* memory = nullptr;  ///< of the functions

  bool wants(Part asked) const { return part == asked; }
};

enum class UserQuantity { velocity, contact, output };

/// Values and derivatives of user equations at a state, in the coordinates (p, p'): state.v holds
/// p' = Z v. Matrices of the workspace are dense.
class UserEquations {
 public:
  virtual ~UserEquations() = default;

  virtual const UserDescription& description() const = 0;
  /// False where differences stand in for derivatives.
  virtual bool exact() const = 0;
  /// True where f, b or d depend on multipliers.
  virtual bool multiplier_forces() const = 0;
  virtual std::unique_ptr<Workspace::Scratch> make_scratch() const = 0;

  virtual Eval evaluate(const State&, Request, Workspace&) const = 0;
  virtual Eval differentiate(const State&, std::span<const double> a,
                             std::span<const double> lambda, Workspace&) const = 0;
  virtual Eval invariants(const State&, Workspace&) const = 0;

  /// The contact variables of the state by Newton's method, starting at `s`, which it overwrites;
  /// `side`: the orientation of c_s there (orientation.h).
  virtual Eval contact(const State&, std::span<double> s, int& side, Workspace&) const = 0;
  /// p' = Z v for the user's velocities.
  virtual Eval rates(const State&, std::span<const double> v, std::span<double> rate,
                     Workspace&) const = 0;
  virtual void events(const State&, std::span<double> z, Workspace&) const = 0;
  virtual Energy energy(const State&, Workspace&) const = 0;
  /// Something shown to the user; its gradients by p and p' are added, times `factor`, where given.
  virtual double quantity(UserQuantity, int index, const State&, double factor,
                          std::span<double> by_p, std::span<double> by_rate, Workspace&) const = 0;
};

/// The start as it is described, with velocities as the user counts them.
State start_of(const UserDescription& description);

/// A system of user equations. Null after reporting what cannot be: different numbers of positions
/// and velocities, names used twice, equations that are not finite at the start.
/// `blueprint` may bring a name, parameters and wishes.
std::unique_ptr<System> make_system(std::unique_ptr<UserEquations> equations,
                                    Diagnostics& diagnostics, Blueprint blueprint = {});

}  // namespace kardan
