#include "kardan/linalg/kernels.h"

// Run-time dispatch needs the linker's help (ifunc), which sanitizers do not stand.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KARDAN_DISPATCHED __attribute__((target_clones("avx2", "default")))
#else
#define KARDAN_DISPATCHED
#endif

namespace kardan {
namespace {

/// Neighbouring columns; loads and stores need no alignment.
template <int W>
struct Columns {
  typedef double Type __attribute__((vector_size(W * sizeof(double)), aligned(sizeof(double))));
};
template <int W>
using Wide = typename Columns<W>::Type;

/// N times W columns from y on: the sums stay in registers.
template <int W, int N>
inline __attribute__((always_inline)) void add_columns(int count, const double* c,
                                                       const double* const* rows, int j,
                                                       double* y) {
  Wide<W>* out = reinterpret_cast<Wide<W>*>(y + j);
  Wide<W> sum[N];
  for (int e = 0; e < N; ++e) sum[e] = out[e];
  for (int k = 0; k < count; ++k) {
    const Wide<W>* x = reinterpret_cast<const Wide<W>*>(rows[k] + j);
    for (int e = 0; e < N; ++e) sum[e] += c[k] * x[e];
  }
  for (int e = 0; e < N; ++e) out[e] = sum[e];
}

}  // namespace

KARDAN_DISPATCHED
void add_combination(int count, const double* c, const double* const* rows, int width, double* y) {
  int j = 0;
  for (; j + 16 <= width; j += 16) add_columns<4, 4>(count, c, rows, j, y);
  if (j + 8 <= width) {
    add_columns<4, 2>(count, c, rows, j, y);
    j += 8;
  }
  if (j + 4 <= width) {
    add_columns<4, 1>(count, c, rows, j, y);
    j += 4;
  }
  if (j + 2 <= width) {
    add_columns<2, 1>(count, c, rows, j, y);
    j += 2;
  }
  if (j == width) return;
  double sum = y[j];
  for (int k = 0; k < count; ++k) sum += c[k] * rows[k][j];
  y[j] = sum;
}

}  // namespace kardan
