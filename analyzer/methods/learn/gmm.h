/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mixture of K Gaussians with full covariances and equal priors (Pan et al., CMU-PDL-08-112,
 * section 4.1 and Fig. 5 and 6): EM, log densities, Mahalanobis distances.
 *
 * Regularisation [D]: `ridge` is added to the diagonal of every covariance that is estimated, at
 * the start and in each M step, as scikit-learn's reg_covar. Nothing else is changed.
 *
 * Densities are logarithms throughout, so that a point however far away has one and belongs
 * somewhere. With Sigma = L L' (Cholesky) and y = L^-1 (x - mu),
 *   ln p = -1/2 (d ln 2 pi + |y|^2) - sum ln L_ii,      Mahalanobis distance = |y|:
 * the length of Fig. 5's dist, which it takes from eigenvectors, is the same for any root of Sigma.
 */
#ifndef LIMPET_GMM_H
#define LIMPET_GMM_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/common/scratch.h"

enum { GMM_BLOCK = 512 }; /* rows at a time: K x 512 numbers stay in the second-level cache */

struct gmm {
	size_t d, k;
	struct scratch room; /* of all arrays */
	double *mean;	     /* k x d */
	double *cov;	     /* k x d x d */
	double *chol;	     /* k x d x d, lower triangles: gmm_factor() */
	double *norm;	     /* k: d/2 ln 2 pi + sum ln L_ii */
	/* Scratch: */
	double *y;     /* GMM_BLOCK x d */
	double *logp;  /* GMM_BLOCK x k */
	double *mahal; /* GMM_BLOCK x k */
	double *sum;   /* k x d x (d + 1) */
};

/* All zero; 0 or -ENOMEM. k, d > 0. Limits BLAS to one thread. */
int gmm_init(struct gmm *g, size_t k, size_t d);
void gmm_release(struct gmm *g); /* takes a zeroed one */

/* After mean and cov were set. 0, or -EDOM if a covariance is not positive definite. */
int gmm_factor(struct gmm *g);

/* Of n rows of x (n x d): ln of the density and the Mahalanobis distance under each Gaussian, each
 * n x k. */
void gmm_density(struct gmm *g, const double *x, size_t n, double *logp, double *mahal);

/*
 * Fig. 5: label[i] is the Gaussian of largest density (the first of equals), or k, "unknown", if
 * the Mahalanobis distance to that one is over `unknown` (strict). label or distance may be NULL.
 */
void gmm_classify(struct gmm *g, const double *x, size_t n, double unknown, uint32_t *label,
		  double *distance);

/* Mean and covariance (divisor count - 1, as in Fig. 6's) of the rows of each label, plus ridge;
 * of an empty label: `centre` and ridge alone. 0 or -EDOM. */
int gmm_start(struct gmm *g, const double *x, size_t n, const uint32_t *label, const double *centre,
	      double ridge);

struct gmm_fit {
	double ridge;
	double tolerance;  /* stop when ln L per row changes by less, relative to 1 + |ln L| */
	unsigned int most; /* iterations */
	unsigned int iterations; /* out: as many M steps were done */
	double log_likelihood;	 /* out: mean over the rows, of what is in g now */
	double before;		 /* out: of what was in g at the start */
};

/* EM from what is in g (factored). 0, or -EDOM if a covariance is not positive definite. */
int gmm_em(struct gmm *g, const double *x, size_t n, struct gmm_fit *fit);

#endif
