#include "kardan/elements/forces/bushing.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include "kardan/elements/forces/planar.h"

namespace kardan {
namespace {

/// dtheta = L dphi for theta = log(R), dR = dphi~ R: L = I - theta~/2 + c theta~^2, and
/// d(L y)/dtheta at fixed y.
struct LogMap {
  Vec3d theta;
  Mat3d L;
  double c1;  // (dc/dphi)/phi
  double c;
};

/// Below this angle c'(phi)/phi, whose closed form cancels like 1/phi^4, is taken from its series.
constexpr double series_angle = 1.0;

/// log(R) and `turns` full turns more, about the same axis; NaN where it has none.
Vec3d followed_log(const Mat3d& R, int turns) {
  const Vec3d theta = rotation_log(R);
  if (turns == 0) return theta;
  const double phi = norm(theta);
  if (phi < BushingLaw<3>::undirected)
    return std::numeric_limits<double>::quiet_NaN() * Vec3d{1, 1, 1};
  return (1 + 2 * std::numbers::pi * turns / phi) * theta;
}

LogMap log_map(const Mat3d& R, int turns) {
  LogMap m;
  m.theta = followed_log(R, turns);
  m.L = transposed(rotation_rate_map_inverse(m.theta));
  // c = 1/phi^2 - cot(phi/2)/(2 phi) = sum_k |B_2k|/(2k)! phi^(2k-2), B_2k the Bernoulli numbers
  const double p2 = dot(m.theta, m.theta), phi = std::sqrt(p2);
  if (phi < series_angle) {
    static constexpr double b[] = {1.0 / 12,
                                   1.0 / 720,
                                   1.0 / 30240,
                                   1.0 / 1209600,
                                   1.0 / 47900160,
                                   691.0 / 1307674368000,
                                   1.0 / 74724249600,
                                   3617.0 / 10670622842880000,
                                   43867.0 / 5109094217170944000};
    m.c = m.c1 = 0;
    for (int k = 8; k >= 1; --k) {
      m.c = b[k] + p2 * m.c;
      m.c1 = 2 * k * b[k] + p2 * m.c1;
    }
    m.c = b[0] + p2 * m.c;
  } else {
    const double s = std::sin(0.5 * phi), cot = std::cos(0.5 * phi) / s;
    m.c = 1 / p2 - 0.5 * cot / phi;
    m.c1 = (-2 / (p2 * phi) + 0.5 * cot / p2 + 0.25 / (s * s * phi)) / phi;
  }
  return m;
}

/// d(L y)/dtheta = y~/2 - c ((theta x y)~ + theta~ y~) + c1 (theta x (theta x y)) theta'
Mat3d log_map_derivative(const LogMap& m, const Vec3d& y) {
  const Vec3d a = cross(m.theta, y);
  return 0.5 * tilde(y) - m.c * (tilde(a) + tilde_tilde(m.theta, y)) +
         m.c1 * outer(cross(m.theta, a), m.theta);
}

/// -(K q + D q')
template <int n>
void resist(const double (&K)[n][n], const double (&damping)[n][n], const double (&q)[n],
            const double (&q1)[n], double (&W)[n]) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) W[i] -= K[i][k] * q[k] + damping[i][k] * q1[k];
}

/// W_z[i, column..] -= K[i, from..] X for a 3 x 3 block X.
void subtract_block(const double (&K)[6][6], int from, const Mat3d& X, int column,
                    double (&W_z)[6][12]) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) W_z[i][column + j] -= K[i][from + k] * X[k][j];
}

}  // namespace

bool BushingLaw<3>::wrench(double, const RelativeMotion<3>& z, int turns, Depth depth,
                           RelativeWrench<3>& W) const {
  using R = RelativeWrench<3>;
  const LogMap map = rotates ? log_map(z.C * turn, turns) : LogMap{{}, Mat3d::identity(), 0, 0};
  const Vec3d d = z.rho - origin, theta1 = map.L * z.omega;
  const double q[6] = {d.x, d.y, d.z, map.theta.x, map.theta.y, map.theta.z};
  const double q1[6] = {z.rho1.x, z.rho1.y, z.rho1.z, theta1.x, theta1.y, theta1.z};
  resist(K, damping, q, q1, W.W);
  if (depth != Depth::second) return true;
  const Mat3d I = Mat3d::identity();
  subtract_block(K, 0, I, R::rho, W.W_z);
  subtract_block(K, 3, map.L, R::phi, W.W_z);
  subtract_block(damping, 3, log_map_derivative(map, z.omega) * map.L, R::phi, W.W_z);
  subtract_block(damping, 0, I, R::rho1, W.W_z);
  subtract_block(damping, 3, map.L, R::omega, W.W_z);
  return true;
}

