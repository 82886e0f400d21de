#include "kardan/elements/catalog.h"

namespace kardan {

std::string_view to_string(Category c) {
  switch (c) {
    case Category::joint:
      return "joint";
    case Category::driver:
      return "driver";
    case Category::nonholonomic:
      return "nonholonomic";
    case Category::force:
      return "force";
    case Category::contact:
      return "contact";
    case Category::sensor:
      return "sensor";
  }
  return "";
}

std::string_view to_string(Glyph g) {
  constexpr std::string_view names[] = {"none", "ball",   "pin",     "block", "rod",
                                        "coil", "damper", "torsion", "line"};
  return names[static_cast<int>(g)];
}

std::string_view coordinate_of(FreeCoordinate free, int dimension) {
  switch (free) {
    case FreeCoordinate::angle:
      return "angle";
    case FreeCoordinate::slide:
      return dimension == 2 ? "x" : "z";
    case FreeCoordinate::none:
      break;
  }
  return "";
}

std::string_view to_string(Silhouette s) {
  constexpr std::string_view names[] = {"none", "wheel", "ball"};
  return names[static_cast<int>(s)];
}

const Catalog& Catalog::builtin() {
  static const Catalog catalog = [] {
    Catalog c;
    add_joints(c);
    add_nonholonomic(c);
    add_forces(c);
    add_contacts(c);
    add_sensors(c);
    return c;
  }();
  return catalog;
}

const ElementType* Catalog::find(std::string_view name) const {
  for (const ElementType& t : types_)
    if (t.name == name) return &t;
  return nullptr;
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  for (const ElementType& t : types_) names.emplace_back(t.name);
  return names;
}

}  // namespace kardan
