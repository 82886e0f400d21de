#include "kardan/io/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kardan/base/text.h"

namespace kardan {
namespace {

Json json(const Vec3d& v) {
  // + 0.0 turns -0 into 0.
  return Json::array({v.x + 0.0, v.y + 0.0, v.z + 0.0});
}

Json json(const Mat3d& R) {
  const Quaternion q = quaternion_from_matrix(R);
  return Json::array({q.w, q.x, q.y, q.z});
}

Vec3d middle(const Vec3d& a, const Vec3d& b) {
  return 0.5 * (a + b);
}

/// What an element says of itself, by its fields; `absent` where its type does not.
template <class Answer, class Asked, class... More>
Answer asked_of(const System& system, const ElementData& e, const Asked& question, Answer absent,
                More... more) {
  Diagnostics discarded;
  const ValueReader reader(system.blueprint().parameters, discarded);
  return question ? question(e.fields, e.name, e.where, reader, more...) : absent;
}

// --- bodies ------------------------------------------------------------------------------------

Json shape_of(const Shape& s, const Vec3d& com) {
  Json out{{"type", s.kind}};
  if (s.kind == "sphere")
    out["size"] = {s.size.x};
  else if (s.kind == "box")
    out["size"] = json(s.size);
  else
    out["size"] = {s.size.x, s.size.y};
  out["position"] = json(s.at - com);
  out["quaternion"] = json(s.R);
  if (!s.color.empty()) out["color"] = s.color;
  out["default"] = false;
  return out;
}

Json default_ball(const Vec3d& at, double radius) {
  return {{"type", "sphere"},
          {"size", {radius}},
          {"position", json(at)},
          {"quaternion", {1, 0, 0, 0}},
          {"default", true}};
}

Json default_rod(const Vec3d& from, const Vec3d& to, double radius) {
  const Vec3d way = to - from;
  return {{"type", "capsule"},
          {"size", {radius, norm(way)}},
          {"position", json(middle(from, to))},
          {"quaternion", json(axes_from_z(way, {}))},
          {"default", true}};
}

/// Where elements attach, seen from the centre of mass; each place once.
std::vector<Vec3d> attachments(const Blueprint& b, int body, double length) {
  std::vector<Vec3d> out;
  for (const ElementData& e : b.elements) {
    if (e.type->category == Category::sensor) continue;
    for (const FrameData& f : e.frames) {
      if (f.body != body) continue;
      const auto same = [&](const Vec3d& p) { return norm(p - f.s) < 1e-6 * length; };
      if (std::none_of(out.begin(), out.end(), same)) out.push_back(f.s);
    }
  }
  return out;
}

/// Rods between the places where a body is held, and a ball where there is none.
Json default_shapes(const Blueprint& b, int body, double length) {
  constexpr double thin = 0.03, ball = 0.08;  // of the model's length
  const std::vector<Vec3d> places = attachments(b, body, length);
  Json out = Json::array();
  if (places.size() == 2 && norm(places[0] - places[1]) > thin * length) {
    out.push_back(default_rod(places[0], places[1], thin * length));
    return out;
  }
  double farthest = 0;
  for (const Vec3d& p : places) {
    farthest = std::max(farthest, norm(p));
    if (norm(p) > thin * length) out.push_back(default_rod({}, p, thin * length));
  }
  const double radius = out.empty() ? ball * length : 1.5 * thin * length;
  out.push_back(default_ball({}, radius));
  return out;
}

Json bodies_of(const System& system) {
  const Blueprint& b = system.blueprint();
  Json out = Json::array();
  for (std::size_t i = 0; i < b.bodies.size(); ++i) {
    const BodyData& body = b.bodies[i];
    Json entry{{"name", body.name}, {"fixed", i == 0}, {"mass", body.mass}};
    if (!body.color.empty()) entry["color"] = body.color;
    entry["shapes"] = Json::array();
    for (const Shape& s : body.shapes) {
      Json shape = shape_of(s, body.com);
      if (!shape.contains("color") && !body.color.empty()) shape["color"] = body.color;
      entry["shapes"].push_back(std::move(shape));
    }
    if (body.shapes.empty() && i > 0)
      entry["shapes"] = default_shapes(b, static_cast<int>(i), system.scales().length);
    out.push_back(std::move(entry));
  }
  return out;
}

// --- elements ----------------------------------------------------------------------------------

/// A frame on the ground at the origin, for elements with one frame.
FrameData first_frame(const ElementData& e) {
  return e.frames.size() > 1 ? e.frames.front() : FrameData{};
}

Json ends_of(const ElementData& e) {
  const FrameData a = first_frame(e), b = e.frames.back();
  Json out{{"name", e.name}, {"type", e.type->name}};
  out["bodies"] = {a.body, b.body};
  out["points"] = {json(a.s), json(b.s)};
  if (!e.color.empty()) out["color"] = e.color;
  return out;
}

Vec3d z_axis(const Mat3d& R) {
  return R * Vec3d{0, 0, 1};
}

bool holds(const ElementData& e) {
  const Category c = e.type->category;
  return c == Category::joint || c == Category::driver || c == Category::nonholonomic;
}

bool pushes(const ElementData& e) {
  return e.type->category == Category::force || e.type->category == Category::contact;
}

std::string_view drawn_as(const System& system, const ElementData& e) {
  return to_string(asked_of(system, e, e.type->glyph, Glyph::none));
}

Json joints_of(const System& system, const std::set<std::string>& redundant) {
  Json out = Json::array();
  for (const ElementData& e : system.blueprint().elements) {
    if (!holds(e) || e.frames.empty()) continue;
    Json entry = ends_of(e);
    entry["category"] = to_string(e.type->category);
    entry["draw"] = drawn_as(system, e);
    entry["axes"] = {json(z_axis(first_frame(e).R)), json(z_axis(e.frames.back().R))};
    entry["redundant"] = redundant.contains(e.name);
    out.push_back(std::move(entry));
  }
  return out;
}

Json forces_of(const System& system) {
  Json out = Json::array();
  for (const ElementData& e : system.blueprint().elements) {
    if (!pushes(e) || e.frames.empty()) continue;
    Json entry = ends_of(e);
    entry["category"] = to_string(e.type->category);
    entry["draw"] = drawn_as(system, e);
    if (e.type->silhouette != Silhouette::none) entry["silhouette"] = to_string(e.type->silhouette);
    if (const double radius = asked_of(system, e, e.type->drawn_radius, 0.0); radius > 0)
      entry["radius"] = radius;
    out.push_back(std::move(entry));
  }
  return out;
}

/// Arrows are drawn on the second body, or on the first where that is the ground, as reactions are
/// counted (analysis.h).
Json arrows_of(const System& system, const ResultLayout& layout) {
  Json out = Json::array();
  const auto add = [&](const char* block, const char* kind) {
    const ResultBlock* b = layout.find(block);
    if (!b) return;
    for (int i = 0; i < b->item_count(); ++i) {
      const auto& elements = system.blueprint().elements;
      const auto e = std::find_if(elements.begin(), elements.end(),
                                  [&](const ElementData& x) { return x.name == b->items[i]; });
      FrameData frame = e->frames.back();
      if (frame.body == 0 && kind == std::string_view("reaction")) frame = e->frames.front();
      const bool contact = e->type->category == Category::contact;
      const double lift = asked_of(system, *e, e->type->drawn_radius, 0.0);
      out.push_back({{"name", e->name},
                     {"kind", contact ? "contact" : kind},
                     {"body", frame.body},
                     {"at", json(frame.s)},
                     {"lift", lift},
                     {"array", block},
                     {"column", i * b->component_count()}});
    }
  };
  add("reactions", "reaction");
  add("force_vectors", "force");
  return out;
}

// --- surfaces ----------------------------------------------------------------------------------

Json surfaces_of(const System& system, const State& start) {
  Json out = Json::array();
  const Blueprint& b = system.blueprint();
  std::set<std::string> seen;
  for (const ElementData& e : b.elements) {
    if (e.type->road_line) {
      // The upper side of the road from before the start to where the run may lead.
      const double x = start.p[system.bodies()[e.frames.back().body].p];
      const RoadLine road = asked_of(system, e, e.type->road_line, RoadLine{}, x - 10, x + 200);
      if (road.points.empty() || !seen.insert(road.key).second) continue;
      out.push_back({{"name", e.name}, {"kind", "road"}, {"width", 4}});
      Json points = Json::array();
      for (const auto& [along, up] : road.points)
        points.push_back(b.dimension == 2 ? Json{along, up, 0} : Json{along, 0, up});
      out.back()["points"] = std::move(points);
    } else if (e.type->touches_plane) {
      const FrameData& plane = e.frames.front();
      const Vec3d normal = b.dimension == 2 ? plane.R * Vec3d{0, 1, 0} : z_axis(plane.R);
      const std::string same = fmt::format("{} {} {} {} {} {} {}", plane.body, plane.s.x, plane.s.y,
                                           plane.s.z, normal.x, normal.y, normal.z);
      if (!seen.insert(same).second) continue;
      out.push_back({{"name", e.name}, {"kind", "plane"}, {"body", plane.body}});
      out.back()["point"] = json(plane.s);
      out.back()["normal"] = json(normal);
    }
  }
  return out;
}

// --- tree --------------------------------------------------------------------------------------

Json branch(const char* name) {
  return {{"name", name}, {"kind", "section"}, {"children", Json::array()}};
}

/// The points that sensors watch: a report draws their paths.
Json points_of(const Blueprint& b) {
  Json out = Json::array();
  for (const ElementData& e : b.elements) {
    if (!e.type->traced || e.frames.empty()) continue;
    const FrameData& f = e.frames.back();
    if (f.body == 0) continue;
    out.push_back({{"name", e.name}, {"body", f.body}, {"point", json(f.s)}});
  }
  return out;
}

std::string body_text(const BodyData& b, int dimension) {
  if (b.kind == BodyKind::point) return fmt::format("point mass, {:.6g} kg", b.mass);
  if (dimension == 2) return fmt::format("{:.6g} kg, {:.6g} kg m^2", b.mass, b.inertia[2][2]);
  return fmt::format("{:.6g} kg, ({:.6g}, {:.6g}, {:.6g}) kg m^2", b.mass, b.inertia[0][0],
                     b.inertia[1][1], b.inertia[2][2]);
}

std::string element_text(const Blueprint& b, const ElementData& e) {
  std::vector<std::string> bodies;
  for (const FrameData& f : e.frames) bodies.push_back(b.bodies[f.body].name);
  return fmt::format("{}{}{}", e.type->name, bodies.empty() ? "" : " of ",
                     fmt::join(bodies, " and "));
}

Json tree_of(const System& system) {
  const Blueprint& b = system.blueprint();
  Json root{{"name", b.name}, {"kind", "model"}, {"children", Json::array()}};
  auto add = [&](Json section) {
    if (!section["children"].empty()) root["children"].push_back(std::move(section));
  };
  Json parameters = branch("parameters");
  for (const auto& [name, value] : b.parameters.all())
    parameters["children"].push_back(
        {{"name", name}, {"kind", "parameter"}, {"text", format_number(value)}});
  add(std::move(parameters));
  Json bodies = branch("bodies");
  for (std::size_t i = 1; i < b.bodies.size() && system.has_bodies(); ++i)
    bodies["children"].push_back({{"name", b.bodies[i].name},
                                  {"kind", "body"},
                                  {"text", body_text(b.bodies[i], b.dimension)}});
  add(std::move(bodies));
  constexpr std::pair<Category, const char*> sections[] = {
      {Category::joint, "joints"},   {Category::driver, "drivers"},
      {Category::force, "forces"},   {Category::contact, "contacts"},
      {Category::sensor, "sensors"}, {Category::nonholonomic, "rolling and sliding"}};
  for (const auto& [category, name] : sections) {
    Json section = branch(name);
    for (const ElementData& e : b.elements)
      if (e.type->category == category)
        section["children"].push_back(
            {{"name", e.name}, {"kind", to_string(category)}, {"text", element_text(b, e)}});
    add(std::move(section));
  }
  if (b.equations) {
    Json section = branch("equations");
    for (const std::string& name : system.quantity_names())
      section["children"].push_back({{"name", name}, {"kind", "variable"}});
    add(std::move(section));
  }
  Json events = branch("events");
  for (const EventData& e : b.events)
    events["children"].push_back({{"name", e.name}, {"kind", "event"}});
  add(std::move(events));
  return root;
}

std::set<std::string> redundant_elements(const Prepared& prepared) {
  std::set<std::string> out;
  const System& system = *prepared.system;
  if (!system.has_bodies()) return out;
  const auto ws = system.make_workspace();
  const ConstraintAnalysis analysis = analyse(system, prepared.start.state, *ws);
  for (const RedundantSet& r : analysis.redundant) {
    out.insert(system.element_of_row(r.row));
    for (const auto& [row, c] : r.others) out.insert(system.element_of_row(row));
  }
  return out;
}

}  // namespace

Json make_scene(const Prepared& prepared, const ResultLayout& layout) {
  const System& system = *prepared.system;
  const Blueprint& b = system.blueprint();
  Json out;
  out["dimension"] = system.has_bodies() ? b.dimension : 0;
  out["gravity"] = json(b.gravity);
  out["length_scale"] = system.scales().length;
  out["bodies"] = system.has_bodies() ? bodies_of(system) : Json::array();
  out["joints"] = Json::array();
  out["forces"] = Json::array();
  out["surfaces"] = Json::array();
  out["arrows"] = Json::array();
  if (system.has_bodies()) {
    out["joints"] = joints_of(system, redundant_elements(prepared));
    out["forces"] = forces_of(system);
    out["surfaces"] = surfaces_of(system, prepared.start.state);
    out["arrows"] = arrows_of(system, layout);
    out["points"] = points_of(system.blueprint());
  }
  out["tree"] = tree_of(system);
  return out;
}

}  // namespace kardan