Potential BushingLaw<3>::potential(double, const RelativeMotion<3>& z, int turns) const {
  Potential V;
  if (K[0][1] == K[1][0] && K[0][2] == K[2][0] && K[1][2] == K[2][1]) {
    const Vec3d d = z.rho - origin;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        V.energy += 0.5 * d[i] * K[i][j] * d[j];
        V.rate += d[i] * K[i][j] * z.rho1[j];
      }
  }
  const double k = K[3][3];
  const bool isotropic = K[4][4] == k && K[5][5] == k && K[3][4] == 0 && K[3][5] == 0 &&
                         K[4][3] == 0 && K[4][5] == 0 && K[5][3] == 0 && K[5][4] == 0;
  if (isotropic && k != 0) {
    const Vec3d theta = followed_log(z.C * turn, turns);
    V.energy += 0.5 * k * dot(theta, theta);
    V.rate += k * dot(theta, z.omega);  // L'theta = theta
  }
  return V;
}

double BushingLaw<3>::magnitude(double t, const RelativeMotion<3>& z, int turns) const {
  RelativeWrench<3> W;
  W.clear(Depth::first);
  wrench(t, z, turns, Depth::first, W);
  return norm(Vec3d{W.W[0], W.W[1], W.W[2]});
}

bool BushingLaw<2>::wrench(double, const RelativeMotion<2>& z, int, Depth depth,
                           RelativeWrench<2>& W) const {
  using R = RelativeWrench<2>;
  const Vec2d d = z.rho - origin;
  const double q[3] = {d.x, d.y, z.angle + turn}, q1[3] = {z.rho1.x, z.rho1.y, z.omega};
  resist(K, damping, q, q1, W.W);
  if (depth != Depth::second) return true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      W.W_z[i][R::rho + j] = -K[i][j];
      W.W_z[i][R::rho1 + j] = -damping[i][j];
    }
  return true;
}

Potential BushingLaw<2>::potential(double, const RelativeMotion<2>& z, int) const {
  if (K[0][1] != K[1][0] || K[0][2] != K[2][0] || K[1][2] != K[2][1]) return {};
  const Vec2d d = z.rho - origin;
  const double q[3] = {d.x, d.y, z.angle + turn}, q1[3] = {z.rho1.x, z.rho1.y, z.omega};
  Potential V;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      V.energy += 0.5 * q[i] * K[i][j] * q[j];
      V.rate += q[i] * K[i][j] * q1[j];
    }
  return V;
}

double BushingLaw<2>::magnitude(double t, const RelativeMotion<2>& z, int mode) const {
  RelativeWrench<2> W;
  W.clear(Depth::first);
  wrench(t, z, mode, Depth::first, W);
  return norm(Vec2d{W.W[0], W.W[1]});
}

namespace {

/// X M X' by 3 x 3 blocks for X = diag(R, R): a matrix in marker axes, seen in body axes.
/// A multiple of the identity stays one exactly, so that its energy is still recognised.
void rotate(const Mat3d& R, const double (&M)[6][6], double (&out)[6][6]) {
  for (int a = 0; a < 6; a += 3)
    for (int b = 0; b < 6; b += 3) {
      Mat3d block;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) block[i][j] = M[a + i][b + j];
      const bool symmetric =
          block[0][1] == block[1][0] && block[0][2] == block[2][0] && block[1][2] == block[2][1];
      const bool isotropic = symmetric && block[0][1] == 0 && block[0][2] == 0 &&
                             block[1][2] == 0 && block[0][0] == block[1][1] &&
                             block[1][1] == block[2][2];
      Mat3d turned = isotropic ? block : R * block * transposed(R);
      if (symmetric) turned = 0.5 * (turned + transposed(turned));
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out[a + i][b + j] = turned[i][j];
    }
}

/// The full matrix if one is given, else the diagonal. False: it has the wrong size.
template <int n>
bool fill(const std::vector<double>& full, const double (&diagonal)[n], double (&M)[n][n]) {
  if (full.empty()) {
    for (int i = 0; i < n; ++i) M[i][i] = diagonal[i];
    return true;
  }
  if (full.size() != static_cast<std::size_t>(n * n)) return false;
  std::copy(full.begin(), full.end(), &M[0][0]);
  return true;
}

