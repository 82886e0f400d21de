/// The verbs, as `kardan --help` lists them.

#include "apps/cli/verb.h"

namespace kardan::cli {

Verb check_verb();
Verb assemble_verb();
Verb equilibrium_verb();
Verb linearize_verb();
Verb run_verb();
Verb compare_verb();
Verb study_verb();
Verb kinematics_verb();
Verb view_verb();
Verb methods_verb();
Verb reproduce_verb();
Verb elements_verb();
Verb convert_verb();
Verb schema_verb();

std::vector<Verb> verbs() {
  return {check_verb(),     assemble_verb(),   equilibrium_verb(), linearize_verb(), run_verb(),
          compare_verb(),   kinematics_verb(), study_verb(),       view_verb(),      methods_verb(),
          reproduce_verb(), elements_verb(),   convert_verb(),     schema_verb()};
}

}  // namespace kardan::cli
