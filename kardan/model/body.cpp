#include "kardan/model/body.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/model/placement.h"
#include "kardan/model/shape.h"

namespace kardan {

template <class F>
void BodyFields::fields(F& f) {
  using B = BodyFields;
  f("kind", &B::kind, {.doc = "rigid body or point mass", .choices = {"rigid", "point"}});
  f("mass", &B::mass, {.unit = "kg", .doc = "mass", .check = Check::non_negative});
  f("inertia", &B::inertia,
    {.unit = "kg m^2",
     .doc = "planar: one number; spatial: [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or 9 by rows"});
  f("inertia_at", &B::inertia_at,
    {.doc = "marker about and in whose axes the inertia is given; default: centre of mass"});
  f("com", &B::com, {.unit = "m", .doc = "centre of mass in the body's reference frame"});
  f("density", &B::density,
    {.unit = "kg/m^3",
     .doc = "of its shapes, from which mass, centre and inertia follow",
     .check = Check::non_negative});
  f("position", &B::position, {.unit = "m", .doc = "start: origin of the reference frame"});
  orientation_fields<B>(f);
  f("velocity", &B::velocity, {.unit = "m/s", .doc = "start: of the centre of mass"});
  f("angular_velocity", &B::angular_velocity,
    {.unit = "rad/s", .doc = "start: planar one number, spatial [wx, wy, wz] in the body frame"});
  f("color", &B::color, {.doc = color_doc});
}

template <class F>
void MarkerFields::fields(F& f) {
  f("at", &MarkerFields::at, {.unit = "m", .doc = "origin in the body's reference frame"});
  orientation_fields<MarkerFields>(f);
}

std::vector<FieldDoc> body_field_docs() {
  return field_docs<BodyFields>();
}
std::vector<FieldDoc> marker_field_docs() {
  return field_docs<MarkerFields>();
}

namespace {

std::vector<std::string> keys_of(const std::vector<FieldDoc>& docs,
                                 std::vector<std::string> others) {
  for (const FieldDoc& d : docs) others.push_back(d.key);
  return others;
}

/// The keys of a body and of a marker. Made once: models have thousands of them.
const std::vector<std::string>& body_keys() {
  static const auto keys =
      keys_of(body_field_docs(), {"markers", "shapes", "hold", "accept", "placed"});
  return keys;
}
const std::vector<std::string>& marker_keys() {
  static const auto keys = keys_of(marker_field_docs(), {"placed"});
  return keys;
}

const FieldValue* field_of(const FieldMap& map, std::string_view key) {
  for (const auto& [name, value] : map)
    if (name == key) return &value;
  return nullptr;
}

/// m (|c|^2 I - c c')
Mat3d steiner(double mass, const Vec3d& c) {
  Mat3d J = outer(c, c);
  const double s = dot(c, c);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) J[i][j] = mass * ((i == j ? s : 0) - J[i][j]);
  return J;
}

/// Reads a symmetric tensor from 1, 3, 6 or 9 numbers; false if the count or symmetry is wrong.
bool tensor(const std::vector<double>& v, int dimension, Mat3d& J) {
  J = {};
  if (dimension == 2) {
    if (v.size() != 1) return false;
    J[2][2] = v[0];
    return true;
  }
  if (v.size() == 3) {
    for (int i = 0; i < 3; ++i) J[i][i] = v[i];
    return true;
  }
  if (v.size() == 6) {
    for (int i = 0; i < 3; ++i) J[i][i] = v[i];
    J[0][1] = J[1][0] = v[3];
    J[0][2] = J[2][0] = v[4];
    J[1][2] = J[2][1] = v[5];
    return true;
  }
  if (v.size() != 9) return false;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) J[i][j] = v[3 * i + j];
  return J[0][1] == J[1][0] && J[0][2] == J[2][0] && J[1][2] == J[2][1];
}

