#include "kardan/model/placement.h"

#include <fmt/format.h>

#include "kardan/model/orientation.h"

namespace kardan {
namespace {

struct PlacementFields : OrientationFields {
  Vec3d at;
  std::string mirror = "none";

  template <class F>
  static void fields(F& f) {
    f("at", &PlacementFields::at, {.unit = "m", .doc = "where the origin of the part stands"});
    orientation_fields<PlacementFields>(f);
    f("mirror", &PlacementFields::mirror,
      {.doc = "the part is reflected first: this coordinate changes its sign",
       .choices = {"none", "x", "y", "z"}});
  }
};

Vec3d times(const Vec3d& S, const Vec3d& a) {
  return {S.x * a.x, S.y * a.y, S.z * a.z};
}

/// S A S
Mat3d between(const Vec3d& S, Mat3d A) {
  const double s[3] = {S.x, S.y, S.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[i][j] = s[i] * A[i][j] * s[j];
  return A;
}

}  // namespace

std::vector<FieldDoc> placement_field_docs() {
  return field_docs<PlacementFields>();
}

Placement::Placement(const FieldValue* placed, int dimension, const std::string& owner,
                     const ValueReader& reader) {
  if (!placed) return;
  static const std::vector<std::string> known = [] {
    std::vector<std::string> keys;
    for (const FieldDoc& d : placement_field_docs()) keys.push_back(d.key);
    return keys;
  }();
  const auto* list = std::get_if<FieldValue::List>(&placed->data);
  if (!list) {
    reader.diagnostics().error("field.type", owner + ".placed: wanted a list of {at: ...}",
                               placed->where, "'parts' writes it");
    return;
  }
  for (const FieldValue& item : *list) {
    const auto* map = std::get_if<FieldMap>(&item.data);
    PlacementFields f;
    if (map) report_unknown_keys(*map, known, owner + ".placed", reader.diagnostics());
    if (!map || !read_fields(*map, owner + ".placed", item.where, reader, f)) continue;
    check_flat(f.at, dimension, owner + ".placed.at", item.where, reader.diagnostics());
    if (dimension == 2 && f.mirror == "z")
      reader.diagnostics().error("field.planar", owner + ": a plane has no mirror z", item.where,
                                 "mirror: x or y");
    Step step;
    step.at = f.at;
    step.R = orientation(f, dimension, owner + ".placed", item.where, reader.diagnostics());
    step.angle = f.angle;
    if (f.mirror != "none") {
      (f.mirror == "x" ? step.S.x : f.mirror == "y" ? step.S.y : step.S.z) = -1;
      step.hand = -1;
    }
    steps_.push_back(step);
  }
}

void Placement::place(Vec3d& at, Mat3d& R) const {
  for (const Step& step : steps_) {
    at = step.at + step.R * times(step.S, at);
    R = step.R * between(step.S, R);
  }
}

void Placement::reflect(Vec3d& s, Mat3d& R) const {
  for (const Step& step : steps_) {
    s = times(step.S, s);
    R = between(step.S, R);
  }
}

void Placement::place(BodyData& body) const {
  for (const Step& step : steps_) {
    const Vec3d& S = step.S;
    body.com = times(S, body.com);
    body.inertia = between(S, body.inertia);
    for (auto& [name, marker] : body.markers) {
      marker.s = times(S, marker.s);
      marker.R = between(S, marker.R);
    }
    for (Shape& shape : body.shapes) {
      shape.at = times(S, shape.at);
      shape.R = between(S, shape.R);
    }
    body.position = step.at + step.R * times(S, body.position);
    body.velocity = step.R * times(S, body.velocity);
    body.R = step.R * between(S, body.R);
    body.angle = step.angle + step.hand * body.angle;
    // An angular velocity is axial: its part along the normal of the mirror stays.
    body.spin = step.hand * times(S, body.spin);
  }
}

Mat3d half_turn(const FieldValue* turned, const std::string& owner, Diagnostics& diagnostics) {
  Mat3d R = Mat3d::identity();
  if (!turned) return R;
  const auto* axis = std::get_if<std::string>(&turned->data);
  if (!axis || (*axis != "x" && *axis != "y" && *axis != "z")) {
    diagnostics.error("field.choice", owner + ".turned: wanted x, y or z", turned->where,
                      "'parts' writes it: half a turn of the frame about its own axis");
    return R;
  }
  for (int i = 0; i < 3; ++i)
    if (i != (*axis)[0] - 'x') R[i][i] = -1;
  return R;
}

}  // namespace kardan
