#include "kardan/model/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "kardan/base/text.h"
#include "kardan/model/names.h"

namespace kardan {
namespace {

/// Depth-first evaluation; `path` is the chain of parameters being evaluated, for cycles.
class ParameterEvaluator {
 public:
  /// Longest chain of parameters that need each other: the evaluation recurses along it.
  static constexpr std::size_t max_depth = 500;

  ParameterEvaluator(const FieldMap& parameters, const ParameterValues& overrides,
                     Diagnostics& diagnostics)
      : parameters_(parameters), diagnostics_(diagnostics) {
    for (const auto& [name, value] : parameters) {
      names_.push_back(name);
      index_.emplace(name, &value);
    }
    for (const auto& [name, value] : parameters) declare_unit(name, value);
    for (const auto& [name, value] : overrides) {
      if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
        done_.set(name, value);
        continue;
      }
      const std::string near = did_you_mean(name, names_);
      diagnostics_.error("parameter.unknown", fmt::format("there is no parameter '{}'", name), {},
                         near.empty() ? fmt::format("parameters: {}", fmt::join(names_, ", "))
                                      : "did you mean '" + near + "'?");
    }
  }

  /// The others are known: only what is touched, and not given, is evaluated.
  ParameterEvaluator(const FieldMap& parameters, const ParameterValues& overrides,
                     const Environment& known, const ParameterUses::Names& touched,
                     Diagnostics& diagnostics)
      : parameters_(parameters), diagnostics_(diagnostics), done_(known) {
    for (const auto& [name, value] : overrides) done_.set(name, value);
    for (const auto& [name, value] : parameters) {
      if (!touched.contains(std::string(symbol_of(name)))) continue;
      if (std::ranges::find(overrides, name, &ParameterValues::value_type::first) !=
          overrides.end())
        continue;
      index_.emplace(name, &value);
      waiting_.insert(name);
    }
  }

  Environment run_again() {
    for (const auto& [name, value] : parameters_)
      if (waiting_.contains(name)) evaluate(name, value);
    for (const std::string& name : failed_) done_.set_failed(name);
    return std::move(done_);
  }

  Environment run() {
    for (const auto& [name, value] : parameters_) {
      if (is_taken(name, NameOf::constant))
        diagnostics_.error("parameter.reserved", fmt::format("'{}' cannot name a parameter", name),
                           value.where, "choose another name");
      evaluate(name, value);
    }
    for (const std::string& name : failed_) done_.set_failed(name);
    return done_;
  }

 private:
  /// A key of {value: ..., unit: ...}.
  static const FieldValue* part(const FieldValue& value, std::string_view key) {
    if (const auto* map = std::get_if<FieldMap>(&value.data))
      for (const auto& [name, item] : *map)
        if (name == key) return &item;
    return nullptr;
  }
  static std::string unit_of(const FieldValue& value) {
    const FieldValue* const unit = part(value, "unit");
    const auto* text = unit ? std::get_if<std::string>(&unit->data) : nullptr;
    return text ? *text : "";
  }
  void declare_unit(const std::string& name, const FieldValue& value) {
    if (const auto dimension = parse_unit(unit_of(value))) done_.set_dimension(name, *dimension);
  }

  bool evaluate(const std::string& name, const FieldValue& value) {
    if (done_.find(name) && !waiting_.contains(name)) return true;
    if (failed_.contains(name)) return false;
    if (std::find(path_.begin(), path_.end(), name) != path_.end()) {
      diagnostics_.error("parameter.cycle",
                         fmt::format("parameter '{}' depends on itself: {} -> {}", name,
                                     fmt::join(path_, " -> "), name),
                         value.where, "break the circle with a number");
      failed_.insert(name);
      return false;
    }
    if (path_.size() > max_depth) {
      diagnostics_.error("parameter.depth",
                         fmt::format("parameter '{}' stands at the end of {} that need each other",
                                     name, max_depth),
                         value.where, "shorten the chain");
      failed_.insert(name);
      return false;
    }
    path_.push_back(name);
    bool ok = needed_are_known(value);
    double result = 0;
    if (ok)
      ok = ValueReader(done_, diagnostics_)
               .read(value, "parameters." + name, {.unit = unit_of(value)}, result);
    path_.pop_back();
    waiting_.erase(name);
    if (ok)
      done_.set(name, result);
    else
      failed_.insert(name);
    return ok;
  }

  /// Evaluates the other parameters this one uses. Unknown names are left to the reader.
  bool needed_are_known(const FieldValue& value) {
    const FieldValue* const inner = part(value, "value");
    const auto* text = std::get_if<std::string>(&(inner ? *inner : value).data);
    if (!text) return true;
    auto parsed = Expression::parse(*text);
    if (!parsed) return true;
    bool ok = true;
    for (const std::string& needed : parsed.value().names())
      if (const auto other = index_.find(needed); other != index_.end())
        ok &= evaluate(needed, *other->second);
    return ok;
  }

  const FieldMap& parameters_;
  Diagnostics& diagnostics_;
  std::vector<std::string> names_, path_;
  std::unordered_map<std::string, const FieldValue*> index_;
  std::unordered_set<std::string> failed_, waiting_;
  Environment done_;
};

}  // namespace

Environment resolve_parameters(const FieldMap& parameters, const ParameterValues& overrides,
                               Diagnostics& diagnostics) {
  return ParameterEvaluator(parameters, overrides, diagnostics).run();
}

Environment resolve_parameters_again(const FieldMap& parameters, const ParameterValues& overrides,
                                     const Environment& known, const ParameterUses::Names& touched,
                                     Diagnostics& diagnostics) {
  return ParameterEvaluator(parameters, overrides, known, touched, diagnostics).run_again();
}

}  // namespace kardan
