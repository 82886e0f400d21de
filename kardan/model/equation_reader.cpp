#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "kardan/base/text.h"
#include "kardan/model/blueprint.h"
#include "kardan/model/equation_data.h"
#include "kardan/model/names.h"

namespace kardan {
namespace {

/// Kinds of variables, as bits.
enum Kind {
  time = 1,
  position = 2,
  velocity = 4,
  dynamic = 8,
  auxiliary = 16,
  contact = 32,
  multiplier = 64
};
constexpr int of_motion = time | position | velocity | contact;
constexpr int of_state = of_motion | dynamic | auxiliary;

const char* word(int kind) {
  switch (kind) {
    case time:
      return "time";
    case position:
      return "positions";
    case velocity:
      return "velocities";
    case dynamic:
      return "dynamic variables";
    case auxiliary:
      return "auxiliary variables";
    case contact:
      return "contact variables";
    default:
      return "multipliers";
  }
}

std::string words(int kinds) {
  std::vector<std::string> all;
  for (int kind = time; kind <= multiplier; kind *= 2)
    if (kinds & kind) all.emplace_back(word(kind));
  return fmt::format("{}", fmt::join(all, ", "));
}

bool is_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

class EquationReader {
 public:
  EquationReader(const NamedFields& section, const ValueReader& reader,
                 std::vector<WishData>& wishes)
      : section_(section), reader_(reader), diagnostics_(reader.diagnostics()), wishes_(wishes) {}

  EquationData run() {
    report_unknown_keys(section_.fields, equation_keys(), "equations", diagnostics_);
    names();
    definitions();
    kinematics();
    mass();
    forces();
    formulas(out_.dynamic, "dynamic", "rate", of_state | multiplier);
    formulas(out_.auxiliary, "auxiliary", "residual", of_state | multiplier);
    formulas(out_.contact, "contact", "residual", time | position | contact);
    formulas(out_.holonomic, "constraints", time | position | contact, {"value", "start"});
    formulas(out_.nonholonomic, "nonholonomic", of_motion, {"value", "start"});
    formulas(out_.invariants, "invariants", of_motion);
    formulas(out_.events, "events", of_state);
    formulas(out_.outputs, "outputs", of_state);
    energy();
    return std::move(out_);
  }

 private:
  const FieldMap* mapping(const char* key) {
    const FieldValue* value = section_.find(key);
    if (!value) return nullptr;
    const auto* map = std::get_if<FieldMap>(&value->data);
    if (!map)
      diagnostics_.error("field.type", fmt::format("equations.{}: wanted name: value", key),
                         value->where);
    return map;
  }

  static const FieldValue* find(const FieldMap& map, std::string_view key) {
    for (const auto& [name, value] : map)
      if (name == key) return &value;
    return nullptr;
  }

  /// Gives a name its place in the row of variables.
  void claim(const std::string& name, int kind, const SourceLocation& where) {
    const bool dotted = kind == multiplier;
    if (!dotted && !is_name(name))
      diagnostics_.error("name.bad", fmt::format("'{}' cannot be a name", name), where,
                         "a name is a letter or '_', then letters, digits and '_'");
    else if (is_taken(name, NameOf::value))
      diagnostics_.error("name.reserved", fmt::format("the name '{}' has a meaning already", name),
                         where, "choose another name");
    else if (reader_.parameters().find(name) || !slots_.emplace(name, Slot{next_, kind}).second)
      diagnostics_.error(
          "name.duplicate",
          fmt::format("equations: the name '{}' is used twice{}", name,
                      reader_.parameters().find(name) ? ", also for a parameter" : ""),
          where, "rename one");
    else
      known_.push_back(name);
    ++next_;
  }

