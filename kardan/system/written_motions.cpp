#include "kardan/system/written_motions.h"

#include <algorithm>
#include <cmath>

#include "kardan/base/enclosure.h"

namespace kardan {
namespace {

/// Of what a variable is at the start, or of 1: far enough for kinks that depend on it to come at
/// another time, and near enough for what is defined at the start to be so.
constexpr double aside = 1e-4;
/// Signs of that for one variable after the other; away from zero and to it in turn.
constexpr int views = 3;
double sign(int view, int variable) {
  return view == 0 ? -1 : (variable + view) % 2 == 0 ? 1.0 + 0.1 * variable : -1;
}

/// A formula with all but the time held.
class HeldFormula final : public NamedFunction {
 public:
  HeldFormula(const EquationData& data, const Formula& formula, std::vector<double> values)
      : data_(data), formula_(formula), values_(std::move(values)) {}

  TimeJet at(double t) const override {
    return evaluate<TimeJet>(
        TimeJet::variable(t), [](double value) { return TimeJet(value); },
        [](const Formula& f, std::span<const TimeJet> x) { return f.expression.evaluate(x); });
  }
  Taylor enclose(const Taylor& t) const override {
    const int order = t.order;
    return evaluate<Taylor>(
        t, [order](double value) { return Taylor::constant(value, order); },
        [order](const Formula& f, std::span<const Taylor> x) {
          return kardan::enclose(f.expression, x, order);
        });
  }
  int continuous_derivatives() const override {
    return formula_.expression.continuous_derivatives();
  }
  int depth() const override { return 1 + formula_.expression.call_depth(); }
  double calls() const override { return 1 + formula_.expression.calls(); }

 private:
  template <class T, class Held, class Value>
  T evaluate(const T& t, const Held& held, const Value& value) const {
    std::vector<T> all{t}, arguments;
    for (const double x : values_) all.push_back(held(x));
    const auto over = [&](const Formula& formula) {
      arguments.clear();
      for (const int slot : formula.slots) arguments.push_back(all[static_cast<std::size_t>(slot)]);
      return value(formula, std::span<const T>(arguments));
    };
    for (const NamedFormula& definition : data_.definitions)
      all.push_back(over(definition.formula));
    return over(formula_);
  }

  const EquationData& data_;
  const Formula& formula_;
  std::vector<double> values_;  // of all variables behind t
};

/// All variables behind t at the start, a little aside; multipliers as they are found from.
std::vector<double> place(const EquationData& data, int view) {
  std::vector<double> out;
  for (const auto* list :
       {&data.positions, &data.velocities, &data.dynamic, &data.auxiliary, &data.contact})
    for (const EquationVariable& x : *list) {
      const double size = x.start == 0 ? 1 : std::abs(x.start), to = x.start < 0 ? -1 : 1;
      out.push_back(x.start + to * aside * size * sign(view, static_cast<int>(out.size())));
    }
  for (const auto* rows : {&data.holonomic, &data.nonholonomic})
    for (const NamedFormula& row : *rows) out.push_back(row.start);
  return out;
}

}  // namespace

bool varies_in_time(const EquationData& data, const Formula& formula) {
  return std::ranges::any_of(formula.slots, [&](int slot) {
    const int definition = slot - data.variables();
    return slot == 0 ||
           (definition >= 0 && varies_in_time(data, data.definitions[definition].formula));
  });
}

std::vector<WrittenMotion> written_motions(const EquationData& data) {
  std::vector<WrittenMotion> out;
  const auto add = [&](const std::vector<NamedFormula>& rows, int level) {
    for (const NamedFormula& row : rows) {
      if (!varies_in_time(data, row.formula)) continue;
      WrittenMotion motion{"equations." + row.formula.what, row.formula.where, level, {}};
      for (int view = 0; view < views; ++view)
        motion.views.push_back(std::make_unique<HeldFormula>(data, row.formula, place(data, view)));
      out.push_back(std::move(motion));
    }
  };
  add(data.holonomic, 0);
  add(data.nonholonomic, 1);
  return out;
}

}  // namespace kardan
