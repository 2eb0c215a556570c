#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""k-means and the mixture of Gaussians against scikit-learn and scipy, on seeded data of awkward
sizes: one dimension, two, fourteen; few rows, more than one block of rows; one profile; equal rows;
a column that is constant. Prints TAP."""
import os
import sys
import warnings

# scikit-learn calls BLAS from several threads at once. Debian's serial OpenBLAS then returns wrong products now
# and then, more often on a busy machine, and its k-means ends elsewhere.
os.environ["OMP_NUM_THREADS"] = "1"
sys.dont_write_bytecode = True  # the tree stays as it is
warnings.simplefilter("ignore")
try:
    import numpy as np
    from scipy.stats import multivariate_normal
    from sklearn.cluster import KMeans
    from sklearn.mixture import GaussianMixture
except ImportError as e:
    print(f"SKIP {e} (Debian: python3-sklearn)")
    sys.exit(77)

import pipe
from pipe import apart, call, check, report


class EqualPriors(GaussianMixture):
    """scikit-learn's EM with the weights of the components fixed at 1/K."""

    def _initialize(self, X, resp):
        super()._initialize(X, resp)
        self.weights_ = np.full(self.n_components, 1 / self.n_components)

    def _m_step(self, X, log_resp):
        super()._m_step(X, log_resp)
        self.weights_ = np.full(self.n_components, 1 / self.n_components)


def clusters(rng, k, d, n, apart_by):
    x = rng.normal(0, 1, (n, d)) @ (np.eye(d) + 0.3 * rng.normal(0, 1, (d, d)))
    return x + apart_by * rng.normal(0, 1, (k, d))[rng.integers(0, k, n)]


