#include "kardan/model/functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/signal.h"
#include "kardan/base/text.h"
#include "kardan/model/names.h"

namespace kardan {
namespace {

/// Longest chain of functions that call each other: the evaluation recurses along it.
constexpr int longest_chain = 50;
/// Functions that one value may take: those that call each other twice each double it every time.
constexpr double most_calls = 10'000;

/// Between two levels.
struct Rise {
  double begin = 0, end = 1, from = 0, to = 1;
  std::string unit;
  template <class F>
  static void fields(F& f) {
    f("begin", &Rise::begin, {.doc = "constant before", .need = Need::required});
    f("end", &Rise::end, {.doc = "constant after", .need = Need::required});
    f("from", &Rise::from, {.doc = "value before"});
    f("to", &Rise::to, {.doc = "value after"});
    f("unit", &Rise::unit, {.doc = "of the value"});
  }
};

struct Harmonic {
  double amplitude = 1, frequency = 1, phase = 0, offset = 0;
  std::string unit;
  template <class F>
  static void fields(F& f) {
    f("amplitude", &Harmonic::amplitude, {.doc = "a"});
    f("frequency", &Harmonic::frequency, {.unit = "Hz", .doc = "f", .need = Need::required});
    f("phase", &Harmonic::phase, {.unit = "rad", .doc = "phi"});
    f("offset", &Harmonic::offset, {.doc = "c"});
    f("unit", &Harmonic::unit, {.doc = "of the value"});
  }
};

struct SetValue {
  double start = 0;
  std::string between = "hold", unit;
  template <class F>
  static void fields(F& f) {
    f("start", &SetValue::start, {.doc = "value until another is set"});
    f("between", &SetValue::between,
      {.doc = "how it goes on from the values set: it stays, or follows the line or the cubic "
              "through the last ones",
       .choices = {"hold", "ramp", "polynomial"}});
    f("unit", &SetValue::unit, {.doc = "of the value"});
  }
};

class FunctionReader {
 public:
  FunctionReader(Environment& names, Diagnostics& diagnostics)
      : names_(names), diagnostics_(diagnostics), reader_(names, diagnostics) {}

  void read(const std::string& name, const FieldValue& value) {
    if (names_.find(name) || names_.failed(name) || is_taken(name, NameOf::constant)) {
      diagnostics_.error("function.name", fmt::format("'{}' cannot name a function", name),
                         value.where, "parameters and words of expressions are taken");
      return;
    }
    TimeFunction f;
    const auto* map = std::get_if<FieldMap>(&value.data);
    const FieldValue* type = map ? find(*map, "type") : nullptr;
    const std::string what = "functions." + name;
    const std::size_t before = diagnostics_.error_count();
    if (type && is_input(*type)) {
      input(name, what, *map, value.where);
      return;
    }
    const bool ok =
        type ? typed(name, what, *map, *type, value.where, f) : reader_.read(value, what, {}, f);
    if (!ok || diagnostics_.error_count() > before) {
      names_.set_failed(name);
      return;
    }
    if (f.depth() > longest_chain) {
      diagnostics_.error("function.depth",
                         fmt::format("{} stands at the end of {} functions that call each other",
                                     name, longest_chain),
                         value.where, "shorten the chain");
      names_.set_failed(name);
      return;
    }
    if (f.calls() > most_calls) {
      diagnostics_.error("function.calls",
                         fmt::format("one value of {} takes {} calls of functions; at most {} are "
                                     "allowed",
                                     name, format_number(f.calls()), most_calls),
                         value.where, "let functions call each other less often");
      names_.set_failed(name);
      return;
    }
    if (map) declare_unit(name, *map);
    names_.set_function(name, std::make_shared<const TimeFunction>(std::move(f)));
  }

 private:
  static const FieldValue* find(const FieldMap& map, std::string_view key) {
    for (const auto& [name, value] : map)
      if (name == key) return &value;
    return nullptr;
  }

  static bool is_input(const FieldValue& type) {
    const auto* text = std::get_if<std::string>(&type.data);
    return text && *text == "input";
  }

