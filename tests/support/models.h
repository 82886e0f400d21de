#pragma once
/// Compiled models and disturbed states for tests of whole systems.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kardan/io/model_reader.h"
#include "kardan/run/prepare.h"
#include "support/places.h"

namespace kardan::test {

/// A model from text; fails the test with its diagnostics if there are any errors.
inline Model model_of(const std::string& text, const ParameterValues& overrides = {}) {
  Diagnostics diagnostics;
  auto model = read_model_text(text, "model.yaml", overrides, diagnostics);
  EXPECT_TRUE(model) << format(diagnostics);
  return model.value_or(Model{});
}

/// A model that ships: "hmmwv" is models/hmmwv.yaml.
inline Model shipped(const std::string& name, const ParameterValues& overrides = {}) {
  Diagnostics diagnostics;
  auto model = read_model_file(models_folder() + "/" + name + ".yaml", overrides, diagnostics);
  EXPECT_TRUE(model) << format(diagnostics);
  return model.value_or(Model{});
}

inline std::unique_ptr<System> compiled(const Model& model, const ParameterValues& overrides = {}) {
  Diagnostics diagnostics;
  auto system = compile_model(model, overrides, diagnostics);
  EXPECT_TRUE(system) << format(diagnostics);
  return system;
}
inline std::unique_ptr<System> compiled(const std::string& text,
                                        const ParameterValues& overrides = {}) {
  return compiled(model_of(text, overrides), overrides);
}
inline std::unique_ptr<System> compiled_shipped(const std::string& name,
                                                const ParameterValues& overrides = {}) {
  return compiled(shipped(name, overrides), overrides);
}

/// The names of all files in models/, sorted.
inline std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(models_folder()))
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  EXPECT_GE(names.size(), 17u) << "models are missing in " << models_folder();
  return names;
}

/// Numbers in (-size, size), the same in every run.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double size = 1) {
    return size * std::uniform_real_distribution<double>(-1, 1)(engine_);
  }
  Vector vector(int n, double size = 1) {
    Vector x(n);
    for (double& value : x) value = (*this)(size);
    return x;
  }

 private:
  std::mt19937 engine_;
};

/// The start with every body displaced by up to `share` of the length scale (and as many radians),
/// random velocities of the size of the model's, and random r and w.
inline State disturbed(const System& system, Random& random, double share) {
  State state = system.start();
  const Scales& s = system.scales();
  Vector delta(system.sizes().v);
  for (int i = 0; i < system.sizes().v; ++i) {
    const double unit = column_scale(system, i);
    delta[i] = random(share * unit);
    state.v[i] = random(s.speed / s.length * unit);
  }
  const Vector p = state.p;
  system.retract(p, delta, state.p);
  for (double& r : state.r) r = random(s.mass * s.acceleration);
  for (double& w : state.w) w = random(s.mass * s.acceleration);
  return state;
}

/// A shipped model whose contacts are pressed, away from where they begin: its forces are smooth.
inline std::unique_ptr<System> smooth_shipped(const std::string& name) {
  return name == "newtons_cradle" ? compiled_shipped(name, {{"gap", -0.02}})
                                  : compiled_shipped(name);
}

/// The value of a named quantity.
inline double value_of(const System& system, const State& state, const std::string& name) {
  const auto q = system.find_quantity(name);
  EXPECT_TRUE(q) << "no quantity " << name;
  if (!q) return std::nan("");
  const auto ws = system.make_workspace();
  return system.quantity(*q, state, 0, {}, {}, *ws);
}

/// Assembles from the model's own start and wishes.
inline ConsistentStart assembled(const System& system) {
  Diagnostics diagnostics;
  const auto wishes = bind_wishes(system.blueprint().wishes, system, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << format(diagnostics);
  return assemble(system, system.start(), wishes);
}

/// Acceleration component of a body in the order of its velocities.
inline double acceleration_of(const System& system, const Vector& a, const std::string& body,
                              int k) {
  const auto& bodies = system.blueprint().bodies;
  for (std::size_t b = 1; b < bodies.size(); ++b)
    if (bodies[b].name == body) return a[system.bodies()[b].v + k];
  ADD_FAILURE() << "no body " << body;
  return 0;
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::fmax(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace kardan::test
