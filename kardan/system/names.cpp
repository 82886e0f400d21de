#include "kardan/system/names.h"

#include <algorithm>

namespace kardan {
namespace {

using Labels = std::span<const char* const>;

/// Of the positions, velocities and so on of a body; rotations in the body frame are about its
/// axes, as the spin is.
Labels of(int dimension, Labels planar, Labels spatial) {
  return dimension == 2 ? planar : spatial;
}

Labels position_labels(int dimension) {
  static constexpr const char* planar[] = {"x", "y", "angle"};
  static constexpr const char* spatial[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  return of(dimension, planar, spatial);
}

Labels tangent_labels(int dimension) {
  static constexpr const char* planar[] = {"x", "y", "angle"};
  static constexpr const char* spatial[] = {"x", "y", "z", "rx", "ry", "rz"};
  return of(dimension, planar, spatial);
}

Labels velocity_labels(int dimension) {
  static constexpr const char* planar[] = {"vx", "vy", "omega"};
  static constexpr const char* spatial[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  return of(dimension, planar, spatial);
}

Labels acceleration_labels(int dimension) {
  static constexpr const char* planar[] = {"ax", "ay", "alpha"};
  static constexpr const char* spatial[] = {"ax", "ay", "az", "alphax", "alphay", "alphaz"};
  return of(dimension, planar, spatial);
}

/// BODY.x, BODY.vx, ...
std::optional<Quantity> find_coordinate(const NameData& data, std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto body = data.body_index.find(std::string(name.substr(0, dot)));
  if (body == data.body_index.end()) return std::nullopt;
  const int b = body->second, dimension = data.blueprint.dimension;
  const BodyLayout& layout = data.bodies[b];
  name.remove_prefix(dot + 1);
  for (int k = 0; k < layout.p_count; ++k)
    if (name == position_labels(dimension)[k]) return Quantity{Quantity::Kind::position, b, k};
  for (int k = 0; k < layout.v_count; ++k)
    if (name == velocity_labels(dimension)[k]) return Quantity{Quantity::Kind::velocity, b, k};
  return std::nullopt;
}

/// Where a quantity of a list stands among those of its kind.
int place(const Quantity& q) {
  using Kind = Quantity::Kind;
  return q.kind == Kind::position || q.kind == Kind::velocity ? q.body - 1 : q.index;
}

bool same_pattern(const std::shared_ptr<const SparsePattern>& a,
                  const std::shared_ptr<const SparsePattern>& b) {
  if (!a || !b) return !a && !b;
  return a->rows == b->rows && a->cols == b->cols && a->row_start == b->row_start &&
         a->column == b->column;
}

}  // namespace

int body_of_column(const std::vector<BodyLayout>& bodies, int column) {
  const auto next = std::upper_bound(bodies.begin() + 1, bodies.end(), column,
                                     [](int c, const BodyLayout& b) { return c < b.v; });
  return static_cast<int>(next - bodies.begin()) - 1;
}

void QuantityList::add(NamedQuantity quantity) {
  int& first = first_[static_cast<std::size_t>(quantity.quantity.kind)];
  if (first < 0) first = static_cast<int>(all_.size());
  by_name_.emplace(quantity.name, static_cast<int>(all_.size()));
  all_.push_back(std::move(quantity));
}

const NamedQuantity* QuantityList::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &all_[found->second];
}

const NamedQuantity* QuantityList::find(const Quantity& quantity) const {
  const int first = first_[static_cast<std::size_t>(quantity.kind)];
  return first < 0 ? nullptr : &all_[first + place(quantity)];
}

std::optional<Quantity> NameData::find_quantity(std::string_view name) const {
  if (const auto coordinate = find_coordinate(*this, name)) return coordinate;
  const NamedQuantity* found = quantities.find(name);
  if (found) return found->quantity;
  const auto other = aliases.find(std::string(name));
  if (other == aliases.end()) return std::nullopt;
  found = quantities.find(other->second);
  return found ? std::optional(found->quantity) : std::nullopt;
}

std::vector<std::string> NameData::quantity_names() const {
  std::vector<std::string> names;
  if (blueprint.dimension > 1) {
    names.reserve(static_cast<std::size_t>(sizes.p + sizes.v) + quantities.all().size());
    for (std::size_t b = 1; b < bodies.size(); ++b) {
      const std::string prefix = blueprint.bodies[b].name + ".";
      for (int k = 0; k < bodies[b].p_count; ++k)
        names.push_back(prefix + position_labels(blueprint.dimension)[k]);
      for (int k = 0; k < bodies[b].v_count; ++k)
        names.push_back(prefix + velocity_labels(blueprint.dimension)[k]);
    }
  }
  for (const NamedQuantity& q : quantities.all()) names.push_back(q.name);
  return names;
}

std::vector<int> NameData::quantity_columns(const Quantity& q) const {
  if (const NamedQuantity* listed = quantities.find(q)) return listed->columns;
  std::vector<int> columns;
  const BodyLayout& body = bodies[q.body];
  for (int k = 0; k < body.v_count; ++k) columns.push_back(body.v + k);
  return columns;
}

bool NameData::is_velocity(const Quantity& q) const {
  if (const NamedQuantity* listed = quantities.find(q)) return listed->velocity;
  return q.kind == Quantity::Kind::velocity;
}

bool NameData::is_followed(const Quantity& q) const {
  if (const NamedQuantity* listed = quantities.find(q)) return listed->followed;
  return q.kind == Quantity::Kind::position;
}

bool NameData::is_rate(const Quantity& q) const {
  if (const NamedQuantity* listed = quantities.find(q)) return listed->rate;
  return q.kind == Quantity::Kind::velocity;
}

void NameData::add_events() {
  const int first = static_cast<int>(event_names.size());
  for (const EventData& e : blueprint.events) event_names.push_back(e.name);
  for (std::size_t i = 0; i < blueprint.impulses.size(); ++i) {
    const int event = blueprint.impulses[i];
    impulses.push_back({event, first + event, static_cast<int>(event_names.size()),
                        element_modes + static_cast<int>(i)});
    event_names.push_back(blueprint.events[event].name + ".rest");
  }
  for (const FrictionData& f : blueprint.frictions) {
    const int place = static_cast<int>(event_names.size());
    frictions.push_back(
        {place, place + 1, element_modes + static_cast<int>(impulses.size() + frictions.size())});
    event_names.push_back(f.name + ".turn");
    event_names.push_back(f.name + ".stick");
  }
  sizes.events = static_cast<int>(event_names.size());
  sizes.modes = element_modes + static_cast<int>(impulses.size() + frictions.size());
  start.modes.assign(sizes.modes, 0);
}

int Names::asked_event(int asked) const {
  return static_cast<int>(event_names().size() - 2 * frictions().size() - impulses().size() -
                          blueprint().events.size()) +
         asked;
}

std::string Names::quantity_unit(const Quantity& q) const {
  if (const NamedQuantity* listed = data_->quantities.find(q)) return listed->unit;
  const bool way = q.index < dimension();
  if (q.kind == Quantity::Kind::velocity) return way ? "m/s" : "rad/s";
  return way ? "m" : dimension() == 2 ? "rad" : "1";
}

std::string Names::row_name(int row) const {
  const std::string& label = rows()[row].label;
  return label.empty() ? element_of_row(row) : element_of_row(row) + " " + label;
}

const std::string& Names::element_of_row(int row) const {
  return blueprint().elements[rows()[row].element].name;
}

std::string Names::name_of(int column, std::span<const char* const> names) const {
  const int body = body_of_column(column);
  return blueprint().bodies[body].name + "." + names[column - bodies()[body].v];
}

std::string Names::coordinate_name(int column) const {
  return has_bodies() ? name_of(column, tangent_labels(dimension()))
                      : blueprint().bodies[column + 1].name;
}

std::string Names::velocity_name(int column) const {
  return has_bodies() ? name_of(column, velocity_labels(dimension()))
                      : data_->velocity_names[column];
}

std::string Names::acceleration_name(int column) const {
  return has_bodies() ? name_of(column, acceleration_labels(dimension()))
                      : data_->velocity_names[column] + "'";
}

int Names::body_of_column(int column) const {
  return kardan::body_of_column(bodies(), column);
}

bool Names::is_rotation(int column) const {
  return column - bodies()[body_of_column(column)].v >= dimension();
}

void Names::retract(std::span<const double> p, std::span<const double> delta,
                    std::span<double> p_new) const {
  const std::vector<BodyLayout>& bodies = data_->bodies;
  const bool space = dimension() == 3;
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    const int ip = bodies[b].p, iv = bodies[b].v;
    const int adds = space ? 3 : bodies[b].v_count;  // a planar angle simply adds
    for (int k = 0; k < adds; ++k) p_new[ip + k] = p[ip + k] + delta[iv + k];
    if (bodies[b].v_count <= adds) continue;
    const Quaternion q{p[ip + 3], p[ip + 4], p[ip + 5], p[ip + 6]};
    const Quaternion turned =
        normalized(q * quaternion_exp({delta[iv + 3], delta[iv + 4], delta[iv + 5]}));
    p_new[ip + 3] = turned.w;
    p_new[ip + 4] = turned.x;
    p_new[ip + 5] = turned.y;
    p_new[ip + 6] = turned.z;
  }
}

bool same_layout(const Names& a, const Names& b) {
  const Sizes &x = a.sizes(), &y = b.sizes();
  if (x.p != y.p || x.v != y.v || x.r != y.r || x.w != y.w || x.s != y.s || x.lambda != y.lambda ||
      x.mu != y.mu || x.events != y.events || x.modes != y.modes || x.turns != y.turns)
    return false;
  const Patterns &p = a.patterns(), &q = b.patterns();
  return same_pattern(p.constraint, q.constraint) && same_pattern(p.force, q.force) &&
         same_pattern(p.mass, q.mass) && same_pattern(p.aux, q.aux) &&
         same_pattern(p.aux_aux, q.aux_aux) && same_pattern(p.force_aux, q.force_aux) &&
         same_pattern(p.force_lambda, q.force_lambda) && same_pattern(p.aux_lambda, q.aux_lambda) &&
         same_pattern(p.invariant, q.invariant);
}

}  // namespace kardan
