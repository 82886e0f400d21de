#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/cli/kinematics.h"
#include "kardan/base/rotation.h"
#include "kardan/base/text.h"
#include "kardan/model/observation.h"

namespace kardan::cli {
namespace {

/// The part of a model that prescribes a coordinate, and the field that says how.
struct Driver {
  std::size_t element = 0;
  std::size_t field = 0;
  bool turns = true;
};

/// Fields in which elements of the category say where their coordinate is.
bool says_where(const FieldDoc& f) {
  return f.kind.starts_with("function of t") ||
         (f.kind.starts_with("formula") && (f.info.unit == "rad" || f.info.unit == "m"));
}

std::vector<Driver> drivers_of(const Model& model) {
  std::vector<Driver> out;
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const NamedFields& e = model.elements[i];
    const FieldValue* word = e.find("type");
    const auto* name = word ? std::get_if<std::string>(&word->data) : nullptr;
    const ElementType* type = name ? Catalog::builtin().find(*name) : nullptr;
    if (!type || type->category != Category::driver) continue;
    const FieldValue* gain = e.find("kp");
    if (gain) continue;  // it steers, and prescribes nothing
    for (std::size_t k = 0; k < e.fields.size(); ++k)
      for (const FieldDoc& f : type->fields)
        if (f.key == e.fields[k].first && says_where(f)) {
          const FieldValue* coordinate = e.find("coordinate");
          const auto* c = coordinate ? std::get_if<std::string>(&coordinate->data) : nullptr;
          bool turns = f.info.unit == "rad" || f.info.unit.find("rad") != std::string::npos;
          if (c && *c != "angle") turns = false;
          out.push_back({i, k, turns});
        }
  }
  return out;
}

class Sweeper {
 public:
  Sweeper(const Model& model, const ParameterValues& overrides, const SweepOptions& options,
          Diagnostics& diagnostics)
      : model_(model), overrides_(overrides), options_(options), diagnostics_(diagnostics) {}

  std::optional<Sweep> run() {
    if (!choose()) return std::nullopt;
    const double begin = options_.from.value_or(start_value());
    const double whole = 2 * std::numbers::pi;
    if (!options_.to && !out_.turns) {
      fail("kinematics.range", "the driver slides: where does it end?", "give --to [m]");
      return std::nullopt;
    }
    const double end = options_.to.value_or(begin + whole);
    if (!(end != begin) || options_.points < 2) {
      fail("kinematics.range",
            fmt::format("from {} to {} in {} points", format_number(begin), format_number(end),
                        options_.points),
            "wanted two different ends, and two points at least");
      return std::nullopt;
    }
    begin_ = begin;
    way_ = end - begin;
    if (!compile() || !begin_sweep()) return std::nullopt;
    follow();
    return std::move(out_);
  }

 private:
  void fail(const std::string& code, const std::string& message, const std::string& hint) {
    diagnostics_.error(code, message, model_.where, hint);
  }

  bool choose() {
    const std::vector<Driver> all = drivers_of(model_);
    std::vector<std::string> names;
    for (const Driver& d : all) names.push_back(model_.elements[d.element].name);
    const auto wanted = std::ranges::find(names, options_.driver);
    if (all.empty() || (options_.driver.empty() && all.size() > 1) ||
        (!options_.driver.empty() && wanted == names.end())) {
      fail("kinematics.driver",
            all.empty() ? std::string("no driver prescribes a coordinate")
            : options_.driver.empty()
                ? fmt::format("{} drivers: {}", all.size(), fmt::join(names, ", "))
                : fmt::format("there is no driver '{}'", options_.driver),
            all.empty() ? "add drivers: {crank: {type: driver, joint: NAME, motion: t}}"
                        : fmt::format("--driver one of {}", fmt::join(names, ", ")));
      return false;
    }
    driver_ = all[options_.driver.empty() ? 0 : static_cast<std::size_t>(wanted - names.begin())];
    out_.driver = model_.elements[driver_.element].name;
    out_.turns = driver_.turns;
    return true;
  }

  /// What the driver's function is at t = 0, as far as it is known without a motion.
  double start_value() {
    Diagnostics unused;
    const Environment parameters =
        resolve(model_, Catalog::builtin(), overrides_, unused).parameters;
    TimeFunction f;
    const ValueReader reader(parameters, unused);
    const FieldValue& value = model_.elements[driver_.element].fields[driver_.field].second;
    return reader.read(value, "driver", {.variables = {"t"}}, f) ? f(0.0) : 0;
  }

  std::unique_ptr<System> with_motion(double rate) {
    Model moved = model_;
    moved.elements[driver_.element].fields[driver_.field].second =
        FieldValue(fmt::format("{} + ({})*t", format_number(begin_), format_number(rate)));
    moved.equilibrium = {};
    Diagnostics found;
    auto system = compile_model(moved, overrides_, found);
    if (!system) diagnostics_.add_new(found);
    return system;
  }

