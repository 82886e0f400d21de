#include "kardan/study/distributions/levels.h"
#include "kardan/study/distributions/normal.h"
#include "kardan/study/distributions/triangular.h"
#include "kardan/study/distributions/uniform.h"

namespace kardan {

const std::vector<DistributionType>& distribution_catalog() {
  static const std::vector<DistributionType> all{
      describe_distribution<Uniform>(),    describe_distribution<Normal>(),
      describe_distribution<Triangular>(), describe_distribution<ListOfValues>(),
      describe_distribution<EqualSteps>(),
  };
  return all;
}

}  // namespace kardan
