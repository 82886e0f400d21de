#include "kardan/integrate/radau_tableau.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

// Four digits more than the coefficients keep.
using Real = long double;
using Number = std::complex<Real>;
using Square = std::vector<std::vector<Number>>;

/// P_s - P_(s-1) on [0, 1].
Real radau_polynomial(int s, Real x) {
  const Real z = 2 * x - 1;
  Real before = 1, now = z;
  for (int k = 1; k < s; ++k) {
    const Real next = ((2 * k + 1) * z * now - k * before) / (k + 1);
    before = now;
    now = next;
  }
  return now - before;
}

std::vector<Real> nodes(int s) {
  // Closer together than any two zeros of the methods that are used.
  constexpr int pieces = 1000;
  constexpr int halvings = 70;
  std::vector<Real> c;
  for (int i = 0; i + 1 < pieces; ++i) {
    Real a = Real(i) / pieces, b = Real(i + 1) / pieces;
    const bool rises = radau_polynomial(s, b) > 0;
    if ((radau_polynomial(s, a) > 0) == rises) continue;
    for (int k = 0; k < halvings; ++k) {
      const Real middle = (a + b) / 2;
      ((radau_polynomial(s, middle) > 0) == rises ? b : a) = middle;
    }
    c.push_back((a + b) / 2);
  }
  c.push_back(1);
  return c;
}

/// l_j'(x_i) on the nodes x.
std::vector<std::vector<Real>> differentiation(const std::vector<Real>& x) {
  const std::size_t n = x.size();
  std::vector<Real> weight(n, 1);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      if (k != j) weight[j] /= x[j] - x[k];
  std::vector<std::vector<Real>> D(n, std::vector<Real>(n, 0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      D[i][j] = weight[j] / weight[i] / (x[i] - x[j]);
      D[i][i] -= D[i][j];  // the derivative of a constant is zero
    }
  return D;
}

/// Gauss with pivoting.
std::vector<Number> solve(Square A, std::vector<Number> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[best][k])) best = i;
    std::swap(A[k], A[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Number factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
  return b;
}

Matrix inverse(const Square& A) {
  const int n = static_cast<int>(A.size());
  Matrix out(n, n);
  for (int j = 0; j < n; ++j) {
    std::vector<Number> unit(n, 0);
    unit[j] = 1;
    const std::vector<Number> x = solve(A, unit);
    for (int i = 0; i < n; ++i) out(i, j) = static_cast<double>(x[i].real());
  }
  return out;
}

/// All zeros of sum_j (s over j) (2s-1-j)!/(2s-1)! (-z)^j, by the method of Durand and Kerner.
std::vector<Number> eigenvalues(int s) {
  std::vector<Real> q(s + 1, 1);
  for (int j = 1; j <= s; ++j) q[j] = -q[j - 1] * Real(s - j + 1) / j / (2 * s - j);
  const auto at = [&](Number z) {
    Number sum = 0;
    for (int j = s; j >= 0; --j) sum = sum * z + q[j] / q[s];
    return sum;
  };
  std::vector<Number> z(s);
  for (int i = 0; i < s; ++i) z[i] = Real(s) * std::pow(Number(0.4L, 0.9L), i);
  constexpr int sweeps = 500;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int i = 0; i < s; ++i) {
      Number others = 1;
      for (int k = 0; k < s; ++k)
        if (k != i) others *= z[i] - z[k];
      z[i] -= at(z[i]) / others;
    }
  return z;
}

}  // namespace

RadauTableau make_radau_tableau(int s) {
  RadauTableau t;
  t.stages = s;
  std::vector<Real> x = nodes(s);
  t.c.assign(x.begin(), x.end());
  x.insert(x.begin(), 0);
  const std::vector<std::vector<Real>> D = differentiation(x);
  Square rates(s, std::vector<Number>(s)), basis = rates;
  t.A_inverse = Matrix(s, s);
  for (int i = 0; i < s; ++i) {
    t.e.push_back(static_cast<double>(-D[0][i + 1]));
    for (int j = 0; j < s; ++j) {
      rates[i][j] = D[i + 1][j + 1];
      t.A_inverse(i, j) = static_cast<double>(D[i + 1][j + 1]);
    }
  }
  t.A = inverse(rates);
  // The real one first, then one of every pair.
  std::vector<Number> values = eigenvalues(s);
  std::sort(values.begin(), values.end(), [](const Number& a, const Number& b) {
    return std::abs(a.imag()) < std::abs(b.imag());
  });
  int column = 0;
  for (const Number& value : values) {
    if (column > 0 && value.imag() < 0) continue;
    const Number mu = column == 0 ? Number(value.real()) : value;
    // The eigenvector that is 1 at the end of the step.
    Square shifted = rates;
    for (int i = 0; i < s; ++i) shifted[i][i] -= mu;
    std::fill(shifted[s - 1].begin(), shifted[s - 1].end(), Number(0));
    shifted[s - 1][s - 1] = 1;
    std::vector<Number> unit(s, 0);
    unit[s - 1] = 1;
    const std::vector<Number> v = solve(shifted, unit);
    for (int i = 0; i < s; ++i) basis[i][column] = v[i].real();
    if (column == 0) {
      t.gamma = static_cast<double>(mu.real());
      ++column;
      continue;
    }
    for (int i = 0; i < s; ++i) basis[i][column + 1] = -v[i].imag();
    t.pairs.emplace_back(static_cast<double>(mu.real()), static_cast<double>(mu.imag()));
    column += 2;
  }
  t.T = Matrix(s, s);
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) t.T(i, j) = static_cast<double>(basis[i][j].real());
  t.T_inverse = inverse(basis);
  return t;
}

}  // namespace kardan
