#include "kardan/formulation/parametrization.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kardan/formulation/analysis.h"

namespace kardan {
namespace {

/// How much a coordinate is wanted as a dependent one, apart from its unit. Less where many
/// constraints meet: such coordinates stay free, and the dependent ones fall into small blocks.
Vector few_constraints(const System& system, const SparseMatrix& G) {
  Vector count(system.sizes().v, 0.0);
  for (int j : G.pattern->column) count[j] += 1;
  for (double& c : count) c = 1 / std::max(c, 1.0);
  return count;
}

/// Rows of the constraint matrix with columns in the model's units, of unit length, so that choices
/// do not depend on units; then weighed.
Matrix scaled_rows(const System& system, const SparseMatrix& G, std::span<const int> rows,
                   const Vector& weight) {
  const SparsePattern& p = *G.pattern;
  Matrix out(static_cast<int>(rows.size()), G.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int begin = p.row_start[rows[i]], end = p.row_start[rows[i] + 1];
    double square = 0;
    for (int k = begin; k < end; ++k) {
      const double v = G.values[k] * column_scale(system, p.column[k]);
      square += v * v;
    }
    if (square == 0) continue;
    double* row = out.row(static_cast<int>(i));
    for (int k = begin; k < end; ++k) {
      const int j = p.column[k];
      row[j] = G.values[k] * column_scale(system, j) * weight[j] / std::sqrt(square);
    }
  }
  return out;
}

/// The matrix that picks coordinates: entry (picked[j], j) = 1.
SparseMatrix picking(int rows, std::span<const int> picked) {
  PatternBuilder builder(rows, static_cast<int>(picked.size()));
  for (std::size_t j = 0; j < picked.size(); ++j) builder.add(picked[j], static_cast<int>(j));
  SparseMatrix out(builder.build());
  std::fill(out.values.begin(), out.values.end(), 1.0);
  return out;
}

SparseMatrix transposed(const SparseMatrix& A) {
  const SparsePattern& p = *A.pattern;
  PatternBuilder builder(p.cols, p.rows);
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) builder.add(p.column[k], i);
  SparseMatrix out(builder.build());
  for (int i = 0; i < p.rows; ++i)
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k)
      out.values[out.pattern->find(p.column[k], i)] = A.values[k];
  return out;
}

/// diag(scale)^power A with all entries in the pattern.
SparseMatrix scaled(const System& system, double power, const Matrix& A) {
  PatternBuilder builder(A.rows(), A.cols());
  builder.add_block(0, 0, A.rows(), A.cols());
  SparseMatrix out(builder.build());
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j)
      out.values[i * A.cols() + j] = std::pow(column_scale(system, i), power) * A(i, j);
  return out;
}

/// The rows of A that are independent, when rows shorter than the rank tolerance count as zero.
Eval independent_rows(const Matrix& A, std::vector<int>& out) {
  std::vector<int> candidates;
  for (int i = 0; i < A.rows(); ++i)
    if (norm_two({A.row(i), static_cast<std::size_t>(A.cols())}) > rank_tolerance)
      candidates.push_back(i);
  Matrix columns(A.cols(), static_cast<int>(candidates.size()));
  for (int j = 0; j < columns.cols(); ++j)
    for (int i = 0; i < A.cols(); ++i) columns(i, j) = A(candidates[j], i);
  PivotedQr qr;
  if (Eval e = qr.factor(columns, {.tolerance = rank_tolerance}); e != Eval::ok) return e;
  for (int k = 0; k < qr.rank(); ++k) out.push_back(candidates[qr.column_permutation()[k]]);
  std::sort(out.begin(), out.end());
  return Eval::ok;
}

/// Sets the rows: holonomic ones first, then nonholonomic ones as far as they do not follow from
/// the former. Both parts of the constraint matrix, scaled, are given back.
struct Rows {
  Vector weight;
  PivotedQr holonomic;  // of the holonomic part
  Matrix G, H;
};

Eval choose_rows(const System& system, const State& state, Workspace& ws, Parametrization& out,
                 Rows& found) {
  const RowDependencies holonomic = holonomic_dependencies(system, state, ws);
  if (holonomic.eval != Eval::ok) return holonomic.eval;
  out.rows = holonomic.independent;
  out.holonomic = static_cast<int>(out.rows.size());
  found.G = scaled_rows(system, ws.G, out.rows, found.weight);
  if (Eval e = found.holonomic.factor(found.G); e != Eval::ok) return e;
  if (found.holonomic.rank() != out.holonomic) return Eval::recoverable;
  const int mu = system.sizes().mu;
  if (mu == 0) return Eval::ok;
  std::vector<int> rows(mu), chosen;
  for (int i = 0; i < mu; ++i) rows[i] = system.sizes().lambda + i;
  Matrix remainder;  // of every row beyond the holonomic ones
  multiply(scaled_rows(system, ws.G, rows, found.weight), found.holonomic.null_space(), remainder);
  if (Eval e = independent_rows(remainder, chosen); e != Eval::ok) return e;
  for (int i : chosen) out.rows.push_back(rows[i]);
  found.H = scaled_rows(system, ws.G, std::span(out.rows).subspan(out.holonomic), found.weight);
  return Eval::ok;
}

