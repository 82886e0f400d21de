#include "kardan/base/rotation.h"

#include <algorithm>
#include <array>

#include "kardan/base/rotation_rates.h"

namespace kardan {
namespace {

/// Squares of angles below which functions of them are taken from their series, with few terms and
/// with more: quotients like (phi - sin phi)/phi^3 cancel there, and neither roots nor divisions
/// are needed. The first dropped term is below round-off of the value.
constexpr double small_square = 0.04, moderate_square = 1.0;
constexpr int few_terms = 6, more_terms = 10;

constexpr double factorial(int n) {
  double product = 1;
  for (int k = 2; k <= n; ++k) product *= k;
  return product;
}

/// Coefficients of s_n(x) = sum_k (-x)^k / (2k + n)!, x = phi^2, differentiated m times by
/// phi, each time divided by phi: cos phi is s_0, sin phi / phi is s_1, (1 - cos phi)/phi^2 is s_2
/// and (phi - sin phi)/phi^3 is s_3.
template <int n, int m>
struct Series {
  std::array<double, more_terms> c{};
  constexpr Series() {
    for (int i = 0; i < more_terms; ++i) {
      c[i] = ((i + m) % 2 == 0 ? 1.0 : -1.0) / factorial(2 * (i + m) + n);
      for (int k = i + 1; k <= i + m; ++k) c[i] *= 2 * k;
    }
  }
};

template <int n, int m, int terms>
double series(double x) {
  static constexpr Series<n, m> s;
  double sum = s.c[terms - 1];
  for (int i = terms - 2; i >= 0; --i) sum = sum * x + s.c[i];
  return sum;
}

/// False where x is too large for a series.
template <int n, int m = 0>
bool by_series(double x, double& value) {
  if (x < small_square)
    value = series<n, m, few_terms>(x);
  else if (x < moderate_square)
    value = series<n, m, more_terms>(x);
  else
    return false;
  return true;
}

struct Quotients {
  double one_minus_cos;  // (1-cos phi)/phi^2
  double phi_minus_sin;  // (phi-sin phi)/phi^3
};

/// For the square of phi.
Quotients quotients(double p2) {
  Quotients c;
  if (by_series<2>(p2, c.one_minus_cos) && by_series<3>(p2, c.phi_minus_sin)) return c;
  const double phi = std::sqrt(p2);
  return {(1 - std::cos(phi)) / p2, (phi - std::sin(phi)) / (p2 * phi)};
}

/// (dc/dphi)/phi of the two quotients c: their gradient by theta is this times theta'.
Quotients slopes(double p2, const Quotients& c) {
  Quotients e;
  if (by_series<2, 1>(p2, e.one_minus_cos) && by_series<3, 1>(p2, e.phi_minus_sin)) return e;
  const double phi = std::sqrt(p2);
  return {(std::sin(phi) / phi - 2 * c.one_minus_cos) / p2,
          (c.one_minus_cos - 3 * c.phi_minus_sin) / p2};
}

/// (de/dphi)/phi of the slopes e.
Quotients second_slopes(double p2, const Quotients& e) {
  Quotients f;
  if (by_series<2, 2>(p2, f.one_minus_cos) && by_series<3, 2>(p2, f.phi_minus_sin)) return f;
  const double phi = std::sqrt(p2);
  return {((std::cos(phi) - std::sin(phi) / phi) / p2 - 4 * e.one_minus_cos) / p2,
          (e.one_minus_cos - 5 * e.phi_minus_sin) / p2};
}

}  // namespace

Quaternion quaternion_from_matrix(const Mat3d& R) {
  // Take the largest of the four squares as pivot (Shepperd's choice), so nothing cancels.
  const double trace = R[0][0] + R[1][1] + R[2][2];
  const double s[4] = {trace, R[0][0], R[1][1], R[2][2]};
  const int k = static_cast<int>(std::max_element(s, s + 4) - s);
  Quaternion q;
  if (k == 0) {
    q = {1 + trace, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
  } else if (k == 1) {
    q = {R[2][1] - R[1][2], 1 + 2 * R[0][0] - trace, R[0][1] + R[1][0], R[0][2] + R[2][0]};
  } else if (k == 2) {
    q = {R[0][2] - R[2][0], R[0][1] + R[1][0], 1 + 2 * R[1][1] - trace, R[1][2] + R[2][1]};
  } else {
    q = {R[1][0] - R[0][1], R[0][2] + R[2][0], R[1][2] + R[2][1], 1 + 2 * R[2][2] - trace};
  }
  if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
  return normalized(q);
}

Quaternion quaternion_exp(const Vec3d& theta) {
  const double p2 = dot(theta, theta);
  double c = 0, s = 0;  // cos(phi/2), sin(phi/2)/(phi/2)
  if (!by_series<0>(0.25 * p2, c) || !by_series<1>(0.25 * p2, s)) {
    const double half = 0.5 * std::sqrt(p2);
    c = std::cos(half);
    s = std::sin(half) / half;
  }
  return {c, 0.5 * s * theta.x, 0.5 * s * theta.y, 0.5 * s * theta.z};
}

Mat3d rotation_exp(const Vec3d& theta) {
  return rotation_matrix(quaternion_exp(theta));
}

Vec3d rotation_log(const Mat3d& R) {
  const Quaternion q = quaternion_from_matrix(R);
  const Vec3d u{q.x, q.y, q.z};
  const double s = norm(u);
  // phi = 2 atan2(|u|, w); for small |u| the quotient phi/|u| tends to 2/w.
  const double factor = s < 1e-9 ? 2 / q.w : 2 * std::atan2(s, q.w) / s;
  return factor * u;
}

Mat3d rotation_rate_map(const Vec3d& theta) {
  const Quotients c = quotients(dot(theta, theta));
  return Mat3d::identity() - c.one_minus_cos * tilde(theta) +
         c.phi_minus_sin * tilde_tilde(theta, theta);
}

Mat3d rotation_rate_map_rate(const Vec3d& theta, const Vec3d& theta_rate) {
  // With c1 = (1-cos)/phi^2, c2 = (phi-sin)/phi^3 and e = (dc/dphi)/phi:
  //   T' = -e1 s theta~ - c1 theta'~ + e2 s theta~^2 + c2 (theta'~ theta~ + theta~ theta'~),
  // s = theta.theta'.
  const double p2 = dot(theta, theta);
  const Quotients c = quotients(p2);
  const auto [e1, e2] = slopes(p2, c);
  const double s = dot(theta, theta_rate);
  return (e2 * s) * tilde_tilde(theta, theta) - (e1 * s) * tilde(theta) -
         c.one_minus_cos * tilde(theta_rate) +
         c.phi_minus_sin * (tilde_tilde(theta_rate, theta) + tilde_tilde(theta, theta_rate));
}

Mat3d rotation_rate_map_gradient(const Vec3d& theta, const Vec3d& y) {
  // T y = y - c1 theta x y + c2 theta x (theta x y), term by term.
  const double p2 = dot(theta, theta);
  const Quotients c = quotients(p2), e = slopes(p2, c);
  const Vec3d once = cross(theta, y), twice = cross(theta, once);
  return c.one_minus_cos * tilde(y) - c.phi_minus_sin * (tilde(once) + tilde_tilde(theta, y)) +
         outer(e.phi_minus_sin * twice - e.one_minus_cos * once, theta);
}

Mat3d rotation_bias_gradient(const Vec3d& theta, const Vec3d& theta_rate) {
  // With y = theta' and s = theta.y:  T' y = -e1 s theta x y + c2 y x (theta x y) + e2 s theta x
  // (theta x y); c, e depend on theta through phi.
  const Vec3d& y = theta_rate;
  const double p2 = dot(theta, theta), s = dot(theta, y);
  const Quotients c = quotients(p2), e = slopes(p2, c), f = second_slopes(p2, e);
  const Vec3d once = cross(theta, y), twice = cross(theta, once);
  return (e.one_minus_cos * s) * tilde(y) - c.phi_minus_sin * tilde_tilde(y, y) -
         (e.phi_minus_sin * s) * (tilde(once) + tilde_tilde(theta, y)) +
         outer(e.phi_minus_sin * twice - e.one_minus_cos * once, y) +
         outer((f.phi_minus_sin * s) * twice - (f.one_minus_cos * s) * once +
                   e.phi_minus_sin * cross(y, once),
               theta);
}

/// The factor of theta~^2 in T^-1 = I + theta~/2 + (1/phi^2 - (1+cos phi)/(2 phi sin phi)) theta~^2
static double inverse_factor(double p2) {
  if (p2 < small_square)
    return 1.0 / 12 * (1 + p2 / 60 * (1 + p2 / 42 * (1 + p2 / 40 * (1 + p2 / 39.6))));
  const double phi = std::sqrt(p2);
  return 1 / p2 - 0.5 / (phi * std::tan(0.5 * phi));
}

Mat3d rotation_rate_map_inverse(const Vec3d& theta) {
  return Mat3d::identity() + 0.5 * tilde(theta) +
         inverse_factor(dot(theta, theta)) * tilde_tilde(theta, theta);
}

Vec3d rotation_rate(const Vec3d& theta, const Vec3d& y) {
  const Quotients c = quotients(dot(theta, theta));
  const Vec3d once = cross(theta, y);
  return y - c.one_minus_cos * once + c.phi_minus_sin * cross(theta, once);
}

Vec3d rotation_rate_inverse(const Vec3d& theta, const Vec3d& y) {
  const Vec3d once = cross(theta, y);
  return y + 0.5 * once + inverse_factor(dot(theta, theta)) * cross(theta, once);
}

Vec3d rotation_second_rate(const Vec3d& theta, const Vec3d& theta_rate,
                           const Vec3d& angular_acceleration) {
  // T' y as in rotation_bias_gradient, y = theta'.
  const Vec3d& y = theta_rate;
  const double p2 = dot(theta, theta), s = dot(theta, y);
  const Quotients c = quotients(p2), e = slopes(p2, c);
  const Vec3d once = cross(theta, y);
  const Vec3d bias = (e.phi_minus_sin * s) * cross(theta, once) - (e.one_minus_cos * s) * once +
                     c.phi_minus_sin * cross(y, once);
  return rotation_rate_inverse(theta, angular_acceleration - bias);
}

Mat3d axes_from_z(const Vec3d& axis, const Vec3d& x_hint) {
  const Vec3d z = normalized(axis);
  Vec3d x = x_hint - dot(x_hint, z) * z;
  if (norm(x) <= 1e-6 * norm(x_hint) || norm(x_hint) == 0) {
    // No usable hint: the world axis least aligned with z.
    const Vec3d e = std::abs(z.x) <= std::abs(z.y) && std::abs(z.x) <= std::abs(z.z)
                        ? Vec3d{1, 0, 0}
                    : std::abs(z.y) <= std::abs(z.z) ? Vec3d{0, 1, 0}
                                                     : Vec3d{0, 0, 1};
    x = e - dot(e, z) * z;
  }
  x = normalized(x);
  return Mat3d::from_columns(x, cross(z, x), z);
}

}  // namespace kardan
