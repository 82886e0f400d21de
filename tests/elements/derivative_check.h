#pragma once
/// Compares the derivatives of an element with those of an independent formula of the same element
/// over dual numbers, and those with central differences. A case names an element and its formula;
/// both are built into a Program of two free bodies and the ground and evaluated densely.

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kardan/base/rotation.h"
#include "kardan/elements/automatic.h"
#include "kardan/elements/automatic_velocity.h"
#include "kardan/elements/builder.h"

namespace kardan::test {

/// Everything an evaluation depends on. Body 0 is the ground, 1 and 2 are free.
template <int D>
struct Scene {
  double t = 0;
  BodyMotion<D> bodies[3];
  std::vector<BodyFrame<D>> frames;
  std::vector<double> lambda;
  int mode = 0;
};

/// Results by name: g, rate, accel, G, ... and f, f_p, f_v, f_t; matrices by rows.
using Blocks = std::map<std::string, std::vector<double>>;

template <int D>
struct Case {
  std::string name;
  std::vector<int> bodies;  // of the frames
  std::function<void(Builder<D>&)> element;
  std::function<void(Builder<D>&, int mode)> formula;
  std::vector<int> modes = {0};
};

/// The largest difference of a block, relative to its size, over all states.
struct Worst {
  double difference = 0;
  std::string where = "nowhere";
  void take(double d, const std::string& at) {
    if (std::isnan(difference) || d <= difference) return;  // NaN is taken and stays
    difference = d;
    where = at;
  }
};

// --- random states -----------------------------------------------------------------------------

class SceneRandom {
 public:
  explicit SceneRandom(unsigned seed) : engine_(seed) {}
  double operator()(double size = 1) {
    return size * std::uniform_real_distribution<double>(-1, 1)(engine_);
  }
  template <int D>
  VecOf<D> vector(double size = 1) {
    VecOf<D> v{};
    for (int k = 0; k < D; ++k) v[k] = (*this)(size);
    return v;
  }
  template <int D>
  SpinOf<D> spin(double size = 1) {
    if constexpr (D == 3) {
      return vector<3>(size);
    } else {
      return (*this)(size);
    }
  }