void mass_from_shapes(const BodyFields& f, const NamedFields& body, BodyData& b,
                      Diagnostics& diagnostics) {
  if (f.mass > 0 || !f.inertia.empty() || !is_zero(f.com)) {
    diagnostics.error("body.mass", body.name + ": mass is given twice, by density and by number",
                      body.where, "keep density with shapes, or mass, com and inertia");
    return;
  }
  Vec3d moment;
  for (const Shape& s : b.shapes) {
    const double m = solid(s).mass;
    b.mass += m;
    moment += m * s.at;
  }
  if (!(b.mass > 0)) {
    diagnostics.error("body.mass", body.name + ": has a density but no shape with extent",
                      body.where, "add shapes, or give mass and inertia");
    return;
  }
  b.com = (1 / b.mass) * moment;
  for (const Shape& s : b.shapes) {
    const SolidMass m = solid(s);
    b.inertia = b.inertia + s.R * m.inertia * transposed(s.R) + steiner(m.mass, s.at - b.com);
  }
}

void mass_from_numbers(const BodyFields& f, const NamedFields& body, int dimension, BodyData& b,
                       Diagnostics& diagnostics) {
  b.mass = f.mass;
  b.com = f.com;
  if (b.kind == BodyKind::point) {
    if (!f.inertia.empty())
      diagnostics.error("body.mass", body.name + ": a point mass has no inertia", body.where,
                        "use kind: rigid");
    return;
  }
  if (f.inertia.empty()) return;
  if (!tensor(f.inertia, dimension, b.inertia)) {
    const FieldValue* v = body.find("inertia");
    diagnostics.error(
        "body.inertia",
        fmt::format("{}.inertia: got {} numbers; wanted {}", body.name, f.inertia.size(),
                    dimension == 2 ? "one number" : "3, 6, or 9 of a symmetric tensor"),
        v ? v->where : body.where);
    return;
  }
  if (f.inertia_at.empty()) return;
  const auto marker = b.markers.find(f.inertia_at);
  if (marker == b.markers.end()) {
    diagnostics.error("body.inertia",
                      fmt::format("{}.inertia_at: no marker '{}'", body.name, f.inertia_at),
                      body.where, "name one of the body's markers");
    return;
  }
  // Given in the marker's axes about its origin (still seen from the reference frame here).
  const FrameData& m = marker->second;
  b.inertia = m.R * b.inertia * transposed(m.R) - steiner(b.mass, b.com - m.s);
  if (dimension == 3) return;
  // In the plane only the moment about z is given, and only that can be moved.
  const double about_z = b.inertia[2][2];
  b.inertia = {};
  b.inertia[2][2] = about_z;
}

/// All principal minors of the symmetric S + slack I are non-negative, to round-off of `size`.
bool is_semidefinite(Mat3d S, double size) {
  const double slack = 1e-9 * size;
  for (int i = 0; i < 3; ++i) S[i][i] += slack;
  const double m2 = S[0][0] * S[1][1] - S[0][1] * S[1][0];
  const double det = dot(S.column(0), cross(S.column(1), S.column(2)));
  return S[0][0] >= 0 && S[1][1] >= 0 && S[2][2] >= 0 && m2 >= -slack * size &&
         det >= -slack * size * size;
}

/// `accept: inertia`: whoever wrote the body knows that its data are odd. True where nothing is.
bool accepts_inertia(const NamedFields& body, Diagnostics& diagnostics) {
  const FieldValue* value = body.find("accept");
  if (!value) return false;
  const auto* text = std::get_if<std::string>(&value->data);
  if (text && *text == "inertia") return true;
  diagnostics.error("field.choice", body.name + ".accept: wanted inertia", value->where,
                    "write accept: inertia where an inertia that no rigid body has is meant");
  return false;
}

/// The kinetic energy must not be negative: J >= 0, or the model is refused. Principal moments of
/// real bodies also satisfy A <= B + C, equivalently trace(J)/2 I - J >= 0; published data does not
/// always, and the equations of motion do not need it, so that this is a warning.
void check_inertia(const NamedFields& body, const BodyData& b, int dimension,
                   Diagnostics& diagnostics) {
  const bool accepted = accepts_inertia(body, diagnostics);
  if (b.kind != BodyKind::rigid) return;
  const Mat3d& J = b.inertia;
  const double trace = J[0][0] + J[1][1] + J[2][2];
  const FieldValue* v = body.find("inertia");
  const SourceLocation& where = v ? v->where : body.where;
  if (J[0][0] < 0 || J[1][1] < 0 || J[2][2] < 0 || !is_semidefinite(J, trace)) {
    diagnostics.error("body.inertia", body.name + ": the inertia has a negative principal moment",
                      where, "check the tensor and 'inertia_at'");
    return;
  }
  if (dimension == 2) return;
  Mat3d S{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) S[i][j] = (i == j ? 0.5 * trace : 0) - J[i][j];
  if (!is_semidefinite(S, trace)) {
    if (!accepted)
      diagnostics.warning(
          "body.inertia",
          body.name +
              ": no rigid body has this inertia (a principal moment exceeds the sum of the other "
              "two)",
          where,
          "check the tensor and 'inertia_at'; it is used as given; 'accept: inertia' says that it "
          "is meant");
  } else if (accepted) {
    diagnostics.warning("body.accept", body.name + ".accept: its inertia is that of a rigid body",
                        body.find("accept")->where, "remove it");
  }
}

