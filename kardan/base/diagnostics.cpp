#include "kardan/base/diagnostics.h"

#include <fmt/format.h>

#include <utility>

#include "kardan/base/text.h"

namespace kardan {
namespace {

/// "file:line:col: " with as much as is known; a column says nothing without its line.
std::string format_place(const SourceLocation& where) {
  std::string place = where.file;
  if (where.line > 0) {
    place += fmt::format("{}{}", place.empty() ? "" : ":", where.line);
    if (where.column > 0) place += fmt::format(":{}", where.column);
  }
  if (!place.empty()) place += ": ";
  return place;
}

/// A message is to be read: what quotes a long text is cut, at the border of a letter (UTF-8).
void shorten(std::string& text) {
  constexpr std::size_t longest = 2000;
  if (text.size() <= longest) return;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  text += "...";
}

}  // namespace

std::string format(const Diagnostic& diagnostic) {
  std::string line = format_place(diagnostic.where);
  line += diagnostic.severity == Severity::error ? "error" : "warning";
  if (!diagnostic.code.empty()) line += fmt::format("[{}]", diagnostic.code);
  line += ": " + diagnostic.message;
  if (!diagnostic.hint.empty()) line += "; hint: " + diagnostic.hint;
  return printable(line, Lines::one);
}

std::string format(const Diagnostics& diagnostics) {
  std::string lines;
  for (const Diagnostic& diagnostic : diagnostics.all()) lines += format(diagnostic) + "\n";
  return lines;
}

void Diagnostics::error(std::string code, std::string message, SourceLocation where,
                        std::string hint) {
  add({Severity::error, std::move(code), std::move(message), std::move(hint), std::move(where)});
}

void Diagnostics::warning(std::string code, std::string message, SourceLocation where,
                          std::string hint) {
  add({Severity::warning, std::move(code), std::move(message), std::move(hint), std::move(where)});
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++error_count_;
  shorten(diagnostic.message);
  shorten(diagnostic.hint);
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::add(const Diagnostics& others) {
  // By count: `others` may be this very list.
  const std::size_t count = others.all_.size();
  for (std::size_t i = 0; i < count; ++i) add(Diagnostic(others.all_[i]));
}

void Diagnostics::add_new(const Diagnostics& others) {
  const std::size_t count = all_.size();
  for (const Diagnostic& d : others.all_) {
    const std::string text = format(d);
    bool known = false;
    for (std::size_t i = 0; i < count && !known; ++i) known = format(all_[i]) == text;
    if (!known) add(d);
  }
}

}  // namespace kardan
