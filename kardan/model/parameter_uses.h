#pragma once
/// Which parts of a model use which parameters, so that for other values only these are made anew.
///
/// A part uses a parameter where its name stands anywhere in what is written of the part, or of a
/// parameter, function, shape or colour that it uses: sometimes more than it needs, never less.

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kardan/model/model.h"

namespace kardan {

class ParameterUses {
 public:
  explicit ParameterUses(const Model& model);

  /// The parameters, functions, shapes and colours that change with `parameters`, these included.
  using Names = std::unordered_set<std::string>;
  [[nodiscard]] Names touched_by(const std::vector<std::string>& parameters) const;

  [[nodiscard]] bool body(std::size_t index, const Names& touched) const;     ///< in Model::bodies
  [[nodiscard]] bool element(std::size_t index, const Names& touched) const;  ///< of its own fields
  /// Wishes, the equilibrium, events, invariants; and gravity.
  [[nodiscard]] bool others(const Names& touched) const;
  [[nodiscard]] bool ground(const Names& touched) const;
  /// Whether a body starts with coordinates that are held: they are wishes.
  [[nodiscard]] bool holds() const { return holds_; }

 private:
  using Words = std::vector<std::string>;
  static bool any(const Words& words, const Names& touched);

  /// The symbols whose text names a symbol.
  std::unordered_map<std::string, Words> users_;
  std::vector<Words> bodies_, elements_;
  Words others_, ground_;
  bool holds_ = false;
};

}  // namespace kardan
