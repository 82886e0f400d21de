#pragma once
/// Shapes and colours: what a viewer draws, and what gives a body its mass where it has a density.
///
///   colors: {steel: [0.6, 0.65, 0.7], warning: "#ffcc00"}
///   shapes: {wheel: {shape: cylinder, radius: 0.3, length: 0.1, color: black}}
///   bodies: {axle: {density: 7800, shapes: [wheel, {use: wheel, at: [0, 0, 1]}]}}

#include "kardan/model/blueprint.h"
#include "kardan/model/orientation.h"

namespace kardan {

struct ShapeFields : OrientationFields {
  std::string shape;
  Vec3d size, at;
  double radius = 0, length = 0, density = 0;
  ColorField color;
  template <class F>
  static void fields(F& f);
};
std::vector<FieldDoc> shape_field_docs();

inline constexpr const char* color_doc =
    "for drawing: a name, \"#rrggbb\" or [red, green, blue], each from 0 to 1";

/// Colours with a name of their own.
std::vector<std::string> builtin_colors();

/// The named colours and shapes of a model.
class Drawing {
 public:
  /// Reads and checks them.
  Drawing(const FieldMap& colors, const FieldMap& shapes, int dimension, const ValueReader& reader);

  /// "#rrggbb" of what is written, or empty: nothing is written, or it was reported.
  std::string color(const FieldValue* value, const std::string& what,
                    const ValueReader& reader) const;
  /// The fields of a shape: those written in place, over those of the shape it names. Null after
  /// reporting.
  std::optional<FieldMap> shape_fields(const FieldValue& value, const std::string& what,
                                       const ValueReader& reader) const;

 private:
  std::map<std::string, std::string> colors_;
  FieldMap shapes_;
};

/// The `shapes` of a body or of the ground.
std::vector<Shape> resolve_shapes(const NamedFields& body, double body_density,
                                  const std::string& body_color, int dimension,
                                  const Drawing& drawing, const ValueReader& reader);

struct SolidMass {
  double mass = 0;
  Mat3d inertia{};  // about its own centre, own axes
};
SolidMass solid(const Shape& shape);

}  // namespace kardan
