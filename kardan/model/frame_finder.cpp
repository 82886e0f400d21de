#include "kardan/model/frame_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/text.h"
#include "kardan/elements/joints/axis.h"
#include "kardan/model/body.h"
#include "kardan/model/placement.h"

namespace kardan {

FrameFinder::FrameFinder(const Model& model, const Catalog& catalog,
                         const std::vector<BodyData>& bodies, Defaults& defaults,
                         const ValueReader& reader)
    : model_(model),
      catalog_(catalog),
      bodies_(bodies),
      defaults_(defaults),
      reader_(reader),
      diagnostics_(reader.diagnostics()) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    body_index_.emplace(model.bodies[i].name, static_cast<int>(i) + 1);
  body_index_.emplace("ground", 0);
}

/// The frames of an element, from `between`, `on`, or `bodies` with `at` and `axis`.
bool FrameFinder::frames(const NamedFields& e, const ElementType& type,
                         std::vector<FrameData>& out) {
  const FieldValue* between = e.find("between");
  const FieldValue* on = e.find("on");
  const FieldValue* bodies = e.find("bodies");
  // A type may have a field of this name, as a sensor of reactions has.
  const bool own_joint = std::any_of(type.fields.begin(), type.fields.end(),
                                     [](const FieldDoc& f) { return f.key == "joint"; });
  if (const FieldValue* joint = e.find("joint"); joint && !own_joint)
    return frames_of_joint(e, type, *joint, between || on || bodies, out);
  if (const FieldValue* joints = e.find("joints"))
    return frames_of_joints(e, type, *joints, between || on || bodies, out);
  if (type.frames == 0 && !between && !on && !bodies) return true;
  if (!!between + !!on + !!bodies != 1 || type.frames == 0) {
    const char* wanted = type.frames == 0   ? "no markers"
                         : type.frames == 1 ? "on: MARKER"
                                            : "between: [MARKERS] or bodies with at";
    diagnostics_.error("element.frames", fmt::format("{}: wanted {}", e.name, wanted), e.where);
    return false;
  }
  if (bodies) return placed_frames(e, type, *bodies, out);
  // A type may declare such a field of its own; otherwise it would be ignored.
  for (const char* key : {"at", "axis", "x_axis"}) {
    const FieldValue* v = e.find(key);
    const bool own = std::any_of(type.fields.begin(), type.fields.end(),
                                 [&](const FieldDoc& f) { return f.key == key; });
    if (v && !own)
      diagnostics_.error("element.frames",
                         fmt::format("{}: '{}' goes with 'bodies', not with markers", e.name, key),
                         v->where, "remove it, or place the element by bodies, at and axis");
  }
  const FieldValue& given = between ? *between : *on;
  FieldValue::List list;
  if (const auto* l = std::get_if<FieldValue::List>(&given.data))
    list = *l;
  else
    list.push_back(given);
  const bool fits =
      type.frames == any_frames ? list.size() > 1 : static_cast<int>(list.size()) == type.frames;
  if (!fits) {
    diagnostics_.error(
        "element.frames",
        fmt::format(
            "{}: got {} markers; '{}' wants {}", e.name, list.size(), type.name,
            type.frames == any_frames ? std::string("two or more") : std::to_string(type.frames)),
        given.where, fmt::format("'kardan elements {}' tells which", type.name));
    return false;
  }
  bool ok = true;
  for (const FieldValue& m : list) {
    out.emplace_back();
    ok &= marker(m, e.name, out.back());
  }
  return ok;
}

/// `joints: [elbow, wrist]`: two markers of each.
bool FrameFinder::frames_of_joints(const NamedFields& e, const ElementType& type,
                                   const FieldValue& value, bool placed_otherwise,
                                   std::vector<FrameData>& out) {
  const auto* list = std::get_if<FieldValue::List>(&value.data);
  const std::size_t count = list ? list->size() : 0;
  const bool fits =
      type.frames == any_frames ? count > 1 : type.frames == static_cast<int>(2 * count);
  if (placed_otherwise || !fits) {
    diagnostics_.error(
        "element.frames",
        placed_otherwise
            ? fmt::format("{}: it is placed by 'joints' and by markers too", e.name)
            : fmt::format(
                  "{}: got {} joints; wanted {}", e.name, count,
                  type.frames == any_frames ? "two or more" : fmt::format("{}", type.frames / 2)),
        value.where, "joints: [NAME, NAME]");
    return false;
  }
  static const ElementType pair = [] {
    ElementType t;
    t.frames = 2;
    return t;
  }();
  bool ok = true;
  for (const FieldValue& joint : *list) {
    std::vector<FrameData> two;
    ok &= frames_of_joint(e, pair, joint, false, two);
    out.insert(out.end(), two.begin(), two.end());
  }
  return ok;
}

