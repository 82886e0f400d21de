#pragma once
/// Which points of the space of parameters are tried. A design is one file in designs/ and one line
/// in its catalog.cpp. Points lie in the unit cube, one coordinate a parameter: distributions make
/// values of them. The point of a run is a function of the design and the run alone.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/elements/field.h"

namespace kardan {

/// What statistics have to know of the points of a design.
struct DesignFacts {
  /// The parameters a table gives values of, which no distribution does then.
  std::vector<std::string> given;
  /// Rows of a sample for Sobol indices, each of `parameters + 2` runs (pick_freeze.h); 0: none.
  std::uint64_t pick_freeze_rows = 0;
  /// False where the points are chosen: no statement about chances follows from them.
  bool is_drawn = true;
};

class Design {
 public:
  virtual ~Design() = default;
  [[nodiscard]] virtual std::uint64_t runs() const = 0;
  /// One number of (0, 1) a parameter; of a table the value itself.
  virtual void point(std::uint64_t run, std::span<double> out) const = 0;
  [[nodiscard]] virtual DesignFacts facts() const = 0;
};

/// What a design is made for.
struct DesignTask {
  std::vector<std::string> parameters;
  std::vector<int> levels;  ///< of each parameter; 0: a continuum
  bool independent = true;  ///< no parameters are correlated
  std::string folder;       ///< in which files are sought
};

struct DesignType {
  std::string_view name, summary;
  std::vector<FieldDoc> fields;
  /// Null after reporting what is wrong.
  std::function<std::unique_ptr<Design>(const FieldMap&, const DesignTask&, const SourceLocation&,
                                        const ValueReader&)>
      make;
};

/// More runs than a file could hold.
inline constexpr double most_runs = 1e9;

/// The catalog entry of a design T with fields and `std::string prepare(const DesignTask&)`, which
/// says what is wrong.
template <class T>
DesignType describe_design() {
  return {T::type, T::summary, field_docs<T>(),
          [](const FieldMap& values, const DesignTask& task, const SourceLocation& where,
             const ValueReader& reader) -> std::unique_ptr<Design> {
            auto made = std::make_unique<T>();
            if (!read_fields(values, "design", where, reader, *made)) return nullptr;
            if (const std::string fault = made->prepare(task); !fault.empty()) {
              reader.diagnostics().error("study.design", "design: " + fault, where);
              return nullptr;
            }
            return made;
          }};
}

/// "got -1 runs; wanted 1 to 1e9"; empty where the number is good.
[[nodiscard]] std::string fault_of_count(double count, const char* of);

[[nodiscard]] const std::vector<DesignType>& design_catalog();

}  // namespace kardan
