#include "kardan/base/stop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>

#include "kardan/linalg/complex_lu.h"
#include "kardan/linalg/constraint_space.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/eigenvalues.h"
#include "kardan/linalg/rank.h"
#include "kardan/linalg/row_space.h"
#include "kardan/linalg/sparse_lu.h"
#include "kardan/linalg/square_qr.h"
#include "linalg/random_matrices.h"

namespace kardan {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Of a size that takes seconds.
constexpr int size = 1500;

const Matrix& large() {
  static const Matrix A = [] {
    test::Random random(3);
    return test::random_matrix(size, size, random);
  }();
  return A;
}

/// Work of other libraries goes on after the test: of a size that takes about a second.
constexpr int less = 600;

Matrix corner(int rows, int cols) {
  Matrix A(rows, cols);
  for (int i = 0; i < rows; ++i) std::copy_n(large().row(i), cols, A.row(i));
  return A;
}

struct Long {
  const char* name;
  void (*work)();
};

void PrintTo(const Long& work, std::ostream* out) {
  *out << work.name;
}

const Long works[] = {
    {"DenseLu", [] { (void)DenseLu().factor(large()); }},
    {"DenseLuColumns",
     [] {
       DenseLu lu;
       Matrix X = large();
       if (lu.factor(Matrix::identity(size)) == Eval::ok)
         for (;;) lu.solve(X);
     }},
    {"ComplexLu",
     [] {
       ComplexMatrix A;
       A.resize(size);
       for (int i = 0; i < size; ++i)
         for (int j = 0; j < size; ++j) A(i, j) = {large()(i, j), large()(j, i)};
       (void)ComplexLu().factor(A);
     }},
    {"SquareQr", [] { (void)SquareQr<double>().factor(size, large().values()); }},
    {"PivotedQr", [] { (void)PivotedQr().factor(large()); }},
    {"FullPivotLu", [] { (void)FullPivotLu().factor(large()); }},
    {"RowSpace", [] { (void)RowSpace().factor(large(), 1e-10, size); }},
    {"Eigenvalues",
     [] {
       EigenSystem found;
       (void)find_eigenvalues(corner(less, less), EigenOutput::values, found);
     }},
    {"SparseLu",
     [] {
       const SparseMatrix A = test::sparse_copy(corner(less, less));
       SparseLu lu;
       ASSERT_EQ(lu.analyze(A.pattern), Eval::ok);
       (void)lu.factor(A.values);
     }},
    {"SingularRows",
     [] {
       const SparseMatrix A = test::sparse_copy(corner(less / 2, less));
       ConstraintSpace space(A.pattern, less / 2, Vector(less, 1.0), RowDecomposition::svd);
       (void)space.factor(A, 1e-10, less / 2, {});
     }},
};

class LongFactorizations : public testing::TestWithParam<Long> {};

/// [s] of this program's own time between two questions: a busy machine does not count.
TEST_P(LongFactorizations, AskOftenWhetherToEnd) {
  constexpr int questions = 6;
  constexpr double longest = 0.5;
  ASSERT_EQ(large().rows(), size);
  int asked = 0;
  double gap = 0;
  std::clock_t before = std::clock();
  const StopQuestion question = [&] {
    gap = std::max(gap, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    before = std::clock();
    return std::string(++asked < questions ? "" : "enough");
  };
  const StopScope scope(question);
  try {
    for (;;) GetParam().work();
  } catch (const Stopped& stopped) {
    EXPECT_EQ(stopped.why(), "enough");
  }
  EXPECT_EQ(asked, questions);
  EXPECT_LT(gap, longest);
}

INSTANTIATE_TEST_SUITE_P(All, LongFactorizations, testing::ValuesIn(works),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(StopScopes, AskThoseAroundThem) {
  const Clock::time_point begin = Clock::now();
  const StopQuestion yes = [] { return std::string("outer"); }, none;
  const StopScope outer(yes);
  const StopScope inner(none);
  EXPECT_THROW(
      {
        while (seconds_since(begin) < 5) stop_point();
      },
      Stopped);
}

TEST(StopScopes, EndWithTheirLife) {
  {
    const StopQuestion yes = [] { return std::string("now"); };
    const StopScope scope(yes);
  }
  const Clock::time_point begin = Clock::now();
  while (seconds_since(begin) < 0.05) EXPECT_NO_THROW(stop_point());
}

}  // namespace
}  // namespace kardan
