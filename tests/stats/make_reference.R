# SPDX-License-Identifier: BSD-2-Clause
# Rscript make_reference.R > data/reference_r.txt, in this folder.
# One "quantity sample sample value" per line, from R's own functions.
samples <- list()
for (line in readLines("data/samples.txt")) {
	words <- strsplit(line, " ")[[1]]
	samples[[words[1]]] <- as.numeric(words[-1])
}
put <- function(quantity, a, b, value) cat(quantity, a, b, sprintf("%.17g\n", value))
cat("#", R.version.string, "\n")
pairs <- list(c("iguana", "chameleon"), c("three_a", "three_b"), c("eight", "ten"),
	c("base30", "late30"), c("log49", "log45"), c("ties60", "ties55"), c("big200", "big150"))
for (p in pairs) {
	x <- samples[[p[1]]]
	y <- samples[[p[2]]]
	for (method in c("welch", "pooled")) {
		t <- t.test(y, x, var.equal = method == "pooled")
		put(paste0(method, ".t"), p[1], p[2], t$statistic)
		put(paste0(method, ".df"), p[1], p[2], t$parameter)
		put(paste0(method, ".p"), p[1], p[2], t$p.value)
		put(paste0(method, ".low"), p[1], p[2], t$conf.int[1])
		put(paste0(method, ".high"), p[1], p[2], t$conf.int[2])
	}
	if (length(x) == length(y)) {
		t <- t.test(y, x, paired = TRUE, conf.level = 0.99)
		put("paired99.t", p[1], p[2], t$statistic)
		put("paired99.p", p[1], p[2], t$p.value)
		put("paired99.low", p[1], p[2], t$conf.int[1])
		put("paired99.high", p[1], p[2], t$conf.int[2])
	}
	ties <- anyDuplicated(c(x, y)) > 0
	w <- suppressWarnings(wilcox.test(y, x))
	put("rank.u", p[1], p[2], w$statistic)
	put("rank.p", p[1], p[2], w$p.value)
	put("shift", p[1], p[2], median(outer(y, x, "-")))
	if (!ties && length(x) < 50 && length(y) < 50) {
		w <- wilcox.test(y, x, conf.int = TRUE)
		put("shift.low", p[1], p[2], w$conf.int[1])
		put("shift.high", p[1], p[2], w$conf.int[2])
	}
	s <- sqrt(((length(x) - 1) * var(x) + (length(y) - 1) * var(y)) / (length(x) + length(y) - 2))
	df <- length(x) + length(y) - 2
	put("hedges.g", p[1], p[2],
		(mean(y) - mean(x)) / s * exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2))
}
for (name in names(samples)) {
	x <- samples[[name]]
	put("mean", name, "-", mean(x))
	put("sd", name, "-", sd(x))
	put("median", name, "-", median(x))
	put("quantile.1", name, "-", quantile(x, 0.1))
	put("shapiro.w", name, "-", shapiro.test(x)$statistic)
	put("shapiro.p", name, "-", shapiro.test(x)$p.value)
}
for (n in c(3, 5, 12, 30, 49))
	for (m in c(4, 20, 48))
		for (u in unique(floor(n * m * c(0, 0.1, 0.3, 0.5, 0.7))))
			cat("pwilcox", n, m, u, sprintf("%.17g\n", pwilcox(u, m, n)))
p <- c(0.01, 0.04, 0.03, 0.005, 0.04, 0.9, 0.011)
cat("holm", paste(p, collapse = ","), paste(sprintf("%.17g", p.adjust(p, "holm")), collapse = ","), "\n")
