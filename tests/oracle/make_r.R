# make_r.R: expected values from R, as the C header r_values.h.
#
#     Rscript make_r.R > r_values.h
#
# Needs the package diptest. Data sets are fixed here; SciPy's script reads them from the header.
suppressMessages(library(diptest))

set.seed(20240607, kind = "Mersenne-Twister", normal.kind = "Inversion")
data <- list(
  normal  = round(rnorm(12, 100, 5), 4),
  other   = round(rnorm(15, 104, 9), 4),
  skewed  = round(exp(rnorm(25, 2, 0.7)), 5),
  ties    = c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4),
  ties2   = c(2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4, 5),
  signs   = c(0.5, -1.2, 0, 2.5, 3.1, -0.4, 1.8, 2.2, 0.9, 1.1, 0, -0.4),
  modes   = round(c(rnorm(18, 0, 1), rnorm(14, 6, 1)), 4),
  walk    = round(cumsum(rnorm(30)), 4),
  two     = c(1.5, 4),
  large   = round(rnorm(60, 10, 3), 3),
  large2  = round(rnorm(70, 11, 3), 3))

number <- function(x) formatC(x, digits = 17, format = "g", width = 1)
cat("/* r_values.h: expected values, made by make_r.R with", R.version.string, "*/\n")
cat("#ifndef TARE_TESTS_ORACLE_R_VALUES_H\n#define TARE_TESTS_ORACLE_R_VALUES_H\n\n")
for (name in names(data))
  cat("static const double data_", name, "[] = {", paste(number(data[[name]]), collapse = ", "), "};\n", sep = "")
cat("\nstatic const struct oracle_row r_rows[] = {\n")
row <- function(key, value) cat("    {\"", key, "\", ", number(unname(value)), "},\n", sep = "")

trimmed <- function(x, share) mean(x, trim = share)
winsorised <- function(x, share) {
  s <- sort(x); g <- floor(share * length(x)); n <- length(x)
  var(pmin(pmax(x, s[g + 1]), s[n - g]))
}
skewness <- function(x) { n <- length(x); m <- x - mean(x); g <- mean(m^3) / mean(m^2)^1.5; g * sqrt(n * (n - 1)) / (n - 2) }
kurtosis <- function(x) { n <- length(x); m <- x - mean(x); g <- mean(m^4) / mean(m^2)^2 - 3; (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * g + 6) }
yuen <- function(x, share, alpha) {
  n <- length(x); h <- n - 2 * floor(share * n)
  d <- sqrt((n - 1) * winsorised(x, share) / (h * (h - 1)))
  trimmed(x, share) + c(-1, 1) * qt(alpha / 2, h - 1, lower.tail = FALSE) * d
}
sign_interval <- function(x, alpha) {
  n <- length(x); k <- qbinom(alpha / 2, n, 0.5)
  if (2 * pbinom(k, n, 0.5) <= alpha) k <- k + 1
  s <- sort(x); c(s[k], s[n + 1 - k], 1 - 2 * pbinom(k - 1, n, 0.5))
}

for (name in names(data)) {
  x <- data[[name]]
  row(paste0("mean/", name), mean(x)); row(paste0("variance/", name), var(x))
  row(paste0("median/", name), median(x)); row(paste0("mad/", name), mad(x, constant = 1 / qnorm(0.75))); row(paste0("iqr/", name), IQR(x))
  for (p in c(0, 0.01, 0.25, 0.5, 0.9, 0.95, 1)) for (type in 7:8)
    row(sprintf("quantile%d/%s/%g", type, name, p), quantile(x, p, type = type))
  row(paste0("trimmed/", name), trimmed(x, 0.2)); row(paste0("winsorised/", name), winsorised(x, 0.2))
  t <- t.test(x, conf.level = 0.99)$conf.int
  row(paste0("t/", name, "/low"), t[1]); row(paste0("t/", name, "/high"), t[2])
  if (length(x) < 8) next
  y <- yuen(x, 0.2, 0.01)
  row(paste0("yuen/", name, "/low"), y[1]); row(paste0("yuen/", name, "/high"), y[2])
  s <- sign_interval(x, 0.01)
  row(paste0("sign/", name, "/low"), s[1]); row(paste0("sign/", name, "/high"), s[2]); row(paste0("sign/", name, "/coverage"), s[3])
  row(paste0("skewness/", name), skewness(x)); row(paste0("kurtosis/", name), kurtosis(x))
  row(paste0("acf/", name), acf(x, plot = FALSE)$acf[2])
  row(paste0("acf3/", name), acf(x, plot = FALSE)$acf[4])
  row(paste0("dip/", name), dip(x))
  k <- suppressWarnings(cor.test(seq_along(x), x, method = "kendall", exact = FALSE, continuity = TRUE))
  row(paste0("kendall/", name, "/p"), k$p.value)
  row(paste0("tost/", name), max(t.test(x, mu = mean(x) - 1, alternative = "greater")$p.value,
                                 t.test(x, mu = mean(x) + 2, alternative = "less")$p.value))
}

