/// The methods of SUNDIALS by name, for programs that do not carry it (FMUs): they have nothing to
/// integrate with, and whoever runs a method says so.

#include "kardan/integrate/cvode.h"
#include "kardan/integrate/ida.h"

namespace kardan {

Method adams() {
  return {.name = "adams", .summary = "not carried: CVODE", .source = "SUNDIALS CVODE"};
}

Method bdf() {
  return {.name = "bdf", .summary = "not carried: CVODE", .source = "SUNDIALS CVODE"};
}

Method ida() {
  return {.name = "ida", .summary = "not carried: IDA", .source = "SUNDIALS IDA"};
}

}  // namespace kardan
