#include "kardan/model/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kardan/base/stop.h"
#include "kardan/base/text.h"
#include "kardan/model/body.h"
#include "kardan/model/frame_finder.h"
#include "kardan/model/friction.h"
#include "kardan/model/functions.h"
#include "kardan/model/named_joints.h"
#include "kardan/model/names.h"
#include "kardan/model/observation.h"
#include "kardan/model/parameters.h"
#include "kardan/model/wishes.h"

namespace kardan {
namespace {

/// Keys every element may have besides the fields of its type.
const std::vector<std::string> placement_keys{"type",   "between", "on",     "bodies",
                                              "at",     "axis",    "x_axis", "joint",
                                              "joints", "color",   "placed", "turned"};

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

bool same_bits(const double* a, const double* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(double)) == 0;
}
bool same(const Vec3d& a, const Vec3d& b) {
  return same_bits(&a.x, &b.x, 1) && same_bits(&a.y, &b.y, 1) && same_bits(&a.z, &b.z, 1);
}
bool same(const Mat3d& a, const Mat3d& b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (!same_bits(&a[i][j], &b[i][j], 1)) return false;
  return true;
}

/// Whether elements find the same in both bodies: their start and their markers.
bool stands_alike(const BodyData& a, const BodyData& b) {
  return a.kind == b.kind && same(a.com, b.com) && same(a.position, b.position) && same(a.R, b.R) &&
         same_bits(&a.angle, &b.angle, 1) && same(a.velocity, b.velocity) && same(a.spin, b.spin) &&
         a.markers.size() == b.markers.size() &&
         std::ranges::all_of(a.markers, [&](const auto& item) {
           const auto other = b.markers.find(item.first);
           return other != b.markers.end() && same(item.second.s, other->second.s) &&
                  same(item.second.R, other->second.R);
         });
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
        finder_(model, catalog, out.bodies, defaults_, reader_),
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
    watched();
    if (out_.equations) check_impulses(*out_.equations);
    out_.outputs = resolve_outputs(model_.outputs, diagnostics_);
    defaults_.report_unused(diagnostics_);
    if (model_.start != "equilibrium" && model_.start != "assembled" && model_.start != "as_given")
      diagnostics_.error(
          "field.choice",
          fmt::format("start: got '{}'; wanted assembled, as_given or equilibrium", model_.start),
          model_.where);
  }

  /// Makes anew what the changed names touch of a sound model of bodies: `out` is for other values
  /// of them, but for its parameters.
  void run_again(const ParameterUses& uses, const ParameterUses::Names& touched) {
    std::vector<char> moved(out_.bodies.size(), 0);
    const auto renew = [&](std::size_t index, auto&& make) {
      const BodyData old = std::move(out_.bodies[index]);
      make();
      moved[index] = stands_alike(old, out_.bodies[index]) ? 0 : 1;
    };
    if (uses.ground(touched))
      renew(0, [&] {
        out_.bodies[0] = resolve_ground(model_.ground, model_.dimension, drawing_, reader_);
      });
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      if (uses.body(i, touched)) renew(i + 1, [&] { body(model_.bodies[i], i + 1); });
    for (std::size_t i = 0; i < model_.elements.size(); ++i) {
      ElementData& old = out_.elements[i];
      if (!uses.element(i, touched) && std::ranges::none_of(old.frames, [&](const FrameData& f) {
            return moved[static_cast<std::size_t>(f.body)] != 0;
          }))
        continue;
      stop_point();
      if (auto made = element(defaults_.complete(model_.elements[i], std::string(old.type->name)),
                              *old.type, Checks::of_place))
        old = std::move(*made);
    }
    const bool held = uses.holds() && std::ranges::find(moved, 1) != moved.end();
    if (!held && !uses.others(touched)) return;
    reader_.read(model_.gravity, "gravity", {.unit = "m/s^2"}, out_.gravity);
    out_.wishes.clear();
    out_.equilibrium = {};
    out_.impulses.clear();
    out_.frictions.clear();
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      resolve_holds(defaults_.complete(model_.bodies[i], "bodies"), out_.bodies[i + 1],
                    model_.dimension, out_.wishes, diagnostics_);
    watched();
  }

