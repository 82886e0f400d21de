#pragma once
/// Where elements read the state and where they write their share of the equations. All matrices
/// are value arrays of fixed patterns owned by the system; an element holds the positions of its
/// blocks in them (slots) and adds to them. Nothing here allocates.

#include <span>

#include "kardan/elements/motion.h"

namespace kardan {

/// The motion and the other variables at which elements are evaluated.
template <int D>
struct Context {
  double t = 0;
  const BodyMotion<D>* bodies = nullptr;  // index 0 is the ground
  const double* r = nullptr;              // dynamic force variables
  const double* w = nullptr;              // auxiliary variables
  const int* turns = nullptr;             // full turns of continuous angles
  const int* modes = nullptr;             // switch positions of elements with kinks
};

/// Constraint rows: holonomic first, then nonholonomic. `rate` is g' (or the nonholonomic
/// residual), `accel` is g'' (or its derivative). G, rate_p, accel_p, accel_v share one pattern.
struct ConstraintValues {
  double *g, *rate, *accel;
  double *g_t, *rate_t, *accel_t;  // partial time derivatives
  double *G, *rate_p, *accel_p, *accel_v;
};

/// Generalized forces f, and the equations of r and w. Force_p, force_v share one pattern.
/// `lambda` (all constraint rows), when given, adds -(G' lambda)_p to f_p.
struct ForceValues {
  double *f, *f_t, *f_p, *f_v;
  double *b, *d;  // r' = b, 0 = d
  double *b_t, *d_t;
  double *aux_p, *aux_v;  // rows: (b, d); columns: velocities
  double* aux_aux;        // rows: (b, d); columns: (r, w)
  double* f_aux;          // rows: velocities; columns: (r, w)
  const double* lambda;
};

/// Columns of one body in the tangent space: 0 for the ground, D for a point, dofs<D> for a rigid
/// body, translation first.
struct BodyColumns {
  int body = 0;
  int first = 0;  // first velocity index
  int count = 0;
};

/// Position of an element's blocks in the constraint pattern.
struct RowSlots {
  BodyColumns A, B;
  int row = 0;
  int rows = 1;                  // consecutive rows of the same element
  int value_A = 0, value_B = 0;  // index of the first value of A's and B's columns in `row`
  int stride = 0;                // values per row, for elements with several rows
  int pairs = -1;                // index of the body pair in the force pattern
};

/// Position of the four blocks of a body pair in the force pattern.
struct PairSlots {
  BodyColumns A, B;
  int AA = 0, AB = 0, BA = 0, BB = 0;  // index of the first value of each block
  int stride_A = 0, stride_B = 0;      // values per row in A's and B's rows
};

/// Adds a local (2 dofs) x (2 dofs) matrix, A first, to the blocks of a pair.
template <int D>
inline void scatter(const PairSlots& s, double factor, const double (*local)[2 * dofs<D>],
                    double* values) {
  constexpr int n = dofs<D>;
  for (int i = 0; i < s.A.count; ++i) {
    double* aa = values + s.AA + i * s.stride_A;
    double* ab = values + s.AB + i * s.stride_A;
    for (int j = 0; j < s.A.count; ++j) aa[j] += factor * local[i][j];
    for (int j = 0; j < s.B.count; ++j) ab[j] += factor * local[i][n + j];
  }
  for (int i = 0; i < s.B.count; ++i) {
    double* ba = values + s.BA + i * s.stride_B;
    double* bb = values + s.BB + i * s.stride_B;
    for (int j = 0; j < s.A.count; ++j) ba[j] += factor * local[n + i][j];
    for (int j = 0; j < s.B.count; ++j) bb[j] += factor * local[n + i][n + j];
  }
}

/// Adds a local vector over (A, B) to a vector over velocities.
template <int D>
inline void scatter_vector(const PairSlots& s, double factor, const double* local, double* values) {
  for (int i = 0; i < s.A.count; ++i) values[s.A.first + i] += factor * local[i];
  for (int i = 0; i < s.B.count; ++i) values[s.B.first + i] += factor * local[dofs<D> + i];
}

/// Adds a local row over (A, B) to row `k` after slots.row of a constraint matrix.
template <int D>
inline void scatter_row(const RowSlots& s, int k, double factor, const double* local,
                        double* values) {
  double* a = values + s.value_A + k * s.stride;
  double* b = values + s.value_B + k * s.stride;
  for (int i = 0; i < s.A.count; ++i) a[i] += factor * local[i];
  for (int i = 0; i < s.B.count; ++i) b[i] += factor * local[dofs<D> + i];
}

}  // namespace kardan
