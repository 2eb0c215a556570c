// SPDX-License-Identifier: BSD-2-Clause
/* student.h beside scipy, and what it says of arguments that make no sense. */
#include "unit.h"

#include <math.h>

#include "analyzer/stat/student.h"

/* Made with scipy.stats.t: t = isf(p, df), then its sf(t, df). */
static const struct row {
	double df, t, p;
} rows[] = {
	{0.5, 0.188644208846307, 0.45},
	{0.5, 10.2703244102345, 0.1},
	{0.5, 102849.115630176, 0.001},
	{0.5, 102849115631.634, 1e-06},
	{0.5, 1.02849115631634e+19, 1e-10},
	{0.5, 1.02849115631634e+27, 1e-14},
	{1, 0.158384440324536, 0.45},
	{1, 3.07768353717525, 0.1},
	{1, 318.30883898555, 0.001},
	{1, 318309.886182743, 1e-06},
	{1, 3183098861.83791, 1e-10},
	{1, 31830988618379.1, 1e-14},
	{2.25, 0.140291288368155, 0.45},
	{2.25, 1.79671422830141, 0.0999999999999999},
	{2.25, 17.047201597628, 0.001},
	{2.25, 368.353460391025, 1e-06},
	{2.25, 22082.3497761991, 1e-10},
	{2.25, 1323802.09242139, 1e-14},
	{3, 0.136598199353699, 0.45},
	{3, 1.63774435369621, 0.1},
	{3, 10.2145318524074, 0.001},
	{3, 103.299467780419, 1e-06},
	{3, 2225.76928468309, 1e-10},
	{3, 47952.7571796676, 1e-14},
	{8, 0.129707271554718, 0.45},
	{8, 1.39681530974387, 0.1},
	{8, 4.50079093372372, 0.001},
	{8, 12.1098346655562, 9.99999999999999e-07},
	{8, 39.1295629733826, 1e-10},
	{8, 124.000046380316, 9.99999999999999e-15},
	{19.5, 0.127308373644744, 0.45},
	{19.5, 1.32650279077387, 0.1},
	{19.5, 3.56520536026608, 0.001},
	{19.5, 6.65788683915371, 1e-06},
	{19.5, 11.9540943936558, 1e-10},
	{19.5, 19.915855991541, 1e-14},
	{40, 0.126461718365106, 0.45},
	{40, 1.30307705260719, 0.1},
	{40, 3.30687771408582, 0.001},
	{40, 5.55396975181504, 1e-06},
	{40, 8.44358624677364, 1e-10},
	{40, 11.6456093395491, 1e-14},
	{41, 0.126442137335136, 0.45},
	{41, 1.30254335895338, 0.1},
	{41, 3.30127288885944, 0.001},
	{41, 5.53184421590212, 1e-06},
	{41, 8.38071800453948, 1e-10},
	{41, 11.51403188382, 1e-14},
	{200, 0.125821009779452, 0.45},
	{200, 1.2857987939948, 0.1},
	{200, 3.13147981422112, 0.001},
	{200, 4.89730210282678, 1e-06},
	{200, 6.70620087945212, 1e-10},
	{200, 8.25767226847991, 9.99999999999998e-15},
	{10000, 0.125664538038582, 0.45},
	{10000, 1.28163622973048, 0.1},
	{10000, 3.09104751603061, 0.001},
	{10000, 4.75622968505678, 1e-06},
	{10000, 6.3679413514828, 9.99999999999997e-11},
	{10000, 7.66202895747553, 1e-14},
	{1e+06, 0.125661378766488, 0.45},
	{1e+06, 1.28155241212994, 0.1},
	{1e+06, 3.09024045631652, 0.001},
	{1e+06, 4.75345234827968, 1e-06},
	{1e+06, 6.36140684887674, 1e-10},
	{1e+06, 7.65074195888403, 9.99999999999995e-15},
};

static void near(const char *what, const struct row *r, double x, double y)
{
	if (!(fabs(x - y) <= 1e-8 * fabs(y)))
		fail_msg("%s, df %g, t %g: %.15g, not %.15g", what, r->df, r->t, x, y);
}

static void tails_and_quantiles_are_scipys(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];

		near("tail", r, student_tail(r->t, r->df), r->p);
		near("quantile", r, student_quantile(r->p, r->df), r->t);
		near("other tail", r, student_tail(-r->t, r->df), 1 - r->p);
	}
	near("below a half", &rows[7], student_quantile(0.9, 1), -student_quantile(0.1, 1));
	assert_true(student_tail(0, 3) == 0.5);
	assert_true(student_quantile(0.5, 3) == 0);
}

/* From one to the other and back, between the rows; and it falls. */
static void each_undoes_the_other(void **state)
{
	(void)state;
	for (double df = 0.5; df < 2e6; df *= 1.7) {
		double before = 0;

		for (double p = 0.49; p > 1e-14; p *= 0.37) {
			double t = student_quantile(p, df);

			assert_true(t > before);
			assert_true(fabs(student_tail(t, df) / p - 1) < 1e-9);
			before = t;
		}
	}
}

static void what_makes_no_sense_is_nan(void **state)
{
	(void)state;
	assert_true(isnan(student_tail(NAN, 3)) && isnan(student_tail(1, NAN)));
	assert_true(isnan(student_tail(1, 0)) && isnan(student_tail(1, -1)));
	assert_true(isnan(student_quantile(0, 3)) && isnan(student_quantile(1, 3)));
	assert_true(isnan(student_quantile(NAN, 3)) && isnan(student_quantile(0.1, 0)));
	assert_true(student_tail(INFINITY, 3) == 0 && student_tail(-INFINITY, 3) == 1);
	assert_true(student_tail(1e300, 0.5) > 0 && student_tail(1e300, 0.5) < 1e-70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tails_and_quantiles_are_scipys),
		cmocka_unit_test(each_undoes_the_other),
		cmocka_unit_test(what_makes_no_sense_is_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
