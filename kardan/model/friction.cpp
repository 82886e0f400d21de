#include "kardan/model/friction.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"

namespace kardan {
namespace {

struct FrictionFields {
  Expression along;
  double kinetic = 0, still = 0, viscous = 0, stribeck = 0;
  double preload = 0, radius = 1;
  std::string stop, joint;

  template <class F>
  static void fields(F& f) {
    f("along", &FrictionFields::along,
      {.doc = "what slides or turns: a function of positions and t",
       .need = Need::required,
       .variables = {any_quantity}});
    f("kinetic", &FrictionFields::kinetic,
      {.doc = "coefficient in motion", .check = Check::non_negative, .need = Need::required});
    f("static", &FrictionFields::still,
      {.doc = "coefficient at rest; without it: that in motion", .check = Check::non_negative});
    f("viscous", &FrictionFields::viscous,
      {.doc = "force by speed, besides [N s/m; of angles N m s]", .check = Check::non_negative});
    f("stribeck", &FrictionFields::stribeck,
      {.doc = "speed over which static becomes kinetic [m/s; of angles rad/s]; 0: at once",
       .check = Check::non_negative});
    f("preload", &FrictionFields::preload,
      {.doc = "load that is always there [N]; of angles the torque [N m]",
       .check = Check::non_negative});
    f("stop", &FrictionFields::stop,
      {.doc = "load: the force of this stop, an event with an impulse"});
    f("joint", &FrictionFields::joint, {.doc = "load: the force that this joint carries"});
    f("radius", &FrictionFields::radius,
      {.doc = "factor of the force of the joint or stop: 1, or the radius of a bearing [m]",
       .check = Check::positive});
  }
};

/// The place of a name in a list, or -1 after saying that it is not there.
int place_of(const std::string& name, const std::vector<std::string>& names, const char* wanted,
             const FieldValue& value, const std::string& owner, Diagnostics& diagnostics) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  const std::string near = did_you_mean(name, names);
  diagnostics.error(
      "friction.load", fmt::format("{}: '{}' is no {}", owner, name, wanted), value.where,
      near.empty() ? fmt::format("name a {}", wanted) : "did you mean '" + near + "'?");
  return -1;
}

bool read_load(const NamedFields& e, const FrictionFields& f, const Blueprint& blueprint,
               Diagnostics& diagnostics, FrictionData& out) {
  if (f.stop.empty() && f.joint.empty() && !(f.preload > 0)) {
    diagnostics.error("friction.load", e.name + ": nothing presses, so nothing rubs", e.where,
                      "give preload: FORCE, stop: EVENT or joint: JOINT");
    return false;
  }
  if (!f.stop.empty() && !f.joint.empty()) {
    diagnostics.error("friction.load", e.name + ": it is loaded by a stop and by a joint",
                      e.find("joint")->where, "write two frictions");
    return false;
  }
  std::vector<std::string> names;
  if (!f.stop.empty()) {
    for (const int i : blueprint.impulses) names.push_back(blueprint.events[i].name);
    out.stop =
        place_of(f.stop, names, "event with an impulse", *e.find("stop"), e.name, diagnostics);
    return out.stop >= 0;
  }
  if (f.joint.empty()) return true;
  for (const ElementData& joint : blueprint.elements)
    names.push_back(joint.type->category == Category::joint ? joint.name : std::string());
  if (blueprint.faulty.contains(f.joint)) return false;
  out.joint = place_of(f.joint, names, "joint", *e.find("joint"), e.name, diagnostics);
  return out.joint >= 0;
}

}  // namespace

std::vector<FieldDoc> friction_field_docs() {
  return field_docs<FrictionFields>();
}

void resolve_frictions(const std::vector<NamedFields>& frictions, const ValueReader& reader,
                       Blueprint& blueprint) {
  std::vector<std::string> known;
  for (const FieldDoc& d : friction_field_docs()) known.push_back(d.key);
  Diagnostics& diagnostics = reader.diagnostics();
  for (const NamedFields& e : frictions) {
    report_unknown_keys(e.fields, known, e.name, diagnostics);
    FrictionFields f;
    if (!read_fields(e.fields, e.name, e.where, reader, f)) continue;
    if (blueprint.equations) {
      diagnostics.error("friction.equations",
                        e.name + ": friction goes with bodies, not with equations", e.where,
                        "write the bodies as bodies");
      continue;
    }
    const FieldValue* still = e.find("static");
    if (still && f.still < f.kinetic) {
      diagnostics.error("friction.static",
                        fmt::format("{}: static = {}, kinetic = {}; wanted static >= kinetic",
                                    e.name, f.still, f.kinetic),
                        still->where, "what moves would be held harder than what rests");
      continue;
    }
    if (f.along.is_constant()) {
      diagnostics.error("friction.along",
                        fmt::format("{}: '{}' does not change", e.name, f.along.text()),
                        e.find("along")->where, "use positions: BODY.x, JOINT's sensor, t");
      continue;
    }
    FrictionData data{.name = e.name,
                      .along = f.along,
                      .stick = still ? f.still : f.kinetic,
                      .slip = f.kinetic,
                      .viscous = f.viscous,
                      .stribeck = f.stribeck,
                      .preload = f.preload,
                      .arm = e.find("radius") ? f.radius : 0,
                      .where = e.find("along")->where};
    if (read_load(e, f, blueprint, diagnostics, data))
      blueprint.frictions.push_back(std::move(data));
  }
}

}  // namespace kardan
