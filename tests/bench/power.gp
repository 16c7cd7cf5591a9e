# SPDX-License-Identifier: BSD-2-Clause
# bench_statistics power >power.txt && gnuplot power.gp: draws power.png, a picture of docs/statistics.md.
row(s, n, c) = sprintf("< awk '$1 == \"%s\" && $2 == %d { print $3, $%d }' power.txt", s, n, c)
set terminal pngcairo size 900,420 noenhanced font ",10"
set output "power.png"
set multiplot layout 1,2
set xlabel "shift, in standard deviations"
set ylabel "found, % of pairs of samples"
set xrange [0:3]
set yrange [0:100]
set grid
set key bottom right
set title "normal"
plot for [n in "5 10 30 100"] row("normal", n + 0, 4) with linespoints title n . " runs of each", \
     row("normal", 5, 7) with linespoints dashtype 2 linecolor "black" title "5 pairs"
set title "lognormal"
plot for [n in "10 30"] row("lognormal", n + 0, 4) with linespoints title n . " of each, pooled t", \
     for [n in "10 30"] row("lognormal", n + 0, 6) with linespoints dashtype 2 title n . " of each, ranks"
