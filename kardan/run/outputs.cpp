#include "kardan/run/outputs.h"

#include <fmt/format.h>

#include "kardan/base/text.h"
#include "kardan/model/observation.h"

namespace kardan {

std::vector<std::string> result_names(const System& system) {
  std::vector<std::string> names;
  for (const std::string& name : system.quantity_names())
    if (name != "t") names.push_back(name);
  names.emplace_back("energy.kinetic");
  names.emplace_back("energy.potential");
  return names;
}

std::vector<std::string> chosen_outputs(const System& system, Diagnostics& diagnostics) {
  std::vector<std::string> all = result_names(system);
  const Blueprint& blueprint = system.blueprint();
  if (blueprint.outputs.empty()) return all;
  std::vector<bool> chosen(all.size());
  for (const OutputData& output : blueprint.outputs) {
    bool any = blueprint.faulty.contains(output.pattern.substr(0, output.pattern.find('.')));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!matches(output.pattern, all[i])) continue;
      chosen[i] = any = true;
    }
    if (any) continue;
    const std::string near = did_you_mean(output.pattern, all);
    diagnostics.error("output.unknown",
                      fmt::format("outputs: there is no quantity '{}'", output.pattern),
                      output.where,
                      near.empty() ? "a coordinate, velocity or sensor; '*' stands for any letters"
                                   : "did you mean '" + near + "'?");
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) names.push_back(std::move(all[i]));
  return names;
}

}  // namespace kardan
