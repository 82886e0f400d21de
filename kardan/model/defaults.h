#pragma once
/// Defaults of a model: fields that bodies, or the elements of a type, have where they are not
/// given.
///
///   defaults: {bodies: {density: 7800}, spring_damper: {damping: 300}}

#include "kardan/model/blueprint.h"

namespace kardan {

class Defaults {
 public:
  /// Checks keys and values; what is wrong is reported once and left out.
  Defaults(const FieldMap& defaults, const Catalog& catalog, const ValueReader& reader);

  /// `thing` with the defaults of `kind` ("bodies" or a type) behind its own fields.
  NamedFields complete(const NamedFields& thing, const std::string& kind);
  /// Warns of defaults nothing has asked for.
  void report_unused(Diagnostics& diagnostics) const;

 private:
  struct Entry {
    std::string kind;
    FieldMap fields;
    SourceLocation where;
    bool used = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace kardan
