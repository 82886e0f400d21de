#include "kardan/integrate/rn4.h"

namespace kardan {

const RosenbrockTableau& rn4_tableau() {
  static const RosenbrockTableau t{
      .stages = 4,
      .gamma = 0.57281606248213485540800138497677,
      .alpha = {{},
                {1.1456321249642697108160027699535},
                {0.52092078995360387550646288917600, 0.13429418720886316056575486993504},
                {0.52092078995360387550646288917600, 0.13429418720886316056575486993504, 0.0}},
      .gamma_ij = {{},
                   {-2.3419931401930557300368433459856},
                   {-0.027333762959520416173037208584522, 0.21381164547950611157807285149284},
                   {-0.25908384205963720398519634100885, -0.19059580698576252285830011433486,
                    -0.22803103964460189148021914408780}},
      .b = {0.32453470854676169685892874870123, 0.049086543368356741609323318437127, 0.0,
            0.62637874808488156153174793286164},
      .b_hat = {0.52092078995360387550646288917600, 0.14454971261338148672257604181747,
                0.12455968651845054291541901199242, 0.20996981091456409485554205701411}};
  return t;
}

Method rn4() {
  return {.name = "rn4",
          .summary = "L-stable Rosenbrock-Nystrom method, 4 stages",
          .source = "Sandu, Negrut, Haug, Potra, Sandu 2001",
          .order = 4,
          .error_order = 3,
          .needs_jacobian = true,
          .needs_exact_jacobian = true,
          .error_weight = 2,  // so that errors are not above those of the paper's tables
          .duties = {{Task::fixed_steps}},
          .make = [](const OptionValues&) { return make_rosenbrock(rn4_tableau()); }};
}

}  // namespace kardan
