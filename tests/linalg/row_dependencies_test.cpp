#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>

#include "kardan/linalg/rank.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using test::Random;
using test::sparse_copy;

std::span<const double> row_of(const Matrix& A, int i) {
  return {A.row(i), static_cast<std::size_t>(A.cols())};
}

/// Every row is listed once, and every dependent row is the combination claimed.
void expect_valid(const Matrix& A, const RowDependencies& found) {
  ASSERT_EQ(found.eval, Eval::ok);
  EXPECT_EQ(found.rank, static_cast<int>(found.independent.size()));
  std::set<int> rows(found.independent.begin(), found.independent.end());
  for (const Dependency& dependency : found.dependent) {
    EXPECT_TRUE(rows.insert(dependency.row).second);
    const std::span<const double> row = row_of(A, dependency.row);
    Vector rest(row.begin(), row.end());
    double size = norm_two(rest);
    for (const auto& [other, coefficient] : dependency.combination) {
      EXPECT_TRUE(std::binary_search(found.independent.begin(), found.independent.end(), other));
      add_scaled(-coefficient, row_of(A, other), rest);
      size += std::abs(coefficient) * norm_two(row_of(A, other));
    }
    EXPECT_LE(norm_two(rest), 1e-7 * size) << "row " << dependency.row;
  }
  EXPECT_EQ(static_cast<int>(rows.size()), A.rows());
}

/// A chain of bodies with ball joints, some rows replaced by combinations of their neighbours.
SparseMatrix chain_with_planted_rows(int bodies, const std::vector<int>& planted, Random& random) {
  SparseMatrix G = test::chain_jacobian(bodies, 3, random);
  PatternBuilder builder(G.rows(), G.cols());
  for (int i = 0; i < G.rows(); ++i) {
    const bool wide = std::find(planted.begin(), planted.end(), i) != planted.end();
    builder.add_block(i, 6 * (i / 3) - (wide ? 6 : 0), 1, wide ? 18 : 12);
  }
  SparseMatrix A(builder.build());
  const auto add_row = [&](int from, int to, double factor) {
    for (int k = G.pattern->row_start[from]; k < G.pattern->row_start[from + 1]; ++k) {
      A.values[A.pattern->find(to, G.pattern->column[k])] += factor * G.values[k];
    }
  };
  for (int i = 0; i < G.rows(); ++i) {
    if (std::find(planted.begin(), planted.end(), i) == planted.end()) {
      add_row(i, i, 1.0);
    } else {  // i is the last row of its joint: from its joint and the one before
      add_row(i - 1, i, 2.0);
      add_row(i - 2, i, -0.5);
      add_row(i - 4, i, 1.5);
    }
  }
  return A;
}

TEST(RowDependencies, OfAFullRankMatrixAreNone) {
  Random random(61);
  const Matrix A = test::random_matrix(10, 25, random);
  const RowDependencies found = find_row_dependencies(A);
  expect_valid(A, found);
  EXPECT_EQ(found.rank, 10);
  EXPECT_TRUE(found.dependent.empty());
}

TEST(RowDependencies, FindPlantedRankWhateverTheUnitsOfTheRows) {
  Random random(62);
  for (const auto& [rows, cols, rank] :
       {std::tuple{12, 20, 7}, {20, 12, 12}, {40, 40, 1}, {30, 60, 29}, {90, 70, 50}}) {
    Matrix A = test::random_matrix_of_rank(rows, cols, rank, random);
    for (int i = 0; i < rows; ++i) {
      const double unit = std::pow(10.0, random.index(13) - 6);
      for (int j = 0; j < cols; ++j) A(i, j) *= unit;
    }
    for (const RowDependencies& found :
         {find_row_dependencies(A), find_row_dependencies(sparse_copy(A))}) {
      expect_valid(A, found);
      EXPECT_EQ(found.rank, rank);
    }
  }
}

