#include "kardan/io/inputs_outputs.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace kardan {

void add_inputs(FieldMap inputs, Model& model, Diagnostics& diagnostics) {
  for (auto& [name, value] : inputs) {
    auto* map = std::get_if<FieldMap>(&value.data);
    if (!map) {
      diagnostics.error("model.shape", fmt::format("inputs.{}: wanted a mapping", name),
                        value.where, fmt::format("write {}: {{unit: N, start: 0}}", name));
      continue;
    }
    map->insert(map->begin(), {"type", FieldValue("input")});
  }
  model.functions.insert(model.functions.begin(), std::make_move_iterator(inputs.begin()),
                         std::make_move_iterator(inputs.end()));
}

void refuse_inputs(const FieldMap& functions, Diagnostics& diagnostics) {
  for (const auto& [name, value] : functions) {
    const auto* map = std::get_if<FieldMap>(&value.data);
    for (std::size_t i = 0; map && i < map->size(); ++i) {
      const auto* type = std::get_if<std::string>(&(*map)[i].second.data);
      // Those of the section `inputs` have no place for their type.
      if (type && (*map)[i].first == "type" && *type == "input" && (*map)[i].second.where.line > 0)
        diagnostics.error("function.input",
                          fmt::format("functions.{}: inputs have a section of their own", name),
                          (*map)[i].second.where,
                          fmt::format("write inputs: {{{}: {{unit: N, start: 0}}}}", name));
    }
  }
}

std::vector<NamedFields> output_sensors(const FieldMap& outputs) {
  std::vector<NamedFields> out;
  for (const auto& [name, given] : outputs) {
    const auto* map = std::get_if<FieldMap>(&given.data);
    NamedFields sensor{name, {}, given.where, "sensors"};
    sensor.fields.emplace_back("type", "expression");
    if (map)
      sensor.fields.insert(sensor.fields.end(), map->begin(), map->end());
    else
      sensor.fields.emplace_back("value", given);
    out.push_back(std::move(sensor));
  }
  return out;
}

void add_output(NamedFields sensor, Model& model) {
  FieldValue output(sensor.name);
  output.where = sensor.where;
  model.outputs.push_back(std::move(output));
  model.elements.push_back(std::move(sensor));
}

}  // namespace kardan
