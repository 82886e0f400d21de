#include "kardan/system/expression_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kardan/system/automatic_equations.h"

namespace kardan {
namespace {

constexpr int parts = 5;

/// One row for each scalar: variables, definitions, arguments of the formula in hand.
struct ExpressionScratch final : Workspace::Scratch {
  explicit ExpressionScratch(std::size_t size) {
    std::apply([&](auto&... row) { (row.resize(size), ...); }, rows);
  }
  std::tuple<std::vector<double>, std::vector<Seeded>, std::vector<Along>, std::vector<SeededAlong>,
             std::vector<Twice>, std::vector<MotionJet>, std::vector<CurvedMotionJet>>
      rows;
};

class ExpressionFunctions final : public UserFunctions, public FollowedFunctions {
 public:
  explicit ExpressionFunctions(EquationData data)
      : data_(std::move(data)),
        n_(static_cast<int>(data_.positions.size())),
        variables_(data_.variables()),
        definitions_(static_cast<int>(data_.definitions.size())) {
    find_arguments();
    find_needs();
  }

  std::unique_ptr<Workspace::Scratch> make_memory() const override {
    return std::make_unique<ExpressionScratch>(variables_ + definitions_ + arguments_);
  }

  void call(const Variables<double>& x, Terms<double>& y) const override { run(x, y); }
  void call(const Variables<Seeded>& x, Terms<Seeded>& y) const override { run(x, y); }
  void call(const Variables<Along>& x, Terms<Along>& y) const override { run(x, y); }
  void call(const Variables<SeededAlong>& x, Terms<SeededAlong>& y) const override { run(x, y); }
  void call(const Variables<Twice>& x, Terms<Twice>& y) const override { run(x, y); }
  bool exact() const override { return true; }
  const FollowedFunctions* followed() const override { return this; }
  void follow(const Variables<MotionJet>& x, Terms<MotionJet>& y) const override { run(x, y); }
  void follow(const Variables<CurvedMotionJet>& x, Terms<CurvedMotionJet>& y) const override {
    run(x, y);
  }

 private:
  /// All formulas of a part.
  template <class Use>
  void each(Part part, Use&& use) const {
    const auto all = [&](const auto& list) {
      for (const auto& item : list) use(item.formula);
    };
    switch (part) {
      case Part::contact:
        all(data_.contact);
        break;
      case Part::constraints:
        all(data_.holonomic);
        all(data_.nonholonomic);
        break;
      case Part::dynamics:
        all(data_.mass);
        all(data_.dynamic);
        all(data_.auxiliary);
        for (const Formula& f : data_.forces) use(f);
        break;
      case Part::kinematics:
        for (const Formula& f : data_.kinematics) use(f);
        break;
      case Part::outputs:
        all(data_.invariants);
        all(data_.events);
        all(data_.outputs);
        for (const auto* f : {&data_.kinetic, &data_.potential, &data_.power})
          if (*f) use(**f);
        break;
      case Part::hidden:
        break;
    }
  }

  void find_arguments() {
    const auto count = [&](const Formula& f) {
      arguments_ = std::max(arguments_, static_cast<int>(f.slots.size()));
    };
    for (int p = 0; p < parts; ++p) each(static_cast<Part>(p), count);
    for (const NamedFormula& d : data_.definitions) count(d.formula);
  }

  /// The definitions each part needs, and which of them change with the velocities.
  void find_needs() {
    for (int p = 0; p < parts; ++p) {
      std::vector<bool> needed(definitions_, false);
      const auto mark = [&](const Formula& f) {
        for (int slot : f.slots)
          if (slot >= variables_) needed[slot - variables_] = true;
      };
      each(static_cast<Part>(p), mark);
      for (int d = definitions_; d-- > 0;)
        if (needed[d]) mark(data_.definitions[d].formula);
      for (int d = 0; d < definitions_; ++d)
        if (needed[d]) needs_[p].push_back(d);
    }
    moving_.assign(definitions_, false);
    for (int d = 0; d < definitions_; ++d)
      for (int slot : data_.definitions[d].formula.slots)
        if ((slot > n_ && slot <= 2 * n_) || (slot >= variables_ && moving_[slot - variables_]))
          moving_[d] = true;
  }

  template <class T>
  T evaluate(const Formula& f, std::span<T> values) const {
    const std::span<T> arguments = values.subspan(variables_ + definitions_);
    for (std::size_t i = 0; i < f.slots.size(); ++i) arguments[i] = values[f.slots[i]];
    return f.expression.evaluate(std::span<const T>(arguments));
  }