TEST(RowDependencies, NameExactlyTheRowsInvolved) {
  Random random(63);
  Matrix A = test::random_matrix(9, 15, random);
  for (int j = 0; j < 15; ++j) A(6, j) = 3.0 * A(1, j) - 2.0 * A(4, j);
  const RowDependencies found = find_row_dependencies(A);
  expect_valid(A, found);
  ASSERT_EQ(found.dependent.size(), 1u);
  std::set<int> involved = {found.dependent[0].row};
  for (const auto& term : found.dependent[0].combination) involved.insert(term.first);
  EXPECT_EQ(involved, (std::set<int>{1, 4, 6}));
}

TEST(RowDependencies, ZeroRowsAreDependentOnNothing) {
  Random random(64);
  for (const int rows : {8, 200}) {
    Matrix A = test::random_matrix(rows, 300, random);
    for (const int zero : {0, 5}) {
      for (int j = 0; j < A.cols(); ++j) A(zero, j) = 0.0;
    }
    SparseMatrix S = sparse_copy(A);
    for (const RowDependencies& found : {find_row_dependencies(A), find_row_dependencies(S)}) {
      EXPECT_EQ(found.rank, rows - 2);
      ASSERT_EQ(found.dependent.size(), 2u);
      EXPECT_EQ(found.dependent[0].row, 0);
      EXPECT_EQ(found.dependent[1].row, 5);
      EXPECT_TRUE(found.dependent[0].combination.empty());
    }
  }
  EXPECT_EQ(find_row_dependencies(Matrix(4, 3)).rank, 0);
  EXPECT_EQ(find_row_dependencies(SparseMatrix(PatternBuilder(100, 3).build())).rank, 0);
}

TEST(RowDependencies, DecideAtTheStatedTolerance) {
  Matrix A(2, 2);
  A(0, 0) = 1.0, A(1, 0) = 1.0;
  for (const double angle : {1e-12, 1e-8}) {
    A(1, 1) = angle;
    EXPECT_EQ(find_row_dependencies(A).rank, angle < 1e-10 ? 1 : 2);
    EXPECT_EQ(find_row_dependencies(A, {.tolerance = 1e-6}).rank, 1);
    EXPECT_EQ(find_row_dependencies(A, {.tolerance = 1e-14}).rank, 2);
  }
}

TEST(RowDependencies, ConditionIsTheRatioOfSingularValuesOfTheUnitRows) {
  // Two unit rows at angle a: singular values sqrt(1 +- cos a).
  for (const double angle : {1.5, 0.1, 1e-3}) {
    Matrix A(3, 3);
    A(0, 0) = 100.0;
    A(1, 0) = std::cos(angle), A(1, 1) = std::sin(angle);
    A(2, 2) = 1e-3;
    const double expected = 1.0 / std::tan(angle / 2.0);
    EXPECT_NEAR(find_row_dependencies(A).condition, expected, 1e-9 * expected);
  }
}

TEST(RowDependencies, SparseConditionEstimateAgreesWithTheExactOne) {
  Random random(65);
  const SparseMatrix G = test::chain_jacobian(60, 3, random);
  const double exact = find_row_dependencies(G.to_dense()).condition;
  const double estimate = find_row_dependencies(G).condition;
  EXPECT_LE(estimate, exact * (1.0 + 1e-12));
  EXPECT_GE(estimate, 0.9 * exact);
}

TEST(RowDependencies, OfAChainAreFoundInTheSparsePath) {
  Random random(66);
  const std::vector<int> planted = {5, 32, 35, 182, 299};
  const SparseMatrix A = chain_with_planted_rows(101, planted, random);
  const RowDependencies found = find_row_dependencies(A);
  expect_valid(A.to_dense(), found);
  EXPECT_EQ(found.rank, A.rows() - 5);
}

