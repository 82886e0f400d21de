#include "kardan/system/formula_terms.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace kardan {
namespace {

using Kind = Quantity::Kind;

/// Place among (r; w), or -1.
int variable_of(const Quantity& q, int states) {
  if (q.kind == Kind::state) return q.index;
  return q.kind == Kind::auxiliary ? states + q.index : -1;
}

/// Columns that the arguments move with, ascending.
std::vector<int> columns_of(const BoundFormula& formula, const NameData& names) {
  std::set<int> columns;
  for (const Quantity& q : formula.arguments)
    for (const int c : names.quantity_columns(q)) columns.insert(c);
  return {columns.begin(), columns.end()};
}

std::vector<int> variables_of(const BoundFormula& formula, int states) {
  std::set<int> variables;
  for (const Quantity& q : formula.arguments)
    if (const int v = variable_of(q, states); v >= 0) variables.insert(v);
  return {variables.begin(), variables.end()};
}

}  // namespace

template <int D>
std::vector<FormulaCoupling> couplings(const Formulas<D>& written, const BoundFormulas& bound,
                                       const NameData& names) {
  std::vector<FormulaCoupling> out;
  const auto motions = [&](const BoundFormula& formula) {
    std::set<int> bodies;
    for (const int c : columns_of(formula, names)) bodies.insert(body_of_column(names.bodies, c));
    return bodies;
  };
  for (std::size_t i = 0; i < written.forces.size(); ++i) {
    std::set<int> bodies = motions(bound.forces[i]), forces;
    // The direction turns with the bodies, too.
    for (const BodyColumns* body : {&written.forces[i].A, &written.forces[i].B})
      if (body->count > 0) {
        bodies.insert(body->body);
        forces.insert(body->body);
      }
    out.push_back({{forces.begin(), forces.end()},
                   {bodies.begin(), bodies.end()},
                   variables_of(bound.forces[i], names.sizes.r)});
  }
  for (std::size_t i = 0; i < written.states.size(); ++i) {
    const std::set<int> bodies = motions(bound.states[i]);
    out.push_back({{},
                   {bodies.begin(), bodies.end()},
                   variables_of(bound.states[i], names.sizes.r),
                   written.states[i].index});
  }
  return out;
}

template <int D>
FormulaTerms<D>::FormulaTerms(const Formulas<D>& written, const BoundFormulas& bound,
                              const NameData& names)
    : velocities_(static_cast<std::size_t>(names.sizes.v)), states_(names.sizes.r) {
  for (std::size_t i = 0; i < written.forces.size(); ++i) {
    Term term;
    term.force = &written.forces[i];
    bind(bound.forces[i], names, term);
  }
  for (std::size_t i = 0; i < written.states.size(); ++i) {
    Term term;
    term.variable = written.states[i].index;
    bind(bound.states[i], names, term);
  }
}

template <int D>
void FormulaTerms<D>::bind(const BoundFormula& formula, const NameData& names, Term& term) {
  const Patterns& patterns = names.patterns;
  term.formula = &formula;
  term.variables = variables_of(formula, states_);
  arguments_ = std::max(arguments_, formula.arguments.size());
  std::set<int> columns;
  for (const int c : columns_of(formula, names)) columns.insert(c);
  if (term.force)
    for (const BodyColumns* body : {&term.force->A, &term.force->B})
      for (int k = 0; k < body->count; ++k) {
        term.rows.push_back(body->first + k);
        columns.insert(body->first + k);
      }
  term.columns.assign(columns.begin(), columns.end());
  if (term.force) {
    for (const int row : term.rows) {
      for (const int c : term.columns) term.blocks.push_back(patterns.force->find(row, c));
      for (const int x : term.variables)
        term.variable_slots.push_back(patterns.force_aux->find(row, x));
    }
  } else {
    for (const int c : term.columns) term.blocks.push_back(patterns.aux->find(term.variable, c));
    for (const int x : term.variables)
      term.variable_slots.push_back(patterns.aux_aux->find(term.variable, x));
  }
  terms_.push_back(std::move(term));
}

template <int D>
FormulaScratch FormulaTerms<D>::make_scratch() const {
  FormulaScratch out;
  for (Vector* x : {&out.values, &out.gradient}) x->assign(arguments_, 0.0);
  if (!empty())
    for (Vector* x : {&out.by_p, &out.by_v}) x->assign(velocities_, 0.0);
  return out;
}

template <int D>
double FormulaTerms<D>::value(const Term& term, const Reading<D>& at, FormulaScratch& s) const {
  const auto& arguments = term.formula->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    s.values[i] = at.value(arguments[i], 0, {}, {});
  return term.formula->value.evaluate(s.values, at.state.modes.data() + term.formula->mode);
}

/// The value, with its gradient by the motion in the scratch.
template <int D>
double FormulaTerms<D>::gradient(const Term& term, const Reading<D>& at, FormulaScratch& s) const {
  const auto& arguments = term.formula->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    s.values[i] = at.value(arguments[i], 0, {}, {});
  const double value = term.formula->value.evaluate_with_gradient(
      s.values, at.state.modes.data() + term.formula->mode, s.gradient);
  for (const int c : term.columns) s.by_p[c] = s.by_v[c] = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (s.gradient[i] != 0) (void)at.value(arguments[i], s.gradient[i], s.by_p, s.by_v);
  return value;
}

