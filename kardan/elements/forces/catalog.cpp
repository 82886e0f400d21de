#include "kardan/elements/catalog.h"

#include "kardan/elements/forces/actuator.h"
#include "kardan/elements/forces/applied_force.h"
#include "kardan/elements/forces/applied_torque.h"
#include "kardan/elements/forces/bushing.h"
#include "kardan/elements/forces/cable.h"
#include "kardan/elements/forces/controller.h"
#include "kardan/elements/forces/drag.h"
#include "kardan/elements/forces/pivot_bushing.h"
#include "kardan/elements/forces/rotational_spring_damper.h"
#include "kardan/elements/forces/spring_damper.h"

namespace kardan {

void add_forces(Catalog& c) {
  c.add(describe<SpringDamper>());
  c.add(describe<RotationalSpringDamper>());
  c.add(describe<Bushing>());
  c.add(describe<PivotBushing>());
  c.add(describe<AppliedForce>());
  c.add(describe<AppliedTorque>());
  c.add(describe<Drag>());
  c.add(describe<Actuator>());
  c.add(describe<Controller>());
  c.add(describe<Cable>());
}

}  // namespace kardan
