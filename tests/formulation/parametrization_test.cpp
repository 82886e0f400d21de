#include "kardan/formulation/parametrization.h"

#include <gtest/gtest.h>

#include "kardan/formulation/analysis.h"
#include "kardan/linalg/linear_solver.h"
#include "support/models.h"

namespace kardan {
namespace {

using test::shipped;

struct Case {
  std::string model;
  Parametrize choose;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.model;
}

class Parametrizations : public testing::TestWithParam<Case> {
 protected:
  Parametrizations() {
    Diagnostics diagnostics;
    model_ = prepare(shipped(GetParam().model), {}, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors());
    ws_ = model_.system->make_workspace();
    EXPECT_EQ(GetParam().choose(*model_.system, model_.start.state, *ws_, split_), Eval::ok);
  }
  /// Largest entry of A(rows) B.
  double product(int first, int last, const SparseMatrix& B) const {
    const Matrix A = ws_->G.to_dense(), dense = B.to_dense();
    Matrix C;
    multiply(A, dense, C);
    double largest = 0;
    for (int i = first; i < last; ++i)
      largest =
          std::max(largest, norm_max({C.row(split_.rows[i]), static_cast<std::size_t>(C.cols())}));
    return largest;
  }

  Prepared model_;
  std::unique_ptr<Workspace> ws_;
  Parametrization split_;
};

TEST_P(Parametrizations, HaveTheirInverse) {
  const Matrix of[2] = {split_.x_of.to_dense(), split_.dependent_of.to_dense()};
  const Matrix columns[2] = {split_.X.to_dense(), split_.dependent.to_dense()};
  EXPECT_EQ(columns[0].cols() + columns[1].cols(), model_.system->sizes().v);
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      Matrix C;
      multiply(of[a], columns[b], C);
      for (int i = 0; i < C.rows(); ++i)
        for (int j = 0; j < C.cols(); ++j) EXPECT_NEAR(C(i, j), a == b && i == j ? 1 : 0, 1e-13);
    }
}

TEST_P(Parametrizations, KeepTheRankOfPositionsAndVelocities) {
  const ConstraintAnalysis a = analyse(*model_.system, model_.start.state, *ws_);
  EXPECT_EQ(split_.holonomic, a.position_rank);
  EXPECT_EQ(static_cast<int>(split_.rows.size()), a.rank);
  EXPECT_EQ(split_.free_velocities(), a.degrees_of_freedom);
  EXPECT_EQ(split_.free_positions(), model_.system->sizes().v - a.position_rank);
}

TEST_P(Parametrizations, LeaveBlocksThatCanBeSolved) {
  const int m = static_cast<int>(split_.rows.size());
  for (const int size : {split_.holonomic, m}) {
    const DependentBlock block(split_, *ws_->G.pattern, size);
    Vector values(block.pattern()->nonzeros());
    block.gather(ws_->G.values, values);
    LinearSolver solver(block.pattern());
    ASSERT_EQ(solver.factor(values), Eval::ok);
    if (size > 0) {
      EXPECT_GT(solver.rcond(), 1e-5);
    }
  }
}

class TangentSpaces : public Parametrizations {};
TEST_P(TangentSpaces, AreSpanned) {
  const int m = static_cast<int>(split_.rows.size());
  const double size = norm_max(ws_->G.values);
  EXPECT_LE(product(0, m, split_.X), 1e-13 * size) << "X lies in all constraints";
  SparseMatrix Z = split_.dependent;  // the columns of Z alone
  for (int k = 0; k < Z.pattern->nonzeros(); ++k)
    if (Z.pattern->column[k] < split_.holonomic) Z.values[k] = 0;
  EXPECT_LE(product(0, split_.holonomic, Z), 1e-13 * size) << "Z in the holonomic ones";
}

std::vector<Case> cases(std::vector<Parametrize> choices) {
  std::vector<Case> all;
  for (const std::string& name : test::shipped_names())
    for (Parametrize choose : choices) all.push_back({name, choose});
  return all;
}
std::string case_name(const testing::TestParamInfo<Case>& test) {
  return test.param.model + (test.param.choose == span_tangent_space ? "_tangent" : "");
}
INSTANTIATE_TEST_SUITE_P(Models, Parametrizations,
                         testing::ValuesIn(cases({partition_coordinates, span_tangent_space})),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Models, TangentSpaces, testing::ValuesIn(cases({span_tangent_space})),
                         case_name);

}  // namespace
}  // namespace kardan
