#include "elements/derivative_cases.h"
#include "elements/formulas.h"
#include "kardan/elements/joints/constant_velocity.h"
#include "kardan/elements/nonholonomic/knife_edge.h"
#include "kardan/elements/nonholonomic/rolling_disc.h"

namespace kardan::test {
namespace {

TimeFunction wave() {
  return TimeFunction::make(Expression::parse("0.3*sin(2*t) + t^3").value()).value();
}

/// Rows of an automatic constraint between frames A and B.
template <int D, class K>
void add_formula(Builder<D>& b, K kernel) {
  const int first = b.row("formula", RowUnit::length);
  for (int k = 1; k < K::rows; ++k) b.row("formula", RowUnit::length);
  b.template constraint_bank<AutomaticConstraint<D, K>>().items.push_back(
      {kernel, b.slots(first, A, B)});
}
template <int D, class K>
void add_velocity_formula(Builder<D>& b, K kernel, int frame_A, int frame_B) {
  const int first = b.nonholonomic_row("formula");
  for (int k = 1; k < K::rows; ++k) b.nonholonomic_row("formula");
  RowSlots slots = b.slots(first, frame_A, frame_B);
  if (frame_A == frame_B) slots.A = {};
  b.template constraint_bank<AutomaticVelocityConstraint<D, K>>().items.push_back({kernel, slots});
}

template <int D, class M>
void add_measure(Builder<D>& b, M m) {
  b.measure(b.row("row", RowUnit::length), m, A, B);
}

template <int D>
Case<D> angle_case(std::vector<int> bodies) {
  return {"angle", bodies,
          [](Builder<D>& b) {
            const int row = b.row("row", RowUnit::angle);
            const Angle<D> angle = b.angle(A, B);
            b.measure(row, angle, A, B, 1, b.count_turns(angle, A, B));
            b.driver(row, wave());
          },
          [](Builder<D>& b, int) {
            if constexpr (D == 3) {
              add_formula(b, AngleFormula3{b.axis(A, 0), b.axis(A, 1), b.axis(B, 0), wave()});
            } else {
              add_formula(b, AngleFormula2{b.angle(A, B).offset, wave()});
            }
          }};
}

std::vector<Case<3>> rolling_cases() {
  constexpr double radius = 0.7;
  return {{"rolling_sphere",
           {0, 2},
           [](Builder<3>& b) { RollingSphere{radius}.build(b); },
           [](Builder<3>& b, int) {
             add_formula(b, SphereHeightFormula{b.axis(A, 2), b.frame(A).s, b.frame(B).s, radius});
             add_velocity_formula(b,
                                  RollingFormula{b.frame(A).R, b.frame(B).s, b.axis(B, 2), radius,
                                                 RollingFormula::sphere},
                                  A, B);
           }},
          {"rolling_disc",
           {0, 2},
           [](Builder<3>& b) { RollingDisc{radius}.build(b); },
           [](Builder<3>& b, int) {
             add_formula(b, DiscHeightFormula{b.axis(A, 2), b.frame(A).s, b.frame(B).s,
                                              b.axis(B, 2), radius});
             add_velocity_formula(b,
                                  RollingFormula{b.frame(A).R, b.frame(B).s, b.axis(B, 2), radius,
                                                 RollingFormula::disc},
                                  A, B);
           }}};
}

}  // namespace

template <int D>
std::vector<Case<D>> constraint_cases() {
  const std::vector<int> pair{1, 2};
  std::vector<Case<D>> cases = {
      {"dot1", pair,
       [](auto& b) {
         add_measure(b, Dot1<D>{b.axis(A, 0), b.axis(B, 1)});
       },
       [](auto& b, int) {
         add_formula(b, Dot1Formula<D>{b.axis(A, 0), b.axis(B, 1)});
       }},
      {"dot2", pair, [](auto& b) { add_measure(b, b.displacement(A, 1, B)); },
       [](auto& b, int) {
         add_formula(b, Dot2Formula<D>{b.axis(A, 1), b.frame(A).s, b.frame(B).s});
       }},
      {"dot2_from_ground",
       {0, 2},
       [](auto& b) { add_measure(b, b.displacement(A, 1, B)); },
       [](auto& b, int) {
         add_formula(b, Dot2Formula<D>{b.axis(A, 1), b.frame(A).s, b.frame(B).s});
       }},
      {"dot2_to_ground",
       {1, 0},
       [](auto& b) { add_measure(b, b.displacement(A, 1, B)); },
       [](auto& b, int) {
         add_formula(b, Dot2Formula<D>{b.axis(A, 1), b.frame(A).s, b.frame(B).s});
       }},
      {"distance", pair,
       [](auto& b) {
         add_measure(b, Distance<D>{b.frame(A).s, b.frame(B).s, 0.8});
       },
       [](auto& b, int) {
         add_formula(b, DistanceFormula<D>{b.frame(A).s, b.frame(B).s, 0.8});
       }},
      {"length", pair, [](auto& b) { add_measure(b, b.length(A, B)); },
       [](auto& b, int) {
         add_formula(b, LengthFormula<D>{b.frame(A).s, b.frame(B).s});
       }},
      angle_case<D>(pair),
      {"point", pair, [](auto& b) { b.point(A, B); },
       [](auto& b, int) {
         add_formula(b, PointFormula<D>{b.frame(A).s, b.frame(B).s});
       }},
      {"knife_edge",
       {2},
       [](auto& b) { KnifeEdge{}.build(b); },
       [](auto& b, int) {
         add_velocity_formula(b, KnifeEdgeFormula<D>{b.axis(0, 1), b.frame(0).s, {}}, 0, 0);
       }},
      {"knife_edge_on_a_belt",
       {2},
       [](auto& b) { KnifeEdge{wave()}.build(b); },
       [](auto& b, int) {
         add_velocity_formula(b, KnifeEdgeFormula<D>{b.axis(0, 1), b.frame(0).s, wave()}, 0, 0);
       }}};
  if constexpr (D == 3) {
    for (Case<3>& c : rolling_cases()) cases.push_back(std::move(c));
    for (const std::vector<int>& bodies : {pair, {0, 2}, {1, 0}})
      cases.push_back({"twist_" + std::to_string(bodies[0]) + std::to_string(bodies[1]),
                       bodies,
                       [](Builder<3>& b) { ConstantVelocity{}.build(b); },
                       [](Builder<3>& b, int turns) {
                         add_formula(b, PointFormula<3>{b.frame(A).s, b.frame(B).s});
                         add_formula(b, TwistFormula{b.frame(A).R, b.frame(B).R, turns});
                       },
                       {0, 1, -1, 2}});
  }
  return cases;
}

template std::vector<Case<2>> constraint_cases<2>();
template std::vector<Case<3>> constraint_cases<3>();

}  // namespace kardan::test
