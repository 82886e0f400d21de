#include "kardan/model/wishes.h"

#include <fmt/format.h>

#include "kardan/base/text.h"

namespace kardan {

void resolve_wish(const NamedFields& w, const std::string& owner, const ValueReader& reader,
                  std::vector<WishData>& out) {
  Diagnostics& diagnostics = reader.diagnostics();
  report_unknown_keys(w.fields, {"want", "equals", "priority"}, owner, diagnostics);
  const FieldValue* want = w.find("want");
  const FieldValue* equals = w.find("equals");
  const auto* text = want ? std::get_if<std::string>(&want->data) : nullptr;
  if (!text || !equals) {
    diagnostics.error("wish.incomplete", owner + ": a wish is {want: EXPRESSION, equals: VALUE}",
                      w.where);
    return;
  }
  WishData data;
  data.where = w.where.line ? w.where : want->where;
  if (!reader.expression(*want, owner, {any_quantity}, data.want)) return;
  if (!reader.read(*equals, owner + ".equals", {}, data.equals)) return;
  if (const FieldValue* p = w.find("priority")) {
    std::string priority;
    if (!reader.read(*p, owner + ".priority", {.choices = {"exactly", "if_possible", "free"}},
                     priority))
      return;
    data.priority = priority == "exactly"       ? Priority::exactly
                    : priority == "if_possible" ? Priority::if_possible
                                                : Priority::free;
  }
  data.text = fmt::format("{} = {}", *text, format_number(data.equals));
  out.push_back(std::move(data));
}

namespace {

void wish_list(const NamedFields& owner, const std::string& key, const ValueReader& reader,
               std::vector<WishData>& out) {
  const FieldValue* value = owner.find(key);
  if (!value) return;
  const std::string where = owner.name + "." + key;
  const auto* list = std::get_if<FieldValue::List>(&value->data);
  if (!list) {
    reader.diagnostics().error("field.type", where + ": wanted a list of wishes", value->where);
    return;
  }
  for (const FieldValue& item : *list) {
    const auto* map = std::get_if<FieldMap>(&item.data);
    if (map)
      resolve_wish({"", *map, item.where}, where, reader, out);
    else
      reader.diagnostics().error(
          "wish.incomplete", where + ": a wish is {want: EXPRESSION, equals: VALUE}", item.where);
  }
}

}  // namespace

void resolve_equilibrium(const NamedFields& e, const ValueReader& reader, EquilibriumData& out) {
  Diagnostics& diagnostics = reader.diagnostics();
  report_unknown_keys(e.fields, {"velocities", "solve", "wishes", "place"}, "equilibrium",
                      diagnostics);
  if (const FieldValue* v = e.find("velocities")) {
    std::string word;
    if (reader.read(*v, "equilibrium.velocities", {.choices = {"rest", "given"}}, word))
      out.keep_velocities = word == "given";
  }
  if (const FieldValue* v = e.find("solve")) {
    if (!std::holds_alternative<FieldValue::List>(v->data))
      diagnostics.error("field.type", "equilibrium.solve: wanted a list of parameters", v->where);
    if (const auto* list = std::get_if<FieldValue::List>(&v->data)) {
      for (const FieldValue& item : *list) {
        const auto* name = std::get_if<std::string>(&item.data);
        if (name && reader.parameters().find(*name)) {
          out.solve.push_back(*name);
        } else {
          diagnostics.error("parameter.unknown",
                            fmt::format("equilibrium.solve: no parameter '{}'", name ? *name : "?"),
                            item.where);
        }
      }
    }
  }
  wish_list(e, "wishes", reader, out.wishes);
  wish_list(e, "place", reader, out.place);
  if (out.wishes.size() != out.solve.size())
    diagnostics.error("equilibrium.count",
                      fmt::format("equilibrium: {} parameters to solve for, but {} wishes",
                                  out.solve.size(), out.wishes.size()),
                      e.where, "give one wish per parameter");
}

}  // namespace kardan