  /// All variables, in the order of their slots.
  void names() {
    slots_.emplace("t", Slot{0, time});
    known_.push_back("t");
    next_ = 1;
    variables("positions", position, {"start", "hold"}, out_.positions);
    if (out_.positions.empty())
      diagnostics_.error("equations.empty", "equations: there are no positions", section_.where,
                         "write positions: {x: 1, y: 0}");
    if (section_.find("velocities"))
      variables("velocities", velocity, {"start"}, out_.velocities);
    else
      for (const EquationVariable& p : out_.positions) {
        out_.velocities.push_back({p.name + "_rate", 0});
        claim(p.name + "_rate", velocity, section_.where);
      }
    if (out_.positions.size() != out_.velocities.size())
      diagnostics_.error(
          "equations.kinematics",
          fmt::format("equations: {} positions but {} velocities; wanted as many of one as of "
                      "the other",
                      out_.positions.size(), out_.velocities.size()),
          section_.find("velocities")->where,
          "choose coordinates without conditions among them (angles instead of unit quaternions), "
          "or use bodies");
    variables("dynamic", dynamic, {"start", "rate"}, out_.dynamic);
    variables("auxiliary", auxiliary, {"start", "residual"}, out_.auxiliary);
    variables("contact", contact, {"start", "residual"}, out_.contact);
    rows("constraints", ".lambda", out_.holonomic);
    rows("nonholonomic", ".mu", out_.nonholonomic);
    for (auto [key, list] : {std::pair{"invariants", &out_.invariants},
                             {"events", &out_.events},
                             {"outputs", &out_.outputs}})
      others(key, *list);
  }

  void variables(const char* key, int kind, const std::vector<std::string>& fields,
                 std::vector<EquationVariable>& out) {
    const FieldMap* map = mapping(key);
    if (!map) return;
    for (const auto& [name, value] : *map) {
      claim(name, kind, value.where);
      EquationVariable variable{name, 0};
      const std::string what = fmt::format("equations.{}.{}", key, name);
      if (const auto* more = std::get_if<FieldMap>(&value.data)) {
        report_unknown_keys(*more, fields, what, diagnostics_);
        if (const FieldValue* start = find(*more, "start"))
          reader_.read(*start, what + ".start", {}, variable.start);
        if (const FieldValue* hold = find(*more, "hold")) wish(*hold, what, variable);
      } else if (kind == position || kind == velocity) {
        reader_.read(value, what, {}, variable.start);
      } else {
        diagnostics_.error(
            "field.type",
            fmt::format("{}: wanted {{{}: value, {}: expression}}", what, fields[0], fields[1]),
            value.where);
      }
      out.push_back(std::move(variable));
    }
  }

  void wish(const FieldValue& hold, const std::string& what, const EquationVariable& variable) {
    std::string priority;
    if (!reader_.read(hold, what + ".hold", {.choices = {"exactly", "if_possible"}}, priority))
      return;
    WishData data;
    data.text = fmt::format("{} = {}", variable.name, format_number(variable.start));
    data.want = Expression::parse(variable.name).value();
    data.equals = variable.start;
    data.priority = priority == "exactly" ? Priority::exactly : Priority::if_possible;
    data.where = hold.where;
    wishes_.push_back(std::move(data));
  }

  /// Constraints: their multipliers are variables.
  void rows(const char* key, const char* suffix, std::vector<NamedFormula>& out) {
    others(key, out);
    for (NamedFormula& row : out) {
      claim(row.name + suffix, multiplier, row.formula.where);
      const auto* more = std::get_if<FieldMap>(&find(*mapping(key), row.name)->data);
      if (const FieldValue* start = more ? find(*more, "start") : nullptr)
        reader_.read(*start, fmt::format("equations.{}.{}.start", key, row.name), {}, row.start);
    }
  }

