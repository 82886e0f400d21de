#include "kardan/model/model_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// Radii of gyration from its centre of mass to where a joint acts on a body. Of a rod it is 1.7,
/// of a wheel on an axle less; ten are no joint that anyone builds.
constexpr double far_away = 10;
/// A length this many times the others is in another unit: millimetres among metres.
constexpr double other_unit = 1000;

bool has_default(const Model& model, const std::string& section, std::string_view key) {
  for (const auto& [name, value] : model.defaults) {
    const auto* fields = name == section ? std::get_if<FieldMap>(&value.data) : nullptr;
    if (fields &&
        std::any_of(fields->begin(), fields->end(), [&](const auto& f) { return f.first == key; }))
      return true;
  }
  return false;
}

void remark_missing_inertia(const Model& model, const Blueprint& blueprint,
                            Diagnostics& diagnostics) {
  if (has_default(model, "bodies", "inertia")) return;
  for (std::size_t b = 1; b < blueprint.bodies.size(); ++b) {
    const BodyData& body = blueprint.bodies[b];
    const NamedFields& given = model.bodies[b - 1];
    const bool weighs = body.kind == BodyKind::rigid && body.mass > 0;
    if (!weighs || given.find("inertia") || given.find("density") ||
        !(norm(body.inertia.column(2)) == 0))
      continue;
    diagnostics.warning("body.no_inertia",
                        fmt::format("{}: 'inertia' is not given and counts as 0", body.name),
                        body.where,
                        "give it, or a density with shapes; kind: point for a mass that does not "
                        "turn, inertia: 0 where that is meant");
  }
}

/// Forces, torques and what they are per unit of a motion.
bool is_of_force(const FieldDoc& field) {
  return field.info.unit.starts_with("N");
}

void remark_without_effect(const Model& model, const Blueprint& blueprint,
                           Diagnostics& diagnostics) {
  for (const ElementData& element : blueprint.elements) {
    if (element.type->category != Category::force) continue;
    std::vector<std::string> strengths;
    bool given = false;
    for (const FieldDoc& field : element.type->fields) {
      if (!is_of_force(field)) continue;
      strengths.push_back(field.key);
      given = given || field.info.need == Need::required ||
              has_default(model, std::string(element.type->name), field.key) ||
              std::any_of(element.fields.begin(), element.fields.end(), [&](const auto& f) {
                const double* number = std::get_if<double>(&f.second.data);
                return f.first == field.key && !(number && *number == 0);
              });
    }
    if (given || strengths.empty()) continue;
    diagnostics.warning("force.no_effect",
                        fmt::format("{}: it exerts no force: none of {} is given", element.name,
                                    fmt::join(strengths, ", ")),
                        element.where, "give one, or remove the element");
  }
}

double gyration(const BodyData& body) {
  const double most = std::max({body.inertia[0][0], body.inertia[1][1], body.inertia[2][2]});
  return body.mass > 0 && most > 0 ? std::sqrt(most / body.mass) : 0;
}

/// Of joints placed in the world: an `at` that is far from the body may have been meant on it.
void remark_far_joints(const Blueprint& blueprint, Diagnostics& diagnostics) {
  for (const ElementData& element : blueprint.elements) {
    const auto at = std::find_if(element.fields.begin(), element.fields.end(),
                                 [](const auto& f) { return f.first == "at"; });
    const bool placed = std::any_of(element.fields.begin(), element.fields.end(),
                                    [](const auto& f) { return f.first == "bodies"; });
    if (!placed || at == element.fields.end() || element.type->category != Category::joint)
      continue;
    for (const FrameData& frame : element.frames) {
      const BodyData& body = blueprint.bodies[static_cast<std::size_t>(frame.body)];
      const double radius = gyration(body), away = norm(frame.s);
      if (frame.body == 0 || radius == 0 || !(away > far_away * radius)) continue;
      diagnostics.warning(
          "joint.far",
          fmt::format("{}: 'at' lies {:.3g} m from the centre of '{}', {:.2g} times its radius of "
                      "gyration",
                      element.name, away, body.name, away / radius),
          at->second.where,
          fmt::format("'at' is a place in the world at the start; for one on the body write "
                      "between: [..., {{body: {}, at: [...]}}]",
                      body.name));
      break;
    }
  }
}

/// Places of bodies from each other, against what is measured on the bodies themselves.
void remark_sizes(const Blueprint& blueprint, Diagnostics& diagnostics) {
  std::vector<double> sizes;
  for (const BodyData& body : blueprint.bodies) {
    for (const auto& [name, marker] : body.markers) sizes.push_back(norm(marker.s));
    for (const Shape& shape : body.shapes)
      sizes.push_back(std::max({shape.size.x, shape.size.y, shape.size.z}));
    if (gyration(body) > 0) sizes.push_back(gyration(body));
  }
  std::erase_if(sizes, [](double s) { return !(s > 0); });
  if (sizes.empty()) return;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const auto warn = [&](const BodyData& body, double length, const std::string& what) {
    if (length > other_unit * *middle)
      diagnostics.warning("model.size",
                          fmt::format("{}: {} of {:.4g} m in a model of about {:.2g} m", body.name,
                                      what, length, *middle),
                          body.where, "lengths are in metres; write 25 mm for millimetres");
  };
  for (const BodyData& body : blueprint.bodies) {
    double marker = 0, shape = 0;
    for (const auto& [name, m] : body.markers) marker = std::max(marker, norm(m.s));
    for (const Shape& s : body.shapes) shape = std::max({shape, s.size.x, s.size.y, s.size.z});
    warn(body, norm(body.position), "a position");
    warn(body, norm(body.com), "a centre of mass");
    if (body.kind == BodyKind::ground) continue;  // floors and roads are large
    warn(body, marker, "a marker");
    warn(body, shape, "a shape");
  }
}

}  // namespace

void remark_on_model(const Model& model, const Blueprint& blueprint, Diagnostics& diagnostics) {
  if (blueprint.bodies.size() != model.bodies.size() + 1) return;
  remark_missing_inertia(model, blueprint, diagnostics);
  remark_without_effect(model, blueprint, diagnostics);
  remark_far_joints(blueprint, diagnostics);
  remark_sizes(blueprint, diagnostics);
}

}  // namespace kardan