pairs <- list(c("normal", "other"), c("ties", "ties2"), c("large", "large2"), c("skewed", "ties"), c("two", "other"))
for (pair in pairs) {
  a <- data[[pair[1]]]; b <- data[[pair[2]]]; key <- paste(pair, collapse = "-")
  w <- t.test(b, a, conf.level = 0.99)
  row(paste0("welch/", key, "/t"), w$statistic); row(paste0("welch/", key, "/p"), w$p.value)
  row(paste0("welch/", key, "/low"), w$conf.int[1]); row(paste0("welch/", key, "/high"), w$conf.int[2])
  m <- suppressWarnings(wilcox.test(a, b))
  row(paste0("mann-whitney/", key, "/u"), m$statistic); row(paste0("mann-whitney/", key, "/p"), m$p.value)
  k <- suppressWarnings(ks.test(a, b, exact = TRUE))
  row(paste0("smirnov/", key, "/d"), k$statistic); row(paste0("smirnov/", key, "/p"), k$p.value)
  k <- suppressWarnings(ks.test(a, b, exact = FALSE))
  row(paste0("smirnov/", key, "/asymptotic"), k$p.value)
}
h <- wilcox.test(data$other, data$normal, conf.int = TRUE, conf.level = 0.99, exact = TRUE)
row("shift/normal-other/estimate", h$estimate); row("shift/normal-other/low", h$conf.int[1]); row("shift/normal-other/high", h$conf.int[2])
h <- wilcox.test(data$normal, conf.int = TRUE, conf.level = 0.99, exact = TRUE)
row("centre/normal/estimate", h$estimate); row("centre/normal/low", h$conf.int[1]); row("centre/normal/high", h$conf.int[2])

for (name in c("signs", "walk", "modes", "large")) {
  x <- data[[name]]; s <- suppressWarnings(wilcox.test(x))
  row(paste0("signed-rank/", name, "/v"), s$statistic); row(paste0("signed-rank/", name, "/p"), s$p.value)
  row(paste0("sign-test/", name), binom.test(sum(x > 0), sum(x != 0))$p.value)
}
for (k in c(0, 1, 7, 29, 30)) {
  e <- binom.test(k, 30, conf.level = 0.99)$conf.int; w <- suppressWarnings(prop.test(k, 30, conf.level = 0.99, correct = FALSE)$conf.int)
  row(sprintf("exact/%d/low", k), e[1]); row(sprintf("exact/%d/high", k), e[2])
  row(sprintf("wilson/%d/low", k), w[1]); row(sprintf("wilson/%d/high", k), w[2])
}
p <- c(0.01, 0.02, 0.03, 0.03, 0.2, 0.0005, 0.9, 0.04, 1)
for (method in c("bonferroni", "holm", "BH")) { a <- p.adjust(p, method); for (i in seq_along(p)) row(sprintf("adjust/%s/%d", method, i - 1), a[i]) }

n <- c(8, 16, 64, 256, 1024); time <- c(40, 71, 262, 1010, 4130)
f <- lm(time ~ n, weights = 1 / time^2); row("complexity/n/constant", coef(f)[1]); row("complexity/n/factor", coef(f)[2])
row("complexity/n/residual", sqrt(mean((residuals(f) / time)^2)))

for (df in c(1, 2, 2.5, 7, 30, 1000, 1e6)) {
  for (tail in c(1e-12, 1e-6, 0.0005, 0.005, 0.2, 0.3, 0.49)) row(sprintf("qt/%g/%g", df, tail), qt(tail, df, lower.tail = FALSE))
  for (t in c(1e-3, 0.5, 2, 6, 40)) { row(sprintf("pt/%g/%g", df, t), pt(t, df, lower.tail = FALSE)); row(sprintf("pt-/%g/%g", df, t), pt(-t, df)) }
}
for (tail in c(1e-300, 1e-12, 0.001, 0.3, 0.5, 0.9)) row(sprintf("qnorm/%g", tail), qnorm(tail, lower.tail = FALSE))
for (z in c(-8, -1, 0, 0.3, 5, 30)) row(sprintf("pnorm/%g", z), pnorm(z, lower.tail = FALSE))
for (x in c(0.001, 0.3, 0.5, 0.97)) for (a in c(0.5, 3, 40, 5e4)) for (b in c(0.5, 2, 5e4)) {
  row(sprintf("pbeta/%g/%g/%g", x, a, b), pbeta(x, a, b)); row(sprintf("pbeta+/%g/%g/%g", x, a, b), pbeta(x, a, b, lower.tail = FALSE))
  row(sprintf("qbeta/%g/%g/%g", x, a, b), qbeta(x, a, b))
}
for (k in c(0, 3, 500, 999)) for (prob in c(0.001, 0.5, 0.9)) {
  row(sprintf("pbinom/%d/%g", k, prob), pbinom(k, 1000, prob)); row(sprintf("dbinom/%d/%g", k, prob), dbinom(k, 1000, prob))
}
for (x in c(0.01, 1, 9, 80)) for (df in c(0.5, 1, 8, 70)) { row(sprintf("pchisq/%g/%g", x, df), pchisq(x, df)); row(sprintf("pchisq+/%g/%g", x, df), pchisq(x, df, lower.tail = FALSE)) }
cat("};\n\n#endif\n")
