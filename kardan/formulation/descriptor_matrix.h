#pragma once
/// Linearizations of the equations of motion in all coordinates (descriptor.h).

#include "kardan/formulation/descriptor_form.h"
#include "kardan/integrate/dae_problem.h"
#include "kardan/linalg/complex_lu.h"
#include "kardan/linalg/constraint_space.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/row_space.h"
#include "kardan/system/system.h"

namespace kardan {

/// What every linearization of a Descriptor takes.
class DescriptorMatrix : public DaeLinearization {
 public:
  /// Derivatives to be filled before `prepare`.
  DescriptorDerivatives at;
  /// G at this point, factored already; or null.
  const RowSpace* known_rows = nullptr;
  /// Where the rank of all rows, and of the holonomic ones, was decided last.
  const RowChoice* choice = nullptr;
  const RowChoice* position_choice = nullptr;
  /// Of all rows of G and, where there are nonholonomic ones, of the holonomic rows.
  int max_rank = 0, max_position_rank = 0;
  /// Chooses selectors and factors what does not depend on c. `ws` holds the same derivatives.
  [[nodiscard]] virtual Eval prepare(const Workspace& ws) = 0;
  /// Of the constraints that were found independent.
  virtual int rank() const = 0;
  /// How often `prepare` chose other selectors than the time before: 0 or 1.
  virtual int new_selectors() const = 0;
  /// The row space of all constraints; null where it is not kept.
  virtual const ConstraintSpace* rows() const = 0;
};

std::unique_ptr<DescriptorMatrix> make_selected_matrix(const System& system,
                                                       const DescriptorLayout& layout,
                                                       const DescriptorForm& form,
                                                       const Vector& units);
std::unique_ptr<DescriptorMatrix> make_full_matrix(const System& system,
                                                   const DescriptorLayout& layout,
                                                   const DescriptorForm& form);

}  // namespace kardan
