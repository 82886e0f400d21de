#include "properties/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace kardan::test {
namespace {

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) { m_.seed = seed; }

  Mechanism make() {
    m_.dimension = pick(3) == 0 ? 2 : 3;
    m_.length = std::pow(10.0, pick(7) - 3);
    m_.time = std::sqrt(m_.length / 9.81);  // a pendulum of this length swings in some 6 of these
    m_.floating = pick(5) == 0;
    parallel_axes_ = pick(3) == 0;
    m_.gravity = m_.floating ? Vector3::Zero() : Vector3(vector() * 9.81);
    const int count = 1 + pick(5);
    for (int k = 0; k < count; ++k) add_body();
    for (int k = 1; k <= count; ++k) add_tree_joint(k);
    for (int k = pick(3); k > 0 && count > 1; --k) add_closing_joint();
    for (int k = pick(3); k > 0; --k) add_spring();
    m_.order.resize(m_.bodies.size());
    std::iota(m_.order.begin(), m_.order.end(), 0);
    m_.joint_order.resize(m_.joints.size());
    std::iota(m_.joint_order.begin(), m_.joint_order.end(), 0);
    return std::move(m_);
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  /// In (-1, 1), by whole numbers alone: the same on every machine.
  double number() { return static_cast<double>(random_() % 2000001u) / 1e6 - 1; }
  double between(double low, double high) { return low + (high - low) * (number() + 1) / 2; }
  bool planar() const { return m_.dimension == 2; }
  Vector3 vector() { return {number(), number(), planar() ? 0.0 : number()}; }
  Vector3 direction() {
    Vector3 d;
    do d = vector();
    while (d.norm() < 0.2);
    return d.normalized();
  }

  void add_body() {
    Mechanism::Body b;
    b.name = fmt::format("body_{}", m_.bodies.size() + 1);
    b.mass = std::pow(10.0, number()) * std::pow(m_.length, 2);  // light where it is small
    const double r2 = std::pow(0.3 * m_.length, 2);
    b.inertia = b.mass * r2 * Vector3(between(0.8, 1), between(0.8, 1), between(0.8, 1));
    b.position = 2 * m_.length * vector();
    const double rate = 1 / m_.time;
    b.velocity = 0.3 * m_.length * rate * vector();
    b.spin = 0.5 * rate * (planar() ? Vector3(0, 0, number()) : vector());
    if (planar())
      b.turn = Eigen::AngleAxisd(3 * number(), Vector3::UnitZ());
    else
      b.turn = Eigen::Quaterniond(number(), number(), number(), number() + 1.5).normalized();
    m_.bodies.push_back(b);
  }

  void add_joint(const std::string& type, int a, int b, const Vector3& at) {
    Mechanism::Joint j;
    j.name = fmt::format("joint_{}", m_.joints.size() + 1);
    j.type = type;
    j.a = a, j.b = b, j.at = at;
    j.axis = parallel_axes_ && !planar() ? Vector3(Vector3::UnitZ()) : direction();
    j.x_axis = planar() ? Vector3(Vector3::UnitX()) : Vector3(j.axis.unitOrthogonal());
    m_.joints.push_back(j);
  }

  const char* joint_type() {
    static constexpr const char* spatial[] = {"revolute",  "revolute",    "spherical", "universal",
                                              "prismatic", "cylindrical", "fixed"};
    static constexpr const char* plane[] = {"revolute", "revolute", "revolute", "prismatic"};
    if (planar()) return plane[pick(4)];
    return parallel_axes_ ? spatial[pick(2)] : spatial[pick(7)];
  }

  void add_tree_joint(int k) {
    if (m_.floating && k == 1) return;
    const int parent = m_.floating ? 1 + pick(k - 1) : pick(k);
    const Vector3 middle = 0.5 * (position(parent) + position(k)) + 0.3 * m_.length * vector();
    add_joint(joint_type(), parent, k, middle);
  }

  Vector3 position(int body) const {
    return body == 0 ? Vector3(Vector3::Zero())
                     : m_.bodies[static_cast<std::size_t>(body - 1)].position;
  }

  /// Closes a loop, or doubles a joint: then all its rows are redundant.
  void add_closing_joint() {
    const int count = static_cast<int>(m_.bodies.size());
    if (pick(3) == 0 && !m_.joints.empty()) {
      Mechanism::Joint twin =
          m_.joints[static_cast<std::size_t>(pick(static_cast<int>(m_.joints.size())))];
      twin.name = fmt::format("joint_{}", m_.joints.size() + 1);
      if (twin.type == "revolute" && !planar()) twin.at += 0.5 * m_.length * twin.axis;
      m_.joints.push_back(twin);
      return;
    }
    int a = m_.floating ? 1 + pick(count) : pick(count + 1), b = 1 + pick(count);
    if (a == b) return;
    const Vector3 at = 0.5 * (position(a) + position(b)) + 0.5 * m_.length * vector();
    if (planar() || parallel_axes_)
      add_joint("revolute", a, b, at);
    else
      add_joint(pick(2) == 0 ? "point_on_plane" : "spherical", a, b, at);
  }

  void add_spring() {
    const int count = static_cast<int>(m_.bodies.size());
    const int a = m_.floating ? 1 + pick(count) : pick(count + 1), b = 1 + pick(count);
    if (a == b) return;
    Mechanism::Spring s;
    s.name = fmt::format("spring_{}", m_.springs.size() + 1);
    s.a = a, s.b = b;
    s.at_a = 0.4 * m_.length * vector();
    s.at_b = 0.4 * m_.length * vector();
    s.stiffness = 20 * m_.bodies[static_cast<std::size_t>(b - 1)].mass / (m_.time * m_.time) *
                  between(0.1, 1) / 40;
    s.free_length = m_.length;
    if (pick(2) == 0) {
      s.damping = 0.1 * s.stiffness * m_.time;
      m_.conservative = false;
    }
    m_.springs.push_back(s);
  }

  std::mt19937 random_;
  Mechanism m_;
  bool parallel_axes_ = false;
};

