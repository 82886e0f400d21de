#include "kardan/model/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/stop.h"
#include "kardan/base/text.h"
#include "kardan/elements/joints/axis.h"
#include "kardan/model/body.h"
#include "kardan/model/defaults.h"
#include "kardan/model/functions.h"
#include "kardan/model/named_joints.h"
#include "kardan/model/names.h"
#include "kardan/model/observation.h"
#include "kardan/model/parameters.h"
#include "kardan/model/wishes.h"

namespace kardan {
namespace {

/// Keys every element may have besides the fields of its type.
const std::vector<std::string> placement_keys{"type", "between", "on",    "bodies", "at",
                                              "axis", "x_axis",  "joint", "joints", "color"};

/// The section of equations with the events of `when` behind its own.
NamedFields with_events(const NamedFields& equations, const std::vector<NamedFields>& events) {
  NamedFields out = equations;
  for (const NamedFields& e : events) {
    const FieldValue* expression = e.find("expression");
    if (!expression) continue;
    if (!out.find("events")) out.fields.emplace_back("events", FieldValue(FieldMap{}));
    for (auto& [key, value] : out.fields)
      if (auto* map = std::get_if<FieldMap>(&value.data); key == "events" && map)
        map->emplace_back(e.name, *expression);
  }
  return out;
}

class Resolver {
 public:
  Resolver(const Model& model, const Catalog& catalog, Blueprint& out, Diagnostics& diagnostics)
      : model_(model),
        catalog_(catalog),
        out_(out),
        diagnostics_(diagnostics),
        reader_(out.parameters, diagnostics),
        drawing_(model.colors, model.shapes, model.dimension, reader_),
        defaults_(model.defaults, catalog, reader_),
        joints_(model, catalog, diagnostics) {}

  void run() {
    out_.name = model_.name;
    out_.dimension = model_.dimension;
    if (model_.dimension != 2 && model_.dimension != 3)
      diagnostics_.error("model.dimension",
                         fmt::format("dimension = {}; wanted 2 or 3", model_.dimension),
                         model_.where);
    reader_.read(model_.gravity, "gravity", {.unit = "m/s^2"}, out_.gravity);
    if (model_.dimension == 2 && out_.gravity.z != 0)
      diagnostics_.error("field.planar", "gravity has two components in a planar model",
                         model_.gravity.where);
    if (!model_.equations.fields.empty()) equations();
    bodies();
    elements();
    for (const NamedFields& w : model_.wishes) resolve_wish(w, "assemble", reader_, out_.wishes);
    resolve_equilibrium(model_.equilibrium, reader_, out_.equilibrium);
    out_.events = resolve_events(model_.events, reader_);
    for (std::size_t i = 0; i < out_.events.size(); ++i)
      if (out_.events[i].action == EventAction::impulse)
        out_.impulses.push_back(static_cast<int>(i));
    if (out_.equations) check_impulses(*out_.equations);
    out_.invariants = resolve_invariants(model_.invariants, reader_);
    out_.outputs = resolve_outputs(model_.outputs, diagnostics_);
    defaults_.report_unused(diagnostics_);
    if (model_.start != "equilibrium" && model_.start != "assembled" && model_.start != "as_given")
      diagnostics_.error(
          "field.choice",
          fmt::format("start: got '{}'; wanted assembled, as_given or equilibrium", model_.start),
          model_.where);
  }

 private:
  void bodies() {
    out_.bodies.reserve(model_.bodies.size() + 1);
    out_.bodies.push_back(resolve_ground(model_.ground, model_.dimension, drawing_, reader_));
    for (const NamedFields& given : model_.bodies) {
      stop_point();
      claim(given.name, given.where);
      const NamedFields b = defaults_.complete(given, "bodies");
      out_.bodies.push_back(resolve_body(b, model_.dimension, drawing_, reader_));
      const int index = static_cast<int>(out_.bodies.size()) - 1;
      for (auto& [name, marker] : out_.bodies.back().markers) marker.body = index;
      body_index_.emplace(b.name, index);
      resolve_holds(b, out_.bodies.back(), model_.dimension, out_.wishes, diagnostics_);
    }
    body_index_.emplace("ground", 0);
  }