/// `joint: elbow`: where that joint acts, with its axes.
bool FrameFinder::frames_of_joint(const NamedFields& e, const ElementType& type,
                                  const FieldValue& value, bool placed_otherwise,
                                  std::vector<FrameData>& out) {
  const auto* name = std::get_if<std::string>(&value.data);
  const auto joint =
      std::find_if(model_.elements.begin(), model_.elements.end(),
                   [&](const NamedFields& other) { return name && other.name == *name; });
  const FieldValue* other_type = joint == model_.elements.end() ? nullptr : joint->find("type");
  const auto* word = other_type ? std::get_if<std::string>(&other_type->data) : nullptr;
  const ElementType* found = word ? catalog_.find(*word) : nullptr;
  if (!found || found->category != Category::joint || joint->find("joint")) {
    if (word && !found) return false;  // reported at the joint
    std::vector<std::string> names;
    for (const NamedFields& other : model_.elements) names.push_back(other.name);
    const std::string near = did_you_mean(name ? *name : "", names);
    diagnostics_.error(
        "joint.unknown", fmt::format("{}.joint: '{}' is no joint", e.name, name ? *name : "?"),
        value.where,
        near.empty() || near == (name ? *name : "") ? "name a joint of the model"
                                                    : "did you mean '" + near + "'?");
    return false;
  }
  if (placed_otherwise || found->frames != type.frames) {
    diagnostics_.error(
        "element.frames",
        placed_otherwise
            ? fmt::format("{}: it is placed by 'joint' and by markers or bodies too", e.name)
            : fmt::format("{}: '{}' wants {} markers, and the joint has {}", e.name, type.name,
                          type.frames, found->frames),
        value.where, "keep one of them");
    return false;
  }
  Diagnostics told_there;  // faults of the joint's own place
  std::swap(told_there, diagnostics_);
  const bool ok = frames(defaults_.complete(*joint, *word), *found, out);
  std::swap(told_there, diagnostics_);
  return ok;
}

bool FrameFinder::marker(const FieldValue& value, const std::string& owner, FrameData& out) {
  if (const auto* text = std::get_if<std::string>(&value.data)) {
    // Bodies of parts and their markers have dots in their names.
    auto dot = body_index_.contains(*text) ? std::string::npos : text->rfind('.');
    if (text->starts_with("ground.")) dot = text->find('.');
    const std::string body = text->substr(0, dot);
    const int index = find_body(body, value.where, owner);
    if (index < 0) return false;
    if (dot == std::string::npos) {
      out = {index, -bodies_[index].com, Mat3d::identity()};
      return true;
    }
    const std::string name = text->substr(dot + 1);
    const auto& markers = bodies_[index].markers;
    const auto found = markers.find(name);
    if (found == markers.end()) {
      std::vector<std::string> names;
      names.reserve(markers.size());
      for (const auto& [n, m] : markers) names.push_back(n);
      std::sort(names.begin(), names.end());
      const std::string near = did_you_mean(name, names);
      diagnostics_.error("marker.unknown",
                         fmt::format("{}: '{}' has no marker '{}'", owner, body, name), value.where,
                         near.empty() ? fmt::format("it has: {}", fmt::join(names, ", "))
                                      : "did you mean '" + near + "'?");
      return false;
    }
    out = found->second;
    out.body = index;
    return true;
  }
  const auto* map = std::get_if<FieldMap>(&value.data);
  const FieldValue *body = nullptr, *named = nullptr, *turned = nullptr;
  if (map)
    for (const auto& [key, v] : *map)
      (key == "body" ? body : key == "marker" ? named : turned) = &v;
  // {marker: BODY.MARKER, turned: x}, as parts have it
  if (named && map->size() == (turned ? 2 : 1)) {
    if (!marker(*named, owner, out)) return false;
    out.R = out.R * half_turn(turned, owner, diagnostics_);
    return true;
  }
  const auto* name = body ? std::get_if<std::string>(&body->data) : nullptr;
  if (!name) {
    diagnostics_.error("marker.unknown", owner + ": wanted BODY.MARKER or {body: ..., at: ...}",
                       value.where);
    return false;
  }
  const int index = find_body(*name, body->where, owner);
  if (index < 0) return false;
  out = resolve_marker(value, owner, bodies_[index], model_.dimension, reader_);
  out.body = index;
  return true;
}