template <int D>
void FormulaTerms<D>::evaluate(const Reading<D>& at, const ForceValues& out,
                               FormulaScratch& s) const {
  Measure<D> y;
  for (const Term& term : terms_) {
    const double F = value(term, at, s);
    if (!term.force) {
      out.b[term.variable] += F;
      continue;
    }
    const FormulaForce<D>& f = *term.force;
    f.along.evaluate({at.at.bodies[f.A.body], at.at.bodies[f.B.body]}, Depth::gradient, y);
    for (int k = 0; k < f.A.count; ++k) out.f[f.A.first + k] += F * y.G[k];
    for (int k = 0; k < f.B.count; ++k) out.f[f.B.first + k] += F * y.G[dofs<D> + k];
  }
}

template <int D>
void FormulaTerms<D>::differentiate_force(const Term& term, const Reading<D>& at, double F,
                                          const ForceValues& out, FormulaScratch& s) const {
  const FormulaForce<D>& f = *term.force;
  Measure<D> y;
  f.along.evaluate({at.at.bodies[f.A.body], at.at.bodies[f.B.body]}, Depth::second, y);
  // Place of a row among the 2 dofs of the measure.
  const auto local = [&](std::size_t row) {
    const auto count = static_cast<std::size_t>(f.A.count);
    return row < count ? static_cast<int>(row) : dofs<D> + static_cast<int>(row - count);
  };
  const std::size_t columns = term.columns.size(), variables = term.variables.size();
  for (std::size_t i = 0; i < term.rows.size(); ++i) {
    const double G = y.G[local(i)];
    for (std::size_t j = 0; j < columns; ++j) {
      const int slot = term.blocks[i * columns + j];
      out.f_p[slot] += G * s.by_p[term.columns[j]];
      out.f_v[slot] += G * s.by_v[term.columns[j]];
    }
    for (std::size_t k = 0; k < term.rows.size(); ++k) {
      const auto place = std::ranges::lower_bound(term.columns, term.rows[k]);
      const auto j = static_cast<std::size_t>(place - term.columns.begin());
      out.f_p[term.blocks[i * columns + j]] += F * y.curvature[local(i)][local(k)];
    }
    for (std::size_t a = 0; a < term.formula->arguments.size(); ++a) {
      const Quantity& q = term.formula->arguments[a];
      if (q.kind == Kind::time) out.f_t[term.rows[i]] += G * s.gradient[a];
      const int variable = variable_of(q, states_);
      if (variable < 0) continue;
      const auto place = std::ranges::lower_bound(term.variables, variable);
      const auto j = static_cast<std::size_t>(place - term.variables.begin());
      out.f_aux[term.variable_slots[i * variables + j]] += G * s.gradient[a];
    }
  }
}

template <int D>
void FormulaTerms<D>::differentiate(const Reading<D>& at, const ForceValues& out,
                                    FormulaScratch& s) const {
  for (const Term& term : terms_) {
    const double F = gradient(term, at, s);
    if (term.force) {
      differentiate_force(term, at, F, out, s);
      continue;
    }
    for (std::size_t j = 0; j < term.columns.size(); ++j) {
      out.aux_p[term.blocks[j]] += s.by_p[term.columns[j]];
      out.aux_v[term.blocks[j]] += s.by_v[term.columns[j]];
    }
    for (std::size_t a = 0; a < term.formula->arguments.size(); ++a) {
      const Quantity& q = term.formula->arguments[a];
      if (q.kind == Kind::time) out.b_t[term.variable] += s.gradient[a];
      const int variable = variable_of(q, states_);
      if (variable < 0) continue;
      const auto place = std::ranges::lower_bound(term.variables, variable);
      out.aux_aux[term.variable_slots[place - term.variables.begin()]] += s.gradient[a];
    }
  }
}

template <int D>
void FormulaTerms<D>::events(const Reading<D>& at, std::span<double> z, FormulaScratch& s) const {
  for (const Term& term : terms_) {
    const BoundFormula& f = *term.formula;
    if (f.value.count() == 0) continue;
    (void)value(term, at, s);
    f.value.functions(s.values, at.state.modes.data() + f.mode, z.data() + f.event);
  }
}

template <int D>
void FormulaTerms<D>::choose_modes(const Reading<D>& at, std::vector<int>& modes,
                                   FormulaScratch& s) const {
  for (const Term& term : terms_) {
    const BoundFormula& f = *term.formula;
    if (f.value.count() == 0) continue;
    for (std::size_t i = 0; i < f.arguments.size(); ++i)
      s.values[i] = at.value(f.arguments[i], 0, {}, {});
    f.value.choose(s.values, modes.data() + f.mode);
  }
}

template <int D>
void FormulaTerms<D>::magnitudes(const Reading<D>& at, std::span<double> by_element,
                                 FormulaScratch& s) const {
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (!term.force) continue;
    const double F = value(term, at, s);
    double& shown = by_element[term.force->element];
    const bool squares = term.force->shown == FormulaForce<D>::Shown::squares;
    shown = squares ? std::hypot(shown, F) : shown + F;
  }
}

template <int D>
void FormulaTerms<D>::vectors(const Reading<D>& at, std::vector<VecOf<D>>& by_element,
                              FormulaScratch& s) const {
  Measure<D> y;
  for (const Term& term : terms_) {
    if (!term.force) continue;
    const FormulaForce<D>& f = *term.force;
    const double F = value(term, at, s);
    f.along.evaluate({at.at.bodies[f.A.body], at.at.bodies[f.B.body]}, Depth::gradient, y);
    for (int k = 0; k < D; ++k) by_element[f.element][k] += F * y.G[dofs<D> + k];
  }
}

template class FormulaTerms<2>;
template class FormulaTerms<3>;
template std::vector<FormulaCoupling> couplings(const Formulas<2>&, const BoundFormulas&,
                                                const NameData&);
template std::vector<FormulaCoupling> couplings(const Formulas<3>&, const BoundFormulas&,
                                                const NameData&);

}  // namespace kardan