std::vector<int> others(int count, std::span<const int> sorted) {
  std::vector<int> out;
  for (int j = 0; j < count; ++j)
    if (!std::binary_search(sorted.begin(), sorted.end(), j)) out.push_back(j);
  return out;
}

/// Displacements count this much more than turns where the velocities of both are determined:
/// what rolls seldom depends on where it has come to.
constexpr double place_weight = 2;

/// Of the coordinates the holonomic rows leave free, those whose velocities the nonholonomic rows
/// determine best.
Eval choose_drift(const System& system, const Rows& found, std::vector<int>& drift) {
  const int m = found.holonomic.rank(), free = found.holonomic.cols() - m;
  const std::vector<int>& order = found.holonomic.column_permutation();
  const Matrix C = found.holonomic.dependent_columns();
  Matrix H(found.H.rows(), free);  // along the free positions: H_i - H_d C
  for (int i = 0; i < H.rows(); ++i)
    for (int j = 0; j < free; ++j) {
      H(i, j) = found.H(i, order[m + j]);
      for (int k = 0; k < m; ++k) H(i, j) -= found.H(i, order[k]) * C(k, j);
      if (!is_rotation(system, order[m + j])) H(i, j) *= place_weight;
    }
  PivotedQr qr;
  if (Eval e = qr.factor(H); e != Eval::ok) return e;
  if (qr.rank() != H.rows()) return Eval::recoverable;
  for (int k = 0; k < qr.rank(); ++k) drift.push_back(order[m + qr.column_permutation()[k]]);
  std::sort(drift.begin(), drift.end());
  return Eval::ok;
}

}  // namespace

Eval partition_coordinates(const System& system, const State& state, Workspace& ws,
                           Parametrization& out) {
  Rows found;
  found.weight = few_constraints(system, ws.G);
  if (Eval e = choose_rows(system, state, ws, out, found); e != Eval::ok) return e;
  const int nv = system.sizes().v;
  const std::vector<int>& order = found.holonomic.column_permutation();
  std::vector<int> dependent(order.begin(), order.begin() + out.holonomic), drift;
  std::sort(dependent.begin(), dependent.end());
  if (out.drift() > 0)
    if (Eval e = choose_drift(system, found, drift); e != Eval::ok) return e;
  dependent.insert(dependent.end(), drift.begin(), drift.end());
  std::vector<int> sorted = dependent;
  std::sort(sorted.begin(), sorted.end());
  out.free_coordinates = others(nv, sorted);
  out.X = picking(nv, out.free_coordinates);
  out.dependent = picking(nv, dependent);
  out.dependent_coordinates = dependent;
  out.x_of = transposed(out.X);
  out.dependent_of = transposed(out.dependent);
  out.free_coordinates.insert(out.free_coordinates.end(), drift.begin(), drift.end());
  return Eval::ok;
}

Eval span_tangent_space(const System& system, const State& state, Workspace& ws,
                        Parametrization& out) {
  Rows found;
  found.weight.assign(system.sizes().v, 1.0);
  if (Eval e = choose_rows(system, state, ws, out, found); e != Eval::ok) return e;
  const Matrix N = found.holonomic.null_space();
  auto complement = [](const Matrix& A, Matrix& result) {
    PivotedQr qr;
    const Eval e = qr.factor(kardan::transposed(A));
    if (e == Eval::ok) result = qr.null_space();
    return e;
  };
  Matrix D, X = N, Z(N.rows(), 0);
  if (Eval e = complement(N, D); e != Eval::ok) return e;
  if (out.drift() > 0) {
    Matrix H, along;
    multiply(found.H, N, H);
    PivotedQr qr;
    if (Eval e = qr.factor(H); e != Eval::ok) return e;
    if (qr.rank() != out.drift()) return Eval::recoverable;
    const Matrix still = qr.null_space();
    if (Eval e = complement(still, along); e != Eval::ok) return e;
    multiply(N, still, X);
    multiply(N, along, Z);
  }
  Matrix dependent(N.rows(), D.cols() + Z.cols());
  for (int i = 0; i < dependent.rows(); ++i) {
    std::copy_n(D.row(i), D.cols(), dependent.row(i));
    std::copy_n(Z.row(i), Z.cols(), dependent.row(i) + D.cols());
  }
  out.X = scaled(system, 1, X);
  out.dependent = scaled(system, 1, dependent);
  out.x_of = transposed(scaled(system, -1, X));
  out.dependent_of = transposed(scaled(system, -1, dependent));
  out.free_coordinates.clear();
  out.dependent_coordinates.clear();
  return Eval::ok;
}

