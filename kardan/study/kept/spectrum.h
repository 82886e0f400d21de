#pragma once
/// The strongest oscillation in the rows. Their mean is taken off and they are weighed by Hann's
/// window (F. J. Harris, On the use of windows for harmonic analysis with the discrete Fourier
/// transform, Proc. IEEE 66 (1978) 51-83); the spectrum is sampled eight times as densely as rows
/// of that number resolve, and a parabola through the largest sample and its neighbours gives the
/// peak.

#include <vector>

#include "kardan/study/kept.h"

namespace kardan {

class Spectrum {
 public:
  struct Peak {
    double frequency = 0, amplitude = 0;  // [Hz], and of the sine
  };
  void begin();
  void see(double t, double y);
  [[nodiscard]] Peak peak() const;

 private:
  double first_ = 0, last_ = 0;
  std::vector<double> values_;
};

struct SpectrumPeak final : Reduction {
  static constexpr std::string_view name = "spectrum_peak";
  static constexpr std::string_view summary = "The amplitude of the strongest oscillation.";
  static constexpr Sight sight = Sight::rows;
  Spectrum it;

  void begin() override { it.begin(); }
  void see(double t, double y) override { it.see(t, y); }
  double result() override { return it.peak().amplitude; }
};

struct SpectrumFrequency final : Reduction {
  static constexpr std::string_view name = "spectrum_frequency";
  static constexpr std::string_view summary = "The frequency of the strongest oscillation [Hz].";
  static constexpr Sight sight = Sight::rows;
  Spectrum it;

  void begin() override { it.begin(); }
  void see(double t, double y) override { it.see(t, y); }
  double result() override { return it.peak().frequency; }
};

}  // namespace kardan