 private:
  void bodies() {
    out_.bodies.reserve(model_.bodies.size() + 1);
    out_.bodies.push_back(resolve_ground(model_.ground, model_.dimension, drawing_, reader_));
    for (const NamedFields& given : model_.bodies) {
      stop_point();
      claim(given.name, given.where);
      out_.bodies.emplace_back();
      const NamedFields b = body(given, out_.bodies.size() - 1);
      resolve_holds(b, out_.bodies.back(), model_.dimension, out_.wishes, diagnostics_);
    }
  }

  NamedFields body(const NamedFields& given, std::size_t index) {
    NamedFields b = defaults_.complete(given, "bodies");
    BodyData& data = out_.bodies[index];
    data = resolve_body(b, model_.dimension, drawing_, reader_);
    for (auto& [name, marker] : data.markers) marker.body = static_cast<int>(index);
    return b;
  }

  /// Wishes, the equilibrium, events, frictions, invariants.
  void watched() {
    for (const NamedFields& w : model_.wishes) resolve_wish(w, "assemble", reader_, out_.wishes);
    resolve_equilibrium(model_.equilibrium, reader_, out_.equilibrium);
    out_.events = resolve_events(model_.events, reader_);
    for (std::size_t i = 0; i < out_.events.size(); ++i)
      if (out_.events[i].action == EventAction::impulse)
        out_.impulses.push_back(static_cast<int>(i));
    resolve_frictions(model_.frictions, reader_, out_);
    out_.invariants = resolve_invariants(model_.invariants, reader_);
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
      if (auto made = element(defaults_.complete(e, *type_name), *type))
        out_.elements.push_back(std::move(*made));
      else
        out_.faulty.insert(e.name);
    }
  }

  /// Values of fields are read once more when the model is compiled, which reports their faults.
  enum class Checks { all, of_place };
  /// Nothing after a fault.
  std::optional<ElementData> element(const NamedFields& e, const ElementType& type,
                                     Checks checks = Checks::all) {
    ElementData data{e.name, &type, e.fields, {}, e.where};
    data.differentiable = type.differentiable;
    const std::size_t before = diagnostics_.error_count();
    if (checks == Checks::all) check_element(e, type);
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
    if (checks == Checks::all) type.check(data.fields, e.name, e.where, reader_);
    data.color = drawing_.color(e.find("color"), e.name + ".color", reader_);
    // Frames at a parameter that failed are missing without another report.
    const bool placed = finder_.frames(e, type, data.frames);
    if (!placed || diagnostics_.error_count() > before) return {};
    return data;
  }

  void check_element(const NamedFields& e, const ElementType& type) {
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
  }

  const Model& model_;
  const Catalog& catalog_;
  Blueprint& out_;
  Diagnostics& diagnostics_;
  ValueReader reader_;
  Drawing drawing_;
  Defaults defaults_;
  FrameFinder finder_;
  NamedJoints joints_;
  std::unordered_map<std::string, SourceLocation> names_;
};

}  // namespace

Blueprint resolve(const Model& model, const Catalog& catalog, const ParameterValues& overrides,
                  Diagnostics& diagnostics) {
  Blueprint blueprint;
  Diagnostics found;  // the reader of the file has reported them already
  blueprint.parameters = resolve_parameters(model.parameters, overrides, found);
  diagnostics.add_new(found);
  resolve_functions(model.functions, blueprint.parameters, diagnostics);
  Resolver(model, catalog, blueprint, diagnostics).run();
  return blueprint;
}

Blueprint resolve_again(const Model& model, const Catalog& catalog,
                        const ParameterValues& overrides, const Blueprint& known,
                        const ParameterUses& uses, const ParameterUses::Names& touched,
                        Diagnostics& diagnostics) {
  Blueprint blueprint = known;
  blueprint.parameters =
      resolve_parameters_again(model.parameters, overrides, known.parameters, touched, diagnostics);
  resolve_functions(model.functions, blueprint.parameters, diagnostics);
  Resolver(model, catalog, blueprint, diagnostics).run_again(uses, touched);
  return blueprint;
}

}  // namespace kardan
