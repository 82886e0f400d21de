#pragma once
/// A rope that is kept taut, of any number of straight parts: 1 row.

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/cable_spans.h"

namespace kardan {

struct TautCable {
  static constexpr std::string_view type = "taut_cable";
  static constexpr std::string_view summary =
      "Rope of a given length over any number of points, kept taut: it pushes, too, where it "
      "should go slack (its force is then positive). Type cable goes slack.";
  static constexpr std::string_view equation =
      "sum of |p_k+1 - p_k| - length(t, any positions) = 0";
  static constexpr std::string_view example = R"(dimension: 2
gravity: [0, -9.81]
bodies:
  left: {kind: point, mass: 1, position: [-1, -1]}
  right: {kind: point, mass: 2, position: [1, -1]}
drivers:
  rope: {type: taut_cable, between: [left, {body: ground, at: [-1, 0]}, {body: ground, at: [1, 0]}, right]}
)";
  static constexpr Category category = Category::driver;  // its length may depend on time
  static constexpr int frames = any_frames;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr Glyph glyph = Glyph::line;
  Signal length;
  std::string from = "zero";

  template <class F>
  static void fields(F& f) {
    f("length", &TautCable::length,
      {.unit = "m", .doc = "of the whole rope, a formula; not given: that of the start"});
    f("from", &TautCable::from,
      {.doc = "count `length` from zero, or as a change from the given start",
       .choices = {"zero", "start"}});
  }

  template <int D>
  void build(Builder<D>& b) const {
    using Counted = typename Builder<D>::Counted;
    const auto sum = show_spans(b);
    if (!sum) return;
    b.formula_row(
        b.formula("length",
                  written("sum - given", {{{"sum", sum->length}, {"given", length.expression()}}}),
                  length.where()),
        "length", RowUnit::length,
        from == "start" || !length.given() ? Counted::from_start : Counted::from_zero);
  }
};

}  // namespace kardan
