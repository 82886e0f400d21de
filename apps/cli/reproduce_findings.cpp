/// What came out of every table and figure, in a line, and where the print is wrong. The tables
/// themselves print the figures.

#include "apps/cli/reproduce.h"

namespace kardan::cli {
namespace {

constexpr Finding findings[] = {
    {"sandu2001", "table1", "better", "errors of rn4 below the printed ones at every tolerance",
     "The first three printed maxima are ten times too large: they contradict the relative errors "
     "and averages printed beside them. The printed start gives other values than the tables; zero "
     "initial velocities give them, eight of eight. In the method, a_21 = 0.2 must be 2.0 and the "
     "sign of gamma_21 is lost: with the printed entries the order measured is 1, not 4. The first "
     "term of Eq. (45) lacks a factor: as printed, the order is 1 again."},
    {"sandu2001", "table2", "better", "errors of rn4 below the printed ones at every tolerance",
     ""},
    {"sandu2001", "fig2", "reproduced", "the same curves, within the reading of the plot", ""},
    {"sandu2001", "table3", "reproduced",
     "steps of the explicit method do not depend on the tolerance: stability limits them",
     "The joints of the vehicle are given by letters of a drawing that is lost: a model with "
     "public "
     "hard points and the paper's counts and constants stands in, so that times compare, not "
     "digits."},
    {"sandu2001", "table4", "better",
     "ratio of explicit to implicit CPU time several times the printed one, errors within "
     "tolerance",
     ""},
    {"sandu2001", "fig5", "reproduced",
     "same eigenvalue, same course of the step size; the chassis rides 3 cm lower",
     "The rear wheels meet the bump at 1.2388 s (wheelbase over speed); the text says 1.2 s. The "
     "height depends on springs and hard points that the paper does not give."},
    {"haug1997", "table5", "differs",
     "the approximate matrix of Fisette and Vaneghem is not limited to the printed steps: it "
     "converges at far larger ones",
     "Section 4.1 gives 0.02 for the step that Table 5 gives as 0.015. The constants of the double "
     "pendulum and of the slider-crank are lost in print; theta_2 = 3 pi/2 of the slider-crank "
     "does "
     "not assemble (11 pi/6 does). The limit of 0.0001 for the seven bodies was sought with two "
     "predictors and could not be found."},
    {"haug1997", "fig9", "differs",
     "exact and approximate matrix need as many iterations here; printed: half", ""},
    {"haug1997", "fig10", "differs",
     "the exact matrix needs three iterations of the other's four; printed: half", ""},
    {"haug1997", "fig11", "reproduced",
     "the exact matrix needs 2.2 iterations a step, the approximate one 3.1", ""},
    {"steinbrecher2007", "table3", "differs",
     "more than twice the steps at the same tolerance: the error reached stays about thirty times "
     "below it; no iteration fails",
     "Newton's stopping factor is printed as min(0.03, rtol)/2; taken so, the iterations double. "
     "RADAU5 loosens the tolerance inside (0.1 rtol^(2/3)); the printed counts need that, and the "
     "text does not say it."},
    {"steinbrecher2007", "table4", "differs",
     "as in Table 3; where the original lost 13 iterations at changes of its selectors, none fails",
     ""},
    {"steinbrecher2007", "fig1", "better",
     "with the invariant the energy is kept to round-off, 5e-15 over 20 s",
     "Letting the invariant replace a dynamic equation, as printed, fails at every turning point, "
     "where its derivative by the velocities vanishes: a pendulum at rest stays at rest. Here it "
     "is "
     "projected onto after the step."},
    {"steinbrecher2007", "fig2", "better",
     "the strangeness-free form leads from 1e-6 on; with the invariant errors are far smaller "
     "still",
     ""},
    {"steinbrecher2007", "fig3", "better", "as Fig. 2, for the multiplier", ""},
    {"steinbrecher2007", "fig4", "reproduced",
     "strangeness-free forms hold all levels to 2e-14; index 3, 2 and 1 drift in the levels they "
     "leave out",
     ""},
    {"steinbrecher2007", "fig5", "reproduced", "residuals at round-off for every tolerance", ""},
    {"steinbrecher2007", "fig6", "reproduced",
     "never beyond 45 degrees for v = 2.8, twelve passages for v = 2.9",
     "The period of 2 s is that of a release from the horizontal only (2.000027 s exactly)."},
    {"steinbrecher2007", "fig8", "differs",
     "another truck: the numbers of 1994 are not available, the planar truck of Eich-Soellner and "
     "Fuehrer stands in",
     ""},
    {"welch2007", "table1", "reproduced",
     "all 20 rows: positions to 4e-13, velocities 2e-10, multipliers 3e-7",
     "The multiplier of the corrector belongs to the middle of the last step, not to its end: "
     "there "
     "it has order 2, at the end order 1, which is what the last column of the print shows."},
    {"welch2007", "table2", "reproduced", "means of the residual to 0.25 %, the same orders", ""},
    {"welch2007", "table3", "reproduced",
     "orders 3 and 2 as printed, and a larger lead over Baumgarte's method; digits cannot be "
     "compared",
     "Masses and the axis of the pin are not in the paper. The corrector as printed has order 1 in "
     "the state: its angular velocity comes from the predictor. Repeating it once with the mean of "
     "both ends gives order 2 (measured 2.00); both are shipped."},
    {"welch2007", "stability", "differs",
     "the printed limit of 0.0664 s does not exist: with gains over dt no radius depends on dt",
     "Eq. (69) has a sign error, (68) is right; the matrix of Eq. (64) is not that of Heun's "
     "method."},
    {"welch2007", "fig1", "reproduced", "the coordinates of both methods", ""},
    {"welch2007", "fig2", "reproduced", "residuals four times below Baumgarte's", ""},
    {"welch2007", "fig3", "reproduced", "energy error three times below Baumgarte's", ""},
    {"welch2007", "fig4", "reproduced", "the coordinates of both methods", ""},
    {"welch2007", "fig5", "reproduced", "the angular velocities of both methods", ""},
    {"welch2007", "fig6", "reproduced", "residuals 450 times below Baumgarte's", ""},
    {"welch2007", "fig7", "better", "energy error 150 times below that of the corrector as printed",
     ""},
    {"gil2013", "fig2", "differs",
     "40 % less time than ODE45 is not confirmed: it depends on constants that the paper does not "
     "give, and the drift is larger",
     "The stiffness of 3000 N m per degree is 171887 N m per radian; masses, lengths and the start "
     "are missing, so that two sets are shown. A factor 1/2 of v_n is missing in print; the later "
     "formulas have it."},
    {"gil2013", "fig5", "reproduced",
     "linearization follows the balls to round-off at any step, solvers without events do not",
     "Looking at signs at the ends of steps, as printed, misses contacts: 6 of 16 were found at "
     "h = 0.02. Here the flow inside the step is looked at."},
    {"gil2013", "fig6", "reproduced", "the estimate follows the exact local error", ""},
    {"gil2013", "fig7", "reproduced",
     "a smaller tolerance gives smaller steps, and the estimate stays below it", ""},
    {"gil2013", "work", "differs",
     "a plot of ours: at the same reached error linearization costs about what dopri5 does", ""},
};

}  // namespace

const Finding* find_finding(std::string_view paper, std::string_view table) {
  for (const Finding& f : findings)
    if (f.paper == paper && f.table == table) return &f;
  return nullptr;
}

}  // namespace kardan::cli
