#include "kardan/run/held_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kardan/base/rotation.h"
#include "kardan/base/text.h"
#include "kardan/base/time_function.h"

namespace kardan {
namespace {

/// Where a table was used beyond an end.
struct Seen {
  bool beyond = false;
  double end = 0;
};

void look(const Table& table, double x, Seen& seen) {
  if (seen.beyond || !table.holds_at(x)) return;
  seen = {true, x > table.x().front() ? table.x().back() : table.x().front()};
}

Expression watched(const Expression& expression, Seen& seen);

/// A function that notes what its tables are asked.
class Watched final : public NamedFunction {
 public:
  Watched(std::shared_ptr<const NamedFunction> function, Seen& seen)
      : function_(std::move(function)), seen_(&seen) {
    const auto* of_time = dynamic_cast<const TimeFunction*>(function_.get());
    table_ = of_time ? of_time->table() : nullptr;
    if (of_time && of_time->expression()) inner_ = watched(*of_time->expression(), seen);
  }
  TimeJet at(double x) const override {
    if (table_) look(*table_, x, *seen_);
    (void)inner_.evaluate(std::vector<double>(inner_.names().size(), x));  // all of them t
    return function_->at(x);
  }
  Taylor enclose(const Taylor& x) const override { return function_->enclose(x); }
  int continuous_derivatives() const override { return function_->continuous_derivatives(); }
  int depth() const override { return function_->depth(); }
  double calls() const override { return function_->calls(); }

 private:
  std::shared_ptr<const NamedFunction> function_;
  Seen* seen_;
  const Table* table_ = nullptr;
  Expression inner_;
};

/// The same expression, whose functions note what they are asked.
Expression watched(const Expression& expression, Seen& seen) {
  const auto& functions = expression.program().functions;
  auto parsed = Expression::parse(
      expression.text(), [&](std::string_view name) -> std::shared_ptr<const NamedFunction> {
        for (const auto& [known, function] : functions)
          if (known == name) return std::make_shared<Watched>(function, seen);
        return nullptr;
      });
  return parsed ? *parsed : Expression();
}

/// A marker in the world and how it moves.
struct Place {
  Vec3d p, v, spin;
  Mat3d R = Mat3d::identity();
};

Place place_of(const System& system, const FrameData& frame, const State& state) {
  Place out;
  const BodyLayout& body = system.bodies()[static_cast<std::size_t>(frame.body)];
  Mat3d R = Mat3d::identity();
  if (frame.body > 0) {
    const double *p = state.p.data() + body.p, *v = state.v.data() + body.v;
    const int D = system.dimension();
    for (int k = 0; k < D; ++k) out.p[k] = p[k], out.v[k] = v[k];
    if (body.v_count > D && D == 2) {
      R = rotation_exp({0, 0, p[2]});
      out.spin = {0, 0, v[2]};
    } else if (body.v_count > D) {
      R = rotation_matrix(Quaternion{p[3], p[4], p[5], p[6]});
      out.spin = R * Vec3d{v[3], v[4], v[5]};
    }
  }
  const Vec3d arm = R * frame.s;
  out.p += arm;
  out.v += cross(out.spin, arm);
  out.R = R * frame.R;
  return out;
}

}  // namespace

/// One expression, function or table, and what its names are.
struct HeldTables::Use {
  enum class Of { time, road, length, angle, equations, motion };

  std::string what, unit = "s", argument = "t =";
  Of of = Of::time;
  Seen seen;
  std::optional<Table> table;
  Expression expression;
  std::vector<int> slots;  // of the names: y, rate, t of a law; the variables of equations
  std::vector<Quantity> quantities;  // of a formula of the motion
  const FrameData *A = nullptr, *B = nullptr;
  double angle = 0, rate = 0, t = 0;  // of the last state, to count turns by
  bool has_angle = false;

