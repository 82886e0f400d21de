#pragma once
/// Bodies and markers from their fields.

#include "kardan/model/blueprint.h"
#include "kardan/model/orientation.h"
#include "kardan/model/shape.h"

namespace kardan {

struct BodyFields : OrientationFields {
  std::string kind = "rigid";
  double mass = 0, density = 0;
  std::vector<double> inertia;
  std::string inertia_at;
  Vec3d com, position, velocity;
  std::vector<double> angular_velocity;
  ColorField color;

  template <class F>
  static void fields(F& f);
};

struct MarkerFields : OrientationFields {
  Vec3d at;
  template <class F>
  static void fields(F& f);
};

std::vector<FieldDoc> body_field_docs();
std::vector<FieldDoc> marker_field_docs();

/// Whether the values of a body's own fields can be read; faults are reported.
bool check_body_fields(const FieldMap& fields, const std::string& owner, const ValueReader& reader);

/// A body with mass, inertia about its centre of mass, start, shapes and markers.
BodyData resolve_body(const NamedFields& body, int dimension, const Drawing& drawing,
                      const ValueReader& reader);
/// The ground: markers and shapes only.
BodyData resolve_ground(const NamedFields& ground, int dimension, const Drawing& drawing,
                        const ValueReader& reader);
/// A marker written in place, on the body it names.
FrameData resolve_marker(const FieldValue& marker, const std::string& owner, const BodyData& body,
                         int dimension, const ValueReader& reader);
/// Adds the body's `hold` list as exact wishes.
void resolve_holds(const NamedFields& body, const BodyData& data, int dimension,
                   std::vector<WishData>& wishes, Diagnostics& diagnostics);

}  // namespace kardan
