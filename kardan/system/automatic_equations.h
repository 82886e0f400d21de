#pragma once
/// User equations from functions that take dual numbers: every derivative by them, as exact as the
/// functions are.
///
///   constraints along the motion p + v tau + a tau^2/2, t + tau: g', g'' as the coefficients of
///   e1 and e1 e2 at tau = e1 + e2, and their changes by p and t from four seeds at a time;
///   (G' lambda)_p as second derivatives of lambda'g; f - M a, b, d by four seeds at a time.
///   Variables that appear in no row together share a seed (automatic_seeding.h). Where four seeds
///   are enough for the constraints, one pass of a scalar made for it gives all levels of them, and
///   one more their derivatives (path.h).
///
/// Contact variables are eliminated: after Newton's method on 0 = c(t, p, s) in plain numbers, each
/// further step s := s - c_s^-1 c in dual numbers makes one more order of its derivatives right.
/// v = Z^-1 p' in the same way. In the coordinates p' the equations of motion read
///
///   Z^-T M Z^-1 p'' = Z^-T (f + M Z^-1 Z' v) - G' lambda - H' mu.

#include <memory>
#include <utility>

#include "kardan/base/dual.h"
#include "kardan/base/motion_jet.h"
#include "kardan/system/user_equations.h"

namespace kardan {

inline constexpr int seeds = 4;  // two SSE or one AVX register
using Seeded = Dual<double, seeds>;
using Along = Dual<Dual<double, 1>, 2>;  // the second seed is for checks
using SeededAlong = Dual<Dual<Seeded, 1>, 1>;
using Twice = Dual<Seeded, seeds>;

/// Functions that take numbers which follow a motion.
class FollowedFunctions {
 public:
  virtual ~FollowedFunctions() = default;
  virtual void follow(const Variables<MotionJet>&, Terms<MotionJet>&) const = 0;
  virtual void follow(const Variables<CurvedMotionJet>&, Terms<CurvedMotionJet>&) const = 0;
};

/// The functions for each scalar they are needed with.
class UserFunctions {
 public:
  virtual ~UserFunctions() = default;
  /// Memory that the functions find in Terms::memory; null where they need none.
  virtual std::unique_ptr<Workspace::Scratch> make_memory() const = 0;
  /// False where derivatives by differences are among what the functions give.
  virtual bool exact() const = 0;
  /// These, where they take numbers that follow a motion, too; null else.
  virtual const FollowedFunctions* followed() const = 0;
  virtual void call(const Variables<double>&, Terms<double>&) const = 0;
  virtual void call(const Variables<Seeded>&, Terms<Seeded>&) const = 0;
  virtual void call(const Variables<Along>&, Terms<Along>&) const = 0;
  virtual void call(const Variables<SeededAlong>&, Terms<SeededAlong>&) const = 0;
  virtual void call(const Variables<Twice>&, Terms<Twice>&) const = 0;
};

/// A function object with a templated operator()(const Variables<T>&, Terms<T>&).
template <class Function>
class TemplatedFunctions final : public UserFunctions, public FollowedFunctions {
 public:
  explicit TemplatedFunctions(Function function) : function_(std::move(function)) {}
  std::unique_ptr<Workspace::Scratch> make_memory() const override { return nullptr; }
  bool exact() const override { return true; }
  const FollowedFunctions* followed() const override { return this; }
  void call(const Variables<double>& x, Terms<double>& y) const override { function_(x, y); }
  void call(const Variables<Seeded>& x, Terms<Seeded>& y) const override { function_(x, y); }
  void call(const Variables<Along>& x, Terms<Along>& y) const override { function_(x, y); }
  void call(const Variables<SeededAlong>& x, Terms<SeededAlong>& y) const override {
    function_(x, y);
  }
  void call(const Variables<Twice>& x, Terms<Twice>& y) const override { function_(x, y); }
  void follow(const Variables<MotionJet>& x, Terms<MotionJet>& y) const override {
    function_(x, y);
  }
  void follow(const Variables<CurvedMotionJet>& x, Terms<CurvedMotionJet>& y) const override {
    function_(x, y);
  }

 private:
  Function function_;
};

std::unique_ptr<UserEquations> automatic_equations(UserDescription description,
                                                   std::unique_ptr<UserFunctions> functions);

/// A system from one templated function.
template <class Function>
std::unique_ptr<System> make_system(UserDescription description, Function function,
                                    Diagnostics& diagnostics) {
  return make_system(
      automatic_equations(std::move(description),
                          std::make_unique<TemplatedFunctions<Function>>(std::move(function))),
      diagnostics);
}

}  // namespace kardan