std::string list(const Mechanism& m, const Vector3& x) {
  return m.dimension == 2 ? fmt::format("[{:.17g}, {:.17g}]", x[0], x[1])
                          : fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
}

std::string body_text(const Mechanism& m, const Mechanism::Body& b) {
  std::string out = fmt::format("  {}: {{mass: {:.17g}, position: {}, velocity: {}, ", b.name,
                                b.mass, list(m, b.position), list(m, b.velocity));
  if (m.dimension == 2)
    return out + fmt::format("inertia: [{:.17g}], angle: {:.17g}, angular_velocity: [{:.17g}]}}\n",
                             b.inertia[2], 2 * std::atan2(b.turn.z(), b.turn.w()), b.spin[2]);
  return out + fmt::format(
                   "inertia: {}, quaternion: [{:.17g}, {:.17g}, {:.17g}, {:.17g}], "
                   "angular_velocity: {}}}\n",
                   list(m, b.inertia), b.turn.w(), b.turn.x(), b.turn.y(), b.turn.z(),
                   list(m, b.spin));
}

}  // namespace

Mechanism random_mechanism(unsigned seed) {
  return Maker(seed).make();
}

Mechanism moved(Mechanism m, const Eigen::Quaterniond& turn, const Vector3& shift) {
  m.gravity = turn * m.gravity;
  for (Mechanism::Body& b : m.bodies) {
    b.position = turn * b.position + shift;
    b.velocity = turn * b.velocity;
    b.turn = turn * b.turn;
  }
  for (Mechanism::Joint& j : m.joints) {
    j.at = turn * j.at + shift;
    j.axis = turn * j.axis;
    j.x_axis = turn * j.x_axis;
  }
  for (Mechanism::Spring& s : m.springs) {
    if (s.a == 0) s.at_a = turn * s.at_a + shift;
    if (s.b == 0) s.at_b = turn * s.at_b + shift;
  }
  return m;
}

Mechanism renamed(Mechanism m) {
  for (std::size_t k = 0; k < m.bodies.size(); ++k)
    m.bodies[k].name = fmt::format("{}_{}", static_cast<char>('z' - k), m.bodies[k].name);
  for (auto& j : m.joints) j.name = "the_" + j.name;
  for (auto& s : m.springs) s.name = "a_" + s.name;
  return m;
}

Mechanism reordered(Mechanism m) {
  std::reverse(m.order.begin(), m.order.end());
  std::rotate(m.joint_order.begin(),
              m.joint_order.begin() + static_cast<long>(m.joint_order.size() / 2),
              m.joint_order.end());
  std::reverse(m.springs.begin(), m.springs.end());
  return m;
}

std::string to_yaml(const Mechanism& m) {
  const auto name = [&](int body) {
    return body == 0 ? std::string("ground") : m.bodies[static_cast<std::size_t>(body - 1)].name;
  };
  std::string out = fmt::format("kardan: 1\ndimension: {}\ngravity: {}\nbodies:\n", m.dimension,
                                list(m, m.gravity));
  for (int k : m.order) out += body_text(m, m.bodies[static_cast<std::size_t>(k)]);
  if (!m.joints.empty()) out += "joints:\n";
  for (int k : m.joint_order) {
    const Mechanism::Joint& j = m.joints[static_cast<std::size_t>(k)];
    out += fmt::format("  {}: {{type: {}, bodies: [{}, {}], at: {}, axis: {}", j.name, j.type,
                       name(j.a), name(j.b), list(m, j.at), list(m, j.axis));
    out += m.dimension == 2 ? "}\n" : fmt::format(", x_axis: {}}}\n", list(m, j.x_axis));
  }
  if (!m.springs.empty()) out += "forces:\n";
  for (const Mechanism::Spring& s : m.springs)
    out += fmt::format(
        "  {}: {{type: spring_damper, between: [{{body: {}, at: {}}}, {{body: {}, at: "
        "{}}}], stiffness: {:.17g}, damping: {:.17g}, free_length: {:.17g}}}\n",
        s.name, name(s.a), list(m, s.at_a), name(s.b), list(m, s.at_b), s.stiffness, s.damping,
        s.free_length);
  return out;
}

}  // namespace kardan::test