void resolve_markers(const NamedFields& body, BodyData& b, int dimension,
                     const ValueReader& reader) {
  const FieldValue* value = body.find("markers");
  if (!value) return;
  const auto* map = std::get_if<FieldMap>(&value->data);
  if (!map) {
    reader.diagnostics().error(
        "field.type", body.name + ".markers: wanted a mapping of names to markers", value->where);
    return;
  }
  for (const auto& [name, item] : *map) {
    const std::string owner = body.name + "." + name;
    const auto* fields = std::get_if<FieldMap>(&item.data);
    if (!fields) {
      reader.diagnostics().error("field.type", owner + ": wanted {at: [...], ...}", item.where);
      continue;
    }
    MarkerFields f;
    report_unknown_keys(*fields, marker_keys(), owner, reader.diagnostics());
    if (!read_fields(*fields, owner, item.where, reader, f)) continue;
    check_flat(f.at, dimension, owner + ".at", item.where, reader.diagnostics());
    FrameData frame{0, f.at, orientation(f, dimension, owner, item.where, reader.diagnostics())};
    Placement(field_of(*fields, "placed"), dimension, owner, reader).place(frame.s, frame.R);
    b.markers[name] = frame;
  }
}

}  // namespace

BodyData resolve_ground(const NamedFields& ground, int dimension, const Drawing& drawing,
                        const ValueReader& reader) {
  BodyData b;
  b.name = "ground";
  b.kind = BodyKind::ground;
  report_unknown_keys(ground.fields, {"markers", "shapes"}, "ground", reader.diagnostics());
  resolve_markers(ground, b, dimension, reader);
  b.shapes = resolve_shapes(ground, 0, "", dimension, drawing, reader);
  return b;
}

bool check_body_fields(const FieldMap& fields, const std::string& owner,
                       const ValueReader& reader) {
  BodyFields f;
  return read_fields(fields, owner, {}, reader, f);
}

namespace {

/// As the file has it: in a part, not yet placed.
BodyData body_as_written(const NamedFields& body, int dimension, const Drawing& drawing,
                         const ValueReader& reader) {
  BodyData b;
  b.name = body.name;
  b.where = body.where;
  BodyFields f;
  report_unknown_keys(body.fields, body_keys(), body.name, reader.diagnostics());
  if (!read_fields(body.fields, body.name, body.where, reader, f)) return b;
  b.kind = f.kind == "point" ? BodyKind::point : BodyKind::rigid;
  check_flat(f.position, dimension, body.name + ".position", body.where, reader.diagnostics());
  check_flat(f.velocity, dimension, body.name + ".velocity", body.where, reader.diagnostics());
  check_flat(f.com, dimension, body.name + ".com", body.where, reader.diagnostics());
  resolve_markers(body, b, dimension, reader);
  b.color = drawing.color(body.find("color"), body.name + ".color", reader);
  const std::size_t errors = reader.diagnostics().error_count();
  b.shapes = resolve_shapes(body, f.density, b.color, dimension, drawing, reader);
  if (f.density > 0 && reader.diagnostics().error_count() > errors) return b;
  if (f.density > 0)
    mass_from_shapes(f, body, b, reader.diagnostics());
  else
    mass_from_numbers(f, body, dimension, b, reader.diagnostics());
  check_inertia(body, b, dimension, reader.diagnostics());
  // From here on points are seen from the centre of mass.
  for (auto& [name, marker] : b.markers) marker.s = marker.s - b.com;

  b.R = orientation(f, dimension, body.name, body.where, reader.diagnostics());
  b.angle = f.angle;
  b.position = f.position + b.R * b.com;
  b.velocity = f.velocity;
  const std::size_t spins = dimension == 2 ? 1 : 3;
  if (!f.angular_velocity.empty() && f.angular_velocity.size() != spins) {
    const FieldValue* v = body.find("angular_velocity");
    reader.diagnostics().error(
        "field.type",
        fmt::format("{}.angular_velocity: got {} numbers; wanted {}", body.name,
                    f.angular_velocity.size(), dimension == 2 ? "one number" : "[wx, wy, wz]"),
        v ? v->where : body.where);
  } else if (!f.angular_velocity.empty()) {
    b.spin = dimension == 2
                 ? Vec3d{0, 0, f.angular_velocity[0]}
                 : Vec3d{f.angular_velocity[0], f.angular_velocity[1], f.angular_velocity[2]};
  }
  return b;
}

}  // namespace