  template <class T>
  void run(const Variables<T>& x, Terms<T>& y) const {
    const std::span<T> values =
        std::get<std::vector<T>>(static_cast<ExpressionScratch*>(y.memory)->rows);
    T* to = values.data();
    *to++ = x.t;
    for (const auto& part : {x.p, x.v, x.r, x.w, x.s, x.lambda, x.mu})
      to = std::copy(part.begin(), part.end(), to);
    for (int d : needs_[static_cast<int>(y.part)])
      values[variables_ + d] = evaluate(data_.definitions[d].formula, values);
    switch (y.part) {
      case Part::contact:
        for (std::size_t i = 0; i < data_.contact.size(); ++i)
          y.c[i] = evaluate(data_.contact[i].formula, values);
        break;
      case Part::constraints:
        list(data_.holonomic, values, y.g);
        rows(y, values);
        break;
      case Part::dynamics:
        dynamics(y, values);
        break;
      case Part::kinematics:
        rates(y, values);
        break;
      case Part::outputs:
        list(data_.invariants, values, y.e);
        list(data_.events, values, y.z);
        list(data_.outputs, values, y.output);
        if (data_.kinetic) y.kinetic = evaluate(*data_.kinetic, values);
        if (data_.potential) y.potential = evaluate(*data_.potential, values);
        if (data_.power) y.power = evaluate(*data_.power, values);
        break;
      case Part::hidden:
        break;
    }
  }

  template <class T>
  void list(const std::vector<NamedFormula>& formulas, std::span<T> values,
            std::span<T> out) const {
    for (std::size_t i = 0; i < formulas.size(); ++i)
      out[i] = evaluate(formulas[i].formula, values);
  }

  template <class T>
  void dynamics(Terms<T>& y, std::span<T> values) const {
    for (const MassEntry& m : data_.mass)
      y.M(m.row, m.column) = y.M(m.column, m.row) = evaluate(m.formula, values);
    for (int i = 0; i < n_; ++i) y.f[i] = evaluate(data_.forces[i], values);
    for (std::size_t i = 0; i < data_.dynamic.size(); ++i)
      y.b[i] = evaluate(data_.dynamic[i].formula, values);
    for (std::size_t i = 0; i < data_.auxiliary.size(); ++i)
      y.d[i] = evaluate(data_.auxiliary[i].formula, values);
  }

  /// Velocities set to the unit vector `unit` (none for -1), with what depends on them.
  template <class T>
  void probe(int unit, Part part, std::span<T> values) const {
    for (int j = 0; j < n_; ++j) values[1 + n_ + j] = T(j == unit ? 1.0 : 0.0);
    for (int d : needs_[static_cast<int>(part)])
      if (moving_[d]) values[variables_ + d] = evaluate(data_.definitions[d].formula, values);
  }

  /// Formulas linear in v: at v = 0 they are h, at unit vectors h and a column.
  template <class T>
  void rows(Terms<T>& y, std::span<T> values) const {
    const int count = static_cast<int>(data_.nonholonomic.size());
    if (count == 0) return;
    for (int unit = -1; unit < n_; ++unit) {
      probe(unit, Part::constraints, values);
      for (int i = 0; i < count; ++i) {
        const T value = evaluate(data_.nonholonomic[i].formula, values);
        if (unit < 0)
          y.h[i] = value;
        else
          y.H(i, unit) = value - y.h[i];
      }
    }
  }

  template <class T>
  void rates(Terms<T>& y, std::span<T> values) const {
    if (data_.kinematics.empty()) return;
    for (int unit = 0; unit < n_; ++unit) {
      probe(unit, Part::kinematics, values);
      for (int i = 0; i < n_; ++i) y.Z(i, unit) = evaluate(data_.kinematics[i], values);
    }
  }

  EquationData data_;
  int n_, variables_, definitions_;
  int arguments_ = 0;
  std::vector<int> needs_[parts];
  std::vector<bool> moving_;
};

/// Whether a formula is linear in the velocities (`constant`: plus what does not depend on them),
/// tried at the start and at places around it.
class LinearityCheck {
 public:
  LinearityCheck(const EquationData& data, Diagnostics& diagnostics)
      : data_(data), diagnostics_(diagnostics), n_(static_cast<int>(data.positions.size())) {}

