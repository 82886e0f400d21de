#include "kardan/model/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kardan/base/text.h"

namespace kardan {

template <class F>
void ShapeFields::fields(F& f) {
  using S = ShapeFields;
  f("shape", &S::shape,
    {.doc = "kind of shape",
     .need = Need::required,
     .choices = {"box", "cylinder", "sphere", "capsule"}});
  f("size", &S::size, {.unit = "m", .doc = "box: edges", .check = Check::non_negative});
  f("radius", &S::radius, {.unit = "m", .doc = "radius", .check = Check::non_negative});
  f("length", &S::length,
    {.unit = "m", .doc = "cylinder, capsule: length along z", .check = Check::non_negative});
  f("at", &S::at, {.unit = "m", .doc = "centre in the body's reference frame"});
  f("density", &S::density,
    {.unit = "kg/m^3", .doc = "default: the body's", .check = Check::non_negative});
  orientation_fields<S>(f);
  f("color", &S::color, {.doc = color_doc});
}

std::vector<FieldDoc> shape_field_docs() {
  return field_docs<ShapeFields>();
}

namespace {

/// The sixteen names of HTML 4, and some that drawings of machines want.
constexpr std::array<std::pair<const char*, const char*>, 22> color_names{
    {{"black", "#000000"},  {"silver", "#c0c0c0"}, {"gray", "#808080"},   {"white", "#ffffff"},
     {"maroon", "#800000"}, {"red", "#ff0000"},    {"purple", "#800080"}, {"magenta", "#ff00ff"},
     {"green", "#008000"},  {"lime", "#00ff00"},   {"olive", "#808000"},  {"yellow", "#ffff00"},
     {"navy", "#000080"},   {"blue", "#0000ff"},   {"teal", "#008080"},   {"cyan", "#00ffff"},
     {"orange", "#ffa500"}, {"brown", "#a52a2a"},  {"pink", "#ffc0cb"},   {"gold", "#ffd700"},
     {"steel", "#8c99a6"},  {"copper", "#b87333"}}};

/// "#RRGGBB" in small letters, or nothing.
std::string hexadecimal(const std::string& text) {
  if (text.size() != 7 || text[0] != '#') return "";
  std::string out = "#";
  for (const char c : text.substr(1)) {
    const char small = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!(small >= '0' && small <= '9') && !(small >= 'a' && small <= 'f')) return "";
    out += small;
  }
  return out;
}

const std::vector<std::string>& shape_keys() {
  static const auto keys = [] {
    std::vector<std::string> all{"use"};
    for (const FieldDoc& d : shape_field_docs()) all.push_back(d.key);
    return all;
  }();
  return keys;
}

const FieldValue* find(const FieldMap& map, std::string_view key) {
  for (const auto& [name, value] : map)
    if (name == key) return &value;
  return nullptr;
}

/// A shape from its fields; false after reporting.
bool make_shape(const FieldMap& fields, const std::string& owner, const SourceLocation& where,
                int dimension, const ValueReader& reader, Shape& out) {
  ShapeFields f;
  report_unknown_keys(fields, shape_keys(), owner, reader.diagnostics());
  if (!read_fields(fields, owner, where, reader, f)) return false;
  const Vec3d size = f.shape == "box" ? f.size : Vec3d{f.radius, f.length, 0};
  const bool complete = f.shape == "box"      ? size.x > 0 && size.y > 0 && size.z > 0
                        : f.shape == "sphere" ? size.x > 0
                                              : size.x > 0 && size.y > 0;
  if (!complete) {
    reader.diagnostics().error(
        "shape.size", fmt::format("{}: the {} has no extent", owner, f.shape), where,
        f.shape == "box" ? "give size: [a, b, c]" : "give radius (and length)");
    return false;
  }
  const Mat3d R = orientation(f, dimension == 2 && f.angle == 0 ? 3 : dimension, owner, where,
                              reader.diagnostics());
  out = {f.shape, size, f.at, R, f.density, ""};
  return true;
}

}  // namespace

std::vector<std::string> builtin_colors() {
  std::vector<std::string> names;
  names.reserve(std::size(color_names));
  for (const auto& [name, value] : color_names) names.emplace_back(name);
  return names;
}

Drawing::Drawing(const FieldMap& colors, const FieldMap& shapes, int dimension,
                 const ValueReader& reader) {
  for (const auto& [name, value] : color_names) colors_[name] = value;
  for (const auto& [name, value] : colors) {
    const std::string c = color(&value, "colors." + name, reader);
    colors_[name] = c;  // empty: a fault is reported once
  }
  for (const auto& [name, value] : shapes) {
    const std::string owner = "shapes." + name;
    const auto fields = shape_fields(value, owner, reader);
    Shape shape;
    if (!fields) continue;
    if (make_shape(*fields, owner, value.where, dimension, reader, shape))
      (void)color(find(*fields, "color"), owner + ".color", reader);
    shapes_.emplace_back(name, FieldValue(*fields));
  }
}

