#pragma once
/// How one parameter varies. A kind of variation is one file in distributions/ and one line in its
/// catalog.cpp; the reader, `kardan study` and the schema read the catalog. It is a struct with
///
///   static constexpr std::string_view type, summary;
///   template <class F> static void fields(F& f);     // what a user may write
///   std::string fault() const;                       // why its numbers mean nothing; empty: none
///   double at(double u) const;                       // the value below which a share u lies
///
/// and, where it has a number of values only, `int levels() const`.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/elements/field.h"

namespace kardan {

class Distribution {
 public:
  virtual ~Distribution() = default;
  /// The value below which a share `u` of (0, 1) lies.
  [[nodiscard]] virtual double at(double u) const = 0;
  /// How many values it has; 0: a continuum.
  [[nodiscard]] virtual int levels() const = 0;
};

struct DistributionType {
  std::string_view name, summary;
  std::vector<FieldDoc> fields;
  /// Null after reporting what is wrong.
  std::function<std::unique_ptr<Distribution>(const FieldMap&, const std::string& owner,
                                              const SourceLocation&, const ValueReader&)>
      make;
};

/// The catalog entry of T.
template <class T>
DistributionType describe_distribution() {
  struct Made final : Distribution {
    T it;
    double at(double u) const override { return it.at(u); }
    int levels() const override {
      if constexpr (requires { it.levels(); }) return it.levels();
      return 0;
    }
  };
  return {T::type, T::summary, field_docs<T>(),
          [](const FieldMap& values, const std::string& owner, const SourceLocation& where,
             const ValueReader& reader) -> std::unique_ptr<Distribution> {
            auto made = std::make_unique<Made>();
            if (!read_fields(values, owner, where, reader, made->it)) return nullptr;
            if (const std::string fault = made->it.fault(); !fault.empty()) {
              reader.diagnostics().error("study.distribution", owner + ": " + fault, where);
              return nullptr;
            }
            return made;
          }};
}

[[nodiscard]] const std::vector<DistributionType>& distribution_catalog();

}  // namespace kardan
