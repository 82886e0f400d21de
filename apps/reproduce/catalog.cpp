/// The papers, in the order they are listed.

#include "apps/reproduce/paper.h"

namespace kardan::reproduce {

Paper sandu2001();
Paper haug1997();
Paper steinbrecher2007();
Paper welch2007();
Paper gil2013();

std::vector<Paper> papers() {
  return {sandu2001(), haug1997(), steinbrecher2007(), welch2007(), gil2013()};
}

}  // namespace kardan::reproduce
