#pragma once
/// Bodies, shapes and markers from their fields.

#include "kardan/model/blueprint.h"

namespace kardan {

/// What a user may write for the pose of a body or marker. In the plane `angle` is enough.
struct OrientationFields {
  double angle = 0;                // [rad]
  std::vector<double> quaternion;  // w, x, y, z
  Vec3d rotation;                  // [rad] rotation vector
  Vec3d z, x;                      // axes in the parent frame
};

struct BodyFields : OrientationFields {
  std::string kind = "rigid";
  double mass = 0, density = 0;
  std::vector<double> inertia;
  std::string inertia_at;
  Vec3d com, position, velocity;
  std::vector<double> angular_velocity;
  std::string color;

  template <class F>
  static void fields(F& f);
};

struct MarkerFields : OrientationFields {
  Vec3d at;
  template <class F>
  static void fields(F& f);
};

struct ShapeFields : OrientationFields {
  std::string shape;
  Vec3d size, at;
  double radius = 0, length = 0, density = 0;
  std::string color;
  template <class F>
  static void fields(F& f);
};

std::vector<FieldDoc> body_field_docs();
std::vector<FieldDoc> marker_field_docs();
std::vector<FieldDoc> shape_field_docs();

/// A body with mass, inertia about its centre of mass, start, shapes and markers.
BodyData resolve_body(const NamedFields& body, int dimension, const ValueReader& reader);
/// The ground: markers and shapes only.
BodyData resolve_ground(const NamedFields& ground, int dimension, const ValueReader& reader);
/// A marker written in place, on the body it names.
FrameData resolve_marker(const FieldValue& marker, const std::string& owner, const BodyData& body,
                         int dimension, const ValueReader& reader);
/// Adds the body's `hold` list as exact wishes.
void resolve_holds(const NamedFields& body, const BodyData& data, int dimension,
                   std::vector<WishData>& wishes, Diagnostics& diagnostics);

}  // namespace kardan
