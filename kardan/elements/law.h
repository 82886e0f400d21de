#pragma once
/// Scalar force laws phi(y, y', t, r, w) that act on a measure y: the generalized force is
/// Q = phi * dy/dp. A law may own one dynamic variable r (r' = b) and one auxiliary variable w
/// (0 = d).

#include <variant>

#include "kardan/base/expression.h"
#include "kardan/base/time_function.h"

namespace kardan {

/// A scalar and its derivatives by (y, y', t, r, w).
struct LawPart {
  double value = 0, y = 0, rate = 0, t = 0, r = 0, w = 0;
};

struct LawValue {
  LawPart force, b, d;
  double potential = 0;       // of the conservative part
  double potential_rate = 0;  // its rate of change along the motion
};

struct LawArguments {
  double y, rate, t, r, w;
};

/// phi = -k (y - free) - preload - c y' + actuation(t); the spring and its preload have a
/// potential, the actuation counts as applied.
struct SpringLaw {
  double stiffness = 0, damping = 0, free = 0, preload = 0;
  TimeFunction actuation;
  LawValue at(const LawArguments&) const;
  static constexpr int states = 0, auxiliaries = 0;
};

/// phi = expression in three names, given in the order (y, rate, t).
struct ExpressionLaw {
  Expression expression;
  /// For each name of the expression: 0 = y, 1 = rate, 2 = t.
  std::vector<int> arguments;
  LawValue at(const LawArguments&) const;
  static constexpr int states = 0, auxiliaries = 0;
};

/// First-order actuator: phi = r, time_constant r' = command(t) - r.
struct LagLaw {
  double time_constant = 1;
  TimeFunction command;
  LawValue at(const LawArguments&) const;
  static constexpr int states = 1, auxiliaries = 0;
};

/// Controller: phi = w, 0 = d = kp e + kd e' + ki r - w, r' = e, with e = reference(t) - y.
struct PidLaw {
  double kp = 0, kd = 0, ki = 0;
  TimeFunction reference;
  LawValue at(const LawArguments&) const;
  static constexpr int states = 1, auxiliaries = 1;
};

/// What of a law varies over a stretch of time: time alone, while the measure rests, or the measure
/// and its rate too.
enum class Varies { time, way };
/// Whether a law is such an input (inputs.h): it depends on time; it has features on the way.
[[nodiscard]] bool is_input(const ExpressionLaw& law, Varies varies);

using Law = std::variant<SpringLaw, ExpressionLaw, LagLaw, PidLaw>;

}  // namespace kardan