template <int D>
void fail_size(Builder<D>& b, const char* key, const std::vector<double>& got, int wanted) {
  b.fail("bushing.size",
         std::string("'") + key + "' has " + std::to_string(got.size()) + " numbers; wanted " +
             std::to_string(wanted) + ", the matrix row by row",
         "or give the diagonals by translation_" + std::string(key) + " and rotation_" + key);
}

template <int D>
bool both_given(Builder<D>& b, const char* key, const std::vector<double>& full, const Vec3d& u,
                const Vec3d& w) {
  if (full.empty() || (norm(u) == 0 && norm(w) == 0)) return false;
  b.fail("bushing.twice",
         std::string("'") + key + "' and the diagonals translation_" + key + ", rotation_" + key +
             " are both given",
         "keep one of them");
  return true;
}

}  // namespace

void Bushing::build(Builder<3>& b) const {
  if (!b.require_rotation(0) || !b.require_rotation(1)) return;
  if (both_given(b, "stiffness", stiffness, translation_stiffness, rotation_stiffness)) return;
  if (both_given(b, "damping", damping, translation_damping, rotation_damping)) return;
  const Vec3d &k = translation_stiffness, &kr = rotation_stiffness;
  const Vec3d &c = translation_damping, &cr = rotation_damping;
  double K[6][6] = {}, C[6][6] = {};
  if (!fill<6>(stiffness, {k.x, k.y, k.z, kr.x, kr.y, kr.z}, K))
    return fail_size(b, "stiffness", stiffness, 36);
  if (!fill<6>(damping, {c.x, c.y, c.z, cr.x, cr.y, cr.z}, C))
    return fail_size(b, "damping", damping, 36);
  const BodyFrame<3>&A = b.frame(0), &B = b.frame(1);
  RelativeForce<3, BushingLaw<3>> kernel{{}, B.s};
  rotate(A.R, K, kernel.law.K);
  rotate(A.R, C, kernel.law.damping);
  kernel.law.origin = A.s + A.R * offset;
  kernel.law.turn = B.R * transposed(A.R);
  for (int i = 0; i < 6; ++i)
    for (int j = 3; j < 6; ++j)
      kernel.law.rotates = kernel.law.rotates || K[i][j] != 0 || C[i][j] != 0;
  b.force(kernel, 0, 1);
}

void Bushing::build(Builder<2>& b) const {
  if (!b.require_rotation(0) || !b.require_rotation(1)) return;
  if (both_given(b, "stiffness", stiffness, translation_stiffness, rotation_stiffness)) return;
  if (both_given(b, "damping", damping, translation_damping, rotation_damping)) return;
  const Vec3d &k = translation_stiffness, &kr = rotation_stiffness;
  const Vec3d &c = translation_damping, &cr = rotation_damping;
  if (!in_the_plane(b, "translation_stiffness", k) || !in_the_plane(b, "translation_damping", c) ||
      !in_the_plane(b, "offset", offset) || !about_the_normal(b, "rotation_stiffness", kr) ||
      !about_the_normal(b, "rotation_damping", cr))
    return;
  double M[3][3] = {}, C[3][3] = {};
  if (!fill<3>(stiffness, {k.x, k.y, kr.z}, M)) return fail_size(b, "stiffness", stiffness, 9);
  if (!fill<3>(damping, {c.x, c.y, cr.z}, C)) return fail_size(b, "damping", damping, 9);
  const BodyFrame<2>&A = b.frame(0), &B = b.frame(1);
  RelativeForce<2, BushingLaw<2>> kernel{{}, B.s};
  // X M X' with X = diag(R, 1).
  const double X[3][3] = {{A.R.c, -A.R.s, 0}, {A.R.s, A.R.c, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 3; ++q) {
          kernel.law.K[i][j] += X[i][p] * M[p][q] * X[j][q];
          kernel.law.damping[i][j] += X[i][p] * C[p][q] * X[j][q];
        }
  const bool symmetric = M[0][1] == M[1][0] && M[0][2] == M[2][0] && M[1][2] == M[2][1];
  for (int i = 0; symmetric && i < 3; ++i)
    for (int j = 0; j < i; ++j) kernel.law.K[i][j] = kernel.law.K[j][i];
  kernel.law.origin = A.s + A.R * Vec2d{offset.x, offset.y};
  kernel.law.turn = b.angle(0, 1).offset;
  b.force(kernel, 0, 1);
}

}  // namespace kardan
