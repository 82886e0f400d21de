#pragma once
/// A function of one variable given by points (x_i, y_i), x strictly increasing:
///   linear         straight between the points: C0
///   cubic_spline   the natural cubic spline, y'' = 0 at both ends: C2
/// Outside it goes on with the slope it has at the end, which keeps the spline C2. Derivatives that
/// jump at a point are those to the right of it.

#include <memory>
#include <string>
#include <vector>

#include "kardan/base/expected.h"
#include "kardan/base/time_jet.h"

namespace kardan {

struct Taylor;

enum class Interpolation { linear, cubic_spline };

struct TableError {
  std::string message;  ///< what is wrong: got, wanted
  int index = -1;       ///< the offending point, 0-based; -1 when it is not one point
  std::string hint;     ///< what to do
};

/// Immutable; a copy shares the data.
class Table {
 public:
  /// At least two points, as many x as y, all finite, x strictly increasing.
  [[nodiscard]] static Expected<Table, TableError> make(std::vector<double> x,
                                                        std::vector<double> y,
                                                        Interpolation interpolation);

  /// Value and derivatives; allocates nothing.
  [[nodiscard]] TimeJet at(double x) const;
  /// Over a stretch of time (taylor.h).
  [[nodiscard]] Taylor enclose(const Taylor& x) const;

  /// For double, up to three levels of Dual, and TimeJet.
  template <class T>
  [[nodiscard]] T operator()(const T& x) const {
    return extend(at(value_of(x)), x);
  }

  [[nodiscard]] const std::vector<double>& x() const { return data_->x; }
  [[nodiscard]] const std::vector<double>& y() const { return data_->y; }
  [[nodiscard]] Interpolation interpolation() const { return data_->interpolation; }

 private:
  /// y = c0 + c1 s + c2 s^2 + c3 s^3 with s = x - origin.
  struct Segment {
    double origin, c0, c1, c2, c3;
  };

  /// segments[i] holds between x[i-1] and x[i]; the first and the last one outside.
  struct Data {
    std::vector<double> x, y;
    Interpolation interpolation;
    std::vector<Segment> segments;
  };

  static std::vector<Segment> make_segments(const std::vector<double>& x,
                                            const std::vector<double>& y,
                                            const std::vector<double>& curvature);

  explicit Table(Data data);

  std::shared_ptr<const Data> data_;
};

}  // namespace kardan
