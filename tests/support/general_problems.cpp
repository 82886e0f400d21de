#include "support/general_problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kardan/system/automatic_equations.h"
#include "support/places.h"

namespace kardan::test {
namespace {

using Json = nlohmann::json;

const Json& references() {
  static const Json all = [] {
    std::ifstream file(test_data() + "/general_problems.json");
    EXPECT_TRUE(file) << "no reference solutions in " << test_data();
    return Json::parse(file);
  }();
  return all;
}

double number(const Json& value) {
  return std::stod(value.get<std::string>());
}

Vector numbers(const Json& from, std::initializer_list<const char*> names) {
  Vector out;
  for (const char* name : names) out.push_back(number(from.at(name)));
  return out;
}
Vector numbers(const Json& list) {
  Vector out;
  for (const Json& value : list) out.push_back(number(value));
  return out;
}

template <class Function>
GeneralProblem problem(UserDescription description, Function function) {
  GeneralProblem out;
  out.name = description.name;
  Diagnostics diagnostics;
  out.system = make_system(std::move(description), std::move(function), diagnostics);
  EXPECT_TRUE(out.system) << format(diagnostics);
  return out;
}

struct Pendulum {
  double m = 1, l = 1, g = 13.75, E = 0;

  template <class T>
  void operator()(const Variables<T>& x, Terms<T>& y) const {
    y.M(0, 0) = y.M(1, 1) = m;
    y.f[1] = -m * g;
    y.g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - l * l;
    y.kinetic = 0.5 * m * (x.v[0] * x.v[0] + x.v[1] * x.v[1]);
    y.potential = m * g * x.p[1];
    y.e[0] = y.kinetic + y.potential - E;
  }
};

/// Blade at distance a behind the centre, on a belt that moves along x with V0 + A t.
struct Sleigh {
  double m = 1, I = 1, a = 0, V0 = 0, A = 0, E = 0;

  template <class T>
  void operator()(const Variables<T>& x, Terms<T>& y) const {
    const T V = V0 + A * x.t;
    y.M(0, 0) = y.M(1, 1) = m;
    y.M(2, 2) = I;
    y.H(0, 0) = -sin(x.p[2]);
    y.H(0, 1) = cos(x.p[2]);
    y.H(0, 2) = -a;
    y.h[0] = V * sin(x.p[2]);
    const T vx = x.v[0] - V;
    if (!y.e.empty()) y.e[0] = 0.5 * (m * (vx * vx + x.v[1] * x.v[1]) + I * x.v[2] * x.v[2]) - E;
  }
};

/// F(s) = A cos(k s), moved up and down by B(t) = b sin(Om t).
struct Disc {
  double m = 2, R = 0.2, J = 0.04, g = 9.81, A = 0.3, k = 2, b = 0.05, Om = 3, km = 0.5, wref = -8,
         tau = 0.1, zeta = 0.05, cd = 0.8, beta = 0.5, eps = 0.01, eps2 = 0.02, rho = 0.005,
         w0 = 0.5;

  template <class T>
  void operator()(const Variables<T>& x, Terms<T>& y) const {
    const T &s = x.s[0], &w = x.w[0], &lambda = x.lambda[0], &mu = x.mu[0];
    const T F = A * cos(k * s), dF = -A * k * sin(k * s), D = sqrt(1.0 + dF * dF);
    const T B = b * sin(Om * x.t), dB = b * Om * cos(Om * x.t);
    y.c[0] = x.p[0] - s + dF * (x.p[1] - F - B);
    y.g[0] = x.p[1] - F - B - R / D;
    y.H(0, 0) = 1.0 / D;
    y.H(0, 1) = dF / D;
    y.H(0, 2) = R;
    y.h[0] = -dF * dB / D;
    y.M(0, 0) = y.M(1, 1) = m;
    y.M(2, 2) = J;
    y.f[0] = -w;
    y.f[1] = -m * g;
    y.f[2] = x.r[0] + rho * lambda / D * tanh(x.v[2] / w0);
    y.b[0] = (km * (wref - x.v[2]) - x.r[0] - zeta * mu) / tau;
    y.d[0] = w + beta * w * w * w - cd * x.v[0] + eps * lambda + eps2 * mu;
  }
};

/// Bodies (x, y, angle from the downward vertical): cranks 0, 1, 2, coupler 3.
struct Parallelogram {
  double l = 1, mc = 0.5, Mb = 2, Lb = 2, g = 9.81;