  void others(const char* key, std::vector<NamedFormula>& out) {
    const FieldMap* map = mapping(key);
    if (!map) return;
    for (const auto& [name, value] : *map) {
      NamedFormula row{name, {}};
      row.formula.where = value.where;
      if (!is_name(name))
        diagnostics_.error("name.bad", fmt::format("'{}' cannot be a name", name), value.where,
                           "a name is a letter or '_', then letters, digits and '_'");
      else if (slots_.count(name) || !others_.emplace(name, 0).second)
        diagnostics_.error("name.duplicate",
                           fmt::format("equations: the name '{}' is used twice", name), value.where,
                           "rename one");
      out.push_back(std::move(row));
    }
  }

  /// An expression, or {value: expression} as `repeat` needs it.
  Formula formula(const FieldValue& given, const std::string& what, int allowed,
                  const std::vector<std::string>& keys = {"value"}) {
    const FieldValue* value = &given;
    if (const auto* map = std::get_if<FieldMap>(&given.data)) {
      report_unknown_keys(*map, keys, "equations." + what, diagnostics_);
      value = find(*map, "value");
    }
    Formula out;
    out.what = what;
    out.where = given.where;
    if (!value) {
      diagnostics_.error("field.missing", fmt::format("equations.{}: 'value' is missing", what),
                         given.where);
      return out;
    }
    out.where = value->where;
    kinds_ = 0;
    if (!reader_.read(*value, "equations." + what, {.variables = known_}, out.expression))
      return out;
    for (const std::string& name : out.expression.names()) {
      const auto slot = slots_.find(name);
      if (slot == slots_.end()) continue;  // reported by the reader
      out.slots.push_back(slot->second.index);
      kinds_ |= slot->second.kinds;
      if (const int wrong = slot->second.kinds & ~allowed)
        diagnostics_.error("equations.variable",
                           fmt::format("equations.{}: '{}' brings in {}; wanted {} only", what,
                                       name, words(wrong), words(allowed)),
                           out.where,
                           wrong == velocity && allowed == (time | position | contact)
                               ? "a condition on velocities goes under 'nonholonomic'"
                               : "");
    }
    return out;
  }

  void definitions() {
    const FieldMap* map = mapping("definitions");
    if (!map) return;
    for (const auto& [name, value] : *map) {
      NamedFormula row{name, formula(value, "definitions." + name, of_state | multiplier)};
      claim(name, kinds_, value.where);
      out_.definitions.push_back(std::move(row));
    }
  }

  std::vector<std::string> names_of(const std::vector<EquationVariable>& variables) const {
    std::vector<std::string> out;
    out.reserve(variables.size());
    for (const EquationVariable& x : variables) out.push_back(x.name);
    return out;
  }

  void kinematics() {
    const FieldMap* map = mapping("kinematics");
    if (!map) return;
    report_unknown_keys(*map, names_of(out_.positions), "equations.kinematics", diagnostics_);
    for (const EquationVariable& p : out_.positions) {
      const FieldValue* value = find(*map, p.name);
      if (value)
        out_.kinematics.push_back(formula(*value, "kinematics." + p.name, position | velocity));
      else
        diagnostics_.error("field.missing",
                           fmt::format("equations.kinematics: '{}' is missing", p.name),
                           section_.find("kinematics")->where, "give the rate of every position");
    }
  }

  void forces() {
    out_.forces.resize(out_.velocities.size());
    const FieldMap* map = mapping("forces");
    if (map) report_unknown_keys(*map, names_of(out_.velocities), "equations.forces", diagnostics_);
    for (std::size_t i = 0; i < out_.velocities.size() && map; ++i)
      if (const FieldValue* value = find(*map, out_.velocities[i].name)) {
        out_.forces[i] =
            formula(*value, "forces." + out_.velocities[i].name, of_state | multiplier);
        out_.multiplier_forces |= (kinds_ & multiplier) != 0;
      }
  }

