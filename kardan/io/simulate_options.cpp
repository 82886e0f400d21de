#include "kardan/io/simulate_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/io/driver_options.h"
#include "kardan/io/run_options.h"
#include "kardan/run/choice.h"
#include "kardan/run/ranges.h"

namespace kardan {
namespace {

/// What is no number.
struct MethodFields {
  std::string method = SimulateOptions{}.method, formulation;

  template <class F>
  static void fields(F& f) {
    f("method", &MethodFields::method, {.doc = "see `kardan methods`; or METHOD@FORMULATION"});
    f("formulation", &MethodFields::formulation, {.doc = "default: the method's"});
  }
};

const FieldMap* mapping(const NamedFields& simulate, const char* key, Diagnostics& diagnostics) {
  const FieldValue* value = simulate.find(key);
  if (!value) return nullptr;
  const auto* map = std::get_if<FieldMap>(&value->data);
  if (!map)
    diagnostics.error("field.type", fmt::format("simulate.{}: wanted {{name: value, ...}}", key),
                      value->where);
  return map;
}

/// The same with the place in the file.
void add_at(const SourceLocation& where, const Diagnostics& found, Diagnostics& diagnostics) {
  for (Diagnostic d : found.all()) {
    if (d.where.line == 0) d.where = where;
    diagnostics.add(std::move(d));
  }
}

std::string option_text(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value.data)) return format_number(*number);
  const auto* text = std::get_if<std::string>(&value.data);
  return text ? *text : "a list";
}

void method_option(const Choice& choice, const std::string& name, const FieldValue& value,
                   SimulateOptions& out, Diagnostics& diagnostics) {
  if (out.method == automatic_method) {
    diagnostics.error("option.unknown", fmt::format("simulate.options: there is no option '{}'", name),
                      value.where, "'auto' chooses the method: name it to give it options");
    return;
  }
  if (!choice.method || !choice.formulation) return;  // reported already
  std::vector<OptionInfo> declared = choice.method->options;
  declared.insert(declared.end(), choice.formulation->options.begin(),
                  choice.formulation->options.end());
  const auto info = std::find_if(declared.begin(), declared.end(),
                                 [&](const OptionInfo& o) { return o.name == name; });
  if (info == declared.end()) {
    std::vector<std::string> names;
    names.reserve(declared.size());
    for (const OptionInfo& o : declared) names.push_back(o.name);
    for (const FieldDoc& d : driver_option_docs()) names.push_back(d.key);
    const std::string near = did_you_mean(name, names);
    diagnostics.error(
        "option.unknown", fmt::format("simulate.options: there is no option '{}'", name),
        value.where, near.empty() ? "`kardan methods` lists them" : "did you mean '" + near + "'?");
    return;
  }
  Diagnostics found;
  out.options[name] = option_text(value);
  check_option(*info, out.options[name], found);
  add_at(value.where, found, diagnostics);
}

}  // namespace

std::vector<FieldDoc> simulate_field_docs() {
  std::vector<FieldDoc> out;
  for (const RunOption& option : run_options()) {
    const double fallback = option.value({});
    out.push_back({option.key, kind_of(fallback), default_text(fallback), option.info});
  }
  // After the first, where they are looked for.
  const auto method = field_docs<MethodFields>();
  out.insert(out.begin() + 1, method.begin(), method.end());
  return out;
}

FieldMap simulate_fields(const SimulateOptions& o) {
  FieldMap out;
  for (const auto& [key, value] : run_option_values(o)) out.emplace_back(key, value);
  out.emplace_back("method", o.method);
  FieldMap options, each;
  for (const auto& [name, value] : o.options) options.emplace_back(name, value);
  const auto defaults = driver_option_values(DriverOptions{});
  const auto values = driver_option_values(o.driver);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != defaults[i] && values[i].first != "stop_times")
      options.emplace_back(values[i].first, values[i].second);
  if (!o.driver.stop_times.empty())
    options.emplace_back("stop_times",
                         FieldValue::List(o.driver.stop_times.begin(), o.driver.stop_times.end()));
  for (const VariableTolerance& t : o.tolerance_of) each.emplace_back(t.name, t.value);
  if (!options.empty()) out.emplace_back("options", std::move(options));
  if (!each.empty()) out.emplace_back("tolerance_of", std::move(each));
  return out;
}

void read_simulate_options(const NamedFields& simulate, const Environment& parameters,
                           MethodChoice who, SimulateOptions& out, Diagnostics& diagnostics) {
  std::vector<std::string> known{"options", "tolerance_of"};
  for (const FieldDoc& d : simulate_field_docs()) known.push_back(d.key);
  report_unknown_keys(simulate.fields, known, "simulate", diagnostics);
  const ValueReader reader(parameters, diagnostics);
  MethodFields f;
  f.method = out.method;
  bool ok = read_fields(simulate.fields, "simulate", simulate.where, reader, f);
  for (const RunOption& option : run_options())
    if (const FieldValue* value = simulate.find(option.key))
      ok &= reader.read(*value, "simulate." + option.key, option.info, option.of(out));
  if (!ok) return;
  out.method = f.method;
  if (!f.formulation.empty())
    out.method = f.method.substr(0, f.method.find('@')) + "@" + f.formulation;

  const FieldValue* named = simulate.find("formulation");
  if (!named) named = simulate.find("method");
  Diagnostics found;
  const Choice choice = choose_method(out.method, found);
  add_at(named ? named->where : simulate.where, found, diagnostics);
  if (const FieldMap* options = mapping(simulate, "options", diagnostics)) {
    for (const auto& [name, value] : *options) {
      if (is_driver_option(name))
        set_driver_option(name, value, out.driver, diagnostics);
      else if (who == MethodChoice::of_the_file)
        method_option(choice, name, value, out, diagnostics);
    }
  }
  if (const FieldMap* each = mapping(simulate, "tolerance_of", diagnostics)) {
    for (const auto& [name, value] : *each) {
      double tolerance = 0;
      if (reader.read(value, "simulate.tolerance_of." + name, {.check = Check::positive},
                      tolerance))
        out.tolerance_of.push_back({name, tolerance});
    }
  }
  const auto place = [&](std::string_view name) {
    const FieldValue* value = simulate.find(std::string(name));
    return value ? value->where : simulate.where;
  };
  check_ranges(out, 0, place, diagnostics);
}

}  // namespace kardan
