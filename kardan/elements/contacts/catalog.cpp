#include "kardan/elements/catalog.h"

#include "kardan/elements/contacts/sphere_plane.h"
#include "kardan/elements/contacts/sphere_sphere.h"
#include "kardan/elements/contacts/tyre.h"

namespace kardan {

void add_contacts(Catalog& c) {
  c.add(describe<SpherePlane>());
  c.add(describe<SphereSphere>());
  c.add(describe<Tyre>());
}

}  // namespace kardan
