// SPDX-License-Identifier: BSD-2-Clause
/* Student's t: tail and quantile. */
#include "student.h"

#include <math.h>

enum {
	STEPS = 2000, /* of the continued fraction: 1e6 degrees of freedom take 700 */
	ROUNDS = 60,  /* of Newton: four, and some twenty from a start that is far off */
	STIRLING = 20 /* from here on the series below has 12 digits */
};

/*
 * ln of Gamma(a + 1/2) / Gamma(a); by Stirling's series where the difference of two large numbers
 * would lose digits.
 */
static double log_gamma_step(double a)
{
	double b = 1 / a, b2 = b * b;
	int sign;

	if (a < STIRLING)
		return lgamma_r(a + 0.5, &sign) - lgamma_r(a, &sign);
	return 0.5 * log(a) - b * (1.0 / 8 - b2 * (1.0 / 192 - b2 * (1.0 / 640 - b2 * 17 / 14336)));
}

/* One step of Lentz: c, d and h with the next coefficient. */
static void lentz(double v, double *c, double *d, double *h)
{
	const double tiny = 1e-300;

	*d = 1 + v * *d;
	*d = 1 / (fabs(*d) > tiny ? *d : tiny);
	*c = 1 + v / *c;
	*c = fabs(*c) > tiny ? *c : tiny;
	*h *= *c * *d;
}

/* The continued fraction of I_x(a, b), times x^a (1-x)^b / (a B(a, b)) = I. */
static double fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < STEPS; m++) {
		double k = a + 2 * m;

		lentz(m * (b - m) * x / ((k - 1) * k), &c, &d, &h);
		lentz(-(a + m) * (a + b + m) * x / (k * (k + 1)), &c, &d, &h);
		if (fabs(c * d - 1) < 1e-14)
			break;
	}
	return h;
}

/* ln of the chance to exceed t > 0, and of t times the density there. */
static double log_tail(double t, double df, double *log_density)
{
	double a = df / 2, b = 0.5, t2 = t * t / df;
	double x = 1 / (1 + t2), y = 1 / (1 + 1 / t2); /* y = 1 - x, with all its digits */
	/*
	 * x^a y^b / B(a, b); B's Gamma(1/2) is the root of pi. Beyond 1e150 t^2 / df is infinite.
	 */
	double ln = isinf(t2) ? 2 * log(t) - log(df) : log1p(t2);
	double front = log_gamma_step(a) - 0.5 * log(M_PI) - a * ln + b * log(y);

	*log_density = front;
	if (x < (a + 1) / (a + b + 2))
		return front + log(fraction(a, b, x) / (2 * a));
	return log((1 - exp(front) * fraction(b, a, y) / b) / 2);
}

double student_tail(double t, double df)
{
	double unused;

	if (isnan(t) || !(df > 0))
		return NAN;
	if (t == 0)
		return 0.5;
	if (isinf(t))
		return t > 0 ? 0 : 1;
	if (t < 0)
		return 1 - exp(log_tail(-t, df, &unused));
	return exp(log_tail(t, df, &unused));
}

/* The normal value exceeded with chance p < 1/2, to 4.5e-4 (Abramowitz and Stegun 26.2.23). */
static double normal_start(double p)
{
	double s = sqrt(-2 * log(p));

	return s - (2.515517 + s * (0.802853 + s * 0.010328)) /
			   (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
}

double student_quantile(double p, double df)
{
	double z, u, log_p, step = 1;

	if (!(p > 0) || !(p < 1) || !(df > 0))
		return NAN;
	if (p > 0.5)
		return -student_quantile(1 - p, df);
	if (p == 0.5)
		return 0;
	z = fmax(normal_start(p), 1e-12) * (8 * df + 3) / (8 * df + 1);
	/* ln t; where z^2 / df is large its exponential need not fit a double. */
	u = z * z / df > 50 ? (log(df) + z * z / df) / 2 : log(df * expm1(z * z / df)) / 2;
	log_p = log(p);
	/* ln tail falls with ln t, ever more steeply: from either side this comes to the root. */
	for (int i = 0; i < ROUNDS && fabs(step) > 1e-7; i++) {
		double density, tail = log_tail(exp(u), df, &density);

		step = (tail - log_p) / exp(density - tail);
		step = fmax(-20, fmin(20, step)); /* a start near 0, where the tail is flat */
		u += step;
	}
	return exp(u);
}
