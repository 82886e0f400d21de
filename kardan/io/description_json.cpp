#include "kardan/io/description_json.h"

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

ResultDescription description_from(const Json& json) {
  ResultDescription d;
  d.title = json.at("title");
  d.scene = json.at("scene");
  d.asked = json.at("asked");
  d.events = json.at("events").get<std::vector<std::string>>();
  for (const Json& b : json.at("blocks")) {
    ResultBlock block{b.at("name"), b.at("doc"), b.at("items"), b.at("components"), b.at("units")};
    block.first = d.layout.width;
    d.layout.width += block.size();
    d.layout.blocks.push_back(std::move(block));
  }
  for (const Json& c : json.at("columns")) {
    ResultColumn column{c.at("name"), c.at("unit"), c.at("at"), c.at("chosen")};
    if (column.at < 0 || column.at >= d.layout.width)
      throw std::out_of_range("column " + column.name);
    d.layout.columns.push_back(std::move(column));
  }
  return d;
}

}  // namespace kardan