  void add_mass(int row, int column, const FieldValue& value, const std::string& what) {
    if (row > column) std::swap(row, column);
    for (const MassEntry& m : out_.mass)
      if (m.row == row && m.column == column) {
        diagnostics_.error("equations.mass",
                           fmt::format("equations.{}: this mass is given twice", what), value.where,
                           "the mass matrix is symmetric: give one of the two");
        return;
      }
    out_.mass.push_back({row, column, formula(value, what, time | position)});
  }

  void mass() {
    const FieldValue* value = section_.find("mass");
    if (!value) return;
    out_.has_mass = true;
    const FieldMap* map = mapping("mass");
    if (!map) return;
    const std::vector<std::string> known = names_of(out_.velocities);
    report_unknown_keys(*map, known, "equations.mass", diagnostics_);
    for (int i = 0; i < static_cast<int>(known.size()); ++i) {
      const FieldValue* row = find(*map, known[i]);
      if (!row) continue;
      const std::string what = "mass." + known[i];
      const auto* entries = std::get_if<FieldMap>(&row->data);
      if (!entries || find(*entries, "value")) {
        add_mass(i, i, *row, what);
        continue;
      }
      report_unknown_keys(*entries, known, "equations." + what, diagnostics_);
      for (int j = 0; j < static_cast<int>(known.size()); ++j)
        if (const FieldValue* entry = find(*entries, known[j]))
          add_mass(i, j, *entry, what + "." + known[j]);
    }
  }

  void formulas(std::vector<EquationVariable>& variables, const char* key, const char* field,
                int allowed) {
    for (EquationVariable& x : variables) {
      const FieldValue* value = find(*mapping(key), x.name);
      const auto* more = std::get_if<FieldMap>(&value->data);
      if (!more) continue;  // reported with the names
      const std::string what = fmt::format("{}.{}.{}", key, x.name, field);
      if (const FieldValue* given = find(*more, field)) {
        x.formula = formula(*given, what, allowed);
        out_.multiplier_forces |= (kinds_ & multiplier) != 0;
      } else {
        diagnostics_.error("field.missing",
                           fmt::format("equations.{}.{}: '{}' is missing", key, x.name, field),
                           value->where);
      }
    }
  }

  void formulas(std::vector<NamedFormula>& rows, const char* key, int allowed,
                const std::vector<std::string>& keys = {"value"}) {
    for (NamedFormula& row : rows)
      row.formula = formula(*find(*mapping(key), row.name), fmt::format("{}.{}", key, row.name),
                            allowed, keys);
  }

  void energy() {
    const FieldMap* map = mapping("energy");
    if (!map) return;
    report_unknown_keys(*map, {"kinetic", "potential", "power"}, "equations.energy", diagnostics_);
    for (auto [key, target] : {std::pair{"kinetic", &out_.kinetic},
                               {"potential", &out_.potential},
                               {"power", &out_.power}})
      if (const FieldValue* value = find(*map, key))
        *target = formula(*value, std::string("energy.") + key, of_state);
  }

  struct Slot {
    int index = 0;
    int kinds = 0;  // of definitions: all that they depend on
  };

  const NamedFields& section_;
  const ValueReader& reader_;
  Diagnostics& diagnostics_;
  std::vector<WishData>& wishes_;
  EquationData out_;
  std::unordered_map<std::string, Slot> slots_;
  std::unordered_map<std::string, int> others_;  // names that are no variables
  std::vector<std::string> known_;
  int next_ = 0;
  int kinds_ = 0;  // of the formula read last
};

}  // namespace

const std::vector<std::string>& equation_keys() {
  static const std::vector<std::string> keys{"positions",   "velocities",   "kinematics", "mass",
                                             "forces",      "dynamic",      "auxiliary",  "contact",
                                             "constraints", "nonholonomic", "invariants", "events",
                                             "outputs",     "energy",       "definitions"};
  return keys;
}

EquationData read_equations(const NamedFields& section, const ValueReader& reader,
                            std::vector<WishData>& wishes) {
  return EquationReader(section, reader, wishes).run();
}

}  // namespace kardan
