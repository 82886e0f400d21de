#pragma once
/// What drives a motion from outside: functions of time (forces, commands, prescribed motion) and
/// of the way travelled (the profile of a road). Each is an input u that changes the rate of some
/// variables, x' += factor u; what a step has not seen of it is bounded by an impulse, factor times
/// the deviation of u from the polynomial that the step sees, times the length of the step.

#include <array>
#include <span>
#include <vector>

#include "kardan/base/state.h"
#include "kardan/base/taylor.h"

namespace kardan {

/// The variables whose rate an input changes.
struct InputEffect {
  struct Share {
    int index = 0;      ///< of the velocity, or the dynamic variable
    double factor = 0;  ///< of its rate, by unit of the input
  };
  std::vector<Share> velocities, dynamic;
  bool of_state = false;  ///< the input depends on the state too
};

/// An input over a stretch of time: its values and how large its derivatives are.
struct InputBounds {
  static constexpr int max_order = 8;

  Interval value = 0.0;
  /// |u^(k)| / k!; infinite where it does not exist or is not known.
  std::array<double, max_order + 1> size{};

  /// Of the derivative number `derivative` of a function, times `factor`.
  static InputBounds of(const Taylor& f, int derivative, double factor);
  /// All derivatives to `order` exist.
  [[nodiscard]] bool smooth(int order) const;
  /// Over both stretches, which meet.
  void join(const InputBounds& other);
  /// Bound of |u - p| over a time h, p a polynomial of a degree below `order`.
  [[nodiscard]] double deviation(double h, int order) const;
};

/// How far the true motion may be from the one a step has found: what its control lets through.
struct StepError {
  std::span<const double> absolute;  ///< of the change of every coordinate, by column of v
  double relative = 0;               ///< of the coordinate itself
};

/// The inputs of a system, as one integration sees them.
class InputSource {
 public:
  virtual ~InputSource() = default;

  /// Of the system that holds at a state.
  [[nodiscard]] virtual const std::vector<InputEffect>& of_time(const State&) const = 0;
  [[nodiscard]] virtual const std::vector<InputEffect>& of_way(const State&) const = 0;
  /// Over the times from a to b, with what else they depend on as it is in `at`; derivatives to
  /// `order`.
  virtual void enclose(const State& at, double a, double b, int order,
                       std::span<InputBounds> out) = 0;
  /// The same, along the way between two states, which is known up to `error`.
  virtual void enclose(const State& from, const State& to, const StepError& error, double a,
                       double b, int order, std::span<InputBounds> out) = 0;
};

}  // namespace kardan
