#include "kardan/linalg/pivot_search.h"

#include <klu.h>

#include <utility>

#include "kardan/base/stoppable.h"

namespace kardan {

namespace {

// Share of off-diagonal entries (i, j) whose mirror (j, i) is present, above which the ordering is
// made for A + A' without block triangular form: for [M G'; G 0] the column matching of the block
// triangular form destroys the symmetry (up to 20 times the fill for star-shaped mechanisms).
constexpr double symmetric_share = 0.5;

double mirrored_share(const SparsePattern& pattern) {
  int mirrored = 0, off_diagonal = 0;
  for (int i = 0; i < pattern.rows; ++i) {
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
      const int j = pattern.column[k];
      if (j == i) continue;
      ++off_diagonal;
      if (pattern.find(j, i) >= 0) ++mirrored;
    }
  }
  return off_diagonal == 0 ? 1.0 : static_cast<double>(mirrored) / off_diagonal;
}

// From about this many operations on KLU, which has no stop points, works for a tenth of a second.
constexpr double long_work = 1e8;

using Symbolic = std::shared_ptr<klu_symbolic>;

/// A factorization by KLU, with everything it uses. KLU takes pointers to non-const for arrays it
/// documents as "inputs, not modified".
struct KluFactor {
  std::shared_ptr<const SparsePattern> pattern;
  Symbolic symbolic;
  klu_common common;
  klu_numeric* numeric = nullptr;

  KluFactor(std::shared_ptr<const SparsePattern> of, Symbolic analyzed, const klu_common& how)
      : pattern(std::move(of)), symbolic(std::move(analyzed)), common(how) {}
  ~KluFactor() { klu_free_numeric(&numeric, &common); }
  KluFactor(const KluFactor&) = delete;
  KluFactor& operator=(const KluFactor&) = delete;

  void run(std::span<const double> values) {
    numeric = klu_factor(const_cast<int*>(pattern->row_start.data()),
                         const_cast<int*>(pattern->column.data()),
                         const_cast<double*>(values.data()), symbolic.get(), &common);
  }
};

}  // namespace

/// KLU reads compressed columns: our compressed rows are those of A'. It orders the unknowns and
/// chooses pivots; everything else goes along the lists made of them.
class PivotSearch::Implementation {
 public:
  Implementation() { klu_defaults(&common_); }

  Eval analyze(std::shared_ptr<const SparsePattern> pattern);
  Eval choose(std::span<const double> values, PivotOrder& out);

  int structural_rank() const { return structural_rank_; }
  double predicted_nonzeros() const { return symbolic_ ? symbolic_->lnz + symbolic_->unz : 0.0; }

 private:
  // KLU takes pointers to non-const for arrays it documents as "inputs, not modified".
  int* starts() const { return const_cast<int*>(pattern_->row_start.data()); }
  int* columns() const { return const_cast<int*>(pattern_->column.data()); }

  Symbolic order();

  std::shared_ptr<const SparsePattern> pattern_;
  klu_common common_{};
  Symbolic symbolic_;
  int structural_rank_ = 0;
};

Symbolic PivotSearch::Implementation::order() {
  return {klu_analyze(pattern_->rows, starts(), columns(), &common_),
          [common = common_](klu_symbolic* symbolic) mutable {
            klu_free_symbolic(&symbolic, &common);
          }};
}

Eval PivotSearch::Implementation::analyze(std::shared_ptr<const SparsePattern> pattern) {
  symbolic_.reset();
  pattern_ = std::move(pattern);
  structural_rank_ = 0;
  common_.tol = diagonal_preference;
  common_.ordering = 0;  // AMD
  common_.btf = 1;       // first for the structural rank, which only this mode computes
  symbolic_ = order();
  if (symbolic_ == nullptr) return Eval::fatal;
  structural_rank_ = symbolic_->structural_rank;
  if (mirrored_share(*pattern_) >= symmetric_share) {
    symbolic_.reset();
    common_.btf = 0;
    symbolic_ = order();
    if (symbolic_ == nullptr) return Eval::fatal;
  }
  return Eval::ok;
}

Eval PivotSearch::Implementation::choose(std::span<const double> values, PivotOrder& out) {
  auto work = std::make_shared<KluFactor>(pattern_, symbolic_, common_);
  if (symbolic_->est_flops >= long_work)
    run_stoppably([work, own = Vector(values.begin(), values.end())] { work->run(own); });
  else
    work->run(values);
  if (work->common.status < KLU_OK) return Eval::fatal;  // memory or index range
  const klu_numeric* numeric = work->numeric;
  if (numeric == nullptr || work->common.status != KLU_OK) return Eval::recoverable;
  const int n = pattern_->rows;
  out = {.row = {symbolic_->Q, symbolic_->Q + n},
         .column = {numeric->Pnum, numeric->Pnum + n},
         .block_start = {symbolic_->R, symbolic_->R + symbolic_->nblocks + 1}};
  return Eval::ok;
}

PivotSearch::PivotSearch() : implementation_(std::make_unique<Implementation>()) {}
PivotSearch::~PivotSearch() = default;
PivotSearch::PivotSearch(PivotSearch&&) noexcept = default;
PivotSearch& PivotSearch::operator=(PivotSearch&&) noexcept = default;

Eval PivotSearch::analyze(std::shared_ptr<const SparsePattern> pattern) {
  return implementation_->analyze(std::move(pattern));
}

int PivotSearch::structural_rank() const {
  return implementation_->structural_rank();
}

double PivotSearch::predicted_nonzeros() const {
  return implementation_->predicted_nonzeros();
}

Eval PivotSearch::choose(std::span<const double> values, PivotOrder& out) {
  return implementation_->choose(values, out);
}

}  // namespace kardan