  bool compile() {
    system_ = with_motion(way_);
    if (!system_) return false;
    ws_ = system_->make_workspace();
    return true;
  }

  bool begin_sweep() {
    State guess = system_->start();
    guess.t = 0;
    const ConsistentStart start = assemble(*system_, guess, {});
    if (start.report.status != Eval::ok) {
      fail("kinematics.start", start.report.message,
            "begin where the joints can be closed (--from)");
      return false;
    }
    const ConstraintAnalysis found = analyse(*system_, start.state, *ws_);
    if (found.degrees_of_freedom != 0) {
      fail("kinematics.freedom",
            fmt::format("the drivers leave {} degrees of freedom", found.degrees_of_freedom),
            "kinematics knows no forces: prescribe or lock what is free");
      return false;
    }
    const auto still = with_motion(0);
    if (!still) return false;
    const ConsistentStart rest = assemble(*still, start.state, {});
    for (const double v : rest.state.v)
      if (std::abs(v) > 1e-9) {
        fail("kinematics.others", "something else moves with t while the driver stands",
              "one driver is swept: give the others constant values");
        return false;
      }
    return find_columns() && find_joints() && note(start.state);
  }

  bool find_columns() {
    const std::vector<OutputData>& wanted = system_->blueprint().outputs;
    for (const std::string& name : system_->quantity_names()) {
      const auto q = system_->find_quantity(name);
      const bool chosen =
          wanted.empty()
              ? q && (q->kind == Quantity::Kind::position || q->kind == Quantity::Kind::sensor ||
                      q->kind == Quantity::Kind::expression)
              : std::ranges::any_of(wanted,
                                    [&](const OutputData& o) { return matches(o.pattern, name); });
      const std::string unit = q ? system_->quantity_unit(*q) : std::string();
      // Rates are told as derivatives by the driver.
      if (!q || !chosen || unit.ends_with("/s") || q->kind == Quantity::Kind::velocity) continue;
      quantities_.push_back(*q);
      out_.names.push_back(name);
      out_.units.push_back(unit);
    }
    if (!quantities_.empty()) return true;
    fail("kinematics.outputs", "no output is a position", "name positions under 'outputs'");
    return false;
  }

  bool find_joints() {
    if (options_.transmission.empty()) return true;
    for (const std::string& name : options_.transmission) {
      const auto& all = system_->blueprint().elements;
      const auto found = std::ranges::find(all, name, &ElementData::name);
      if (found == all.end() || found->frames.empty()) {
        fail("kinematics.joint", fmt::format("--transmission: there is no joint '{}'", name),
              "write A,B,C: three joints of the model");
        return false;
      }
      joints_.push_back(found->frames.back());
    }
    out_.has_transmission = joints_.size() == 3;
    if (!out_.has_transmission)
      fail("kinematics.joint",
            fmt::format("--transmission: got {} joints; wanted 3", joints_.size()),
            "write A,B,C: the angle at B is told");
    return out_.has_transmission;
  }

  double read(const State& state, const std::string& name) {
    const auto q = system_->find_quantity(name);
    return q ? system_->quantity(*q, state, 0, {}, {}, *ws_) : 0;
  }

  Vec3d world(const State& state, const FrameData& frame) {
    if (frame.body == 0) return frame.s;
    const std::string body = system_->blueprint().bodies[static_cast<std::size_t>(frame.body)].name;
    const Vec3d at{read(state, body + ".x"), read(state, body + ".y"), read(state, body + ".z")};
    if (system_->blueprint().dimension == 2)
      return at + rotation_exp(Vec3d{0, 0, read(state, body + ".angle")}) * frame.s;
    if (!system_->find_quantity(body + ".qw")) return at;  // a point mass
    const Quaternion q{read(state, body + ".qw"), read(state, body + ".qx"),
                       read(state, body + ".qy"), read(state, body + ".qz")};
    return at + rotation_matrix(q) * frame.s;
  }

  double transmission(const State& state) {
    const Vec3d b = world(state, joints_[1]);
    const Vec3d u = world(state, joints_[0]) - b, v = world(state, joints_[2]) - b;
    const double angle = std::atan2(norm(cross(u, v)), dot(u, v));
    return std::min(angle, std::numbers::pi - angle);
  }

  bool note(const State& state) {
    out_.points.push_back(point(state));
    state_ = state;
    return true;
  }

