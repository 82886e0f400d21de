#pragma once
/// A function of one variable given by points (x_i, y_i), x strictly increasing:
///   linear         straight between the points: C0
///   pchip          cubic pieces that rise and fall only where the points do, no overshoot: C1
///   akima          cubic pieces whose slopes follow the neighbours, little overshoot: C1
///   cubic_spline   the natural cubic spline, y'' = 0 at both ends: C2
/// and beyond its ends:
///   hold           the value at the end
///   extend         on with the slope at the end, which keeps the spline C2
///   repeat         the same again, with the period x_last - x_0; y_last must be y_0, and slopes
///                  and curvatures are those of a periodic function
///   error          not a number
/// Derivatives that jump at a point are those to the right of it, at the last point those to the
/// left.

#include <memory>
#include <string>
#include <vector>

#include "kardan/base/expected.h"
#include "kardan/base/time_jet.h"

namespace kardan {

struct Taylor;

enum class Interpolation { linear, pchip, akima, cubic_spline };
enum class Outside { hold, extend, repeat, error };

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
                                                        Interpolation interpolation,
                                                        Outside outside = Outside::extend);

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
  [[nodiscard]] Outside outside() const { return data_->outside; }
  /// Between its ends.
  [[nodiscard]] int continuous_derivatives() const;
  /// Whether x lies beyond an end, where the last value is held.
  [[nodiscard]] bool holds_at(double x) const {
    return data_->outside == Outside::hold && (x < data_->x.front() || x > data_->x.back());
  }

 private:
  /// y = c0 + c1 s + c2 s^2 + c3 s^3 with s = x - origin.
  struct Segment {
    double origin, c0, c1, c2, c3;
  };

  /// segments[i] holds between x[i-1] and x[i]; the first and the last one outside.
  struct Data {
    std::vector<double> x, y;
    Interpolation interpolation;
    Outside outside;
    std::vector<Segment> segments;
  };

  static std::vector<Segment> make_segments(const std::vector<double>& x,
                                            const std::vector<double>& y, Interpolation, Outside);

  explicit Table(Data data);

  /// Index of the segment that holds at x.
  [[nodiscard]] std::size_t piece(double x) const;
  /// How many derivatives go on from segment i - 1 to segment i.
  [[nodiscard]] int continuous_at(std::size_t i) const;
  [[nodiscard]] double period() const { return data_->x.back() - data_->x.front(); }
  [[nodiscard]] Taylor enclose_within(const Taylor& x) const;

  std::shared_ptr<const Data> data_;
};

}  // namespace kardan
