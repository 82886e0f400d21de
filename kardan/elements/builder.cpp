#include "kardan/elements/builder.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kardan {

template <int D>
void Builder<D>::begin(int element, std::string name, SourceLocation where,
                       std::vector<BodyFrame<D>> frames, std::vector<BodyMotion<D>> start,
                       Placed placed) {
  element_ = element;
  name_ = std::move(name);
  where_ = std::move(where);
  frames_ = std::move(frames);
  start_ = std::move(start);
  placed_ = placed;
}

template <int D>
VecOf<D> Builder<D>::axis(int f, int k) const {
  if constexpr (D == 3) {
    return frames_[f].R.column(k);
  } else {
    const Rot2d& R = frames_[f].R;
    return k == 0 ? Vec2d{R.c, R.s} : Vec2d{-R.s, R.c};
  }
}

template <int D>
RowSlots Builder<D>::slots(int row, int A, int B) const {
  RowSlots s;
  s.A = frames_[A].body;
  s.B = frames_[B].body;
  s.row = row;
  return s;
}

template <int D>
int Builder<D>::row(std::string label, RowUnit unit, double offset) {
  program_.rows.push_back({element_, std::move(label), unit, RowKind::holonomic, offset});
  return static_cast<int>(program_.rows.size()) - 1;
}

template <int D>
int Builder<D>::nonholonomic_row(std::string label) {
  program_.rows.push_back({element_, std::move(label), RowUnit::length, RowKind::nonholonomic, 0});
  return static_cast<int>(program_.rows.size()) - 1;
}

template <int D>
void Builder<D>::driver(int row, TimeFunction phi, double coefficient) {
  row_input(phi, row, 2, coefficient);
  RowSlots s;
  s.row = row;
  constraint_bank<DriverRows<D>>().items.push_back({std::move(phi), coefficient, s});
}

template <int D>
Input<D> Builder<D>::input_on(int A, int B, InputKind kind) const {
  Input<D> input;
  input.element = element_;
  input.kind = kind;
  if (A != ground) {
    input.A = frames_[A].body;
    input.arm_A = norm(frames_[A].s);
  }
  input.B = frames_[B].body;
  input.arm_B = norm(frames_[B].s);
  return input;
}

template <int D>
void Builder<D>::force_input(const TimeFunction& f, int A, int B, InputKind kind) {
  if (f.is_constant()) return;
  Input<D> input = input_on(A, B, kind);
  input.source = f;
  program_.inputs.push_back(std::move(input));
}

template <int D>
void Builder<D>::variable_input(const TimeFunction& f, int index, double factor) {
  if (f.is_constant()) return;
  Input<D> input;
  input.element = element_;
  input.kind = InputKind::variable;
  input.index = index;
  input.factor = factor;
  input.source = f;
  program_.inputs.push_back(std::move(input));
}

template <int D>
void Builder<D>::row_input(const TimeFunction& f, int row, int derivative, double factor) {
  if (f.is_constant()) return;
  Input<D> input;
  input.element = element_;
  input.kind = InputKind::row;
  input.index = row;
  input.derivative = derivative;
  input.factor = factor;
  input.source = f;
  program_.inputs.push_back(std::move(input));
}

template <int D>
void Builder<D>::road_input(RoadInput<D> road, int B) {
  Input<D> input = input_on(ground, B, InputKind::force);
  input.source = std::move(road);
  program_.inputs.push_back(std::move(input));
}

template <int D>
void Builder<D>::point(int A, int B) {
  static constexpr const char* labels[3] = {
      "translation along world x", "translation along world y", "translation along world z"};
  const int first = row(labels[0], RowUnit::length);
  for (int k = 1; k < D; ++k) row(labels[k], RowUnit::length);
  RowSlots s = slots(first, A, B);
  s.rows = D;
  constraint_bank<PointRows<D>>().items.push_back({frames_[A].s, frames_[B].s, s});
}

template <int D>
void Builder<D>::perpendicular(int A, int i, int B, int j, std::string label) {
  require_rotation(A);
  require_rotation(B);
  const int r = row(std::move(label), RowUnit::angle);
  measure(r, Dot1<D>{axis(A, i), axis(B, j)}, A, B);
}

template <int D>
void Builder<D>::aligned(int A, int B, int i) {
  if constexpr (D == 3)
    program_.alignments.push_back({element_, frames_[A].body.body, frames_[B].body.body, axis(A, i),
                                   axis(B, i), frames_[B].s});
}

