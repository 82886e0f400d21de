#include "kardan/elements/catalog.h"

#include "kardan/elements/sensors/coordinate_sensor.h"
#include "kardan/elements/sensors/expression_sensor.h"
#include "kardan/elements/sensors/point_sensor.h"
#include "kardan/elements/sensors/reaction_sensor.h"

namespace kardan {

void add_sensors(Catalog& c) {
  c.add(describe<CoordinateSensor>());
  c.add(describe<PointSensor>());
  c.add(describe<ReactionSensor>());
  c.add(describe<ExpressionSensor>());
}

}  // namespace kardan