  enum class Constant { allowed, none };
  bool check(const Formula& f, Constant constant) {
    constexpr int trials = 5;
    for (int trial = 0; trial < trials; ++trial) {
      place(trial);
      const double zero = at(f, [](int) { return 0.0; });
      double predicted = zero, size = std::abs(zero);
      for (int j = 0; j < n_; ++j) {
        const double part = speed(j) * (at(f, [&](int i) { return i == j ? 1.0 : 0.0; }) - zero);
        predicted += part;
        size += std::abs(part);
      }
      const double value = at(f, [&](int i) { return speed(i); });
      if (!std::isfinite(value) || !std::isfinite(predicted)) continue;
      const bool offset = constant == Constant::none && std::abs(zero) > 1e-12 * (1 + size);
      if (std::abs(value - predicted) <= 1e-9 * (1 + size) && !offset) continue;
      diagnostics_.error("equations.linear",
                         fmt::format("equations.{}: not linear in the velocities", f.what), f.where,
                         offset ? "kinematics are p' = Z(p) v: without velocities they vanish"
                                : "a condition on velocities has the form H(t, p) v + h(t, p) = 0");
      return false;
    }
    return true;
  }

 private:
  static double speed(int j) { return 0.7 + 0.31 * j; }

  /// All variables but the velocities: the start, shifted a little in a fixed way.
  void place(int trial) {
    values_.assign(data_.variables() + data_.definitions.size(), 0.0);
    int slot = 1;
    double shift = 0.017 * trial;
    values_[0] = 3 * shift;
    for (const auto* list :
         {&data_.positions, &data_.velocities, &data_.dynamic, &data_.auxiliary, &data_.contact})
      for (const EquationVariable& x : *list) {
        values_[slot++] = x.start + shift;
        shift *= -1.3;
      }
  }

  template <class Speed>
  double at(const Formula& f, Speed&& velocity) {
    for (int j = 0; j < n_; ++j) values_[1 + n_ + j] = velocity(j);
    for (std::size_t d = 0; d < data_.definitions.size(); ++d)
      values_[data_.variables() + d] = value(data_.definitions[d].formula);
    return value(f);
  }
  double value(const Formula& f) {
    arguments_.clear();
    for (int slot : f.slots) arguments_.push_back(values_[slot]);
    return f.expression.evaluate(std::span<const double>(arguments_));
  }

  const EquationData& data_;
  Diagnostics& diagnostics_;
  int n_;
  Vector values_, arguments_;
};

}  // namespace

std::unique_ptr<UserEquations> expression_equations(std::string name, EquationData data,
                                                    Diagnostics& diagnostics) {
  UserDescription d;
  for (const Formula& force : data.forces) d.places.push_back(force.where);
  d.name = std::move(name);
  const auto variables = [](const std::vector<EquationVariable>& from) {
    std::vector<UserVariable> out;
    out.reserve(from.size());
    for (const EquationVariable& x : from) out.push_back({x.name, x.start});
    return out;
  };
  const auto names = [](const std::vector<NamedFormula>& from) {
    std::vector<std::string> out;
    out.reserve(from.size());
    for (const NamedFormula& x : from) out.push_back(x.name);
    return out;
  };
  d.positions = variables(data.positions);
  d.velocities = variables(data.velocities);
  d.dynamic = variables(data.dynamic);
  d.auxiliary = variables(data.auxiliary);
  d.contact = variables(data.contact);
  d.holonomic = names(data.holonomic);
  d.nonholonomic = names(data.nonholonomic);
  d.invariants = names(data.invariants);
  d.events = names(data.events);
  d.outputs = names(data.outputs);
  d.mass = data.has_mass;
  d.kinematics = !data.kinematics.empty();
  d.rows_on_velocities = true;
  d.energy = data.kinetic || data.potential;
  d.multiplier_forces = data.multiplier_forces;
  for (const auto* rows : {&data.holonomic, &data.nonholonomic})
    for (const NamedFormula& row : *rows) d.multiplier_starts.push_back(row.start);
  LinearityCheck linearity(data, diagnostics);
  bool ok = true;
  for (const NamedFormula& row : data.nonholonomic)
    ok &= linearity.check(row.formula, LinearityCheck::Constant::allowed);
  for (const Formula& rate : data.kinematics)
    ok &= linearity.check(rate, LinearityCheck::Constant::none);
  if (!ok) return nullptr;
  return automatic_equations(std::move(d), std::make_unique<ExpressionFunctions>(std::move(data)));
}

}  // namespace kardan
