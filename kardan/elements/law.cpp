#include "kardan/elements/law.h"

#include <algorithm>
#include <array>

#include "kardan/base/dual.h"
#include "kardan/base/features.h"

namespace kardan {

LawValue SpringLaw::at(const LawArguments& x) const {
  const TimeJet u = actuation.at(x.t);
  LawValue v;
  const double spring = stiffness * (x.y - free) + preload;
  v.force = {
      .value = u.value - spring - damping * x.rate, .y = -stiffness, .rate = -damping, .t = u.d1};
  v.potential = (0.5 * stiffness * (x.y - free) + preload) * (x.y - free);
  v.potential_rate = spring * x.rate;
  return v;
}

LawValue ExpressionLaw::at(const LawArguments& x) const {
  using Scalar = Dual<double, 3>;
  Scalar inputs[3] = {Scalar(x.y), Scalar(x.rate), Scalar(x.t)};
  for (int k = 0; k < 3; ++k) inputs[k].d[k] = 1;
  Scalar values[3];
  for (std::size_t k = 0; k < arguments.size(); ++k) values[k] = inputs[arguments[k]];
  const Scalar f = expression.evaluate(std::span<const Scalar>(values, arguments.size()));
  LawValue v;
  v.force = {.value = f.value, .y = f.d[0], .rate = f.d[1], .t = f.d[2]};
  return v;
}

bool is_input(const ExpressionLaw& law, Varies varies) {
  constexpr int time = 2;
  if (varies == Varies::time) return std::ranges::find(law.arguments, time) != law.arguments.end();
  std::array<Dependence, 3> names{};
  for (std::size_t k = 0; k < law.arguments.size(); ++k)
    names[k] = law.arguments[k] == time ? Dependence::none : Dependence::straight;
  return dependence(law.expression, names) >= Dependence::narrow;
}

LawValue LagLaw::at(const LawArguments& x) const {
  const TimeJet u = command.at(x.t);
  LawValue v;
  v.force = {.value = x.r, .r = 1};
  v.b = {
      .value = (u.value - x.r) / time_constant, .t = u.d1 / time_constant, .r = -1 / time_constant};
  return v;
}

LawValue PidLaw::at(const LawArguments& x) const {
  const TimeJet u = reference.at(x.t);
  LawValue v;
  v.force = {.value = x.w, .w = 1};
  v.b = {.value = u.value - x.y, .y = -1, .t = u.d1};
  v.d = {.value = kp * (u.value - x.y) + kd * (u.d1 - x.rate) + ki * x.r - x.w,
         .y = -kp,
         .rate = -kd,
         .t = kp * u.d1 + kd * u.d2,
         .r = ki,
         .w = -1};
  return v;
}

}  // namespace kardan
