/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops of kl_lanes.c, included once for each kind of vector instructions, so without a guard:
 * WIDTH is how many doubles a register has, TARGET an attribute, OF(name) the name with a suffix.
 */
typedef double OF(lanes) __attribute__((vector_size(8 * WIDTH)));
typedef long long OF(counts) __attribute__((vector_size(8 * WIDTH)));

#define lanes  OF(lanes)
#define counts OF(counts)
#define ALL(x) ((x) - (lanes){0}) /* x in every lane */

/* sum[r] = 2 D' of row[r] with WIDTH lanes of a block. Written out for each of KL_ROWS: in a loop
 * the sums would not stay in registers. */
static inline __attribute__((always_inline)) TARGET void
OF(sums)(const double *const row[KL_ROWS], const double *block, size_t bins, lanes sum[KL_ROWS])
{
	lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};

	for (size_t b = 0; b < bins; b++) {
		size_t at = b * 2 * KL_LANES;
		lanes p = *(const lanes *)(block + at);
		lanes l = *(const lanes *)(block + at + KL_LANES);

		s0 += (p - ALL(row[0][at])) * (l - ALL(row[0][at + KL_LANES]));
		s1 += (p - ALL(row[1][at])) * (l - ALL(row[1][at + KL_LANES]));
		s2 += (p - ALL(row[2][at])) * (l - ALL(row[2][at + KL_LANES]));
		s3 += (p - ALL(row[3][at])) * (l - ALL(row[3][at + KL_LANES]));
	}
	sum[0] = s0;
	sum[1] = s1;
	sum[2] = s2;
	sum[3] = s3;
}

static inline __attribute__((always_inline)) TARGET int64_t OF(total)(const counts *c)
{
	int64_t n = 0;

	for (int lane = 0; lane < WIDTH; lane++)
		n += (*c)[lane];
	return n;
}

/* Rows i .. i+KL_ROWS-1 against blocks [from, to), both sides' counters. A comparison that is true
 * gives -1. */
static TARGET void OF(count_both)(const double *const row[KL_ROWS], const double *blocks,
				  size_t from, size_t to, size_t bins, const double *t2, size_t i,
				  int64_t *above)
{
	lanes t_0 = ALL(t2[i]), t_1 = ALL(t2[i + 1]), t_2 = ALL(t2[i + 2]), t_3 = ALL(t2[i + 3]);
	counts n0 = {0}, n1 = {0}, n2 = {0}, n3 = {0};

	for (size_t at = from * KL_LANES; at < to * KL_LANES; at += WIDTH) {
		const double *block = blocks + at / KL_LANES * bins * 2 * KL_LANES + at % KL_LANES;
		lanes t = *(const lanes *)(t2 + at), sum[KL_ROWS];
		counts *theirs = (counts *)(above + at);

		OF(sums)(row, block, bins, sum);
		n0 -= sum[0] > t_0;
		n1 -= sum[1] > t_1;
		n2 -= sum[2] > t_2;
		n3 -= sum[3] > t_3;
		*theirs -= (sum[0] > t) + (sum[1] > t) + (sum[2] > t) + (sum[3] > t);
	}
	above[i] += OF(total)(&n0);
	above[i + 1] += OF(total)(&n1);
	above[i + 2] += OF(total)(&n2);
	above[i + 3] += OF(total)(&n3);
}

/* Within a block each pair is met from both sides, and each node with itself. */
static TARGET void OF(count_own)(const double *const row[KL_ROWS], const double *block, size_t bins,
				 const double *t2, size_t i, int64_t *above)
{
	for (size_t at = 0; at < KL_LANES; at += WIDTH) {
		lanes sum[KL_ROWS];

		OF(sums)(row, block + at, bins, sum);
		for (size_t r = 0; r < KL_ROWS; r++) {
			counts n = -(sum[r] > ALL(t2[i + r]));

			above[i + r] += OF(total)(&n);
		}
	}
	for (size_t r = 0; r < KL_ROWS; r++)
		above[i + r] -= 0 > t2[i + r];
}

static TARGET void OF(count)(const double *blocks, size_t n_blocks, size_t bins, const double *t2,
			     int64_t *above)
{
	size_t block = bins * 2 * KL_LANES, tile = TILE_BYTES / (block * sizeof(double)) + 1;

	for (size_t from = 0; from < n_blocks; from += tile) {
		size_t to = n_blocks - from < tile ? n_blocks : from + tile;

		for (size_t at = 0; at < to * KL_LANES; at += KL_ROWS) {
			size_t i = at / KL_LANES;
			const double *left = blocks + i * block + at % KL_LANES;
			const double *const row[KL_ROWS] = {left, left + 1, left + 2, left + 3};

			if (i >= from)
				OF(count_own)(row, blocks + i * block, bins, t2, at, above);
			OF(count_both)
			(row, blocks, i < from ? from : i + 1, to, bins, t2, at, above);
		}
	}
}

static TARGET void OF(rows)(const double *const row[KL_ROWS], const double *blocks, size_t n_blocks,
			    size_t bins, double *out, size_t stride)
{
	for (size_t at = 0; at < n_blocks * KL_LANES; at += WIDTH) {
		lanes sum[KL_ROWS];

		OF(sums)
		(row, blocks + at / KL_LANES * bins * 2 * KL_LANES + at % KL_LANES, bins, sum);
		for (size_t r = 0; r < KL_ROWS; r++)
			*(lanes *)(out + r * stride + at) = ALL(0.5) * sum[r];
	}
}

static TARGET size_t OF(over)(const double *d, size_t n_blocks, double bound)
{
	counts even = {0}, odd = {0};

	for (size_t at = 0; at < n_blocks * KL_LANES; at += KL_LANES)
		for (size_t v = 0; v < KL_LANES; v += 2 * WIDTH) {
			even -= *(const lanes *)(d + at + v) > ALL(bound);
			if (WIDTH < KL_LANES)
				odd -= *(const lanes *)(d + at + v + WIDTH % KL_LANES) > ALL(bound);
		}
	even += odd;
	return (size_t)OF(total)(&even);
}

/* Of doubles as bits, for want of a choice between lanes in C. */
static TARGET double OF(most)(const double *d, size_t n_blocks, double bound)
{
	lanes most = {0};
	double out = 0;

	for (size_t at = 0; at < n_blocks * KL_LANES; at += WIDTH) {
		lanes v = *(const lanes *)(d + at);
		counts better = (v <= ALL(bound)) & (v > most);

		most = (lanes)(((counts)v & better) | ((counts)most & ~better));
	}
	for (int lane = 0; lane < WIDTH; lane++)
		out = most[lane] > out ? most[lane] : out;
	return out;
}

#undef lanes
#undef counts
#undef ALL
#undef WIDTH
#undef TARGET
#undef OF
