#include "kardan/integrate/nystrom4.h"

namespace kardan {

/// The coefficients are Kardan's own. Of all that meet the conditions of order 4 for x" = f(t, x,
/// x') (E. Hairer, S. P. Noersett, G. Wanner, Solving Ordinary Differential Equations I, 1993,
/// section II.14) with rows that sum up to c and c^2/2, they were found by minimizing the residuals
/// of those of order 5 (norm 4.2e-4 over all 18) such that oscillations up to omega h = 7 do not
/// grow, those above 4.6 lose a tenth a step, and little damping or gyroscopic coupling does not
/// change that. The program that found them is lost, and not all of its conditions are known.
/// `tools/nystrom4_coefficients` shows what they meet, and searches within the conditions known: it
/// does not lead back to them, but to others (norm 3.0e-4 after 400 iterations).
const ExplicitTableau& nystrom4_tableau() {
  static const ExplicitTableau t{
      .A = {{},
            {0.1619738609704226},
            {-0.05204775105451398, 0.31697907098320177},
            {-0.3233833502173903, 0.34741710452615504, 0.6467609294251575},
            {0.48772008945458745, -0.10524740620998661, -0.09660285201314812, 0.399328883920677},
            {0.10735559107075598, 0.21872159222205648, -0.017589915176356517, 0.07293241603531808,
             0.618580315848226}},
      .c = {0.0, 0.1619738609704226, 0.2649313199286878, 0.6707946837339223, 0.6851987151521297,
            1.0},
      .b = {0.04281507670594053, 0.18783696402425765, 0.203871836238036, 0.26416646542950617,
            0.19996052821186133, 0.1013491293903983},
      .error = {-0.029473720059447744, 0.030870745173372995, 0.022028397930251378,
                -0.03076005383744381, -0.007823295470691575, 0.015157926263958751},
      .A_x = {{},
              {0.013117765818832896},
              {0.01788763705987746, 0.017206665079700905},
              {0.0424461970634642, 0.05687814949300364, 0.12565840730637853},
              {0.0005500404329188413, 0.15022517840686073, 0.041867050929375954,
               0.042106369853909156},
              {0.03554286647292898, 0.16586014828448511, 0.14492654675357478, 0.10036901991205549,
               0.05330141857695563}},
      .b_x = {0.042776226890541946, 0.15766576752420117, 0.14957513954240897, 0.08768485857809057,
              0.06230835443369166, -1.0346968934372088e-05},
      .error_x = {-0.029473720059447744, 0.02587049138660773, 0.016192385390675506,
                  -0.010126373251917268, -0.002462783465918232},
      // In steps that are long against an oscillation the first estimate vanishes in one of its
      // phases: at omega h = 7 it is up to 5 times too small. Together with this it falls short by a
      // quarter at most. The last stage stands at the end of the step as well, but for terms of
      // order 3: a fifth of what its acceleration differs by, and what takes the term of order 2 in
      // its velocity out of that, so that this estimate has order 3, too.
      .end_error = {0.2 * 0.003486065904417534, 0.2 * -0.0820379577929515,
                    0.2 * 0.10845936129643392, 0.2 * 0.016277233938858365,
                    0.2 * -0.06295954092824949, 0.2 * -0.9832251624185089, 0.2}};
  return t;
}

Method nystrom4() {
  return {.name = "nystrom4",
          .summary = "explicit Nystrom method for long chains, 6 stages",
          .source = "Kardan",
          .order = 4,
          .error_order = 3,
          .is_explicit = true,
          .damps_swinging = true,
          .formulation = "projected_ode",
          .make = [](const OptionValues&) { return make_explicit_stepper(nystrom4_tableau()); }};
}

}  // namespace kardan
