#pragma once
/// Relation of the coordinates of two joints: 1 row.

#include "kardan/elements/catalog.h"
#include "kardan/elements/joints/coordinate.h"
#include "kardan/elements/joints/own_coordinates.h"
#include "kardan/elements/written.h"

namespace kardan {

struct Coupler {
  static constexpr std::string_view type = "coupler";
  static constexpr std::string_view summary =
      "Couples the coordinates of two joints, linearly or by a function: the second follows the "
      "first.";
  static constexpr std::string_view equation =
      "y_2 = ratio y_1 + offset, or y_2 = law(y_1) + offset; from: start takes the offset from "
      "the given start";
  static constexpr std::string_view example = R"(dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.1}
  slide: {mass: 1, inertia: 0.1, position: [1, 0]}
joints:
  hinge: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  rail: {type: prismatic, bodies: [ground, slide], at: [1, 0], axis: [1, 0]}
  yoke: {type: coupler, joints: [hinge, rail], law: 0.3*sin(first)}
)";
  static constexpr Category category = Category::joint;
  static constexpr int frames = 4;
  static constexpr Reflection reflection = Reflection::joints;
  static constexpr Glyph glyph = Glyph::none;
  WordList coordinates;
  double ratio = 1, offset = 0;
  std::string from = "start";
  Signal law;

  template <class F>
  static void fields(F& f) {
    f("ratio", &Coupler::ratio, {.doc = "change of the second by that of the first"});
    f("law", &Coupler::law, {.doc = "instead of a ratio: the second as a function of `first`"});
    f("from", &Coupler::from,
      {.doc = "count both from the given start, or from zero", .choices = {"start", "zero"}});
    f("offset", &Coupler::offset, {.unit = "m or rad", .doc = "added, with from: zero"});
    f("coordinates", &Coupler::coordinates,
      {.doc = "of the two joints, x, y, z, distance or angle; their free ones where not given"});
  }

  template <int D>
  void build(Builder<D>& b) const {
    if (coordinates.words.size() != 2)
      return b.fail("coupler.coordinates", "wanted two coordinates", "coordinates: [angle, x]");
    if (offset != 0 && from == "start")
      return b.fail("coupler.offset", "an offset is given, but it is counted from the start",
                    "write from: zero");
    const auto& names = coordinates.words;
    if (!are_coordinates(b, names)) return;
    const auto first = chosen_coordinate(b, names[0], 0, 1);
    const auto second = chosen_coordinate(b, names[1], 2, 3);
    if (!first || !second) return;
    using Counted = typename Builder<D>::Counted;
    if (law.given()) {
      show(b, first->measure, first->unit, "first", "first_rate", 0, 1, first->counter);
      show(b, second->measure, second->unit, "second", "second_rate", 2, 3, second->counter);
      b.formula_row(b.formula("law",
                              written("second - law - offset",
                                      {{{"second", quantity_called(b.name() + ".second")},
                                        {"law", law.expression()},
                                        {"offset", Expression::constant(offset)}}}),
                              law.where(), {{"first", b.name() + ".first"}}),
                    "relation of two coordinates", second->unit,
                    from == "start" ? Counted::from_start : Counted::from_zero);
      return;
    }
    const double start = from == "start" ? b.start_value(second->measure, 2, 3) -
                                               ratio * b.start_value(first->measure, 0, 1)
                                         : offset;
    const int row = b.row("relation of two coordinates", second->unit, -start);
    b.measure(row, second->measure, 2, 3, 1, second->counter);
    b.measure(row, first->measure, 0, 1, -ratio, first->counter);
  }
};

}  // namespace kardan