TEST(RowDependencies, AroundALongLoopAreFoundWithAllTheirRows) {
  // Differences of neighbours around a ring, the last row closing it: the rows add up to zero.
  const int n = 500;
  Matrix A(n, n);
  for (int i = 0; i < n; ++i) A(i, i) = 1.0, A(i, (i + 1) % n) = -1.0;
  const RowDependencies found = find_row_dependencies(sparse_copy(A));
  expect_valid(A, found);
  ASSERT_EQ(found.dependent.size(), 1u);
  EXPECT_EQ(found.dependent[0].combination.size(), static_cast<std::size_t>(n - 1));
  for (const auto& term : found.dependent[0].combination) EXPECT_NEAR(term.second, -1.0, 1e-10);
}

TEST(RowDependencies, HiddenBehindHarmlessPivotsAreFound) {
  // Kahan's matrix: triangular with columns of unit length and no small diagonal entry, yet
  // singular to working precision. Beside it 100 independent rows, to be in the sparse path.
  const int n = 60, other = 100;
  const double s = std::sin(1.0), c = std::cos(1.0);
  Matrix A(n + other, n + other);
  for (int j = 0; j < n; ++j) {
    double power = 1.0;
    for (int i = 0; i <= j; ++i, power *= s) A(j, i) = i == j ? power : -c * power;
  }
  for (int i = n; i < n + other; ++i) A(i, i) = 1.0;
  const RowDependencies found = find_row_dependencies(sparse_copy(A));
  EXPECT_EQ(found.rank, n + other - 1);
  EXPECT_LT(found.condition, 1e10);
  expect_valid(A, found);
}

TEST(RowDependencies, OfAnOverconstrainedNetLeaveTheFullColumnRank) {
  // Bodies on a grid, joints of five rows along every line and across every third column: more
  // rows than columns, generic values, so that the rank is the number of columns. Elimination
  // along the lines amplifies exponentially and hides several dependencies behind large pivots.
  const int side = 16;
  std::vector<std::pair<int, int>> joints;
  for (int body = 0; body < side * side; ++body) {
    if ((body + 1) % side != 0) joints.emplace_back(body, body + 1);
    if (body % side % 3 == 0 && body + side < side * side) joints.emplace_back(body, body + side);
  }
  PatternBuilder builder(5 * static_cast<int>(joints.size()), 6 * side * side);
  for (int k = 0; k < static_cast<int>(joints.size()); ++k) {
    builder.add_block(5 * k, 6 * joints[k].first, 5, 6);
    builder.add_block(5 * k, 6 * joints[k].second, 5, 6);
  }
  SparseMatrix A(builder.build());
  Random random(69);
  for (double& value : A.values) value = random.value();
  const RowDependencies found = find_row_dependencies(A);
  EXPECT_EQ(found.rank, A.cols());
  EXPECT_LT(found.condition, 1e11);
  expect_valid(A.to_dense(), found);
}

TEST(RowDependencies, AreTheSameBitsTwice) {
  Random random(67);
  const SparseMatrix A = chain_with_planted_rows(80, {8, 101}, random);
  for (const auto& find :
       {+[](const SparseMatrix& S) { return find_row_dependencies(S); },
        +[](const SparseMatrix& S) { return find_row_dependencies(S.to_dense()); }}) {
    const RowDependencies first = find(A), second = find(A);
    EXPECT_EQ(first.independent, second.independent);
    EXPECT_EQ(first.condition, second.condition);
    ASSERT_EQ(first.dependent.size(), second.dependent.size());
    for (std::size_t k = 0; k < first.dependent.size(); ++k) {
      EXPECT_EQ(first.dependent[k].row, second.dependent[k].row);
      EXPECT_EQ(first.dependent[k].combination, second.dependent[k].combination);
    }
  }
}

/// The fastest of three: what the machine does beside counts as little as it can.
double seconds_of_dependencies(const SparseMatrix& A) {
  double fastest = HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    (void)find_row_dependencies(A);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, time.count());
  }
  return fastest;
}

