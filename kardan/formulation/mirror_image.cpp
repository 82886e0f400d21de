#include "kardan/formulation/mirror_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kardan/base/rotation.h"

namespace kardan {
namespace {

/// Aligned axes have the product 1, those of mirror images 0 or -1.
constexpr double half_way = 0.5;
/// Axes closer to opposite directions than this, as a sine, have no shortest way.
constexpr double opposite = 1e-8;

bool rotates(const System& system, int body) {
  return body > 0 && system.bodies()[static_cast<std::size_t>(body)].v_count > 3;
}

Mat3d orientation(const System& system, const State& state, int body) {
  if (!rotates(system, body)) return system.blueprint().bodies[static_cast<std::size_t>(body)].R;
  const double* p = state.p.data() + system.bodies()[static_cast<std::size_t>(body)].p + 3;
  return rotation_matrix(normalized(Quaternion{p[0], p[1], p[2], p[3]}));
}

/// An axis of a body in the world: every step of a run asks for it.
Vec3d direction(const System& system, const State& state, int body, const Vec3d& a) {
  if (!rotates(system, body)) return orientation(system, state, body) * a;
  const double* p = state.p.data() + system.bodies()[static_cast<std::size_t>(body)].p + 3;
  const Vec3d u{p[1], p[2], p[3]}, t = 2.0 * cross(u, a);
  return a + p[0] * t + cross(u, t);
}

Vec3d centre(const System& system, const State& state, int body) {
  if (body == 0) return {};
  const double* p = state.p.data() + system.bodies()[static_cast<std::size_t>(body)].p;
  return {p[0], p[1], p[2]};
}

/// A tree of the bodies, from the ground on. Joints to be aligned come before the others.
class Tree {
 public:
  struct Edge {
    int element = 0, A = 0, B = 0;
  };
  Tree(const System& system, std::span<const int> first) : children_(system.bodies().size()) {
    std::vector<Edge> edges;
    const auto& elements = system.blueprint().elements;
    const auto add = [&](int e) {
      const auto& frames = elements[static_cast<std::size_t>(e)].frames;
      for (std::size_t k = 0; k + 1 < frames.size(); k += 2)
        edges.push_back({e, frames[k].body, frames[k + 1].body});
    };
    for (const int e : first) add(e);
    std::vector<char> has_rows(elements.size(), 0);
    for (const RowInfo& row : system.rows()) has_rows[static_cast<std::size_t>(row.element)] = 1;
    for (std::size_t e = 0; e < elements.size(); ++e)
      if (has_rows[e] != 0 && std::ranges::find(first, static_cast<int>(e)) == first.end())
        add(static_cast<int>(e));
    grow(edges);
  }
  /// Edges, each behind the one its body A or B hangs on; `child` is the body farther out.
  struct Branch {
    Edge edge;
    int child = 0;
  };
  const std::vector<Branch>& branches() const { return branches_; }
  /// A body and all that hang on it.
  std::vector<int> beyond(int body) const {
    std::vector<int> out{body};
    for (std::size_t i = 0; i < out.size(); ++i)
      for (const int c : children_[static_cast<std::size_t>(out[i])]) out.push_back(c);
    return out;
  }

 private:
  void grow(const std::vector<Edge>& edges) {
    const std::size_t n = children_.size();
    // Kruskal: an edge between bodies that are connected already closes a loop.
    std::vector<int> root(n);
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&root](int b) {
      while (root[static_cast<std::size_t>(b)] != b) b = root[static_cast<std::size_t>(b)];
      return b;
    };
    std::vector<std::vector<Edge>> at(n);
    for (const Edge& e : edges) {
      const int a = find(e.A), b = find(e.B);
      if (a == b) continue;
      root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
      at[static_cast<std::size_t>(e.A)].push_back(e);
      at[static_cast<std::size_t>(e.B)].push_back(e);
    }
    std::vector<char> reached(n, 0);
    for (std::size_t first = 0; first < n; ++first) {
      if (reached[first] != 0) continue;
      reached[first] = 1;
      std::vector<int> queue{static_cast<int>(first)};
      for (std::size_t i = 0; i < queue.size(); ++i)
        for (const Edge& e : at[static_cast<std::size_t>(queue[i])]) {
          const int child = e.A == queue[i] ? e.B : e.A;
          if (reached[static_cast<std::size_t>(child)] != 0) continue;
          reached[static_cast<std::size_t>(child)] = 1;
          children_[static_cast<std::size_t>(queue[i])].push_back(child);
          branches_.push_back({e, child});
          queue.push_back(child);
        }
    }
  }