def data(rng, k, d, n, kind):
    x = clusters(rng, k, d, n, 3)
    if kind == "constant column":
        x[:, d // 2] = 2.5
    if kind == "equal rows":
        x[n // 3:] = x[rng.integers(0, n // 3, n - n // 3)]
    if kind == "far":
        x[0] = 1e6
    return x


CASES = [(1, 1, 5, ""), (1, 2, 2, ""), (2, 1, 30, ""), (3, 2, 7, ""), (6, 14, 700, ""),
         (6, 14, 2000, ""), (6, 14, 513, "constant column"), (4, 2, 90, "equal rows"),
         (2, 14, 12, ""), (6, 3, 1024, "equal rows"), (3, 5, 200, "far"), (5, 40, 300, "")]


def label_of(case):
    k, d, n, kind = case
    return f"K={k} d={d} n={n}{' ' + kind if kind else ''}"


def kmeans(case, rng):
    k, d, n, _ = case
    x = data(rng, *case)
    centre = x[rng.choice(n, k, replace=False)] + 0.01 * rng.normal(0, 1, (k, d))
    want = KMeans(k, init=centre, n_init=1, algorithm="lloyd", tol=0, max_iter=300).fit(x)
    out = call("kmeans", k, d, n, centre, x)
    distortion, label, got = out[0], out[1:n + 1].astype(int), out[n + 1:].reshape(k, d)
    inertia = ((x - got[label]) ** 2).sum()
    report(f"k-means: scikit-learn's inertia, {label_of(case)}",
           abs(inertia - want.inertia_) / max(want.inertia_, 1e-20), 1e-9)
    sums = np.sqrt(((x - got[label]) ** 2).sum(1)).sum()
    report("k-means: the distortion is the sum of distances", apart(distortion, sums), 1e-9)


def seeds():
    rng = np.random.default_rng(5)
    x = np.repeat(rng.normal(0, 1, (4, 3)), [1, 1, 900, 1], axis=0)
    for seed in range(20):
        out = call("seeds", 6, 3, len(x), seed, x)
        centre = out[1:].reshape(-1, 3)
        if out[0] != 4 or len(np.unique(centre, axis=0)) != 4:
            check("k-means: four different rows give four different centres", False, f"{out[0]}")
            return
    check("k-means: four different rows give four different centres", True)
    starts = {tuple(call("seeds", 2, 3, 60, s, rng.normal(0, 1, (60, 3)))[1:]) for s in range(9)}
    check("k-means: seeds give different starts", len(starts) == 9)
    x = rng.normal(0, 1, (60, 3))
    check("k-means: a seed gives its start again",
          np.array_equal(call("seeds", 3, 3, 60, 7, x), call("seeds", 3, 3, 60, 7, x)))


def density(case, rng):
    k, d, n, _ = case
    x = data(rng, *case)
    mean = rng.normal(0, 3, (k, d))
    root = np.eye(d) + 0.3 * rng.normal(0, 1, (k, d, d))
    cov = root @ root.transpose(0, 2, 1) + 0.01 * np.eye(d)
    out = call("density", k, d, n, mean, cov, x)
    logp, mahal = out[:n * k].reshape(n, k), out[n * k:].reshape(n, k)
    want = np.column_stack([np.atleast_1d(multivariate_normal(mean[c], cov[c]).logpdf(x))
                            for c in range(k)])
    off = x[:, None, :] - mean
    dist = np.sqrt(np.einsum("nkd,kde,nke->nk", off, np.linalg.inv(cov), off))
    report(f"log densities are scipy's, {label_of(case)}", apart(logp, want), 1e-9)
    report("Mahalanobis distances are those of the inverse", apart(mahal, dist), 1e-9)
    limit = float(np.median(dist.min(1)))
    out = call("classify", k, d, n, limit, mean, cov, x)
    best = want.argmax(1)
    far = dist[np.arange(n), best]
    clear = np.abs(far - limit) > 1e-9 * limit
    check("labels are the largest density's, or unknown",
          np.array_equal(out[:n][clear], np.where(far > limit, k, best)[clear]),
          f"{int((far > limit).sum())} of {n} unknown")


def em(case, rng, ridge):
    k, d, n, kind = case
    x = data(rng, *case)
    mean = x[rng.choice(n, k, replace=False)]
    cov = np.repeat((np.eye(d) * x.var(0).clip(0.1))[None], k, axis=0)
    # With a point at 1e6 the covariances begin at 5e9 times what they become: rounding decides the
    # way there (in extended precision neither is followed), the place where it ends is the same.
    for most in (1, 300) if kind == "far" else (1, 30, 300):
        sk = EqualPriors(k, tol=0, max_iter=most, reg_covar=ridge, means_init=mean,
                         weights_init=np.full(k, 1 / k), precisions_init=np.linalg.inv(cov)).fit(x)
        out = call("em", k, d, n, ridge, 0, most, mean, cov, x)
        ll, got, gotc = out[1], out[3:3 + k * d], out[3 + k * d:]
        report(f"EM after at most {most}: scikit-learn's likelihood, {label_of(case)}",
               abs(ll - sk.score(x)) / max(1, abs(ll)), 1e-6)
        size = max(1.0, float(np.abs(x).max()))
        report("… its means", apart(got, sk.means_, size), 1e-6)
        report("… its covariances", apart(gotc, sk.covariances_, size * size), 1e-6)
    out = call("em", k, d, n, ridge, 1e-6, 500, mean, cov, x)
    check("… and never a smaller likelihood than at the start", out[1] >= out[2] or n < 20,
          f"{out[2]:.4f} to {out[1]:.4f} in {int(out[0])}")


def start(rng):
    x, k, d, n = rng.normal(0, 1, (50, 4)), 4, 4, 50
    label = rng.integers(0, 2, n)
    label[0] = 2
    centre = rng.normal(0, 1, (k, d))
    out = call("start", k, d, n, 0.25, label, centre, x)
    mean, cov = out[:k * d].reshape(k, d), out[k * d:].reshape(k, d, d)
    ridge = 0.25 * np.eye(d)
    want = [np.cov(x[label == c].T) + ridge for c in (0, 1)] + [ridge, ridge]
    report("EM begins with numpy.cov of each cluster", apart(cov, np.array(want), 1), 1e-9)
    report("… and its mean; of an empty one, its centre",
           apart(mean, np.array([x[label == c].mean(0) for c in (0, 1, 2)] + [centre[3]]), 1), 1e-9)


def main():
    for i, case in enumerate(CASES):
        kmeans(case, np.random.default_rng(100 + i))
        density(case, np.random.default_rng(200 + i))
        em(case, np.random.default_rng(300 + i), 1e-2)
    em((3, 2, 400, ""), np.random.default_rng(400), 1e-6)
    start(np.random.default_rng(500))
    seeds()
    return pipe.failed


if __name__ == "__main__":
    sys.exit(main())