void Parametrization::compose(std::span<const double> x, std::span<const double> zeta,
                              std::span<double> q) const {
  X.multiply(x, q);
  if (zeta.empty()) return;
  const SparsePattern& p = *dependent.pattern;
  for (int j = 0; j < p.rows; ++j)
    for (int k = p.row_start[j]; k < p.row_start[j + 1]; ++k)
      if (const int c = p.column[k] - holonomic; c >= 0) q[j] += dependent.values[k] * zeta[c];
}

void Parametrization::add_dependent(std::span<const double> y, std::span<double> q) const {
  if (!dependent_coordinates.empty()) {
    for (std::size_t k = 0; k < y.size(); ++k) q[dependent_coordinates[k]] += y[k];
    return;
  }
  const SparsePattern& p = *dependent.pattern;
  const int size = static_cast<int>(y.size());
  for (int j = 0; j < p.rows; ++j)
    for (int k = p.row_start[j]; k < p.row_start[j + 1]; ++k)
      if (p.column[k] < size) q[j] += dependent.values[k] * y[p.column[k]];
}

void Parametrization::dependent_part(std::span<const double> q, std::span<double> y) const {
  std::fill(y.begin(), y.end(), 0.0);
  const SparsePattern& p = *dependent.pattern;
  for (int j = 0; j < p.rows; ++j)
    for (int k = p.row_start[j]; k < p.row_start[j + 1]; ++k)
      y[p.column[k]] += dependent.values[k] * q[j];
}

void Parametrization::add_dependent(const Matrix& Y, Matrix& Q) const {
  const SparsePattern& p = *dependent.pattern;
  const auto width = static_cast<std::size_t>(Y.cols());
  for (int j = 0; j < p.rows; ++j)
    for (int k = p.row_start[j]; k < p.row_start[j + 1]; ++k)
      if (p.column[k] < Y.rows())
        add_scaled(dependent.values[k], {Y.row(p.column[k]), width}, {Q.row(j), width});
}

void Parametrization::free_columns(Matrix& B) const {
  B.set_zero();
  const int n = free_velocities();
  for (int j = 0; j < B.rows(); ++j) {
    for (int k = X.pattern->row_start[j]; k < X.pattern->row_start[j + 1]; ++k)
      B(j, X.pattern->column[k]) = X.values[k];
    if (B.cols() == n) continue;
    for (int k = dependent.pattern->row_start[j]; k < dependent.pattern->row_start[j + 1]; ++k)
      if (const int c = dependent.pattern->column[k] - holonomic; c >= 0)
        B(j, n + c) = dependent.values[k];
  }
}

void Parametrization::drift_of(std::span<const double> q, std::span<double> zeta) const {
  const SparsePattern& p = *dependent_of.pattern;
  for (int i = 0; i < drift(); ++i) {
    zeta[i] = 0;
    for (int k = p.row_start[holonomic + i]; k < p.row_start[holonomic + i + 1]; ++k)
      zeta[i] += dependent_of.values[k] * q[p.column[k]];
  }
}

void Parametrization::drift_of(const Matrix& Q, Matrix& zeta) const {
  zeta.resize(drift(), Q.cols());
  zeta.set_zero();
  const SparsePattern& p = *dependent_of.pattern;
  const auto width = static_cast<std::size_t>(Q.cols());
  for (int i = 0; i < drift(); ++i)
    for (int k = p.row_start[holonomic + i]; k < p.row_start[holonomic + i + 1]; ++k)
      add_scaled(dependent_of.values[k], {Q.row(p.column[k]), width}, {zeta.row(i), width});
}

double Parametrization::length(const Matrix& H) const {
  const double size = norm_max(H.values());
  return free_coordinates.empty() ? std::hypot(1, size) : std::max(1.0, size);
}