  void equations() {
    out_.equations =
        read_equations(with_events(model_.equations, model_.events), reader_, out_.wishes);
    const std::pair<const char*, bool> others[] = {{"bodies", !model_.bodies.empty()},
                                                   {"elements", !model_.elements.empty()},
                                                   {"gravity", norm(out_.gravity) > 0},
                                                   {"invariants", !model_.invariants.empty()}};
    for (const auto& [name, given] : others)
      if (given)
        diagnostics_.error("equations.bodies",
                           fmt::format("'{}' has no meaning in a model of equations", name),
                           model_.equations.where,
                           "write it inside 'equations': forces, constraints, events, invariants");
  }

  void check_impulses(const EquationData& equations) {
    for (const EventData& e : out_.events) {
      if (e.action != EventAction::impulse) continue;
      for (const NamedFormula& f : equations.events)
        if (f.name == e.name && !of_positions(equations, f.formula))
          refuse_impulse(e, diagnostics_);
    }
  }

  void claim(const std::string& name, const SourceLocation& where) {
    // Of models made in C++; a reader of files has said so already.
    if (is_taken(name, NameOf::thing))
      diagnostics_.error("name.reserved", fmt::format("the name '{}' has a meaning already", name),
                         where, "choose another name");
    const auto [old, is_new] = names_.emplace(name, where);
    if (!is_new)
      diagnostics_.error(
          "name.duplicate",
          fmt::format("'{}' names two things; the other is at line {}", name, old->second.line),
          where, "rename one of them");
  }

  void elements() {
    for (const NamedFields& e : model_.elements) {
      stop_point();
      claim(e.name, e.where);
      const FieldValue* type_value = e.find("type");
      const auto* type_name = type_value ? std::get_if<std::string>(&type_value->data) : nullptr;
      if (!type_name) {
        diagnostics_.error("field.missing", e.name + ": 'type' is missing", e.where,
                           "`kardan elements` lists the types");
        out_.faulty.insert(e.name);
        continue;
      }
      const ElementType* type = catalog_.find(*type_name);
      if (!type) {
        const std::string near = did_you_mean(*type_name, catalog_.names());
        diagnostics_.error(
            "element.type", fmt::format("{}: no type '{}'", e.name, *type_name), type_value->where,
            near.empty() ? "`kardan elements` lists the types" : "did you mean '" + near + "'?");
        out_.faulty.insert(e.name);
        continue;
      }
      element(defaults_.complete(e, *type_name), *type);
    }
  }

  void element(const NamedFields& e, const ElementType& type) {
    ElementData data{e.name, &type, e.fields, {}, e.where};
    data.differentiable = type.differentiable;
    const std::size_t before = diagnostics_.error_count();
    std::vector<std::string> known = placement_keys;
    for (const FieldDoc& f : type.fields) known.push_back(f.key);
    report_unknown_keys(e.fields, known, e.name, diagnostics_);
    const bool exists =
        model_.dimension == 2 ? type.build_planar != nullptr : type.build_spatial != nullptr;
    if (!exists)
      diagnostics_.error("element.dimension",
                         fmt::format("{}: '{}' does not exist in a {} model", e.name, type.name,
                                     model_.dimension == 2 ? "planar" : "spatial"),
                         e.where,
                         model_.dimension == 2
                             ? "take a type of the plane (revolute is its hinge), or leave out "
                               "'dimension: 2'"
                             : "take a type of space, or write dimension: 2");
    if (const ElementType* joint = joints_.acted_on(e, type); joint && !e.find("coordinate"))
      joints_.take_coordinate(type, *joint, data);
    data.together = joints_.placed_by(e, "bodies");
    data.does_work =
        type.does_work || std::any_of(e.fields.begin(), e.fields.end(), [&](const auto& f) {
          // A joint with a spring, a damper or friction.
          return std::any_of(type.fields.begin(), type.fields.end(), [&](const FieldDoc& doc) {
            return doc.key == f.first && doc.info.unit.starts_with("N");
          });
        });
    if (e.find("joints")) joints_.take_coordinates(e, type, data);
    type.check(data.fields, e.name, e.where, reader_);
    data.color = drawing_.color(e.find("color"), e.name + ".color", reader_);
    // Frames at a parameter that failed are missing without another report.
    const bool placed = frames(e, type, data.frames);
    if (!placed || diagnostics_.error_count() > before)
      out_.faulty.insert(e.name);
    else
      out_.elements.push_back(std::move(data));
  }

