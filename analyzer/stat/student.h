/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Student's t: the chance of its upper tail, and the value that is exceeded with a given chance.
 * For any number of degrees of freedom from 0.5 to 1e6, whole or not, and chances down to 1e-14;
 * correct to nine digits. The tail takes about 0.2 us, the quantile three to five tails.
 *
 * The tail is half an incomplete beta function, I_x(df/2, 1/2) with x = df / (df + t^2), by its
 * continued fraction (Abramowitz and Stegun 26.5.8 and 26.7.1; evaluated as Lentz does, "Generating
 * Bessel functions in Mie scattering calculations using continued fractions", 1976). The quantile
 * starts at Wallace's normal approximation ("Bounds on normal approximations to Student's and the
 * chi-square distributions", 1959), inverted, and is refined by Newton's method on the logarithms.
 */
#ifndef LIMPET_STUDENT_H
#define LIMPET_STUDENT_H

/*
 * The chance that t with df > 0 degrees of freedom exceeds t. NaN where one is NaN or df is not
 * positive.
 */
double student_tail(double t, double df);

/* The t that is exceeded with chance p, 0 < p < 1; negative for p over a half. Else NaN. */
double student_quantile(double p, double df);

#endif