std::string Drawing::color(const FieldValue* value, const std::string& what,
                           const ValueReader& reader) const {
  if (!value) return "";
  if (const auto* list = std::get_if<FieldValue::List>(&value->data); list && list->size() == 3) {
    std::string out = "#";
    for (const FieldValue& item : *list) {
      double share = 0;
      if (!reader.read(item, what, {.check = Check::unit_interval}, share)) return "";
      out += fmt::format("{:02x}", static_cast<int>(std::lround(255 * share)));
    }
    return out;
  }
  const auto* text = std::get_if<std::string>(&value->data);
  if (text) {
    if (const auto named = colors_.find(*text); named != colors_.end()) return named->second;
    if (std::string hex = hexadecimal(*text); !hex.empty()) return hex;
  }
  std::vector<std::string> names;
  for (const auto& [name, c] : colors_) names.push_back(name);
  const std::string near = text ? did_you_mean(*text, names) : "";
  reader.diagnostics().error(
      "color.unknown", fmt::format("{}: {} is no colour", what, text ? "'" + *text + "'" : "this"),
      value->where,
      near.empty() ? "write a name, \"#rrggbb\" or [red, green, blue] from 0 to 1"
                   : "did you mean '" + near + "'?");
  return "";
}

std::optional<FieldMap> Drawing::shape_fields(const FieldValue& value, const std::string& what,
                                              const ValueReader& reader) const {
  const auto* map = std::get_if<FieldMap>(&value.data);
  const auto* name = std::get_if<std::string>(&value.data);
  SourceLocation where = value.where;
  if (map) {
    const FieldValue* use = find(*map, "use");
    if (!use) return *map;
    name = std::get_if<std::string>(&use->data);
    where = use->where;
  }
  const FieldValue* base = name ? find(shapes_, *name) : nullptr;
  if (!base) {
    std::vector<std::string> names;
    for (const auto& [known, fields] : shapes_) names.push_back(known);
    const std::string near = name ? did_you_mean(*name, names) : "";
    reader.diagnostics().error(
        "shape.unknown", fmt::format("{}: there is no shape '{}'", what, name ? *name : "?"), where,
        near.empty() ? "write {shape: box, ...}, or the name of one in the section 'shapes'"
                     : "did you mean '" + near + "'?");
    return std::nullopt;
  }
  FieldMap fields = map ? *map : FieldMap{};
  for (const auto& item : std::get<FieldMap>(base->data))
    if (!find(fields, item.first)) fields.push_back(item);
  return fields;
}

std::vector<Shape> resolve_shapes(const NamedFields& body, double body_density,
                                  const std::string& body_color, int dimension,
                                  const Drawing& drawing, const ValueReader& reader) {
  std::vector<Shape> shapes;
  const FieldValue* value = body.find("shapes");
  if (!value) return shapes;
  const auto* list = std::get_if<FieldValue::List>(&value->data);
  if (!list) {
    reader.diagnostics().error("field.type", body.name + ".shapes: wanted a list of shapes",
                               value->where);
    return shapes;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const FieldValue& item = (*list)[i];
    const std::string owner = fmt::format("{}.shapes[{}]", body.name, i);
    const auto fields = drawing.shape_fields(item, owner, reader);
    Shape shape;
    if (!fields || !make_shape(*fields, owner, item.where, dimension, reader, shape)) continue;
    shape.color = drawing.color(find(*fields, "color"), owner + ".color", reader);
    if (shape.color.empty()) shape.color = body_color;
    if (!(shape.density > 0)) shape.density = body_density;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

SolidMass solid(const Shape& s) {
  using std::numbers::pi;
  const double rho = s.density;
  SolidMass m;
  auto diagonal = [&](double xx, double yy, double zz) {
    m.inertia[0][0] = xx, m.inertia[1][1] = yy, m.inertia[2][2] = zz;
  };
  if (s.kind == "box") {
    const double a2 = s.size.x * s.size.x, b2 = s.size.y * s.size.y, c2 = s.size.z * s.size.z;
    m.mass = rho * s.size.x * s.size.y * s.size.z;
    diagonal(m.mass / 12 * (b2 + c2), m.mass / 12 * (a2 + c2), m.mass / 12 * (a2 + b2));
  } else if (s.kind == "sphere") {
    const double r = s.size.x;
    m.mass = rho * 4.0 / 3 * pi * r * r * r;
    diagonal(0.4 * m.mass * r * r, 0.4 * m.mass * r * r, 0.4 * m.mass * r * r);
  } else {
    const double r = s.size.x, l = s.size.y;
    const double cylinder = rho * pi * r * r * l;
    double axial = 0.5 * cylinder * r * r;
    double across = cylinder * (r * r / 4 + l * l / 12);
    m.mass = cylinder;
    if (s.kind == "capsule") {
      // Two half balls; centre of each 3/8 r beyond the end of the cylinder.
      const double ball = rho * 4.0 / 3 * pi * r * r * r;
      m.mass += ball;
      axial += 0.4 * ball * r * r;
      across += ball * (0.4 * r * r + l * l / 4 + 3.0 / 8 * r * l);
    }
    diagonal(across, across, axial);
  }
  return m;
}

}  // namespace kardan