  bool frames_of_joints(const NamedFields& e, const ElementType& type, const FieldValue& value,
                        bool placed_otherwise, std::vector<FrameData>& out) {
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

  /// The frames of an element, from `between`, `on`, or `bodies` with `at` and `axis`.
  bool frames(const NamedFields& e, const ElementType& type, std::vector<FrameData>& out) {
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
        diagnostics_.error(
            "element.frames",
            fmt::format("{}: '{}' goes with 'bodies', not with markers", e.name, key), v->where,
            "remove it, or place the element by bodies, at and axis");
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

  /// `joint: elbow`: where that joint acts, with its axes.
  bool frames_of_joint(const NamedFields& e, const ElementType& type, const FieldValue& value,
                       bool placed_otherwise, std::vector<FrameData>& out) {
    const auto* name = std::get_if<std::string>(&value.data);
    const auto joint =
        std::find_if(model_.elements.begin(), model_.elements.end(),
                     [&](const NamedFields& other) { return name && other.name == *name; });
    const FieldValue* other_type = joint == model_.elements.end() ? nullptr : joint->find("type");
    const auto* word = other_type ? std::get_if<std::string>(&other_type->data) : nullptr;
    const ElementType* found = word ? catalog_.find(*word) : nullptr;
    if (!found || found->category != Category::joint || joint->find("joint")) {
      if (word && !found) return false;  // told at the joint
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

  bool marker(const FieldValue& value, const std::string& owner, FrameData& out) {
    if (const auto* text = std::get_if<std::string>(&value.data)) {
      const auto dot = text->find('.');
      const std::string body = text->substr(0, dot);
      const int index = find_body(body, value.where, owner);
      if (index < 0) return false;
      if (dot == std::string::npos) {
        out = {index, -out_.bodies[index].com, Mat3d::identity()};
        return true;
      }
      const std::string name = text->substr(dot + 1);
      const auto& markers = out_.bodies[index].markers;
      const auto found = markers.find(name);
      if (found == markers.end()) {
        std::vector<std::string> names;
        names.reserve(markers.size());
        for (const auto& [n, m] : markers) names.push_back(n);
        std::sort(names.begin(), names.end());
        const std::string near = did_you_mean(name, names);
        diagnostics_.error("marker.unknown",
                           fmt::format("{}: '{}' has no marker '{}'", owner, body, name),
                           value.where,
                           near.empty() ? fmt::format("it has: {}", fmt::join(names, ", "))
                                        : "did you mean '" + near + "'?");
        return false;
      }
      out = found->second;
      out.body = index;
      return true;
    }
    const auto* map = std::get_if<FieldMap>(&value.data);
    const FieldValue* body = nullptr;
    if (map)
      for (const auto& [key, v] : *map)
        if (key == "body") body = &v;
    const auto* name = body ? std::get_if<std::string>(&body->data) : nullptr;
    if (!name) {
      diagnostics_.error("marker.unknown", owner + ": wanted BODY.MARKER or {body: ..., at: ...}",
                         value.where);
      return false;
    }
    const int index = find_body(*name, body->where, owner);
    if (index < 0) return false;
    out = resolve_marker(value, owner, out_.bodies[index], model_.dimension, reader_);
    out.body = index;
    return true;
  }

  int find_body(const std::string& name, const SourceLocation& where, const std::string& owner) {
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
  bool placed_frames(const NamedFields& e, const ElementType& type, const FieldValue& bodies,
                     std::vector<FrameData>& out) {
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
    for (const FieldValue& item : *list) {
      const auto* name = std::get_if<std::string>(&item.data);
      const int index = find_body(name ? *name : "?", item.where, e.name);
      if (index < 0) return false;
      const BodyData& b = out_.bodies[index];
      out.push_back({index, transposed_times(b.R, at - b.position), transposed_times(b.R, R)});
    }
    return true;
  }

  const Model& model_;
  const Catalog& catalog_;
  Blueprint& out_;
  Diagnostics& diagnostics_;
  ValueReader reader_;
  Drawing drawing_;
  Defaults defaults_;
  NamedJoints joints_;
  std::unordered_map<std::string, int> body_index_;
  std::unordered_map<std::string, SourceLocation> names_;
};

}  // namespace

Blueprint resolve(const Model& model, const Catalog& catalog, const ParameterValues& overrides,
                  Diagnostics& diagnostics) {
  Blueprint blueprint;
  Diagnostics found;  // a reader of files has told of them already
  blueprint.parameters = resolve_parameters(model.parameters, overrides, found);
  diagnostics.add_new(found);
  resolve_functions(model.functions, blueprint.parameters, diagnostics);
  Resolver(model, catalog, blueprint, diagnostics).run();
  return blueprint;
}

}  // namespace kardan