/// Bodies with hinges (5 rows) on one hub; the last row of each body in `doubled` is the sum of two
/// others of its hinge.
SparseMatrix star(int bodies, const std::vector<int>& doubled, Random& random) {
  PatternBuilder builder(5 * bodies, 6 * (bodies + 1));
  for (int k = 0; k < bodies; ++k) {
    builder.add_block(5 * k, 0, 5, 6);
    builder.add_block(5 * k, 6 * (k + 1), 5, 6);
  }
  SparseMatrix A(builder.build());
  for (double& value : A.values) value = random.value();
  const SparsePattern& p = *A.pattern;
  for (int k : doubled)
    for (int e = 0; e < 12; ++e)
      A.values[p.row_start[5 * k + 4] + e] =
          A.values[p.row_start[5 * k] + e] + A.values[p.row_start[5 * k + 1] + e];
  return A;
}

TEST(RowDependencies, OfAStarAreThoseOfItsHinges) {
  Random random(70);
  const std::vector<int> doubled{0, 17, 99};
  const SparseMatrix A = star(100, doubled, random);
  const RowDependencies found = find_row_dependencies(A);
  EXPECT_EQ(found.rank, 500 - 3);
  std::set<int> hinges;
  for (const Dependency& d : found.dependent) hinges.insert(d.row / 5);
  EXPECT_EQ(hinges, std::set<int>(doubled.begin(), doubled.end()));
  Matrix dense(A.rows(), A.cols());
  copy_to_dense(*A.pattern, A.values, dense);
  expect_valid(dense, found);
}

/// Row `to` of A becomes a combination of others, which may touch other columns.
SparseMatrix with_planted_row(const SparseMatrix& A, int to,
                              const std::vector<std::pair<int, double>>& combination) {
  const SparsePattern& p = *A.pattern;
  PatternBuilder builder(A.rows(), A.cols());
  const auto each = [&p](int i, const auto& take) {
    for (int k = p.row_start[i]; k < p.row_start[i + 1]; ++k) take(k);
  };
  for (int i = 0; i < A.rows(); ++i)
    if (i != to) each(i, [&](int k) { builder.add(i, p.column[k]); });
  for (const auto& [from, factor] : combination)
    each(from, [&](int k) { builder.add(to, p.column[k]); });
  SparseMatrix out(builder.build());
  const auto value = [&out](int i, int j) -> double& {
    return out.values[out.pattern->find(i, j)];
  };
  for (int i = 0; i < A.rows(); ++i)
    if (i != to) each(i, [&](int k) { value(i, p.column[k]) = A.values[k]; });
  for (const auto& [from, factor] : combination)
    each(from, [&](int k) { value(to, p.column[k]) += factor * A.values[k]; });
  return out;
}

TEST(RowDependencies, ThatHoldThroughTheHubOfAStarAreFound) {
  Random random(72);
  SparseMatrix A = star(120, {7}, random);
  A = with_planted_row(A, 303, {{12, 1.0}, {577, -2.0}, {305, 0.5}});
  A = with_planted_row(A, 4, {{2, 3.0}, {598, 1.0}});
  const RowDependencies found = find_row_dependencies(A);
  EXPECT_EQ(found.rank, 600 - 3);
  expect_valid(A.to_dense(), found);
  for (const Dependency& d : found.dependent) EXPECT_LE(d.combination.size(), 3u);
}

/// Some rows of hinges differ from others by little: they are put off until all others had a turn.
TEST(RowDependencies, OfAStarAreDecidedAtTheTolerance) {
  Random random(73);
  for (const double apart : {1e-2, 1e-7, 1e-12}) {
    SparseMatrix A = star(100, {}, random);
    for (const int k : {3, 50, 98})
      for (int e = 0; e < 12; ++e) {
        const std::vector<int>& start = A.pattern->row_start;
        double& value = A.values[start[5 * k + 4] + e];
        value = A.values[start[5 * k] + e] + apart * value;
      }
    const RowDependencies found = find_row_dependencies(A);
    EXPECT_EQ(found.rank, apart < 1e-10 ? 500 - 3 : 500) << apart;
    const double exact = find_row_dependencies(A.to_dense()).condition;
    EXPECT_LE(found.condition, exact * (1 + 1e-6)) << apart;
    EXPECT_GE(found.condition, 0.5 * exact) << apart;
  }
}