int FrameFinder::find_body(const std::string& name, const SourceLocation& where,
                           const std::string& owner) {
  const auto found = body_index_.find(name);
  if (found != body_index_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [n, i] : body_index_) names.push_back(n);
  std::sort(names.begin(), names.end());
  const std::string near = did_you_mean(name, names);
  diagnostics_.error("body.unknown", fmt::format("{}: there is no body '{}'", owner, name), where,
                     near.empty() ? "" : "did you mean '" + near + "'?");
  return -1;
}

/// One world point (and z axis) in the given start, seen from each of the bodies.
bool FrameFinder::placed_frames(const NamedFields& e, const ElementType& type,
                                const FieldValue& bodies, std::vector<FrameData>& out) {
  Vec3d at, axis, x_axis;
  bool ok = true;
  const FieldValue* at_value = e.find("at");
  if (at_value) {
    ok &= reader_.read(*at_value, e.name + ".at", {.unit = "m"}, at);
  } else {
    diagnostics_.error("field.missing", e.name + ": 'at' is missing", e.where,
                       "the joint's place in the world in the given start [m]");
    ok = false;
  }
  const FieldInfo direction_info{.check = Check::non_zero};
  if (const FieldValue* v = e.find("axis"))
    ok &= reader_.read(*v, e.name + ".axis", direction_info, axis);
  if (const FieldValue* v = e.find("x_axis"))
    ok &= reader_.read(*v, e.name + ".x_axis", direction_info, x_axis);
  const auto* list = std::get_if<FieldValue::List>(&bodies.data);
  if (!list || static_cast<int>(list->size()) != type.frames) {
    diagnostics_.error("element.frames",
                       fmt::format("{}: wanted bodies: [{} names]", e.name, type.frames),
                       bodies.where);
    return false;
  }
  if (!ok) return false;
  if (model_.dimension == 3 && norm(axis) == 0 && norm(x_axis) == 0 && has_axis(type.name))
    diagnostics_.warning("joint.axis",
                         e.name + ": 'axis' is not given: it is the z axis of the world", e.where,
                         "write axis: [x, y, z], the direction in the given start");
  if (model_.dimension == 2 && (at.z != 0 || axis.z != 0 || x_axis.z != 0))
    diagnostics_.error("field.planar",
                       e.name + ": 'at' and 'axis' have two components in a planar model",
                       at_value->where);
  Mat3d R = Mat3d::identity();
  if (model_.dimension == 2) {
    // In the plane the axis is the direction of x.
    const Vec3d direction = norm(axis) > 0 ? axis : x_axis;
    if (norm(direction) > 0) R = rotation_exp({0, 0, std::atan2(direction.y, direction.x)});
  } else if (norm(axis) > 0) {
    R = axes_from_z(axis, x_axis);
  } else if (norm(x_axis) > 0) {
    const Mat3d A = axes_from_z(x_axis, {});
    R = Mat3d::from_columns(A.column(2), A.column(0), A.column(1));
  }
  Placement(e.find("placed"), model_.dimension, e.name, reader_).place(at, R);
  R = R * half_turn(e.find("turned"), e.name, diagnostics_);
  for (const FieldValue& item : *list) {
    const auto* name = std::get_if<std::string>(&item.data);
    const int index = find_body(name ? *name : "?", item.where, e.name);
    if (index < 0) return false;
    const BodyData& b = bodies_[index];
    out.push_back({index, transposed_times(b.R, at - b.position), transposed_times(b.R, R)});
  }
  return true;
}

}  // namespace kardan