template <int D>
void Builder<D>::in_plane(int A, int i, int B, std::string label) {
  const int r = row(std::move(label), RowUnit::length);
  measure(r, displacement(A, i, B), A, B);
}

template <int D>
Angle<D> Builder<D>::angle(int A, int B) {
  require_rotation(A);
  require_rotation(B);
  if constexpr (D == 3) {
    return {axis(A, 0), axis(A, 1), axis(B, 0)};
  } else {
    const Rot2d &a = frames_[A].R, &b = frames_[B].R;
    Angle<D> out{std::atan2(b.s, b.c) - std::atan2(a.s, a.c)};
    constexpr double turn = 2 * std::numbers::pi;
    if (placed_ == Placed::together) out.offset -= turn * std::round(start_value(out, A, B) / turn);
    return out;
  }
}

template <int D>
Dot2<D> Builder<D>::displacement(int A, int i, int B) const {
  return {axis(A, i), frames_[A].s, frames_[B].s};
}

template <int D>
Length<D> Builder<D>::length(int A, int B) const {
  return {frames_[A].s, frames_[B].s};
}

template <int D>
int Builder<D>::count_turns(const Angle<D>& angle, int A, int B) {
  if (D == 2) return -1;
  program_.counters.push_back({angle, frames_[A].body, frames_[B].body, element_, false, {}, {}});
  return static_cast<int>(program_.counters.size()) - 1;
}

template <int D>
int Builder<D>::count_turns(int A, int B, const Mat3d& RA, const Mat3d& RB) {
  if (D == 2) return -1;
  program_.counters.push_back(
      {angle(A, B), frames_[A].body, frames_[B].body, element_, true, RA, RB});
  return static_cast<int>(program_.counters.size()) - 1;
}

template <int D>
void Builder<D>::alias(const std::string& alias, const std::string& suffix) {
  program_.aliases.emplace_back(name_ + "." + alias, name_ + "." + suffix);
}

template <int D>
void Builder<D>::expression_sensor(Expression value) {
  program_.expressions.push_back({name_, {name_, std::move(value), where_}});
}

template <int D>
ElementFormula Builder<D>::formula(const std::string& key, Expression value, SourceLocation where,
                                   Locals locals) const {
  return {name_ + "." + key, std::move(value), where.line > 0 ? std::move(where) : where_,
          std::move(locals)};
}

template <int D>
void Builder<D>::formula_input(const ElementFormula& formula, FormulaInput source, Input<D> input) {
  if (std::ranges::find(formula.value.names(), "t") == formula.value.names().end()) return;
  input.source = source;
  program_.inputs.push_back(std::move(input));
}

template <int D>
void Builder<D>::formula_state(ElementFormula formula, const std::string& suffix, double initial) {
  const auto index = static_cast<int>(program_.states.size());
  program_.states.push_back({element_, name_ + "." + suffix, initial});
  Input<D> input;
  input.element = element_;
  input.kind = InputKind::variable;
  input.index = index;
  formula_input(
      formula, {FormulaInput::Of::state, static_cast<int>(program_.formulas.states.size())}, input);
  program_.formulas.states.push_back({std::move(formula), index});
}

template <int D>
void Builder<D>::formula_row(ElementFormula formula, std::string label, RowUnit unit,
                             Counted counted) {
  const int row = this->row(std::move(label), unit);
  Input<D> input;
  input.element = element_;
  input.kind = InputKind::row;
  input.index = row;
  input.derivative = 2;
  formula_input(formula, {FormulaInput::Of::row, static_cast<int>(program_.formulas.rows.size())},
                input);
  program_.formulas.rows.push_back({std::move(formula), row, counted == Counted::from_start});
}

template <int D>
void Builder<D>::formula_quantity(const std::string& suffix, std::string unit,
                                  ElementFormula formula) {
  program_.expressions.push_back(
      {suffix.empty() ? name_ : name_ + "." + suffix, std::move(formula), std::move(unit)});
}

template <int D>
void Builder<D>::reaction_sensor(std::string joint) {
  program_.reactions.push_back({name_, std::move(joint), where_});
}

template <int D>
bool Builder<D>::require_rotation(int k) {
  if (frames_[k].body.count != D) return true;
  fail("element.point_mass", "acts on the rotation of a point mass, which has none",
       "make the body rigid (kind: rigid, with inertia)");
  return false;
}

template <int D>
void Builder<D>::fail(std::string code, const std::string& message, std::string hint) {
  diagnostics_.error(std::move(code), name_ + ": " + message, where_, std::move(hint));
}

template class Builder<2>;
template class Builder<3>;

}  // namespace kardan
