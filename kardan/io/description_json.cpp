#include "kardan/io/description_json.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <stdexcept>

namespace kardan {

Json to_json(const ResultDescription& d) {
  Json blocks = Json::array(), columns = Json::array();
  for (const ResultBlock& b : d.layout.blocks)
    blocks.push_back({{"name", b.name},
                      {"doc", b.doc},
                      {"items", b.items},
                      {"components", b.components},
                      {"units", b.units}});
  for (const ResultColumn& c : d.layout.columns)
    columns.push_back({{"name", c.name}, {"unit", c.unit}, {"at", c.at}, {"chosen", c.chosen}});
  return {{"title", d.title},   {"scene", d.scene},   {"blocks", blocks},
          {"columns", columns}, {"events", d.events}, {"asked", d.asked}};
}

namespace {

/// A block of strangers: its name is that of a dataset of its own, its shape one that formats know.
void check_block(const ResultBlock& block, const ResultLayout& before) {
  constexpr std::size_t most_components = 7;  // of a pose in space
  // Of other datasets, and of arrays that reports have beside the blocks.
  constexpr std::array<std::string_view, 9> reserved{"model", "description", "names",
                                                     "units", "steps",       "events",
                                                     "times", "angles",      "certificate"};
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const std::string& name = block.name;
  if (name.empty() || !std::all_of(name.begin(), name.end(), letter) || before.find(name) ||
      name.starts_with("step_") ||
      std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    throw std::out_of_range("no block can have the name " + name);
  const std::size_t items = block.items.size(), components = block.components.size();
  const bool first = before.blocks.empty();
  if (first != (name == "time") || (first && items + components > 0))
    throw std::out_of_range("the first block is the time, and no other");
  if (components > most_components || (name == "poses" && components != 3 && components != 7))
    throw std::out_of_range(name + " has other components");
  if (items > (static_cast<std::size_t>(INT_MAX) - before.width) / most_components)
    throw std::out_of_range(name + " is too large");
}

int place_of(const Json& number, const ResultLayout& layout) {
  const std::int64_t at = number.is_number_integer() ? number.get<std::int64_t>() : -1;
  if (at < 0 || at >= layout.width) throw std::out_of_range("a column has no place");
  return static_cast<int>(at);
}

}  // namespace

ResultDescription description_from(const Json& json) {
  ResultDescription d;
  d.title = json.at("title");
  d.scene = json.at("scene");
  d.asked = json.at("asked");
  d.events = json.at("events").get<std::vector<std::string>>();
  for (const Json& b : json.at("blocks")) {
    ResultBlock block{b.at("name"), b.at("doc"), b.at("items"), b.at("components"), b.at("units")};
    check_block(block, d.layout);
    block.first = d.layout.width;
    d.layout.width += block.size();
    d.layout.blocks.push_back(std::move(block));
  }
  for (const Json& c : json.at("columns")) {
    const int at = place_of(c.at("at"), d.layout);
    d.layout.columns.push_back({c.at("name"), c.at("unit"), at, c.at("chosen")});
  }
  if (d.layout.blocks.empty()) throw std::out_of_range("there are no rows");
  if (!d.scene.is_object() || !d.asked.is_object())
    throw std::out_of_range("the scene and what was asked are no objects");
  return d;
}

}  // namespace kardan
