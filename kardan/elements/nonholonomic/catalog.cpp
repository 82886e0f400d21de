#include "kardan/elements/catalog.h"

#include "kardan/elements/nonholonomic/knife_edge.h"
#include "kardan/elements/nonholonomic/rolling_disc.h"
#include "kardan/elements/nonholonomic/rolling_sphere.h"

namespace kardan {

void add_nonholonomic(Catalog& c) {
  c.add(describe<KnifeEdge>());
  c.add(describe<RollingDisc>());
  c.add(describe<RollingSphere>());
}

}  // namespace kardan
