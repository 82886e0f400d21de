#pragma once
/// Elastic rope over any number of points, which pulls and never pushes.

#include "kardan/elements/catalog.h"
#include "kardan/elements/forces/cable_spans.h"
#include "kardan/elements/slope.h"

namespace kardan {

struct Cable {
  static constexpr std::string_view type = "cable";
  static constexpr std::string_view summary =
      "Elastic rope over any number of points (small pulleys without friction): it pulls or hangs "
      "slack, which are events.";
  static constexpr std::string_view equation =
      "tension = max(0, k (l - free) + c (l - free)') where l > free, else 0;  l = sum of "
      "|p_k+1 - p_k|";
  static constexpr std::string_view example = R"(dimension: 2
gravity: [0, -9.81]
bodies:
  left: {kind: point, mass: 1, position: [-1, -1]}
  right: {kind: point, mass: 2, position: [1, -1]}
forces:
  rope: {type: cable, between: [left, {body: ground, at: [-1, 0]}, {body: ground, at: [1, 0]}, right], stiffness: 1e4, damping: 50, free_length: 4}
)";
  static constexpr Category category = Category::force;
  static constexpr int frames = any_frames;
  static constexpr Reflection reflection = Reflection::along;
  static constexpr Glyph glyph = Glyph::line;
  double stiffness = 0, damping = 0;
  Signal free_length;

  template <class F>
  static void fields(F& f) {
    f("stiffness", &Cable::stiffness,
      {.unit = "N/m",
       .doc = "of the whole rope",
       .check = Check::positive,
       .need = Need::required});
    f("damping", &Cable::damping,
      {.unit = "N s/m", .doc = "while it is taut", .check = Check::non_negative});
    f("free_length", &Cable::free_length,
      {.unit = "m",
       .doc = "of the whole rope where it just hangs slack, a formula (what a drum winds up)",
       .need = Need::required});
  }

  template <int D>
  void build(Builder<D>& b) const {
    if (damping > 0 && free_length.of_motion())
      return b.fail("cable.damping",
                    "free_length is a formula of the motion, whose rate is not known to the "
                    "damping",
                    "leave the damping out, or make free_length a function of t");
    const auto sum = show_spans(b);
    if (!sum) return;
    Wording w{{{"k", Expression::constant(stiffness)},
               {"c", Expression::constant(damping)},
               {"free", free_length.expression()},
               {"l", sum->length},
               {"l1", sum->rate},
               {"free1", Expression::constant(0)}}};
    if (!free_length.of_motion() && !free_length.of_time().is_constant())
      w.words.back().second = written(
          "slope(t)", {{}, {{"slope", std::make_shared<const Slope>(free_length.of_time())}}});
    const Expression tension =
        written(damping > 0 ? "if(l > free, max(0, k*(l - free) + c*(l1 - free1)), 0)"
                            : "k*max(0, l - free)",
                w);
    b.formula_quantity("tension", "N", b.formula("tension", tension, free_length.where()));
    const Expression pull = written("-tension", {{{"tension", tension}}});
    using Shown = typename FormulaForce<D>::Shown;
    for (int k = 0; k + 1 < b.frame_count(); ++k) {
      if (b.frame(k).body.body == b.frame(k + 1).body.body) continue;  // it moves no body
      b.formula_force(b.formula("tension", pull, free_length.where()), b.length(k, k + 1), k, k + 1,
                      InputKind::force, Shown::sum);
    }
  }
};

}  // namespace kardan
