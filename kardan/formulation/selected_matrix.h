#pragma once
/// The linearization of the projected strangeness-free form. With N_p, N_v orthonormal bases of the
/// directions that the position and velocity constraints leave free (in units of the model),
///
///   dp = N_p x + ...,   dv = N_v u + V x + ...
///
/// all constraints and the balance are solved for the rest once per linearization, and c E + A
/// shrinks to c E' + J on (x, u, r): the only part that depends on c. Selectors are L_p = N_p',
/// L_v = N_v', with E' = I, or rows of the unit matrix, with E' = L N.

#include <algorithm>
#include <vector>

#include "kardan/formulation/descriptor_matrix.h"
#include "kardan/formulation/motion_blocks.h"
#include "kardan/linalg/lanes.h"
#include "kardan/linalg/square_qr.h"

namespace kardan {

class SelectedMatrix final : public DescriptorMatrix {
 public:
  SelectedMatrix(const System& system, const DescriptorLayout& layout, const DescriptorForm& form,
                 const Vector& units)
      : l_(layout),
        form_(form),
        acceleration_(motion_patterns(system)),
        active_(layout.m),
        position_(system.patterns().constraint, layout.holonomic, units, form.algebraic),
        velocity_(system.patterns().constraint, layout.m, units, form.algebraic) {
    for (Matrix* x : {&pi_, &v_, &tangent_}) *x = Matrix(l_.n, lanes);
    for (double unit : units) unit_.push_back(1 / unit);
    plain_ = std::all_of(units.begin(), units.end(), [](double unit) { return unit == 1; });
    k_ = Matrix(acceleration_.size(), lanes);
    rows_ = Matrix(l_.m, lanes);
    own_ = Matrix(l_.r + l_.w, lanes);
  }

  Eval prepare(const Workspace& ws) override;
  int rank() const override { return velocity_.rank(); }
  int new_selectors() const override { return new_selectors_ ? 1 : 0; }
  const ConstraintSpace* rows() const override { return &velocity_; }
  SquareLinearization* as_square() override { return nullptr; }
  double condition() const override { return 1 / velocity_.smallest_remainder(); }
  Eval factor(double real, std::span<const Complex> complex) override;
  void solve(std::span<const double> F, std::span<double> y) override;
  void solve(std::span<const Vector> F, std::span<Vector> y) override;

 private:
  int free_p() const { return N_p_.cols(); }
  int free_v() const { return N_v_.cols(); }
  int reduced() const { return free_p() + free_v() + l_.r; }
  bool nonholonomic() const { return l_.m > l_.holonomic; }

  Eval find_spaces();
  Eval select();
  void expand_velocities();
  void expand_accelerations();
  void reduce();
  void turn_tangent(std::span<double> x) const;
  void gather(std::span<const std::span<const double>> F, int from, int count, Matrix& to,
              int row = 0) const;
  void solve_rows(ConstraintSpace& space, Matrix& x);
  void determine_algebraic(std::span<const std::span<const double>> F);
  void determine(std::span<const std::span<const double>> F);
  void turn(std::size_t count);
  void solve_real(int lane);
  void solve_pair(int lane, std::size_t which);
  void compose(std::span<const std::span<double>> y);

  DescriptorLayout l_;
  DescriptorForm form_;
  MotionMatrix acceleration_;
  std::vector<char> active_;
  ConstraintSpace position_, velocity_;        // of G by unit columns; holonomic rows, all rows
  Matrix N_p_, N_v_;                           // orthonormal in units of the columns
  Matrix L_p_, L_v_;                           // selectors, by columns
  std::vector<int> rows_p_, rows_v_, pivots_;  // where they are unit rows
  bool new_selectors_ = true;
  Matrix P_p_, P_v_, P_k_;  // dp, dv, d(a, lambda, w) by (x, u, r)
  Matrix J_, S_, W_;
  ComplexMatrix C_;
  DenseLu real_;
  SquareQr<double> real_qr_;
  /// c E' + J for one of the complex c.
  struct Pair {
    Complex c;
    ComplexLu lu;
    SquareQr<Complex> qr;
  };
  std::vector<Pair> pairs_;
  Matrix E_, spare_;
  double real_c_ = 0;
  // What the constraints and the balance determine of a solution, whatever c; and the rest of it.
  Matrix pi_, v_, k_, tangent_, rows_, own_, reduced_;
  Vector unit_;         // inverse of the columns' units
  bool plain_ = false;  // they are all 1
  Vector small_, column_;
  std::vector<Complex> z_;
};

}  // namespace kardan