 private:
  std::mt19937 engine_;
};

inline Mat3d rotation_of(const Vec3d& theta) {
  return rotation_exp(theta);
}
inline Rot2d rotation_of(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

/// A generic scene; rotations stay below 1.7 rad in all, where rotation vectors are well behaved.
template <int D>
Scene<D> random_scene(const std::vector<int>& bodies, int rows, unsigned seed) {
  constexpr double turn = D == 3 ? 0.25 : 1;
  SceneRandom random(seed);
  Scene<D> scene;
  scene.t = random() + 1.5;
  for (int b = 1; b < 3; ++b) {
    BodyMotion<D>& m = scene.bodies[b];
    m.x = random.vector<D>();
    const SpinOf<D> theta = random.spin<D>(2 * turn);
    m.R = rotation_of(theta);
    if constexpr (D == 2) m.angle = theta;
    m.v = random.vector<D>();
    m.w = random.spin<D>();
    m.a = random.vector<D>();
    m.alpha = random.spin<D>();
  }
  if constexpr (D == 3) scene.bodies[0].R = Mat3d::identity();
  for (const int body : bodies) {
    BodyFrame<D> f;
    const int first = body == 2 ? dofs<D> : 0;
    f.body = {body, first, body == 0 ? 0 : dofs<D>};
    f.s = random.vector<D>();
    f.R = rotation_of(random.spin<D>(turn));
    scene.frames.push_back(f);
  }
  for (int r = 0; r < rows; ++r) scene.lambda.push_back(random());
  return scene;
}

// --- dense evaluation --------------------------------------------------------------------------

/// A program of one element with dense patterns: n columns, body 1 first.
template <int D>
class DenseProgram {
 public:
  static constexpr int n = 2 * dofs<D>;
  using Build = std::function<void(Builder<D>&)>;

  DenseProgram(const Scene<D>& scene, const Build& build) {
    Builder<D> builder(program_, diagnostics);
    builder.begin(0, "element", {}, scene.frames, std::vector<BodyMotion<D>>(scene.frames.size()));
    build(builder);
    for (auto& bank : program_.constraints)
      bank->each_slot([](void* self, RowSlots& s) { static_cast<DenseProgram*>(self)->place(s); },
                      this);
    for (auto& bank : program_.forces)
      bank->each_slot(
          [](void* self, typename ForceBank<D>::Slots& s) {
            auto* program = static_cast<DenseProgram*>(self);
            s.pair = program->add_pair(s.A, s.B);
          },
          this);
  }
  int rows() const { return static_cast<int>(program_.rows.size()); }
  const Program<D>& program() const { return program_; }

  Context<D> context(const Scene<D>& scene) {
    modes_.assign(program_.modes, scene.mode);
    turns_.assign(program_.counters.size(), 1);
    // Whole rotations have turned as often as the number of the mode.
    for (std::size_t i = 0; i < turns_.size(); ++i)
      if (program_.counters[i].whole) turns_[i] = scene.mode;
    return {scene.t, scene.bodies, nullptr, nullptr, turns_.data(), modes_.data()};
  }

  Blocks evaluate(const Scene<D>& scene) {
    const int r = rows();
    std::map<std::string, std::vector<double>> out;
    const auto space = [&](const char* name, int size) {
      out[name].assign(size, 0);
      return out[name].data();
    };
    const ConstraintValues c{
        space("g", r),           space("rate", r),       space("accel", r), space("g_t", r),
        space("rate_t", r),      space("accel_t", r),    space("G", r * n), space("rate_p", r * n),
        space("accel_p", r * n), space("accel_v", r * n)};
    ForceValues f{};
    f.f = space("f", n);
    f.f_t = space("f_t", n);
    f.f_p = space("f_p", n * n);
    f.f_v = space("f_v", n * n);
    f.lambda = scene.lambda.data();
    const Context<D> at = context(scene);
    for (const auto& bank : program_.constraints) {
      bank->evaluate(at, Depth::first, c);
      bank->differentiate(at, pairs_, c, f);
    }
    for (int k = 0; k < r; ++k) c.g[k] += program_.rows[k].offset;
    for (int k = 0; k < r; ++k)
      for (int j = 0; j < n; ++j) f.f[j] -= scene.lambda[k] * c.G[k * n + j];
    for (const auto& bank : program_.forces) {
      bank->evaluate(at, pairs_, f);
      bank->differentiate(at, pairs_, f);
    }
    return out;
  }

  Diagnostics diagnostics;

 private:
  void place(RowSlots& s) {
    s.stride = n;
    s.value_A = s.row * n + s.A.first;
    s.value_B = s.row * n + s.B.first;
    s.pairs = add_pair(s.A, s.B);
  }
  int add_pair(const BodyColumns& A, const BodyColumns& B) {
    PairSlots p;
    p.A = A;
    p.B = B;
    p.AA = A.first * n + A.first;
    p.AB = A.first * n + B.first;
    p.BA = B.first * n + A.first;
    p.BB = B.first * n + B.first;
    p.stride_A = p.stride_B = n;
    pairs_.push_back(p);
    return static_cast<int>(pairs_.size()) - 1;
  }

  Program<D> program_;
  std::vector<PairSlots> pairs_;
  std::vector<int> modes_, turns_;
};

// --- central differences -----------------------------------------------------------------------

/// Component k of a tangent, translation first.
template <int D>
double& component(VecOf<D>& x, SpinOf<D>& spin, int k) {
  if constexpr (D == 3) {
    return k < 3 ? x[k] : spin[k - 3];
  } else {
    return k < 2 ? x[k] : spin;
  }
}

/// The scene with tangent column j displaced by h.
template <int D>
Scene<D> displaced(Scene<D> scene, int j, double h) {
  BodyMotion<D>& b = scene.bodies[1 + j / dofs<D>];
  SpinOf<D> theta{};
  component<D>(b.x, theta, j % dofs<D>) += h;
  b.R = b.R * rotation_of(theta);
  if constexpr (D == 2) b.angle += theta;
  return scene;
}
template <int D>
Scene<D> accelerated(Scene<D> scene, int j, double h) {
  BodyMotion<D>& b = scene.bodies[1 + j / dofs<D>];
  component<D>(b.v, b.w, j % dofs<D>) += h;
  return scene;
}
/// The scene a time h later along its motion, to second order.
template <int D>
Scene<D> later(Scene<D> scene, double h) {
  scene.t += h;
  for (int k = 1; k < 3; ++k) {
    BodyMotion<D>& b = scene.bodies[k];
    b.x += h * b.v + (0.5 * h * h) * b.a;
    const SpinOf<D> theta = h * b.w + (0.5 * h * h) * b.alpha;
    b.R = b.R * rotation_of(theta);
    if constexpr (D == 2) b.angle += theta;
    b.v += h * b.a;
    b.w += h * b.alpha;
  }
  return scene;
}

/// Central differences of all blocks along scene(h), as d/dh.
template <int D, class Move>
Blocks central(DenseProgram<D>& program, const Move& move) {
  constexpr double h = 1e-5;  // truncation h^2, rounding eps/h: both far below 1e-6
  Blocks a = program.evaluate(move(h)), b = program.evaluate(move(-h));
  for (auto& [name, values] : a)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = (values[i] - b[name][i]) / (2 * h);
  return a;
}

/// The derivative blocks of a program by differences of its lower blocks.
template <int D>
Blocks differences(DenseProgram<D>& program, const Scene<D>& scene) {
  constexpr int n = DenseProgram<D>::n;
  const int r = program.rows();
  const bool has_forces = !program.program().forces.empty();
  Blocks out;
  const auto column = [&](const char* name, const std::vector<double>& values, int rows, int j) {
    out[name].resize(rows * n);
    for (int i = 0; i < rows; ++i) out[name][i * n + j] = values[i];
  };
  for (int j = 0; j < n; ++j) {
    const Blocks p = central(program, [&](double h) { return displaced<D>(scene, j, h); });
    const Blocks v = central(program, [&](double h) { return accelerated<D>(scene, j, h); });
    column("G", v.at("rate"), r, j);
    column("rate_p", p.at("rate"), r, j);
    column("accel_p", p.at("accel"), r, j);
    column("accel_v", v.at("accel"), r, j);
    column("f_p", p.at("f"), n, j);
    if (has_forces) column("f_v", v.at("f"), n, j);
  }
  const Blocks t = central(program, [&](double h) {
    Scene<D> moved = scene;
    moved.t += h;
    return moved;
  });
  out["g_t"] = t.at("g");
  out["rate_t"] = t.at("rate");
  out["accel_t"] = t.at("accel");
  if (has_forces) out["f_t"] = t.at("f");
  const Blocks motion = central(program, [&](double h) { return later<D>(scene, h); });
  out["accel"] = motion.at("rate");
  // A nonholonomic row has no position: its rate is not the change of anything.
  out["rate"] = motion.at("g");
  const Blocks here = program.evaluate(scene);
  Scene<D> still = scene;  // what remains of a nonholonomic row there is h
  for (BodyMotion<D>& b : still.bodies) b.v = {}, b.w = {};
  const Blocks rest = program.evaluate(still);
  for (int k = 0; k < r; ++k) {
    if (program.program().rows[k].kind != RowKind::nonholonomic) continue;
    out["rate"][k] = here.at("rate")[k];
    out["g_t"][k] = rest.at("rate")[k];
  }
  return out;
}

/// Compares the blocks `wanted` has. States and coefficients are of order one: what is smaller than
/// `least_size` is rounding.
inline void compare(const Blocks& got, const Blocks& wanted, const std::string& name,
                    Worst& worst) {
  constexpr double least_size = 1e-2;
  for (const auto& [block, values] : wanted) {
    const std::vector<double>& other = got.at(block);
    double size = least_size, difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      size = std::max(size, std::abs(values[i]));
      const double d = std::abs(values[i] - other[i]);
      if (!std::isnan(difference) && !(d <= difference)) difference = d;
    }
    worst.take(difference / size, name + " " + block);
  }
}

}  // namespace kardan::test
