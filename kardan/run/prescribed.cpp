#include "kardan/run/prescribed.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/kinks.h"
#include "kardan/base/text.h"
#include "kardan/system/written_motions.h"

namespace kardan {
namespace {

/// The field that prescribes the motion, or the element.
SourceLocation place(const ElementData& element) {
  for (const auto& [key, value] : element.fields)
    if (key == "motion") return value.where;
  return element.where;
}

constexpr const char* names[] = {"position", "velocity", "acceleration"};

/// `level`: what the function is of, by its place in `names`.
void refuse(const Kink& kink, int level, const std::string& what, const SourceLocation& where,
            Diagnostics& diagnostics) {
  diagnostics.error(
      "function.kink",
      fmt::format("{}: at t = {:.9g} the {} jumps from {} to {}; wanted a function with continuous "
                  "{}",
                  what, kink.t, names[kink.derivative + level], format_number(kink.before),
                  format_number(kink.behind),
                  level == 0 ? "velocity and acceleration" : "velocity"),
      where,
      "round it off, for instance with 'step'; a table is held beyond its ends: let it end at "
      "rest, "
      "or write outside: extend");
}

/// Velocities that are prescribed must not jump; their rates may, as forces may.
constexpr int continuous_derivatives[] = {2, 0};

void refuse_kinks_of_equations(const EquationData& equations, double from, double to,
                               Diagnostics& diagnostics) {
  for (const WrittenMotion& motion : written_motions(equations)) {
    std::vector<const NamedFunction*> views;
    for (const auto& view : motion.views) views.push_back(view.get());
    if (const auto kink = find_kink(views, continuous_derivatives[motion.level], from, to))
      refuse(*kink, motion.level, motion.what, motion.where, diagnostics);
  }
}

}  // namespace

void refuse_kinks(const System& system, double from, double to, Diagnostics& diagnostics) {
  for (const PrescribedMotion& prescribed : system.prescribed_motions()) {
    const std::optional<Kink> kink = find_kink(prescribed.motion, from, to);
    if (!kink) continue;
    const ElementData& element = system.blueprint().elements[prescribed.element];
    refuse(*kink, 0, element.name + ".motion", place(element), diagnostics);
  }
  if (system.blueprint().equations)
    refuse_kinks_of_equations(*system.blueprint().equations, from, to, diagnostics);
}

}  // namespace kardan