  void input(const std::string& name, const std::string& what, const FieldMap& map,
             const SourceLocation& where) {
    std::vector<std::string> known{"type"};
    for (const FieldDoc& f : field_docs<SetValue>()) known.push_back(f.key);
    report_unknown_keys(map, known, what, diagnostics_);
    SetValue s;
    if (!read_fields(map, what, where, reader_, s)) {
      names_.set_failed(name);
      return;
    }
    declare_unit(name, map);
    names_.set_function(name, std::make_shared<const SignalFunction>(
                                  s.start, s.between == "ramp"         ? SignalMode::ramp
                                           : s.between == "polynomial" ? SignalMode::polynomial
                                                                       : SignalMode::hold));
  }

  void declare_unit(const std::string& name, const FieldMap& map) {
    const FieldValue* unit = find(map, "unit");
    const auto* text = unit ? std::get_if<std::string>(&unit->data) : nullptr;
    if (!text) return;
    if (const auto dimension = parse_unit(*text))
      names_.set_dimension(name, *dimension);
    else
      diagnostics_.error("unit.unknown",
                         fmt::format("functions.{}: unknown unit '{}'", name, *text), unit->where,
                         std::string(unit_hint));
  }

  bool typed(const std::string& name, const std::string& what, const FieldMap& map,
             const FieldValue& type_value, const SourceLocation& where, TimeFunction& out) {
    std::string type;
    if (!reader_.read(type_value, what + ".type",
                      {.choices = {"step", "ramp", "harmonic", "input"}}, type))
      return false;
    std::vector<std::string> known{"type"};
    for (const FieldDoc& f : type == "harmonic" ? field_docs<Harmonic>() : field_docs<Rise>())
      known.push_back(f.key);
    report_unknown_keys(map, known, what, diagnostics_);
    if (type == "harmonic") {
      Harmonic h;
      if (!read_fields(map, what, where, reader_, h)) return false;
      out = make("c + a*sin(tau*f*t + phi)",
                 {{"c", h.offset}, {"a", h.amplitude}, {"f", h.frequency}, {"phi", h.phase}});
      return true;
    }
    Rise r;
    if (!read_fields(map, what, where, reader_, r)) return false;
    if (!(r.begin < r.end)) {
      diagnostics_.error("function.interval",
                         fmt::format("{}: runs from {} to {}; wanted begin < end", name,
                                     format_number(r.begin), format_number(r.end)),
                         where);
      return false;
    }
    if (type == "step") {
      out = make("step(t, begin, from, end, to)",
                 {{"begin", r.begin}, {"from", r.from}, {"end", r.end}, {"to", r.to}});
      return true;
    }
    // A table goes on with the slope it ends with: one more point on each side makes it zero.
    out = TimeFunction(Table::make({r.begin - 1, r.begin, r.end, r.end + 1},
                                   {r.from, r.from, r.to, r.to}, Interpolation::linear)
                           .value());
    return true;
  }

  static TimeFunction make(std::string_view text,
                           const std::vector<std::pair<std::string, double>>& values) {
    const Expression bound = Expression::parse(text)->bind([&](std::string_view name) {
      const auto found = std::find_if(values.begin(), values.end(),
                                      [&](const auto& v) { return v.first == name; });
      return found == values.end() ? nullptr : &found->second;
    });
    return TimeFunction::make(bound).value();
  }

  Environment& names_;
  Diagnostics& diagnostics_;
  ValueReader reader_;
};

}  // namespace

void resolve_functions(const FieldMap& functions, Environment& names, Diagnostics& diagnostics) {
  FunctionReader reader(names, diagnostics);
  for (const auto& [name, value] : functions) reader.read(name, value);
}

std::vector<FieldDoc> input_field_docs() {
  return field_docs<SetValue>();
}

std::vector<FunctionDoc> function_docs() {
  return {{"step", "Smooth rise, with continuous velocity and acceleration.",
           "y = from + (to - from) s^3 (10 - 15 s + 6 s^2),  s = (t - begin)/(end - begin)",
           field_docs<Rise>()},
          {"ramp", "Straight rise; its kinks are refused where a driver needs accelerations.",
           "y = from + (to - from) (t - begin)/(end - begin)", field_docs<Rise>()},
          {"harmonic", "Oscillation.", "y = c + a sin(2 pi f t + phi)", field_docs<Harmonic>()}};
}

}  // namespace kardan
