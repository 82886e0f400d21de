#pragma once
/// Motor on a relative coordinate, mostly that of a joint.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"
#include "kardan/elements/joints/own_coordinates.h"
#include "kardan/elements/slope.h"
#include "kardan/elements/written.h"

namespace kardan {

struct Motor {
  static constexpr std::string_view type = "motor";
  static constexpr std::string_view summary =
      "Motor of a joint: prescribes its coordinate, its rate or its torque, or is a PD or PID "
      "controller with a limit.";
  static constexpr std::string_view equation =
      "y = angle(t), y' = rate, Q = torque dy/dp, or with gains Q = clamp(kp e + kd e' + ki "
      "integral(e), -limit, limit) dy/dp, e = angle(t) - y (position, speed, force where it "
      "slides)";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  arm: {mass: 1, inertia: 0.1, position: [0.5, 0]}
joints:
  elbow: {type: revolute, bodies: [ground, arm], at: [0, 0]}
drivers:
  motor: {type: motor, joint: elbow, angle: 0.5*sin(t), kp: 100, kd: 10, limit: 20}
)";
  static constexpr Category category = Category::driver;
  static constexpr int frames = 2;
  static constexpr Reflection reflection = Reflection::coordinate;
  static constexpr Glyph glyph = Glyph::torsion;
  std::string coordinate = "angle", from = "zero";
  Signal angle, position, rate, speed, torque, force;
  double kp = 0, kd = 0, ki = 0, limit = 0;

  template <class F>
  static void fields(F& f) {
    f("coordinate", &Motor::coordinate,
      {.doc = "what it acts on; of a joint its free one", .choices = coordinate_names()});
    f("angle", &Motor::angle,
      {.unit = "rad", .doc = "of a coordinate that turns: where it is, or shall be"});
    f("rate", &Motor::rate, {.unit = "rad/s", .doc = "prescribed rate"});
    f("torque", &Motor::torque, {.unit = "N m", .doc = "torque on B"});
    f("position", &Motor::position,
      {.unit = "m", .doc = "of a coordinate that slides: where it is, or shall be"});
    f("speed", &Motor::speed, {.unit = "m/s", .doc = "prescribed rate"});
    f("force", &Motor::force, {.unit = "N", .doc = "force on B, positive along the coordinate"});
    f("kp", &Motor::kp, {.unit = "N/m or N m/rad", .doc = "proportional gain"});
    f("kd", &Motor::kd, {.unit = "N s/m or N m s/rad", .doc = "gain of the rate"});
    f("ki", &Motor::ki, {.unit = "N/(m s) or N m/(rad s)", .doc = "gain of the integral"});
    f("limit", &Motor::limit,
      {.unit = "N or N m",
       .doc = "largest force or torque of the controller; 0: none",
       .check = Check::non_negative});
    f("from", &Motor::from,
      {.doc = "count the coordinate from zero, or from the given start",
       .choices = {"zero", "start"}});
  }

  template <int D>
  void build(Builder<D>& b) const {
    const auto y = chosen_coordinate(b, coordinate, 0, 1);
    if (!y) return;
    const bool turns = y->turns();
    const Words words =
        turns ? Words{"angle", "rate", "torque"} : Words{"position", "speed", "force"};
    const Signal *where = turns ? &angle : &position, *fast = turns ? &rate : &speed,
                 *load = turns ? &torque : &force;
    for (const Signal* other :
         turns ? std::array{&position, &speed, &force} : std::array{&angle, &rate, &torque})
      if (other->given())
        return b.fail("motor.words",
                      turns ? "its coordinate turns: it has no position, speed or force"
                            : "its coordinate slides: it has no angle, rate or torque",
                      turns ? "write angle, rate or torque" : "write position, speed or force");
    if (where->given() + fast->given() + load->given() != 1)
      return b.fail(
          "motor.fields",
          std::string("wanted one of ") + words.value + ", " + words.rate + ", " + words.load,
          "it prescribes one of them; with gains kp, kd, ki it steers towards the first");
    const bool steers = kp != 0 || kd != 0 || ki != 0;
    if ((steers && !where->given()) || (limit > 0 && !steers))
      return b.fail(
          "motor.fields",
          steers ? std::string("gains go with ") + words.value : "a limit goes with gains",
          "a prescribed motion takes whatever force it needs");
    show(b, y->measure, y->unit, words.value, words.rate, 0, 1, y->counter);
    const double start = from == "start" ? b.start_value(y->measure, 0, 1) : 0;
    if (steers)
      steer(b, *y, words, *where, start);
    else if (where->given())
      move(b, *y, words, *where, start);
    else if (fast->given() && !fast->of_motion() && fast->of_time().is_constant())
      // A constant rate is a motion from the start, which is held without drift.
      move(b, *y, words, from_rate(fast->of_time()(0.0)), b.start_value(y->measure, 0, 1));
    else if (fast->given())
      b.formula_row(b.formula(words.rate,
                              written("y1 - fast",
                                      {{{"y1", of(b, words.rate)}, {"fast", fast->expression()}}}),
                              fast->where()),
                    "driven rate of " + y->label, y->unit);
    else
      push(b, *y, words, load->expression(), load->where());
  }

