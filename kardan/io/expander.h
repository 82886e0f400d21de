#pragma once
/// Values of a document as the model takes them, with `repeat` and `${...}` carried out.
///
///   link_${i}: {repeat: {i: [1, N]}, position: ["(${i} - 0.5)*length", 0, 0]}
///
/// stands for link_1 ... link_N: in the key and in every scalar inside, `${expression}` over the
/// indices and the parameters is replaced by its value (whole numbers without a point, others with
/// the fewest digits that read back the same). Several indices, {i: [1, N], j: [1, i]}, make the
/// product; a later one may use those before it. Nothing is made if the last is below the first.
/// Any entry of a mapping may be repeated: bodies, elements, markers. Outside of `repeat` `${...}`
/// may use parameters.
///
/// Everything is compiled once: texts are split at `${}` and their expressions parsed before the
/// first copy is made.

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kardan/elements/field.h"
#include "kardan/io/expander_template.h"
#include "kardan/io/yaml_document.h"

namespace kardan {

struct ExpansionLimits {
  std::size_t entries = 200'000;   ///< made by `repeat`, in all
  std::size_t values = 5'000'000;  ///< numbers, texts (by weight), lists and mappings, in all
};

class Expander {
 public:
  /// `files` are those of the document, which outlive this.
  Expander(const ParameterScope& parameters, const std::vector<SharedText>& files,
           Diagnostics& diagnostics, const ExpansionLimits& limits = {});
  Expander(const Expander&) = delete;
  Expander& operator=(const Expander&) = delete;

  /// `what` names the value in messages.
  [[nodiscard]] FieldValue value(const YamlNode& node, const std::string& what);
  /// Calls `use` for every entry of a mapping of named things, repeated ones included. An entry
  /// that is not a mapping is reported and left out.
  using Use = std::function<void(std::string name, const SourceLocation& key, FieldMap fields)>;
  void named_things(const YamlNode& mapping, const std::string& what, const Use& use);

 private:
  [[nodiscard]] std::string expand(const TextTemplate&);
  [[nodiscard]] double number(const Expression&, const std::vector<int>& slots);
  /// The value of ${...} number `piece`.
  [[nodiscard]] double substitute(const TextTemplate&, std::size_t piece);
  [[nodiscard]] FieldValue make(const ValueTemplate&);
  [[nodiscard]] FieldMap make_mapping(const ValueTemplate&);
  /// Runs over the product of the entry's ranges from the one at `depth` on.
  void run(const EntryTemplate&, std::size_t depth, const std::function<void()>& each);
  /// Whether the entry makes copies, and not too many: as far as its ranges do not depend on each
  /// other, so that a long repeat is refused before the first copy is made.
  bool fits(const EntryTemplate&);
  bool whole_bounds(const IndexRange&, double first, double last);
  bool report_once(const SourceLocation& where);
  bool count(const SourceLocation& where, std::size_t entries, std::size_t values);

  const ParameterScope& parameters_;
  const std::vector<SharedText>& files_;
  Diagnostics& diagnostics_;
  ExpansionLimits limits_;
  std::vector<double> indices_;    // values of the indices in scope, outermost first
  std::vector<double> arguments_;  // scratch of number()
  // Places of faults of copies: one report is enough.
  std::set<std::tuple<std::string, int, int>> reported_;
  std::size_t entries_ = 0, values_ = 0, steps_ = 0;
  bool exhausted_ = false;
};

}  // namespace kardan
