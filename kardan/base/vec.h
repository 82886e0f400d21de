#pragma once
/// Small fixed-size vectors and matrices, templated on the scalar so that the same kernel runs on
/// doubles and on dual numbers. Plain aggregates, no expression templates.

#include <cmath>

namespace kardan {

template <class T>
struct Vec2 {
  T x{}, y{};
  T& operator[](int i) { return i == 0 ? x : y; }
  const T& operator[](int i) const { return i == 0 ? x : y; }
};

template <class T>
struct Vec3 {
  T x{}, y{}, z{};
  T& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  const T& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
};

using Vec2d = Vec2<double>;
using Vec3d = Vec3<double>;

template <class T, class S>
Vec2<T> convert(const Vec2<S>& a) {
  return {T(a.x), T(a.y)};
}
template <class T, class S>
Vec3<T> convert(const Vec3<S>& a) {
  return {T(a.x), T(a.y), T(a.z)};
}

template <class T>
Vec2<T> operator+(const Vec2<T>& a, const Vec2<T>& b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
Vec2<T> operator-(const Vec2<T>& a, const Vec2<T>& b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
Vec2<T> operator-(const Vec2<T>& a) {
  return {-a.x, -a.y};
}
template <class T>
Vec2<T> operator*(const T& s, const Vec2<T>& a) {
  return {s * a.x, s * a.y};
}
template <class T>
Vec2<T>& operator+=(Vec2<T>& a, const Vec2<T>& b) {
  a.x += b.x;
  a.y += b.y;
  return a;
}
template <class T>
Vec2<T>& operator-=(Vec2<T>& a, const Vec2<T>& b) {
  a.x -= b.x;
  a.y -= b.y;
  return a;
}
template <class T>
T dot(const Vec2<T>& a, const Vec2<T>& b) {
  return a.x * b.x + a.y * b.y;
}
/// Quarter turn to the left: perp(a) = e_z x a.
template <class T>
Vec2<T> perp(const Vec2<T>& a) {
  return {-a.y, a.x};
}
/// z component of a x b.
template <class T>
T cross(const Vec2<T>& a, const Vec2<T>& b) {
  return a.x * b.y - a.y * b.x;
}

template <class T>
Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
Vec3<T> operator*(const T& s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
Vec3<T>& operator+=(Vec3<T>& a, const Vec3<T>& b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  return a;
}
template <class T>
Vec3<T>& operator-=(Vec3<T>& a, const Vec3<T>& b) {
  a.x -= b.x;
  a.y -= b.y;
  a.z -= b.z;
  return a;
}
template <class T>
T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class V>
auto norm(const V& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}
template <class V>
V normalized(const V& a) {
  return (1.0 / norm(a)) * a;
}

/// 3 x 3 matrix, rows stored one after the other.
template <class T>
struct Mat3 {
  T m[3][3]{};
  T* operator[](int i) { return m[i]; }
  const T* operator[](int i) const { return m[i]; }
  static Mat3 identity() { return {{{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}}; }
  Vec3<T> column(int j) const { return {m[0][j], m[1][j], m[2][j]}; }
  static Mat3 from_columns(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
    return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
  }
};
using Mat3d = Mat3<double>;

template <class T, class S>
Mat3<T> convert(const Mat3<S>& a) {
  Mat3<T> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[i][j] = T(a[i][j]);
  return r;
}
template <class T>
Vec3<T> operator*(const Mat3<T>& A, const Vec3<T>& x) {
  return {A[0][0] * x.x + A[0][1] * x.y + A[0][2] * x.z,
          A[1][0] * x.x + A[1][1] * x.y + A[1][2] * x.z,
          A[2][0] * x.x + A[2][1] * x.y + A[2][2] * x.z};
}
/// A' x
template <class T>
Vec3<T> transposed_times(const Mat3<T>& A, const Vec3<T>& x) {
  return {A[0][0] * x.x + A[1][0] * x.y + A[2][0] * x.z,
          A[0][1] * x.x + A[1][1] * x.y + A[2][1] * x.z,
          A[0][2] * x.x + A[1][2] * x.y + A[2][2] * x.z};
}
template <class T>
Mat3<T> operator*(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i][j] = A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j];
  return C;
}
template <class T>
Mat3<T> operator+(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i][j] = A[i][j] + B[i][j];
  return C;
}
template <class T>
Mat3<T> operator-(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i][j] = A[i][j] - B[i][j];
  return C;
}
template <class T>
Mat3<T> operator*(const T& s, const Mat3<T>& A) {
  Mat3<T> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i][j] = s * A[i][j];
  return C;
}
template <class T>
Mat3<T> transposed(const Mat3<T>& A) {
  Mat3<T> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i][j] = A[j][i];
  return C;
}
/// A' B
template <class T>
Mat3<T> transposed_times(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i][j] = A[0][i] * B[0][j] + A[1][i] * B[1][j] + A[2][i] * B[2][j];
  return C;
}
/// Cross-product matrix: tilde(a) b = a x b.
template <class T>
Mat3<T> tilde(const Vec3<T>& a) {
  return {{{T(0), -a.z, a.y}, {a.z, T(0), -a.x}, {-a.y, a.x, T(0)}}};
}
/// a b'
template <class T>
Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  Mat3<T> C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C[i][j] = a[i] * b[j];
  return C;
}
/// A tilde(b), without forming tilde(b).
template <class T>
Mat3<T> times_tilde(const Mat3<T>& A, const Vec3<T>& b) {
  Mat3<T> C;
  for (int i = 0; i < 3; ++i) {
    C[i][0] = A[i][1] * b.z - A[i][2] * b.y;
    C[i][1] = A[i][2] * b.x - A[i][0] * b.z;
    C[i][2] = A[i][0] * b.y - A[i][1] * b.x;
  }
  return C;
}
/// tilde(a) tilde(b) = b a' - (a.b) I
template <class T>
Mat3<T> tilde_tilde(const Vec3<T>& a, const Vec3<T>& b) {
  Mat3<T> C = outer(b, a);
  const T s = dot(a, b);
  for (int i = 0; i < 3; ++i) C[i][i] -= s;
  return C;
}

}  // namespace kardan