 private:
  struct Words {
    const char *value, *rate, *load;
  };
  static Signal from_rate(double rate) {
    return TimeFunction::make(written("rate*t", {{{"rate", Expression::constant(rate)}}})).value();
  }
  template <int D>
  static Expression of(const Builder<D>& b, const char* word) {
    return quantity_called(b.name() + "." + word);
  }

  template <int D>
  void move(Builder<D>& b, const Coordinate<D>& y, const Words& words, const Signal& where,
            double start) const {
    if (where.of_motion()) {
      b.formula_row(b.formula(words.value,
                              written("y - start - where", {{{"y", of(b, words.value)},
                                                             {"start", Expression::constant(start)},
                                                             {"where", where.expression()}}}),
                              where.where()),
                    "driven " + y.label, y.unit);
      return;
    }
    if (where.of_time().continuous_derivatives() < 2)
      return b.fail("function.kink",
                    std::string(words.value) +
                        ": a function with kinks; wanted one with continuous velocity and "
                        "acceleration",
                    "write interpolation: cubic in a table, 'step' instead of 'ramp'");
    const int row = b.row("driven " + y.label, y.unit, -start);
    // As a driver's: full turns of the start are seen by its type.
    with_coordinate(b, coordinate, 0, 1, [&](auto m, RowUnit, const char*, int counter) {
      b.measure(row, m, 0, 1, 1, counter);
    });
    b.driver(row, where.of_time());
  }

  /// Q = the formula, which is NAME.torque; NAME.power is what it gives to the mechanism.
  template <int D>
  static void push(Builder<D>& b, const Coordinate<D>& y, const Words& words, Expression load,
                   const SourceLocation& where) {
    const bool turns = y.turns();
    b.formula_force(b.formula(words.load, load, where), y.measure, 0, 1,
                    turns ? InputKind::torque : InputKind::force);
    b.formula_quantity(words.load, turns ? "N m" : "N", b.formula(words.load, load, where));
    b.formula_quantity("power", "W",
                       b.formula("power", written("load * fast", {{{"load", of(b, words.load)},
                                                                   {"fast", of(b, words.rate)}}})));
  }

  template <int D>
  void steer(Builder<D>& b, const Coordinate<D>& y, const Words& words, const Signal& where,
             double start) const {
    if (where.of_motion() && kd != 0)
      return b.fail(
          "motor.reference",
          std::string(words.value) + " is a formula of the motion, whose rate is not known to kd",
          std::string("write ") + words.load +
              ": a formula with both, kp*(a.angle - b.angle) + kd*(a.rate - b.rate)");
    Wording w{{{"y", of(b, words.value)},
               {"y1", of(b, words.rate)},
               {"start", Expression::constant(start)},
               {"kp", Expression::constant(kp)},
               {"kd", Expression::constant(kd)},
               {"ki", Expression::constant(ki)},
               {"most", Expression::constant(limit)},
               {"where", where.expression()},
               {"faster", Expression::constant(0)},
               {"sum", Expression::constant(0)}}};
    if (!where.of_motion() && !where.of_time().is_constant()) {
      const auto slope = std::make_shared<const Slope>(where.of_time());
      w.words[8].second = written("slope(t)", {{}, {{"slope", slope}}});
    }
    if (ki != 0) w.words[9].second = quantity_called(b.name() + ".integral");
    const Expression error = written("where + start - y", w);
    w.words.emplace_back("e", error);
    const Expression wanted = written("kp*e + kd*(faster - y1) + ki*sum", w);
    w.words.emplace_back("wanted", wanted);
    if (ki != 0) {
      // At its limit the integral does not grow further.
      const Expression grows =
          limit > 0 ? written("if(wanted > most, min(e, 0), if(wanted < -most, max(e, 0), e))", w)
                    : error;
      b.formula_state(b.formula("integral", grows, where.where()), "integral", 0);
    }
    push(b, y, words, limit > 0 ? written("clamp(wanted, -most, most)", w) : wanted, where.where());
  }
};

}  // namespace kardan
