#include "kardan/run/prescribed.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/kinks.h"
#include "kardan/base/text.h"

namespace kardan {
namespace {

/// The field that tells the motion, or the element.
SourceLocation place(const ElementData& element) {
  for (const auto& [key, value] : element.fields)
    if (key == "motion") return value.where;
  return element.where;
}

}  // namespace

void refuse_kinks(const System& system, double from, double to, Diagnostics& diagnostics) {
  static constexpr const char* names[] = {"position", "velocity", "acceleration"};
  for (const PrescribedMotion& prescribed : system.prescribed_motions()) {
    const std::optional<Kink> kink = find_kink(prescribed.motion, from, to);
    if (!kink) continue;
    const ElementData& element = system.blueprint().elements[prescribed.element];
    diagnostics.error(
        "function.kink",
        fmt::format("{}.motion: at t = {:.9g} the {} jumps from {} to {}; wanted a function with "
                    "continuous velocity and acceleration",
                    element.name, kink->t, names[kink->derivative], format_number(kink->before),
                    format_number(kink->behind)),
        place(element), "round it off, for instance with 'step'");
  }
}

}  // namespace kardan