  template <class T>
  void operator()(const Variables<T>& x, Terms<T>& y) const {
    const double pivot[] = {0, 1, 2}, attachment[] = {-1, 0, 1};
    const T *coupler = &x.p[9], angle = coupler[2];
    for (int i = 0; i < 4; ++i) {
      const double mass = i < 3 ? mc : Mb, length = i < 3 ? l : Lb;
      y.M(3 * i, 3 * i) = y.M(3 * i + 1, 3 * i + 1) = mass;
      y.M(3 * i + 2, 3 * i + 2) = mass * length * length / 12;
      y.f[3 * i + 1] = -mass * g;
    }
    for (int i = 0; i < 3; ++i) {
      const T* q = &x.p[3 * i];
      const T along_x = 0.5 * l * sin(q[2]), along_y = 0.5 * l * cos(q[2]);
      y.g[2 * i] = q[0] - along_x - pivot[i];
      y.g[2 * i + 1] = q[1] + along_y;
      y.g[6 + 2 * i] = q[0] + along_x - coupler[0] - attachment[i] * cos(angle);
      y.g[6 + 2 * i + 1] = q[1] - along_y - coupler[1] - attachment[i] * sin(angle);
    }
  }
};

struct Andrews {
  double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706,
         m7 = 0.05498, xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
         yc = 0.072, c0 = 4530, I1 = 2.194e-6, I2 = 4.41e-7, I3 = 5.255e-6, I4 = 5.667e-7,
         I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5, d = 0.028, da = 0.0115, e = 0.02,
         ea = 0.01421, rr = 0.007, ra = 0.00092, l0 = 0.07785, ss = 0.035, sa = 0.01874,
         sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
         ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033;

