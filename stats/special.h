/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Special functions of statistics: normal, Student's t, chi square and the
 * incomplete beta and gamma functions behind them. Pure functions of doubles, no state, no
 * allocation, safe in threads (libm's lgamma, which writes a global, is not
 * used). Relative error is below 1e-12 for the ranges the tests cover: they compare every
 * function with an independent table to 10 digits and more.
 * Arguments out of a function's domain give NaN. */
#ifndef SL_STATS_SPECIAL_H
#define SL_STATS_SPECIAL_H

/* ln of the gamma function, x > 0. */
double sl_log_gamma(double x);

/* ln of the beta function, a, b > 0; accurate for large a and b, where
 * lgamma(a) + lgamma(b) - lgamma(a + b) cancels. */
double sl_log_beta(double a, double b);

/* Regularised incomplete beta I_x(a, b); y must be 1 - x, given apart
 * because the caller often knows it without cancellation.
 * Continued fraction of DLMF 8.17.22 by Lentz's method. */
double sl_inc_beta(double a, double b, double x, double y);

/* Regularised upper incomplete gamma Q(a, x): series DLMF 8.11.4 below
 * x = a + 1, continued fraction 8.9.2 above. */
double sl_inc_gamma_upper(double a, double x);

/* P(Z <= z) and P(Z > z) of the standard normal. */
double sl_norm_cdf(double z);
double sl_norm_sf(double z);

/* z with P(Z <= z) = p, 0 < p < 1; +-infinity at the ends. */
double sl_norm_quantile(double p);

/* P(T > t) of Student's t with df > 0 degrees of freedom (need not be whole). */
double sl_t_sf(double t, double df);

/* P(|T| >= |t|). */
double sl_t_two_sided(double t, double df);

/* t with P(T <= t) = p. */
double sl_t_quantile(double p, double df);

/* P(X > x) of chi square with df > 0 degrees of freedom. */
double sl_chi2_sf(double x, double df);

/* x with I_x(a, b) = p: quantile of the beta distribution, 0 <= p <= 1. */
double sl_beta_quantile(double p, double a, double b);

#endif