DependentBlock::DependentBlock(const Parametrization& split, const SparsePattern& constraint,
                               int size) {
  const SparsePattern& dependent = *split.dependent.pattern;
  auto each = [&](auto use) {
    for (int i = 0; i < size; ++i)
      for (int k = constraint.row_start[split.rows[i]]; k < constraint.row_start[split.rows[i] + 1];
           ++k) {
        const int j = constraint.column[k];
        for (int l = dependent.row_start[j]; l < dependent.row_start[j + 1]; ++l)
          if (dependent.column[l] < size) use(i, dependent.column[l], k, split.dependent.values[l]);
      }
  };
  PatternBuilder builder(size, size);
  each([&](int i, int c, int, double) { builder.add(i, c); });
  pattern_ = builder.build();
  each([&](int i, int c, int from, double factor) {
    terms_.push_back({pattern_->find(i, c), from, factor});
  });
}

void DependentBlock::gather(std::span<const double> A, std::span<double> values) const {
  std::fill(values.begin(), values.end(), 0.0);
  for (const Term& t : terms_) values[t.to] += t.factor * A[t.from];
}

FreeBlock::FreeBlock(const Parametrization& split, const SparsePattern& constraint, int rows,
                     int columns)
    : rows_(rows), columns_(columns) {
  const SparsePattern &X = *split.X.pattern, &dependent = *split.dependent.pattern;
  const int n = split.free_velocities();
  for (int i = 0; i < rows; ++i)
    for (int k = constraint.row_start[split.rows[i]]; k < constraint.row_start[split.rows[i] + 1];
         ++k) {
      const int j = constraint.column[k];
      for (int l = X.row_start[j]; l < X.row_start[j + 1]; ++l)
        terms_.push_back({i * columns + X.column[l], k, split.X.values[l]});
      if (columns == n) continue;
      for (int l = dependent.row_start[j]; l < dependent.row_start[j + 1]; ++l)
        if (const int c = dependent.column[l] - split.holonomic; c >= 0)
          terms_.push_back({i * columns + n + c, k, split.dependent.values[l]});
    }
}

void FreeBlock::gather(std::span<const double> A, Matrix& W) const {
  W.resize(rows_, columns_);
  W.set_zero();
  double* w = W.data();
  for (const Term& t : terms_) w[t.to] -= t.factor * A[t.from];
}

namespace {

/// Constraint rows that share dependent coordinates, directly or through others.
class Groups {
 public:
  explicit Groups(int size) : parent_(size) {
    for (int i = 0; i < size; ++i) parent_[i] = i;
  }
  int of(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int i, int j) { parent_[of(i)] = of(j); }

 private:
  std::vector<int> parent_;
};

}  // namespace

std::vector<std::vector<int>> free_supports(const System& system, const Parametrization& split) {
  const int n = split.free_velocities(), nv = system.sizes().v;
  const int m = static_cast<int>(split.rows.size());
  std::vector<int> all(nv);
  for (int j = 0; j < nv; ++j) all[j] = j;
  if (split.dependent_coordinates.empty() || split.drift() > 0)
    return std::vector<std::vector<int>>(n, all);
  std::vector<int> dependent_place(nv, -1), free_place(nv, -1);
  for (int k = 0; k < m; ++k) dependent_place[split.dependent_coordinates[k]] = k;
  for (int i = 0; i < n; ++i) free_place[split.free_coordinates[i]] = i;
  const SparsePattern& p = *system.patterns().constraint;
  Groups groups(2 * m);  // rows, then dependent coordinates
  auto each = [&](auto use) {
    for (int i = 0; i < m; ++i)
      for (int k = p.row_start[split.rows[i]]; k < p.row_start[split.rows[i] + 1]; ++k)
        use(i, p.column[k]);
  };
  each([&](int i, int j) {
    if (dependent_place[j] >= 0) groups.join(i, m + dependent_place[j]);
  });
  std::vector<std::vector<char>> moves(n, std::vector<char>(2 * m, 0));  // groups, by column
  each([&](int i, int j) {
    if (free_place[j] >= 0) moves[free_place[j]][groups.of(i)] = 1;
  });
  std::vector<std::vector<int>> out(n);
  std::vector<char> marked(nv);
  for (int i = 0; i < n; ++i) {
    std::fill(marked.begin(), marked.end(), 0);
    marked[split.free_coordinates[i]] = 1;
    for (int k = 0; k < m; ++k)
      if (moves[i][groups.of(m + k)]) marked[split.dependent_coordinates[k]] = 1;
    // Rotations of a body mix.
    if (system.dimension() == 3)
      for (const BodyLayout& body : system.bodies()) {
        if (body.v_count <= 3) continue;
        char* turn = marked.data() + body.v + 3;
        if (turn[0] || turn[1] || turn[2]) turn[0] = turn[1] = turn[2] = 1;
      }
    for (int j = 0; j < nv; ++j)
      if (marked[j]) out[i].push_back(j);
  }
  return out;
}

}  // namespace kardan