  template <class T>
  void operator()(const Variables<T>& x, Terms<T>& y) const {
    if (y.wants(Part::constraints)) loops(x, y);
    if (y.wants(Part::dynamics)) dynamics(x, y);
  }
  template <class T>
  void loops(const Variables<T>& x, Terms<T>& y) const {
    const auto& q = x.p;
    const T q01 = q[0] + q[1], q34 = q[3] + q[4], q56 = q[5] + q[6];
    // Side by side a sine and a cosine cost little more than one of them.
    const T sin0 = sin(q[0]), cos0 = cos(q[0]), sin01 = sin(q01), cos01 = cos(q01);
    const T sin2 = sin(q[2]), cos2 = cos(q[2]), sin34 = sin(q34), cos34 = cos(q34);
    const T sin4 = sin(q[4]), cos4 = cos(q[4]), sin56 = sin(q56), cos56 = cos(q56);
    const T sin6 = sin(q[6]), cos6 = cos(q[6]);
    const T ex = rr * cos0 - d * cos01, ey = rr * sin0 - d * sin01;
    y.g[0] = ex - ss * sin2 - xb;
    y.g[1] = ey + ss * cos2 - yb;
    y.g[2] = ex - e * sin34 - zt * cos4 - xa;
    y.g[3] = ey + e * cos34 - zt * sin4 - ya;
    y.g[4] = ex - zf * cos56 - u * sin6 - xa;
    y.g[5] = ey - zf * sin56 + u * cos6 - ya;
  }
  template <class T>
  void dynamics(const Variables<T>& x, Terms<T>& y) const {
    const auto &q = x.p, &v = x.v;
    const T s2 = m2 * da * rr * sin(q[1]), c1 = m2 * da * rr * cos(q[1]);
    const T c4 = m4 * zt * (e - ea) * sin(q[3]), c44 = m4 * zt * (e - ea) * cos(q[3]);
    const T c6 = m6 * u * (zf - fa) * sin(q[5]), c66 = m6 * u * (zf - fa) * cos(q[5]);
    const T s3 = sin(q[2]), c3 = cos(q[2]);
    const double e2 = m4 * (e - ea) * (e - ea) + I4, z2 = m6 * (zf - fa) * (zf - fa) + I6;
    y.M(0, 0) = m1 * ra * ra + m2 * (rr * rr + da * da) - 2.0 * c1 + I1 + I2;
    y.M(1, 0) = y.M(0, 1) = m2 * da * da - c1 + I2;
    y.M(1, 1) = m2 * da * da + I2;
    y.M(2, 2) = m3 * (sa * sa + sb * sb) + I3;
    y.M(3, 3) = e2;
    y.M(4, 3) = y.M(3, 4) = e2 + c4;
    y.M(4, 4) = e2 + m4 * zt * zt + 2.0 * c4 + m5 * (ta * ta + tb * tb) + I5;
    y.M(5, 5) = z2;
    y.M(6, 5) = y.M(5, 6) = z2 - c6;
    y.M(6, 6) = z2 - 2.0 * c6 + m6 * u * u + m7 * (ua * ua + ub * ub) + I7;
    const T dx = sd * c3 + sc * s3 + xb - xc, dy = sd * s3 - sc * c3 + yb - yc;
    const T L = sqrt(dx * dx + dy * dy), F = -c0 * (L - l0) / L;
    y.f[0] = mom - s2 * v[1] * (v[1] + 2.0 * v[0]);
    y.f[1] = s2 * v[0] * v[0];
    y.f[2] = F * (dx * (sc * c3 - sd * s3) + dy * (sd * c3 + sc * s3));
    y.f[3] = c44 * v[4] * v[4];
    y.f[4] = -c44 * v[3] * (v[3] + 2.0 * v[4]);
    y.f[5] = -c66 * v[6] * v[6];
    y.f[6] = c66 * v[5] * (v[5] + 2.0 * v[6]);
  }
};

GeneralProblem sleigh(bool turning) {
  const Json& data = references()["sleigh"][turning ? "B1a" : "B1b"];
  const Json& given = data["params"];
  const auto of = [&](const char* name) { return given.contains(name) ? number(given[name]) : 0; };
  Sleigh s{of("m"), of("I"), of("a"), of("V0"), of("A"), 0};
  const double u = of("u0"), w = of("w0"), phi = of("ph0");
  const double vx = s.V0 + u * std::cos(phi) - s.a * w * std::sin(phi);
  const double vy = u * std::sin(phi) + s.a * w * std::cos(phi);
  UserDescription description{
      .name = turning ? "sleigh_turning" : "sleigh_driven",
      .positions = {{"x", 0}, {"y", 0}, {"phi", phi}},
      .velocities = {{"vx", vx}, {"vy", vy}, {"omega", w}},
      .nonholonomic = {"blade"},
  };
  if (turning) {
    description.invariants = {"energy_on_belt"};
    s.E = data["energy_invariant"];
  }
  GeneralProblem out = problem(std::move(description), s);
  for (const char* t : {"1", "5", "10"}) {
    const Json& at = data["ref"][t];
    ReferencePoint point;
    point.state = out.system->start();
    point.state.t = std::stod(t);
    point.state.p = numbers(at, {"x", "y", "phi"});
    point.state.v = numbers(at, {"vx", "vy", "omega"});
    point.lambda = numbers(at, {"mu"});
    out.reference.push_back(std::move(point));
  }
  return out;
}

GeneralProblem disc() {
  const Json& data = references()["disc"]["ref"];
  std::vector<ReferencePoint> points;
  for (const char* t : {"0", "1", "3"}) {
    const Json& at = data[t];
    ReferencePoint point;
    point.state.t = std::stod(t);
    point.state.p = numbers(at, {"x", "y", "phi"});
    point.state.v = numbers(at, {"vx", "vy", "om"});
    point.state.r = numbers(at, {"r"});
    point.state.w = numbers(at, {"w"});
    point.state.s = numbers(at, {"s"});
    point.state.lambda = point.lambda = numbers(at, {"lam", "mu"});
    points.push_back(std::move(point));
  }
  const State& start = points[0].state;
  GeneralProblem out =
      problem({.name = "disc",
               .positions = {{"x", start.p[0]}, {"y", start.p[1]}, {"phi", 0}},
               .velocities = {{"vx", start.v[0]}, {"vy", start.v[1]}, {"omega", start.v[2]}},
               .dynamic = {{"motor", 0}},
               .auxiliary = {{"drag", 0.5}},
               .contact = {{"foot", 0.25}},
               .holonomic = {"touch"},
               .nonholonomic = {"roll"}},
              Disc{});
  out.reference = std::move(points);
  return out;
}

GeneralProblem parallelogram() {
  const Json& data = references()["parallelogram"]["ref"];
  const Vector start = numbers(data["0"]["p"]);
  UserDescription description;
  description.name = "parallelogram";
  for (int i = 0; i < 4; ++i) {
    const std::string body = i < 3 ? "crank_" + std::to_string(i) : "coupler";
    const char* const p[] = {".x", ".y", ".angle"};
    const char* const v[] = {".vx", ".vy", ".omega"};
    for (int k = 0; k < 3; ++k) {
      description.positions.push_back({body + p[k], start[3 * i + k]});
      description.velocities.push_back({body + v[k], 0});
    }
  }
  for (const char* pin : {"pivot_", "joint_"})
    for (int i = 0; i < 3; ++i)
      for (const char* k : {".x", ".y"})
        description.holonomic.push_back(pin + std::to_string(i) + k);
  GeneralProblem out = problem(std::move(description), Parallelogram{});
  for (const char* t : {"0", "2", "5"}) {
    ReferencePoint point;
    point.state = out.system->start();
    point.state.t = std::stod(t);
    point.state.p = numbers(data[t]["p"]);
    point.state.v = numbers(data[t]["v"]);
    point.lambda = numbers(data[t]["lambda_min_norm"]);
    point.constraint_force = numbers(data[t]["GT_lambda"]);
    out.reference.push_back(std::move(point));
  }
  return out;
}

/// The start as published with the problem; its published end has errors of 1e-9.
GeneralProblem andrews() {
  UserDescription description;
  description.name = "andrews";
  const char* const angles[] = {"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"};
  const double start[] = {-0.0617138900142764496, 0,
                          0.455279819163070380,   0.222668390165885885,
                          0.487364979543842550,   -0.222668390165885885,
                          1.23054744454982119};
  for (int i = 0; i < 7; ++i) {
    description.positions.push_back({angles[i], start[i]});
    description.velocities.push_back({std::string(angles[i]) + "_rate", 0});
  }
  for (int i = 1; i <= 3; ++i)
    for (const char* k : {".x", ".y"})
      description.holonomic.push_back("loop_" + std::to_string(i) + k);
  GeneralProblem out = problem(std::move(description), Andrews{});
  const Json& data = references()["andrews"]["values"];
  for (const char* t : {"0.01", "0.02", "0.03"}) {
    ReferencePoint point;
    point.state = out.system->start();
    point.state.t = std::stod(t);
    point.state.p =
        numbers(data[t]["q"], {"beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"});
    point.state.v = numbers(data[t]["qdot"]);
    point.a = numbers(data[t]["qddot"]);
    out.reference.push_back(std::move(point));
  }
  return out;
}

}  // namespace

GeneralProblem general_pendulum(double speed) {
  Pendulum pendulum;
  const bool bottom = speed != 0;
  pendulum.E = bottom ? 0.5 * speed * speed - pendulum.g : 0;
  GeneralProblem out =
      problem({.name = "pendulum",
               .positions = {{"x", bottom ? 0.0 : 1.0}, {"y", bottom ? -1.0 : 0.0}},
               .velocities = {{"vx", speed}, {"vy", 0}},
               .holonomic = {"rod"},
               .invariants = {"energy_kept"},
               .energy = true},
              pendulum);
  const auto add = [&](const std::string& key, double t) {
    const Json& at = references()["pendulum"][key];
    ReferencePoint point;
    point.state = out.system->start();
    point.state.t = t;
    point.state.p = numbers(at, {"p1", "p2"});
    point.state.v = numbers(at, {"v1", "v2"});
    point.lambda = numbers(at, {"lam"});
    out.reference.push_back(std::move(point));
  };
  if (speed == 2.8) add("pendulum bottom start v10=2.8 g=13.75 t=5", 5);
  if (speed == 2.9) add("pendulum bottom start v10=2.9 g=13.75 t=5", 5);
  if (speed == 0)
    for (int t : {1, 5, 10, 100, 1000})
      add("pendulum rest at p=(1,0) g=13.75 t=" + std::to_string(t), t);
  return out;
}

CallbackEquations pendulum_callbacks() {
  CallbackEquations e;
  e.description = {.name = "pendulum",
                   .positions = {{"x", 1}, {"y", 0}},
                   .velocities = {{"vx", 0}, {"vy", 0}},
                   .holonomic = {"rod"},
                   .invariants = {"energy_kept"}};
  using Point = Variables<double>;
  using Out = std::span<double>;
  e.force.value = [](const Point&, Out f) { f[1] = -13.75; };
  e.holonomic.value = [](const Point& x, Out g) { g[0] = x.p[0] * x.p[0] + x.p[1] * x.p[1] - 1; };
  e.invariant.value = [](const Point& x, Out out) {
    out[0] = 0.5 * (x.v[0] * x.v[0] + x.v[1] * x.v[1]) + 13.75 * x.p[1];
  };
  return e;
}

std::vector<std::string> general_problem_names() {
  return {"pendulum", "sleigh_turning", "sleigh_driven", "disc", "parallelogram", "andrews"};
}

GeneralProblem general_problem(const std::string& name) {
  if (name == "pendulum") return general_pendulum(0);
  if (name == "sleigh_turning" || name == "sleigh_driven") return sleigh(name == "sleigh_turning");
  if (name == "disc") return disc();
  if (name == "parallelogram") return parallelogram();
  EXPECT_EQ(name, "andrews");
  return andrews();
}

double weighed_difference(const Vector& x, const Vector& y) {
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    largest = std::max(largest, std::abs(x[i] - y[i]) / (1 + std::abs(y[i])));
  return largest;
}

}  // namespace kardan::test
