#include "apps/python/bindings/law_force.h"

#include "kardan/elements/automatic.h"

namespace kardan::python {
namespace {

/// F = law(t, x, v, ...) on B at its marker, in the axes of A's marker, and -F on A at that place;
/// a law may give a torque too.
template <int D>
struct LawKernel {
  static constexpr int events = 0;
  BodyFrame<D> a, b;
  VecOf<D> axes[D];  // of A's marker, in its body
  VecOf<D> turned[D];
  std::shared_ptr<const Callable> law;
  Raised* raised = nullptr;

  /// Force, then torque (one number in the plane), in the world.
  struct Answer {
    VecOf<D> force{};
    SpinOf<D, double> torque{};
    VecOf<D> point{};
  };

  Answer ask(double t, const Frame<D, double>& A, const Frame<D, double>& B) const {
    const VecOf<D> point = B.at(b.s), d = point - A.at(a.s);
    VecOf<D> relative = B.velocity_at(b.s) - A.velocity_at(a.s);
    VecOf<D> e[D];
    for (int i = 0; i < D; ++i) e[i] = A.direction(axes[i]);
    double x[D], v[D], angle[1] = {}, omega[1] = {}, R[9] = {}, w[3] = {};
    if constexpr (D == 3) {
      const Vec3d wA = A.turn(A.w), spin = B.turn(B.w) - wA;
      relative = relative - cross(wA, d);
      for (int i = 0; i < 3; ++i) {
        w[i] = dot(e[i], spin);
        for (int j = 0; j < 3; ++j) R[3 * i + j] = dot(e[i], B.direction(turned[j]));
      }
    } else {
      relative = relative - A.w * perp(d);
      angle[0] = B.angle - A.angle;
      omega[0] = B.w - A.w;
    }
    for (int i = 0; i < D; ++i) {
      x[i] = dot(e[i], d);
      v[i] = dot(e[i], relative);
    }
    const std::span<const double> values[] = {{&t, 1}, x, v, angle, omega, R, w};
    double out[D == 3 ? 6 : 3] = {};
    law->call(values, out, *raised);
    Answer answer;
    answer.point = point;
    for (int i = 0; i < D; ++i) answer.force = answer.force + out[i] * e[i];
    if constexpr (D == 3)
      for (int i = 0; i < 3; ++i) answer.torque = answer.torque + out[3 + i] * e[i];
    else
      answer.torque = out[2];
    return answer;
  }
  static Frame<D, double> frame(const BodyMotion<D>& body) {
    return automatic::constant_frame<D, double>(body);
  }

  void evaluate(double t, const Pair<D>& bodies, int, Depth depth, Force<D>& out) const {
    out.clear(depth);
    const Frame<D, double> A = frame(bodies.A), B = frame(bodies.B);
    const Answer answer = ask(t, A, B);
    Wrench<D, double> on_A, on_B;
    on_A.add_force_at(A, answer.point, -answer.force);
    on_A.add_world_torque(A, -answer.torque);
    on_B.add_force_at(B, answer.point, answer.force);
    on_B.add_world_torque(B, answer.torque);
    store(on_A, out.Q);
    store(on_B, out.Q + dofs<D>);
  }
  static void store(const Wrench<D, double>& wrench, double* Q) {
    for (int i = 0; i < D; ++i) Q[i] = wrench.force[i];
    if constexpr (D == 3)
      for (int i = 0; i < 3; ++i) Q[3 + i] = wrench.torque[i];
    else
      Q[2] = wrench.torque;
  }
  Potential potential(double, const Pair<D>&, int) const { return {}; }
  double magnitude(double t, const Pair<D>& bodies, int) const {
    return norm(ask(t, frame(bodies.A), frame(bodies.B)).force);
  }
};

template <int D>
bool build(const Laws& laws, Raised& raised, Builder<D>& builder) {
  const auto found = laws.find(builder.name());
  if (found == laws.end()) {
    builder.fail("element.law", builder.name() + ": it has no Python function",
                 "add it with Model.python_force: files cannot hold functions");
    return false;
  }
  LawKernel<D> kernel;
  kernel.a = builder.frame(0);
  kernel.b = builder.frame(1);
  for (int i = 0; i < D; ++i) {
    kernel.axes[i] = builder.axis(0, i);
    kernel.turned[i] = builder.axis(1, i);
  }
  kernel.law = found->second;
  kernel.raised = &raised;
  builder.force(std::move(kernel), 0, 1);
  return true;
}

}  // namespace

ElementType law_force_type(Laws laws, Raised& raised) {
  ElementType type;
  type.name = "python_force";
  type.summary = "Force by a Python function.";
  type.equation = "F = law(t, x, v, ...) on B, -F on A";
  type.category = Category::force;
  type.frames = 2;
  type.differentiable = false;
  type.check = [](const FieldMap&, const std::string&, const SourceLocation&, const ValueReader&) {
    return true;
  };
  type.build_planar = [laws, &raised](const FieldMap&, const std::string&, const SourceLocation&,
                                      const ValueReader&,
                                      Builder<2>& b) { return build<2>(laws, raised, b); };
  type.build_spatial = [laws, &raised](const FieldMap&, const std::string&, const SourceLocation&,
                                       const ValueReader&,
                                       Builder<3>& b) { return build<3>(laws, raised, b); };
  return type;
}

}  // namespace kardan::python