  SweepPoint point(const State& state) {
    SweepPoint p;
    p.at = begin_ + way_ * state.t;
    Vector by_p, by_v;
    for (const Quantity& q : quantities_) {
      by_p.assign(static_cast<std::size_t>(system_->sizes().v), 0.0);
      by_v = by_p;
      p.values.push_back(system_->quantity(q, state, 1, by_p, by_v, *ws_));
      double rate = 0;
      for (std::size_t i = 0; i < by_p.size(); ++i) rate += by_p[i] * state.v[i];
      p.rates.push_back(rate / way_);
    }
    p.condition = constraint_condition(*system_, state, *ws_);
    if (out_.has_transmission) p.transmission = transmission(state);
    // What rounding leaves of zero.
    constexpr double rounding = 1e-14;
    for (std::vector<double>* all : {&p.values, &p.rates}) {
      double largest = 0;
      for (const double x : *all) largest = std::max(largest, std::abs(x));
      for (double& x : *all)
        if (std::abs(x) <= rounding * largest) x = 0;
    }
    return p;
  }

  /// The position at t next to the one known; nothing where there is none, or where it is another
  /// branch.
  std::optional<State> next(const State& from, double t) {
    // Along the velocities, so that it goes straight on where branches meet.
    State guess = from;
    guess.t = t;
    Vector way(from.v.begin(), from.v.end());
    for (double& x : way) x *= t - from.t;
    system_->retract(from.p, way, guess.p);
    if (system_->sizes().turns > 0) system_->follow_turns(from, way, guess, *ws_);
    ConsistentStart found = assemble(*system_, guess, {});
    if (found.report.status != Eval::ok || found.report.shaken) return std::nullopt;
    // As far as the velocities on both sides allow, which at a limit grow without bound.
    constexpr double most = 3;
    double speed = 0, turn = 0;
    for (std::size_t i = 0; i < from.v.size(); ++i) {
      speed = std::max({speed, std::abs(from.v[i]), std::abs(found.state.v[i])});
      turn = std::max(turn, std::abs(found.state.v[i] - from.v[i]));
    }
    if (found.report.moved > most * speed * std::abs(t - from.t) + 1e-12) return std::nullopt;
    // Where branches meet another one has other velocities at once.
    if (turn > 0.5 * speed + 1e-12) return std::nullopt;
    return std::move(found.state);
  }

  void follow() {
    const int count = options_.points;
    for (int i = 1; i < count; ++i) {
      const double t = static_cast<double>(i) / (count - 1);
      if (!reach(t)) {
        out_.limit = begin_ + way_ * state_.t;
        note(state_);
        break;
      }
      note(state_);
      look_for_singular();
    }
  }

  /// By ever smaller steps where it is steep.
  bool reach(double t) {
    double h = t - state_.t;
    const double least = 1e-10;
    while (state_.t < t) {
      const double to = state_.t + h >= t ? t : state_.t + h;
      if (auto found = next(state_, to)) {
        state_ = std::move(*found);
        h *= 2;
        continue;
      }
      h /= 2;
      if (h < least) return false;
    }
    return true;
  }

  double openness(const State& from, double t, State* found) {
    const auto at = next(from, t);
    if (!at) return 0;
    if (found) *found = *at;
    return 1 / constraint_condition(*system_, *at, *ws_);
  }

  /// The condition of the constraints has a peak at the last point but one: how high is it?
  void look_for_singular() {
    const std::size_t n = out_.points.size();
    if (n < 3) return;
    const double a = out_.points[n - 3].condition, b = out_.points[n - 2].condition,
                 c = out_.points[n - 1].condition;
    if (!(b > a && b >= c)) return;
    double low = (out_.points[n - 3].at - begin_) / way_,
           high = (out_.points[n - 1].at - begin_) / way_;
    // Golden section on 1/condition, which is zero at a singular position with a kink there.
    constexpr double golden = 0.6180339887498949;
    double x = high - golden * (high - low), y = low + golden * (high - low);
    double fx = openness(state_, x, nullptr), fy = openness(state_, y, nullptr);
    for (int i = 0; i < 60; ++i) {
      if (fx < fy) {
        high = y;
        y = x;
        fy = fx;
        x = high - golden * (high - low);
        fx = openness(state_, x, nullptr);
      } else {
        low = x;
        x = y;
        fx = fy;
        y = low + golden * (high - low);
        fy = openness(state_, y, nullptr);
      }
    }
    constexpr double singular = 1e-6;
    if (std::min(fx, fy) < singular) out_.singular.push_back(begin_ + way_ * 0.5 * (low + high));
  }

  const Model& model_;
  const ParameterValues& overrides_;
  const SweepOptions& options_;
  Diagnostics& diagnostics_;
  Driver driver_;
  double begin_ = 0, way_ = 1;
  std::unique_ptr<System> system_;
  std::unique_ptr<Workspace> ws_;
  std::vector<Quantity> quantities_;
  std::vector<FrameData> joints_;
  State state_;
  Sweep out_;
};

}  // namespace

std::optional<Sweep> sweep_driver(const Model& model, const ParameterValues& overrides,
                                  const SweepOptions& options, Diagnostics& diagnostics) {
  return Sweeper(model, overrides, options, diagnostics).run();
}

}  // namespace kardan::cli
