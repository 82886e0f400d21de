#include "kardan/study/kept/averages.h"
#include "kardan/study/kept/events.h"
#include "kardan/study/extremes.h"
#include "kardan/study/kept/spectrum.h"

namespace kardan {

const std::vector<KeptFunction>& kept_catalog() {
  static const std::vector<KeptFunction> all{
      describe_kept<Largest>(),        describe_kept<Smallest>(),
      describe_kept<Final>(),          describe_kept<Mean>(),
      describe_kept<RootMeanSquare>(), describe_kept<Integral>(),
      describe_kept<TimeOfEvent>(),    describe_kept<ValueAtEvent>(),
      describe_kept<SpectrumPeak>(),   describe_kept<SpectrumFrequency>(),
  };
  return all;
}

}  // namespace kardan
