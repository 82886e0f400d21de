/// `kardan reproduce`: all of it is in apps/reproduce.

#include "apps/reproduce/reproduce.h"

#include <memory>

#include "apps/cli/command.h"

namespace kardan::cli {

Verb reproduce_verb() {
  auto o = std::make_shared<reproduce::Options>();
  return {"reproduce",
          "the papers' experiments, our numbers beside the printed ones",
          {{"PAPER", "without it: what there is", &o->paper},
           {"TABLE", "table or figure", &o->table},
           {"--out", "file of the plot (.svg)", &o->out},
           {"--html", "file of a page with all of them", &o->html},
           {"--quick", "a shortened form of what takes long", &o->quick},
           force_argument(o->force)},
          [o] { return reproduce::reproduce(*o); }};
}

}  // namespace kardan::cli