BodyData resolve_body(const NamedFields& body, int dimension, const Drawing& drawing,
                      const ValueReader& reader) {
  BodyData b = body_as_written(body, dimension, drawing, reader);
  Placement(body.find("placed"), dimension, body.name, reader).place(b);
  return b;
}

FrameData resolve_marker(const FieldValue& marker, const std::string& owner, const BodyData& body,
                         int dimension, const ValueReader& reader) {
  const FieldMap& fields = std::get<FieldMap>(marker.data);
  MarkerFields f;
  std::vector<std::string> known = marker_keys();
  known.insert(known.end(), {"body", "turned"});
  report_unknown_keys(fields, known, owner, reader.diagnostics());
  FrameData frame;
  if (!read_fields(fields, owner, marker.where, reader, f)) return frame;
  check_flat(f.at, dimension, owner + ".at", marker.where, reader.diagnostics());
  frame.s = f.at;
  frame.R = orientation(f, dimension, owner, marker.where, reader.diagnostics());
  const Placement placement(field_of(fields, "placed"), dimension, owner, reader);
  if (body.kind == BodyKind::ground)
    placement.place(frame.s, frame.R);
  else
    placement.reflect(frame.s, frame.R);
  frame.R = frame.R * half_turn(field_of(fields, "turned"), owner, reader.diagnostics());
  frame.s = frame.s - body.com;
  return frame;
}

void resolve_holds(const NamedFields& body, const BodyData& data, int dimension,
                   std::vector<WishData>& wishes, Diagnostics& diagnostics) {
  const FieldValue* value = body.find("hold");
  if (!value) return;
  const auto* list = std::get_if<FieldValue::List>(&value->data);
  if (!list) {
    diagnostics.error("field.type", body.name + ".hold: wanted a list of coordinates",
                      value->where);
    return;
  }
  const Quaternion q = quaternion_from_matrix(data.R);
  const std::vector<std::pair<std::string, double>> planar{
      {"x", data.position.x},  {"y", data.position.y},  {"angle", data.angle},
      {"vx", data.velocity.x}, {"vy", data.velocity.y}, {"omega", data.spin.z}};
  const std::vector<std::pair<std::string, double>> spatial{{"x", data.position.x},
                                                            {"y", data.position.y},
                                                            {"z", data.position.z},
                                                            {"qw", q.w},
                                                            {"qx", q.x},
                                                            {"qy", q.y},
                                                            {"qz", q.z},
                                                            {"vx", data.velocity.x},
                                                            {"vy", data.velocity.y},
                                                            {"vz", data.velocity.z},
                                                            {"wx", data.spin.x},
                                                            {"wy", data.spin.y},
                                                            {"wz", data.spin.z}};
  const auto& known = dimension == 2 ? planar : spatial;
  for (const FieldValue& item : *list) {
    const auto* name = std::get_if<std::string>(&item.data);
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& k) { return name && k.first == *name; });
    if (found == known.end()) {
      std::vector<std::string> names;
      names.reserve(known.size());
      for (const auto& k : known) names.push_back(k.first);
      diagnostics.error(
          "body.hold",
          fmt::format("{}.hold: got '{}'; wanted coordinates", body.name, name ? *name : "?"),
          item.where, fmt::format("one of {}", fmt::join(names, ", ")));
      continue;
    }
    const std::string text = body.name + "." + found->first;
    wishes.push_back({fmt::format("{} = {}", text, format_number(found->second)),
                      Expression::parse(text).value(), found->second, Priority::exactly,
                      item.where});
  }
}

}  // namespace kardan
