#pragma once
/// Forces and rates of variables that are formulas over any quantities:
///
///   Q = F(t, p, v, r, w) G'      f_p = G' F_p + F (G')_p,  f_v = G' F_v,  f by (r, w): G' F_r
///   r' = F(t, p, v, r, w)
///
/// Their switches are held in the positions that the modes of the state tell.

#include "kardan/elements/formula.h"
#include "kardan/system/bound_expressions.h"
#include "kardan/system/patterns.h"
#include "kardan/system/reading.h"

namespace kardan {

struct FormulaScratch {
  Vector values, gradient;  // of the arguments
  Vector by_p, by_v;        // zero but within a call
};

template <int D>
class FormulaTerms {
 public:
  FormulaTerms(const Formulas<D>& written, const BoundFormulas& bound, const NameData& names);

  bool empty() const { return terms_.empty(); }
  FormulaScratch make_scratch() const;

  void evaluate(const Reading<D>&, const ForceValues&, FormulaScratch&) const;
  void differentiate(const Reading<D>&, const ForceValues&, FormulaScratch&) const;
  void events(const Reading<D>&, std::span<double> z, FormulaScratch&) const;
  void choose_modes(const Reading<D>&, std::vector<int>& modes, FormulaScratch&) const;
  /// As those of ForceBank.
  void magnitudes(const Reading<D>&, std::span<double> by_element, FormulaScratch&) const;
  void vectors(const Reading<D>&, std::vector<VecOf<D>>& by_element, FormulaScratch&) const;

 private:
  struct Term {
    const BoundFormula* formula = nullptr;
    const FormulaForce<D>* force = nullptr;  // null: the rate of a variable
    int variable = -1;
    std::vector<int> columns;  // of the motion, ascending
    std::vector<int> rows;     // of the forces: columns of A, then of B
    std::vector<int> blocks;   // rows x columns in the force pattern; columns in that of variables
    std::vector<int> variables, variable_slots;  // (r; w), and rows x variables
  };
  void bind(const BoundFormula& formula, const NameData& names, Term& term);
  void differentiate_force(const Term&, const Reading<D>&, double value, const ForceValues&,
                           FormulaScratch&) const;
  double value(const Term&, const Reading<D>&, FormulaScratch&) const;
  double gradient(const Term&, const Reading<D>&, FormulaScratch&) const;

  std::vector<Term> terms_;
  std::size_t arguments_ = 0, velocities_ = 0;
  int states_ = 0;
};

/// What patterns need to know of formulas.
template <int D>
std::vector<FormulaCoupling> couplings(const Formulas<D>& written, const BoundFormulas& bound,
                                       const NameData& names);

extern template class FormulaTerms<2>;
extern template class FormulaTerms<3>;

}  // namespace kardan
