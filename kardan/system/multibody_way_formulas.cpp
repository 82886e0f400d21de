/// Formulas of the motion that may be narrow between the ends of a step: while their switches are
/// held they are way inputs, enclosed along the ways of their arguments.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kardan/base/enclosure.h"
#include "kardan/base/features.h"
#include "kardan/system/body_inertia.h"
#include "kardan/system/multibody.h"

namespace kardan {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Dependence dependence_of(const BoundFormula& formula) {
  std::vector<Dependence> names;
  for (const Quantity& q : formula.arguments)
    names.push_back(q.kind == Quantity::Kind::time ? Dependence::none : Dependence::straight);
  return dependence_between_switches(formula.value.expression(), names);
}

/// An argument at the end of a step, with its rate.
template <class End>
Taylor at_end(const End& x, double slope) {
  Taylor out = Taylor::constant(x.y, 1);
  out.c[1] = std::isfinite(x.rate) ? x.rate : slope;
  return out;
}

}  // namespace

/// How a force along a measure moves its bodies, by the gradient at the start.
template <int D>
InputEffect MultibodyEquations<D>::effect(const FormulaForce<D>& force,
                                          const Context<D>& start) const {
  InputEffect out;
  Measure<D> y;
  force.along.evaluate({start.bodies[force.A.body], start.bodies[force.B.body]}, Depth::gradient,
                       y);
  const auto add = [&](const BodyColumns& body, const double* G) {
    double way = 0, turn = 0;
    for (int k = 0; k < body.count; ++k) (k < D ? way : turn) += G[k] * G[k];
    const BodyMass& m = masses_[static_cast<std::size_t>(body.body)];
    for (int k = 0; k < body.count; ++k) {
      const double factor = k >= D       ? std::sqrt(turn) * most_turning<D>(m.inertia)
                            : m.mass > 0 ? std::sqrt(way) / m.mass
                                         : 0;
      if (factor > 0) out.velocities.push_back({body.first + k, factor});
    }
  };
  add(force.A, y.G);
  add(force.B, y.G + dofs<D>);
  out.of_state = true;
  return out;
}

template <int D>
void MultibodyEquations<D>::bind_way_formulas(const NameData& names) {
  const BoundFormulas& all = expressions_.formulas;
  std::unique_ptr<Workspace> ws;
  const auto add = [&](const BoundFormula& formula, const auto& make_effect) {
    const Dependence depends = dependence_of(formula);
    if (depends < Dependence::narrow) return;
    way_formulas_.push_back({&formula, depends == Dependence::narrow});
    way_inputs_.effects.push_back(make_effect());
  };
  for (std::size_t i = 0; i < all.forces.size(); ++i)
    add(all.forces[i], [&] {
      if (!ws) ws = make_workspace();
      return effect(program_.formulas.forces[i], context(names.start, move(names.start, {}, *ws)));
    });
  for (std::size_t i = 0; i < all.states.size(); ++i)
    add(all.states[i], [&] {
      return InputEffect{{}, {{program_.formulas.states[i].index, 1}}, true};
    });
}

/// The arguments of all formulas at a state, with their rates where positions give them.
template <int D>
void MultibodyEquations<D>::look_at_arguments(const State& state, WayEnd WayEnds::*end,
                                              Workspace& ws) const {
  auto& scratch = static_cast<MotionScratch&>(*ws.scratch);
  const Context<D> at = context(state, move(state, {}, ws));
  const Reading<D> read = reading(state, at);
  Vector &by_p = scratch.formulas.by_p, &by_v = scratch.formulas.by_v;
  std::size_t i = 0;
  for (const WayFormula& f : way_formulas_)
    for (const Quantity& q : f.formula->arguments) {
      std::ranges::fill(by_p, 0.0);
      std::ranges::fill(by_v, 0.0);
      WayEnd& out = scratch.way_arguments[i++].*end;
      out = {read.value(q, 1, by_p, by_v), 0};
      const bool of_positions = q.kind == Quantity::Kind::position ||
                                (q.kind == Quantity::Kind::sensor &&
                                 std::ranges::all_of(by_v, [](double x) { return x == 0; }));
      if (q.kind == Quantity::Kind::time)
        out.rate = 1;
      else if (!of_positions)
        out.rate = unknown;
      else
        for (std::size_t k = 0; k < by_p.size(); ++k) out.rate += by_p[k] * state.v[k];
    }
}

template <int D>
void MultibodyEquations<D>::enclose_way_formulas(const State& from, const State& to, double a,
                                                 double b, int order, std::span<InputBounds> out,
                                                 Workspace& ws) const {
  auto& scratch = static_cast<MotionScratch&>(*ws.scratch);
  std::size_t count = 0;
  for (const WayFormula& f : way_formulas_) count += f.formula->arguments.size();
  scratch.way_arguments.resize(count);
  look_at_arguments(from, &WayEnds::from, ws);
  look_at_arguments(to, &WayEnds::to, ws);
  const double h = to.t - from.t;
  std::vector<Taylor>& values = scratch.enclosed;
  std::size_t first = 0;
  const auto over = [&](const BoundFormula& f, int k, const auto& argument) {
    values.clear();
    for (std::size_t i = 0; i < f.arguments.size(); ++i) {
      const WayEnds& x = scratch.way_arguments[first + i];
      values.push_back(argument(f.arguments[i], x.from, x.to, (x.to.y - x.from.y) / h));
    }
    return f.value.enclose(values, from.modes.data() + f.mode, nullptr, k);
  };
  const auto along = [&](const BoundFormula& f, double begin, double end, int k) {
    const Taylor since = Taylor::time(begin - from.t, end - from.t, k);
    return over(f, k, [&](const Quantity& q, const WayEnd& A, const WayEnd& B, double slope) {
      if (q.kind == Quantity::Kind::time) return Taylor::constant({begin, end}, k);
      const bool known = std::isfinite(A.rate) && std::isfinite(B.rate);
      return along_chord(A.y, known ? A.rate : slope, B.y, known ? B.rate : slope, h, since);
    });
  };
  for (std::size_t i = 0; i < way_formulas_.size(); ++i) {
    const BoundFormula& f = *way_formulas_[i].formula;
    bool shown = false;
    if (way_formulas_[i].narrow) {
      using Q = Quantity;
      const Taylor start = over(f, 1, [](const Q&, const WayEnd& A, const WayEnd&, double slope) {
        return at_end(A, slope);
      });
      const Taylor end = over(f, 1, [](const Q&, const WayEnd&, const WayEnd& B, double slope) {
        return at_end(B, slope);
      });
      shown = shown_by_ends(along(f, from.t, to.t, 1), start, end, h);
      if (shown) out[i] = {.value = start.c[0]};
    }
    if (!shown) out[i] = InputBounds::of(along(f, a, b, order), 0, 1);
    // Beyond the end of what a root or power is defined for nothing is known: the estimate must do.
    if (!out[i].value.finite()) out[i] = {.value = 0.0};
    first += f.arguments.size();
  }
}

template class MultibodyEquations<2>;
template class MultibodyEquations<3>;

}  // namespace kardan