  std::vector<std::vector<int>> children_;
  std::vector<Branch> branches_;
};

/// The shortest rotation, in the world, that takes axes `from` to `to` (unit vectors): of one, or
/// of two that are perpendicular. False: there are many.
bool shortest(const std::vector<Vec3d>& from, const std::vector<Vec3d>& to, Mat3d& R) {
  if (from.size() > 1) {
    const auto frame = [](const std::vector<Vec3d>& axes) {
      return Mat3d::from_columns(axes[0], axes[1], cross(axes[0], axes[1]));
    };
    R = frame(to) * transposed(frame(from));
    return true;
  }
  const Vec3d n = cross(from[0], to[0]);
  const double s = norm(n), c = dot(from[0], to[0]);
  R = Mat3d::identity();
  if (s < opposite) return c > 0;
  R = rotation_exp((std::atan2(s, c) / s) * n);
  return true;
}

/// Turns a body about the point P.
void turn(const System& system, int body, const Mat3d& R, const Vec3d& P, State& state) {
  if (body == 0) return;
  double* p = state.p.data() + system.bodies()[static_cast<std::size_t>(body)].p;
  const Vec3d x = P + R * (centre(system, state, body) - P);
  for (int k = 0; k < 3; ++k) p[k] = x[k];
  if (!rotates(system, body)) return;
  const Quaternion q = normalized(quaternion_from_matrix(R) * Quaternion{p[3], p[4], p[5], p[6]});
  p[3] = q.w, p[4] = q.x, p[5] = q.y, p[6] = q.z;
}

}  // namespace

int mirrored_joint(const System& system, const State& state) {
  for (const AxisAlignment& x : system.alignments())
    if (!(dot(direction(system, state, x.A, x.a), direction(system, state, x.B, x.b)) > half_way))
      return x.element;
  return -1;
}

int align_joints(const System& system, std::span<const int> elements, State& state) {
  const Tree tree(system, elements);
  for (const Tree::Branch& branch : tree.branches()) {
    if (std::ranges::find(elements, branch.edge.element) == elements.end()) continue;
    std::vector<Vec3d> outer, inner;  // axes of the body that is turned, and where they belong
    Vec3d P;
    for (const AxisAlignment& x : system.alignments()) {
      if (x.element != branch.edge.element) continue;
      const Mat3d RA = orientation(system, state, x.A), RB = orientation(system, state, x.B);
      const bool turns_B = branch.child == x.B;
      (turns_B ? outer : inner).push_back(RB * x.b);
      (turns_B ? inner : outer).push_back(RA * x.a);
      P = centre(system, state, x.B) + RB * x.at;
    }
    if (outer.empty()) continue;
    Mat3d R;
    if (!shortest(outer, inner, R)) return branch.edge.element;
    for (const int body : tree.beyond(branch.child)) turn(system, body, R, P, state);
  }
  return -1;
}

std::vector<int> all_aligned(const System& system) {
  std::vector<int> out;
  for (const AxisAlignment& x : system.alignments())
    if (out.empty() || out.back() != x.element) out.push_back(x.element);
  return out;
}

void tell_mirrored(const System& system, int element, Mirrored how, AssemblyReport& report) {
  const std::string& name = system.blueprint().elements[static_cast<std::size_t>(element)].name;
  report.status = Eval::fatal;
  report.diagnosis = Diagnosis::start_not_found;
  if (how == Mirrored::opposed) {
    report.message = fmt::format(
        "'{}': the axes of its two frames point exactly against each other in the start given, so "
        "that it is not known which way to turn",
        name);
    report.advice =
        "turn one of its markers by half a turn, or give the body a start nearer to the joint";
  } else {
    report.message = fmt::format(
        "'{}' was found to close in its mirror image only: the axes of its two frames do not point "
        "the same way there",
        name);
    report.advice = "give its bodies a start (position, rotation) nearer to the joint";
  }
}

}  // namespace kardan