  void at(std::span<const double> values) {
    std::vector<double> arguments;
    for (const int slot : slots) arguments.push_back(values[static_cast<std::size_t>(slot)]);
    (void)expression.evaluate(std::span<const double>(arguments));
  }
  double turned(const Place& a, const Place& b, double now, double speed) {
    const Vec3d x = transposed(a.R) * (b.R * Vec3d{1, 0, 0});
    double next = std::atan2(x.y, x.x);
    if (has_angle) {
      const double expected = angle + 0.5 * (now - t) * (rate + speed), turn = 2 * std::numbers::pi;
      next += turn * std::round((expected - next) / turn);
    }
    angle = next, rate = speed, t = now, has_angle = true;
    return next;
  }
};

struct HeldTables::Written {
  std::vector<double> values;
  std::vector<std::pair<Expression, std::vector<int>>> definitions;
};

HeldTables::HeldTables(const System& system) : system_(system) {
  find_in_elements();
  if (system.blueprint().equations) find_in_equations();
}

HeldTables::~HeldTables() = default;

bool HeldTables::any() const {
  return !uses_.empty();
}

/// A law over its own coordinate, or a formula over quantities of the motion.
void HeldTables::read_formula(const ElementData& element, bool turns, const Expression& formula,
                              Use& use) {
  use.argument = "an argument of", use.unit = "";
  const std::string own[] = {turns ? "angle" : "length", "rate", "t"};
  const auto slot = [&](const std::string& name) { return std::ranges::find(own, name); };
  const auto names = formula.names();
  if (element.frames.size() == 2 &&
      std::ranges::all_of(names, [&](const auto& n) { return slot(n) != std::end(own); })) {
    use.of = turns ? Use::Of::angle : Use::Of::length;
    use.A = &element.frames[0], use.B = &element.frames[1];
    for (const std::string& name : names)
      use.slots.push_back(static_cast<int>(slot(name) - std::begin(own)));
  } else {
    use.of = Use::Of::motion;
    for (const std::string& name : names) {
      // The coordinate of a law is a sensor of the element.
      auto found = system_.find_quantity(element.name + "." + name);
      if (!found || slot(name) == std::end(own)) found = system_.find_quantity(name);
      if (!found) return;
      use.slots.push_back(static_cast<int>(use.quantities.size()));
      use.quantities.push_back(*found);
    }
    if (!ws_) ws_ = system_.make_workspace();
  }
  use.expression = watched(formula, use.seen);
}

void HeldTables::find_in_elements() {
  const Blueprint& blueprint = system_.blueprint();
  Diagnostics discarded;
  const ValueReader reader(blueprint.parameters, discarded);
  for (const ElementData& element : blueprint.elements)
    for (const FieldDoc& field : element.type->fields)
      for (const auto& [key, value] : element.fields) {
        if (key != field.key) continue;
        auto use = std::make_unique<Use>();
        use->what = element.name + "." + key;
        TimeFunction function;
        Expression law;
        Signal signal;
        if (field.kind == kind_of(function) &&
            reader.read(value, use->what, field.info, function)) {
          if (function.table()) use->table = *function.table();
          if (function.expression()) use->expression = watched(*function.expression(), use->seen);
          use->slots.assign(use->expression.names().size(), 0);
        } else if (field.kind == kind_of(signal) &&
                   reader.read(value, use->what, field.info, signal)) {
          if (const Expression* motion = signal.of_motion()) {
            read_formula(element, field.info.unit == "N m", *motion, *use);
          } else {
            const TimeFunction& f = signal.of_time();
            if (f.table()) use->table = *f.table();
            if (f.expression()) use->expression = watched(*f.expression(), use->seen);
            use->slots.assign(use->expression.names().size(), 0);
          }
        } else if (field.kind == kind_of(use->table) && !element.frames.empty() &&
                   reader.read(value, use->what, field.info, use->table)) {
          use->of = Use::Of::road;
          use->A = &element.frames.back();
          use->argument = "x =", use->unit = "m";
        } else if (field.kind == kind_of(law) && element.frames.size() == 2 &&
                   field.info.variables.size() == 3 &&
                   reader.read(value, use->what, field.info, law)) {
          use->expression = watched(law, use->seen);
          use->of = field.info.variables[0] == "angle" ? Use::Of::angle : Use::Of::length;
          for (const std::string& name : use->expression.names())
            use->slots.push_back(static_cast<int>(std::ranges::find(field.info.variables, name) -
                                                  field.info.variables.begin()));
          use->A = &element.frames[0], use->B = &element.frames[1];
          use->argument = "an argument of", use->unit = "";
        }
        if (use->table || !use->expression.program().functions.empty())
          uses_.push_back(std::move(use));
      }
}

void HeldTables::find_in_equations() {
  const EquationData& data = *system_.blueprint().equations;
  if (!data.kinematics.empty()) return;  // velocities are not the rates of positions
  written_ = std::make_unique<Written>();
  const auto add = [&](const Formula& formula) -> const Expression& {
    auto use = std::make_unique<Use>();
    use->what = "equations." + formula.what;
    use->of = Use::Of::equations;
    use->expression = watched(formula.expression, use->seen);
    use->slots = formula.slots;
    use->argument = "an argument of", use->unit = "";
    const Expression& out = use->expression;
    uses_.push_back(std::move(use));
    return out;
  };
  for (const NamedFormula& d : data.definitions)
    written_->definitions.emplace_back(add(d.formula), d.formula.slots);
  for (const Formula& f : data.forces) add(f);
  for (const auto* list : {&data.holonomic, &data.nonholonomic})
    for (const NamedFormula& f : *list) add(f.formula);
  for (const EquationVariable& r : data.dynamic) add(r.formula);
  if (std::ranges::none_of(uses_, [](const auto& use) {
        return use->table || !use->expression.program().functions.empty();
      }))
    uses_.clear();
}

void HeldTables::observe(const State& state) {
  if (written_ && any()) {
    std::vector<double>& values = written_->values;
    values.assign(1, state.t);
    for (const Vector* part : {&state.p, &state.v, &state.r, &state.w, &state.s})
      values.insert(values.end(), part->begin(), part->end());
    values.resize(static_cast<std::size_t>(system_.blueprint().equations->variables()), 0.0);
    for (const auto& [expression, slots] : written_->definitions) {
      std::vector<double> arguments;
      for (const int slot : slots) arguments.push_back(values[static_cast<std::size_t>(slot)]);
      values.push_back(expression.evaluate(std::span<const double>(arguments)));
    }
  }
  for (const auto& use : uses_) {
    Use& u = *use;
    if (u.seen.beyond) continue;
    if (u.of == Use::Of::time) {
      if (u.table) look(*u.table, state.t, u.seen);
      u.at(std::span(&state.t, 1));
    } else if (u.of == Use::Of::road) {
      look(*u.table, place_of(system_, *u.A, state).p.x, u.seen);
    } else if (u.of == Use::Of::equations) {
      u.at(written_->values);
    } else if (u.of == Use::Of::motion) {
      std::vector<double> values;
      for (const Quantity& q : u.quantities)
        values.push_back(system_.quantity(q, state, 0, {}, {}, *ws_));
      u.at(values);
    } else {
      const Place a = place_of(system_, *u.A, state), b = place_of(system_, *u.B, state);
      const Vec3d d = b.p - a.p, z = a.R * Vec3d{0, 0, 1};
      const bool turns = u.of == Use::Of::angle;
      const double length = norm(d);
      const double rate = turns        ? dot(z, b.spin - a.spin)
                          : length > 0 ? dot(d, b.v - a.v) / length
                                       : 0;
      const double values[3] = {turns ? u.turned(a, b, state.t, rate) : length, rate, state.t};
      u.at(values);
    }
  }
}

void HeldTables::add_remarks(RunReport& report) const {
  for (const auto& use : uses_)
    if (use->seen.beyond)
      report.remarks.push_back(fmt::format(
          "{}: its table is held at its last value beyond {} {}{}{} (outside: extend, repeat or "
          "error for something else)",
          use->what, use->argument, format_number(use->seen.end), use->unit.empty() ? "" : " ",
          use->unit));
}

}  // namespace kardan
