#pragma once
/// Fields: how an element (or an options struct) declares what a user may write. One declaration
///
///   template <class F> static void fields(F& f) {
///     f("stiffness", &Spring::stiffness,
///       {.unit = "N/m", .doc = "...", .check = Check::non_negative});
///   }
///
/// serves the reader (values and diagnostics), `kardan elements`, the generated reference and the
/// schema.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/base/dimension.h"
#include "kardan/base/expression.h"
#include "kardan/base/table.h"
#include "kardan/base/time_function.h"
#include "kardan/base/vec.h"

namespace kardan {

/// A value as a user wrote it: a number, a text (name or expression), a list, or a mapping.
struct FieldValue {
  using List = std::vector<FieldValue>;
  using Mapping = std::vector<std::pair<std::string, FieldValue>>;
  std::variant<double, std::string, List, Mapping> data = 0.0;
  SourceLocation where;

  FieldValue() = default;
  FieldValue(double number) : data(number) {}                    // NOLINT: values read like values
  FieldValue(int number) : data(static_cast<double>(number)) {}  // NOLINT
  FieldValue(const char* text) : data(std::string(text)) {}      // NOLINT
  FieldValue(std::string text) : data(std::move(text)) {}        // NOLINT
  FieldValue(const Vec3d& v) : data(List{v.x, v.y, v.z}) {}      // NOLINT
  FieldValue(List list) : data(std::move(list)) {}               // NOLINT
  FieldValue(Mapping map) : data(std::move(map)) {}              // NOLINT
};
using FieldMap = FieldValue::Mapping;

/// What expressions may use by name: the parameters of a model with the dimensions they were
/// declared with, and its functions.
class Environment {
 public:
  void set(const std::string& name, double value) { values_[name] = value; }
  void set_dimension(const std::string& name, Dimension d) { dimensions_[name] = d; }
  void set_function(const std::string& name, std::shared_ptr<const NamedFunction> function) {
    functions_[name] = std::move(function);
  }
  /// A parameter or function that has no value because of a fault reported elsewhere.
  void set_failed(const std::string& name) { failed_.insert(name); }

  const double* find(std::string_view name) const {
    const auto i = values_.find(name);
    if (i == values_.end()) return nullptr;
    return &i->second;
  }
  const std::map<std::string, double, std::less<>>& all() const { return values_; }
  std::optional<Dimension> dimension(std::string_view name) const {
    const auto i = dimensions_.find(name);
    if (i == dimensions_.end()) return std::nullopt;
    return i->second;
  }
  std::shared_ptr<const NamedFunction> function(std::string_view name) const {
    const auto i = functions_.find(name);
    return i == functions_.end() ? nullptr : i->second;
  }
  bool failed(std::string_view name) const { return failed_.contains(name); }

 private:
  std::map<std::string, double, std::less<>> values_;
  std::map<std::string, Dimension, std::less<>> dimensions_;
  std::map<std::string, std::shared_ptr<const NamedFunction>, std::less<>> functions_;
  std::set<std::string, std::less<>> failed_;
};

/// A colour as written; what its name stands for is known to the model only.
struct ColorField {
  std::optional<FieldValue> written;
};

/// A number, a table or function of t, or a formula over any quantities of the motion.
class Signal {
 public:
  Signal(double constant = 0.0) : of_time_(constant) {}    // NOLINT: a constant
  Signal(TimeFunction of_time, SourceLocation where = {})  // NOLINT: a function
      : of_time_(std::move(of_time)), where_(std::move(where)), given_(true) {}
  Signal(Expression of_motion, SourceLocation where)
      : of_motion_(std::move(of_motion)), where_(std::move(where)), given_(true) {}

  /// Whether it was written, be it as 0.
  bool given() const { return given_; }

  /// Null where it is a function of time.
  const Expression* of_motion() const { return of_motion_ ? &*of_motion_ : nullptr; }
  const TimeFunction& of_time() const { return of_time_; }
  bool is_zero() const { return !of_motion_ && of_time_.is_constant() && of_time_(0.0) == 0; }
  /// As an expression, of t too.
  Expression expression() const;
  const SourceLocation& where() const { return where_; }
  std::string text() const { return of_motion_ ? of_motion_->text() : of_time_.text(); }

