#pragma once
/// The coordinates of a joint as quantities, JOINT.angle and JOINT.rate, JOINT.position and
/// JOINT.speed: of frame B seen from frame A, angles continuous over full turns. A point mass does
/// not turn: its joints have no angle.

#include "kardan/elements/builder.h"

namespace kardan {

template <int D>
bool turns(const Builder<D>& b) {
  return b.frame(0).body.count != D && b.frame(1).body.count != D;
}

/// NAME.value and NAME.rate.
template <int D, class M>
void show(Builder<D>& b, M measure, RowUnit unit, const std::string& value, const std::string& rate,
          int A = 0, int B = 1, int counter = -1) {
  const std::string u = unit == RowUnit::angle ? "rad" : "m";
  b.sensor(value, u, measure, SensorQuantity::value, A, B, counter);
  b.sensor(rate, u + "/s", measure, SensorQuantity::rate, A, B, counter);
}

/// About the z axis of A.
template <int D>
void show_angle(Builder<D>& b) {
  if (!turns(b)) return;
  const Angle<D> phi = b.angle(0, 1);
  show(b, phi, RowUnit::angle, "angle", "rate", 0, 1, b.count_turns(phi, 0, 1));
}

/// The one that motors, couplers and the like take where they name the joint alone.
template <int D>
void is_free(Builder<D>& b, const std::string& value, const std::string& rate) {
  b.alias("coordinate", value);
  b.alias("coordinate_rate", rate);
}
template <int D>
void show_free_angle(Builder<D>& b) {
  show_angle(b);
  is_free(b, "angle", "rate");
}
/// Along axis i of A.
template <int D>
void show_displacement(Builder<D>& b, int i, const std::string& value, const std::string& rate) {
  show(b, b.displacement(0, i, 1), RowUnit::length, value, rate);
}
/// Along the z axis of A (plane: its x axis).
template <int D>
void show_position(Builder<D>& b) {
  show_displacement(b, D == 3 ? 2 : 0, "position", "speed");
}

template <int D>
void show_free_position(Builder<D>& b) {
  show_position(b);
  is_free(b, "position", "speed");
}

/// Of the frame B that A becomes by turns about its x axis and then the new y axis.
inline void show_two_angles(Builder<3>& b) {
  if (!turns(b)) return;
  const Angle<3> x{b.axis(0, 1), b.axis(0, 2), b.axis(1, 1)};
  show(b, x, RowUnit::angle, "angle_x", "rate_x", 0, 1, b.count_turns(x, 0, 1));
  const Angle<3> y{b.axis(1, 0), b.axis(1, 2), b.axis(0, 0)};
  show(b, y, RowUnit::angle, "angle_y", "rate_y", 1, 0, b.count_turns(y, 1, 0));
}

/// asin of the product of two axes.
struct ArcSine {
  Dot1<3> sine;
  double sign = 1;
  void evaluate(const Pair<3>& bodies, Depth depth, Measure<3>& out) const {
    Measure<3> y, zero;
    sine.evaluate(bodies, depth, y);
    zero.clear(depth);
    const double s = y.value, c = std::sqrt((1 - s) * (1 + s)), c3 = c * c * c;
    compose<3>({sign * std::asin(s),
                {sign / c, 0},
                {sign * s / c3, 0, 0},
                {sign * (1 + 2 * s * s) / (c3 * c * c), 0, 0, 0}},
               y, zero, depth, out);
  }
};

/// Turns about z, then y, then x; those of yaw and roll from -pi to pi.
inline void show_yaw_pitch_roll(Builder<3>& b) {
  if (!turns(b)) return;
  const Angle<3> yaw{b.axis(0, 0), b.axis(0, 1), b.axis(1, 0)};
  show(b, yaw, RowUnit::angle, "yaw", "yaw_rate");
  show(b, ArcSine{{b.axis(0, 2), b.axis(1, 0)}, -1}, RowUnit::angle, "pitch", "pitch_rate");
  const Angle<3> roll{b.axis(1, 2), b.axis(1, 1), b.axis(0, 2)};
  show(b, roll, RowUnit::angle, "roll", "roll_rate", 1, 0);
}

}  // namespace kardan
