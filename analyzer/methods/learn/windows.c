// SPDX-License-Identifier: BSD-2-Clause
/* Trailing means and sliding windows over one series. */
#include "windows.h"

#include <math.h>

void windows_smooth(const double *in, double *out, size_t n, unsigned int len)
{
	/* Summed anew for each sample: a running sum would drift, and len is small. */
	for (size_t t = 0; t < n; t++) {
		size_t first = t + 1 < len ? 0 : t + 1 - len;
		unsigned int there;

		out[t] = windows_mean(in + first, (unsigned int)(t + 1 - first), &there);
	}
}

size_t windows_count(size_t n, unsigned int window, unsigned int shift)
{
	return n < window ? 0 : (n - window) / shift + 1;
}

double windows_mean(const double *x, unsigned int window, unsigned int *n_there)
{
	double sum = 0;
	unsigned int there = 0;

	for (unsigned int i = 0; i < window; i++)
		if (!isnan(x[i])) {
			sum += x[i];
			there++;
		}
	*n_there = there;
	return there ? sum / there : NAN;
}

int windows_enough(unsigned int n_there, unsigned int window)
{
	return 2 * n_there >= window;
}
