#include "kardan/run/held_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/expression_program.h"
#include "kardan/base/text.h"

namespace kardan {
namespace {

/// The tables that a function of time evaluates at t itself: it, or functions called with t alone.
void collect(const TimeFunction& function, std::vector<const Table*>& out) {
  if (const Table* table = function.table()) out.push_back(table);
  const Expression* expression = function.expression();
  if (!expression) return;
  const auto& code = expression->program().code;
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (code[i].op != detail::Op::call || code[i - 1].op != detail::Op::name) continue;
    if (const auto* called = dynamic_cast<const TimeFunction*>(code[i].function))
      collect(*called, out);
  }
}

/// "beyond t = 2 s", or nothing.
std::string held(const Table& table, double from, double to, std::string_view x,
                 std::string_view unit) {
  for (const double at : {from, to})
    if (table.holds_at(at))
      return fmt::format(
          "beyond {} = {} {}", x,
          format_number(at > table.x().front() ? table.x().back() : table.x().front()), unit);
  return {};
}

}  // namespace

void remark_held_tables(const System& system, const State& now, RunReport& report) {
  const Blueprint& blueprint = system.blueprint();
  Diagnostics discarded;
  const ValueReader reader(blueprint.parameters, discarded);
  const auto remark = [&](const std::string& what, const std::string& beyond) {
    if (!beyond.empty())
      report.remarks.push_back(fmt::format(
          "{}: its table is held at its last value {} (outside: extend, repeat or error "
          "for something else)",
          what, beyond));
  };
  for (const ElementData& element : blueprint.elements)
    for (const FieldDoc& field : element.type->fields)
      for (const auto& [key, value] : element.fields) {
        if (key != field.key) continue;
        const std::string what = element.name + "." + key;
        TimeFunction function;
        std::optional<Table> table;
        if (field.kind == kind_of(function) && reader.read(value, what, field.info, function)) {
          std::vector<const Table*> tables;
          collect(function, tables);
          for (const Table* one : tables) remark(what, held(*one, 0, report.driver.t, "t", "s"));
        } else if (field.kind == kind_of(table) && reader.read(value, what, field.info, table) &&
                   table && !element.frames.empty()) {
          const auto body = static_cast<std::size_t>(element.frames.back().body);
          const double begun = blueprint.bodies[body].position.x;
          const int place = system.bodies()[body].p;
          remark(what, held(*table, begun, now.p[static_cast<std::size_t>(place)], "x", "m"));
        }
      }
}

}  // namespace kardan
