/// Puts expressions in place of names.

#include <algorithm>

#include "kardan/base/expression.h"

namespace kardan {
namespace {

using detail::Instruction;
using detail::Op;
using detail::Program;

/// Most operands that wait at one time. Of a conditional either branch leaves one.
int stack_needed(const std::vector<Instruction>& code) {
  int depth = 0, most = 0;
  for (const Instruction& i : code) {
    switch (i.op) {
      case Op::number:
      case Op::name:
        ++depth;
        break;
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::jump_if_zero:
      case Op::jump:  // the other branch puts its own value there
        --depth;
        break;
      case Op::step:
        depth -= 4;
        break;
      default:
        if (i.op >= Op::power) --depth;
    }
    most = std::max(most, depth);
  }
  return most;
}

class Inliner {
 public:
  explicit Inliner(Program& out) : out_(out) {}

  void add(const Program& program,
           const std::function<const Expression*(std::string_view)>& lookup) {
    std::vector<int> names;
    std::vector<const Expression*> replaced;
    for (std::size_t i = 0; i < program.names.size(); ++i) {
      replaced.push_back(lookup(program.names[i]));
      names.push_back(replaced.back() ? -1 : name(program.names[i], program.name_offsets[i]));
    }
    for (const auto& function : program.functions) out_.functions.push_back(function);
    std::vector<int> place;  // where each instruction has come to
    for (const Instruction& i : program.code) {
      place.push_back(static_cast<int>(out_.code.size()));
      if (i.op != Op::name) {
        out_.code.push_back(i);
      } else if (const Expression* const other = replaced[i.argument]) {
        add(other->program(), [](std::string_view) { return nullptr; });
      } else {
        out_.code.push_back(i);
        out_.code.back().argument = names[i.argument];
      }
    }
    place.push_back(static_cast<int>(out_.code.size()));
    for (std::size_t k = 0; k < program.code.size(); ++k) {
      const Instruction& i = program.code[k];
      if (i.op == Op::jump || i.op == Op::jump_if_zero)
        out_.code[place[k]].argument = place[k + i.argument] - place[k];
    }
  }

 private:
  int name(const std::string& name, int offset) {
    const auto found = std::ranges::find(out_.names, name);
    if (found != out_.names.end()) return static_cast<int>(found - out_.names.begin());
    out_.names.push_back(name);
    out_.name_offsets.push_back(offset);
    return static_cast<int>(out_.names.size()) - 1;
  }

  Program& out_;
};

}  // namespace

std::optional<Expression> Expression::inlined(
    const std::function<const Expression*(std::string_view)>& lookup) const {
  Program out;
  out.text = program_->text;
  Inliner(out).add(*program_, lookup);
  if (stack_needed(out.code) > detail::max_stack) return std::nullopt;
  return Expression(std::move(out));
}

}  // namespace kardan
