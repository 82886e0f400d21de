#include <fmt/format.h>

#include <cmath>

#include "kardan/study/designs/grid.h"
#include "kardan/study/designs/latin_hypercube.h"
#include "kardan/study/designs/pick_freeze.h"
#include "kardan/study/designs/random.h"
#include "kardan/study/designs/sobol.h"
#include "kardan/study/designs/table.h"

namespace kardan {

const std::vector<DesignType>& design_catalog() {
  static const std::vector<DesignType> all{
      describe_design<RandomDesign>(), describe_design<LatinHypercube>(),
      describe_design<SobolDesign>(),  describe_design<PickFreezeDesign>(),
      describe_design<GridDesign>(),   describe_design<TableDesign>(),
  };
  return all;
}

std::string fault_of_count(double count, const char* of) {
  if (count >= 1 && count <= most_runs && count == std::floor(count)) return {};
  return fmt::format("got {:g} {}; wanted a whole number from 1 to {:g}", count, of, most_runs);
}

}  // namespace kardan