/// Hubs in a row, with satellites: columns that are crowded for a while.
TEST(RowDependencies, OfManyStarsInAChainAreFound) {
  constexpr int hubs = 5, satellites = 70, joints = hubs * satellites + hubs - 1;
  Random random(74);
  PatternBuilder builder(5 * joints, 6 * hubs * (satellites + 1));
  int joint = 0;
  const auto hinge = [&](int a, int b) {
    builder.add_block(5 * joint, 6 * a, 5, 6);
    builder.add_block(5 * joint++, 6 * b, 5, 6);
  };
  for (int h = 0; h < hubs; ++h)
    for (int k = 0; k < satellites; ++k) hinge(h, hubs + h * satellites + k);
  for (int h = 1; h < hubs; ++h) hinge(h - 1, h);
  SparseMatrix A(builder.build());
  for (double& value : A.values) value = random.value();
  const int last = A.rows() - 1;
  A = with_planted_row(A, last, {{3, 1.0}, {last - 1, 1.0}});
  A = with_planted_row(A, 500, {{501, 1.0}, {900, -1.0}, {1403, 2.0}});
  const RowDependencies found = find_row_dependencies(A);
  EXPECT_EQ(found.rank, A.rows() - 2);
  expect_valid(A.to_dense(), found);
}

/// 16 times were quadratic.
TEST(RowDependencies, OfAStarOfFourTimesTheBodiesTakeAboutFourTimesAsLong) {
  Random random(71);
  std::vector<int> doubled;
  for (int k = 3; k < 1000; k += 10) doubled.push_back(k);
  const SparseMatrix quarter = star(1000, doubled, random);
  for (int k = 1003; k < 4000; k += 10) doubled.push_back(k);
  const SparseMatrix whole = star(4000, doubled, random);
  EXPECT_LT(seconds_of_dependencies(whole), 10 * seconds_of_dependencies(quarter));
  EXPECT_EQ(find_row_dependencies(whole).rank, 5 * 4000 - 400);
}

/// 16 times were quadratic.
TEST(RowDependencies, OfFourTimesTheBodiesTakeAboutFourTimesAsLong) {
  Random random(69);
  const SparseMatrix quarter = chain_with_planted_rows(2501, {5, 302, 7'001}, random),
                     whole = chain_with_planted_rows(10'001, {5, 302, 12'002, 29'999}, random);
  EXPECT_LT(seconds_of_dependencies(whole), 10 * seconds_of_dependencies(quarter));
}

TEST(RowDependencies, OfTenThousandBodiesAreFound) {
  Random random(68);
  const std::vector<int> planted = {5, 302, 12'002, 12'005, 29'999};
  const SparseMatrix A = chain_with_planted_rows(10'001, planted, random);
  ASSERT_EQ(A.rows(), 30'000);
  const RowDependencies found = find_row_dependencies(A);
  EXPECT_EQ(found.rank, 30'000 - 5);
  ASSERT_EQ(found.dependent.size(), planted.size());
  for (const Dependency& dependency : found.dependent) {
    Vector x(A.rows(), 0.0), sum(A.cols(), 0.0);
    x[dependency.row] = -1.0;
    for (const auto& [row, coefficient] : dependency.combination) x[row] = coefficient;
    A.multiply_transposed_add(1.0, x, sum);
    EXPECT_LT(norm_max(sum), 1e-7);
    EXPECT_LE(dependency.combination.size(), 8u);
  }
}

}  // namespace
}  // namespace kardan