 private:
  TimeFunction of_time_;
  std::optional<Expression> of_motion_;
  SourceLocation where_;
  bool given_ = false;
};

/// Words, names or numbers: one, or a list of them.
struct WordList {
  std::vector<std::string> words;
};

enum class Check { any, positive, non_negative, non_zero, unit_interval };
enum class Need { optional, required };

struct FieldInfo {
  std::string unit = "";  ///< SI unit, "" for none
  std::string doc = "";
  Check check = Check::any;
  Need need = Need::optional;
  std::vector<std::string> choices = {};    ///< for texts: the allowed ones
  std::vector<std::string> variables = {};  ///< for expressions: names besides the parameters
  int smoothness = 0;                       ///< for functions of time: continuous derivatives
};

/// In `variables`: any name, checked later against the quantities of the compiled model.
inline const std::string any_quantity = "*";

/// One line of the reference of a type.
struct FieldDoc {
  std::string key, kind, default_text;
  FieldInfo info;
};

/// Turns written values into typed ones; every fault becomes a located diagnostic. Numbers, lists,
/// tables and functions of time may say their unit, {value: 0.3, unit: m}; it is compared with the
/// unit of the field.
class ValueReader {
 public:
  ValueReader(const Environment& parameters, Diagnostics& diagnostics)
      : parameters_(parameters), diagnostics_(diagnostics) {}

  bool read(const FieldValue&, const std::string& what, const FieldInfo&, double& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, int& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, bool& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, std::string& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, Vec3d& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&,
            std::vector<double>& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, TimeFunction& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, Expression& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&,
            std::optional<Table>& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, ColorField& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, Signal& out) const;
  bool read(const FieldValue&, const std::string& what, const FieldInfo&, WordList& out) const;

  /// An expression over the parameters, the functions and `variables`.
  bool expression(const FieldValue&, const std::string& what,
                  const std::vector<std::string>& variables, Expression& out) const;

  const Environment& parameters() const { return parameters_; }
  Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  bool expression(const FieldValue&, const std::string& what, const FieldInfo&,
                  const std::vector<std::string>& variables, Expression& out) const;
  /// The value without its unit, or null after reporting a unit that does not fit.
  const FieldValue* without_unit(const FieldValue&, const std::string& what,
                                 const FieldInfo&) const;
  bool fits(const Dimension&, const FieldInfo&, const FieldValue&, const std::string& what) const;
  bool check_dimension(const Expression&, const FieldInfo&, const FieldValue&,
                       const std::string& what) const;
  bool smooth_enough(const TimeFunction&, const FieldValue&, const std::string& what,
                     const FieldInfo&) const;
  bool check(double value, const FieldValue&, const std::string& what, const FieldInfo&) const;
  bool fail(const std::string& code, const std::string& message, const FieldValue&,
            const std::string& hint = "") const;

  const Environment& parameters_;
  Diagnostics& diagnostics_;
};

std::string kind_of(const double&);
std::string kind_of(const int&);
std::string kind_of(const bool&);
std::string kind_of(const std::string&);
std::string kind_of(const Vec3d&);
std::string kind_of(const std::vector<double>&);
std::string kind_of(const TimeFunction&);
std::string kind_of(const Expression&);
std::string kind_of(const std::optional<Table>&);
std::string kind_of(const ColorField&);
std::string kind_of(const Signal&);
std::string kind_of(const WordList&);

std::string default_text(const double&);
std::string default_text(const int&);
std::string default_text(const bool&);
std::string default_text(const std::string&);
std::string default_text(const Vec3d&);
std::string default_text(const std::vector<double>&);
std::string default_text(const TimeFunction&);
std::string default_text(const Expression&);
std::string default_text(const std::optional<Table>&);
std::string default_text(const ColorField&);
std::string default_text(const Signal&);
std::string default_text(const WordList&);

/// The declared fields of T, for listings.
template <class T>
std::vector<FieldDoc> field_docs() {
  std::vector<FieldDoc> docs;
  const T defaults{};
  auto visit = [&](std::string_view key, auto member, FieldInfo info) {
    docs.push_back({std::string(key), kind_of(defaults.*member), default_text(defaults.*member),
                    std::move(info)});
  };
  T::fields(visit);
  return docs;
}

/// Reports keys of `values` that are not in `known`, with the nearest known one.
void report_unknown_keys(const FieldMap& values, const std::vector<std::string>& known,
                         const std::string& owner, Diagnostics&);

/// Reads the declared fields of T from `values` (unknown keys are reported by the caller, who also
/// knows the common keys). `owner` names the element in messages.
template <class T>
bool read_fields(const FieldMap& values, const std::string& owner, const SourceLocation& where,
                 const ValueReader& reader, T& out) {
  bool ok = true;
  auto visit = [&](std::string_view key, auto member, const FieldInfo& info) {
    for (const auto& [name, value] : values) {
      if (name != key) continue;
      ok &= reader.read(value, owner + "." + name, info, out.*member);
      return;
    }
    if (info.need == Need::required) {
      reader.diagnostics().error("field.missing", owner + ": '" + std::string(key) + "' is missing",
                                 where,
                                 info.doc + (info.unit.empty() ? "" : " [" + info.unit + "]"));
      ok = false;
    }
  };
  T::fields(visit);
  return ok;
}

}  // namespace kardan
