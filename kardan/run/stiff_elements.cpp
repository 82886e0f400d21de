#include "kardan/run/stiff_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

constexpr double very_many = 1e6;
/// Of explicit methods that do not say it: about what Runge-Kutta methods have.
constexpr double usual_limit = 3;

/// [1/s] The fastest rate an element of lengths gives the bodies it acts on.
double fastest_rate(const Blueprint& blueprint, const ElementData& element) {
  double mass = 0;  // [kg] the least of those that are free to move
  for (const FrameData& frame : element.frames) {
    const BodyData& body = blueprint.bodies[static_cast<std::size_t>(frame.body)];
    if (frame.body > 0 && body.mass > 0) mass = mass > 0 ? std::min(mass, body.mass) : body.mass;
  }
  if (!(mass > 0)) return 0;
  Diagnostics discarded;
  const ValueReader reader(blueprint.parameters, discarded);
  double rate = 0;
  for (const FieldDoc& field : element.type->fields) {
    const bool spring = field.info.unit.starts_with("N/m"), damper = field.info.unit == "N s/m";
    if (field.kind != "number" || (!spring && !damper)) continue;
    for (const auto& [key, value] : element.fields) {
      double number = 0;
      if (key != field.key || !reader.read(value, key, field.info, number) || !(number > 0))
        continue;
      rate = std::max(rate, spring ? std::sqrt(number / mass) : number / mass);
    }
  }
  return rate;
}

}  // namespace

void warn_of_stiff_elements(const System& system, const Method& method, double t_end,
                            Diagnostics& diagnostics) {
  if (!method.is_explicit) return;
  const Blueprint& blueprint = system.blueprint();
  const double limit = method.stability_limit > 0 ? method.stability_limit : usual_limit;
  const ElementData* stiffest = nullptr;
  double most = 0;
  for (const ElementData& element : blueprint.elements) {
    const double rate = fastest_rate(blueprint, element);
    if (!(rate > most)) continue;
    most = rate;
    stiffest = &element;
  }
  if (!stiffest || !(most * t_end / limit > very_many)) return;
  diagnostics.warning(
      "run.stiff",
      fmt::format("{}: it acts within {:.1g} s, and '{}' is explicit: while it acts it takes about "
                  "{:.0e} steps a second",
                  stiffest->name, 1 / most, method.name, most / limit),
      stiffest->where, "take an implicit method, as rn4 or radau5, or a softer element");
}

}  // namespace kardan
