#include <fmt/format.h>

#include <algorithm>

#include "kardan/integrate/abm2.h"
#include "kardan/integrate/baumgarte.h"
#include "kardan/integrate/cvode.h"
#include "kardan/integrate/dop853.h"
#include "kardan/integrate/dopri5.h"
#include "kardan/integrate/generalized_alpha.h"
#include "kardan/integrate/hem5.h"
#include "kardan/integrate/ida.h"
#include "kardan/integrate/llm.h"
#include "kardan/integrate/method.h"
#include "kardan/integrate/newmark.h"
#include "kardan/integrate/nystrom4.h"
#include "kardan/integrate/radau.h"
#include "kardan/integrate/rn4.h"
#include "kardan/integrate/rodasp.h"
#include "kardan/integrate/ros2w.h"
#include "kardan/integrate/sdirk.h"
#include "kardan/integrate/welch.h"

namespace kardan {

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      rn4(),     rodasp(),         ros2w(),  dopri5(),     dop853(),        nystrom4(),
      newmark(), newmark_fv(),     sdirk4(), abm2(),       adams(),         bdf(),
      welch2(),  welch2_printed(), welch1(), baumgarte1(), baumgarte_rk2(), generalized_alpha(),
      hht(),     radau5(),         radau9(), hem5(),       ida(),           llm()};
  return all;
}

const Method* find_method(std::string_view name) {
  for (const Method& m : methods())
    if (m.name == name) return &m;
  return nullptr;
}

static const Duty* duty(const Method& method, Task task) {
  for (const Duty& d : method.duties)
    if (d.task == task) return &d;
  return nullptr;
}

std::vector<const Method*> methods_for(Task task) {
  std::vector<const Method*> out;
  for (const Method& m : methods())
    if (duty(m, task)) out.push_back(&m);
  std::ranges::stable_sort(out, {}, [task](const Method* m) { return duty(*m, task)->rank; });
  return out;
}

const Method& method_for(Task task) {
  return *methods_for(task).at(0);
}

std::string name_for(Task task) {
  const Method& m = method_for(task);
  const std::string_view own = duty(m, task)->formulation;
  return fmt::format("{}@{}", m.name, own.empty() ? m.formulation : own);
}

}  // namespace kardan
