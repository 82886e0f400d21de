#pragma once
/// Inner loops of dense work on short, wide rows. Compiled for the instruction sets a processor may
/// have and chosen at run time; every element is computed in the same order on all of them, so that
/// the results are the same to the last bit.

namespace kardan {

/// y += sum_k c[k] rows[k], the rows being `width` long.
void add_combination(int count, const double* c, const double* const* rows, int width, double* y);

/// Gathers the terms of such a sum one by one.
class RowSum {
 public:
  RowSum(int width, double* y) : width_(width), y_(y) {}
  ~RowSum() { flush(); }
  RowSum(const RowSum&) = delete;
  RowSum& operator=(const RowSum&) = delete;

  void add(double c, const double* row) {
    if (count_ == most) flush();
    c_[count_] = c;
    rows_[count_++] = row;
  }

 private:
  static constexpr int most = 48;
  void flush() {
    add_combination(count_, c_, rows_, width_, y_);
    count_ = 0;
  }
  int width_, count_ = 0;
  double* y_;
  double c_[most];
  const double* rows_[most];
};

}  // namespace kardan
