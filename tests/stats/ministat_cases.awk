# SPDX-License-Identifier: BSD-2-Clause
# Writes the files of -v cases=N random ministat runs into -v dir=D and one line of
# shell words per run to standard output. The same seed gives the same runs in every awk.

function rnd(n)
{
	state = (state * 16807) % 2147483647
	return int(state / 2147483647 * n)
}

function unit()
{
	return (rnd(1000000) + 0.5) / 1000000
}

# One of the words. A list is split once: splitting is what takes time.
function pick(words,    i, w)
{
	if (!(words in n_words)) {
		n_words[words] = split(words, w, "|")
		for (i in w)
			word[words, i] = w[i]
	}
	return word[words, 1 + rnd(n_words[words])]
}

function normal()
{
	return sqrt(-2 * log(unit())) * cos(6.283185307179586 * unit())
}

# A number of the kind, as text.
function number(kind, base)
{
	if (kind == 0)
		return rnd(50) ""
	if (kind == 1)
		return sprintf("%.*f", 1 + rnd(6), base + base / 20 * normal())
	if (kind == 2)
		return (base + rnd(4)) ""
	if (kind == 3)
		return sprintf("-%.3f", unit() * 100)
	if (kind == 4)
		return sprintf("%.0f", 1000000000 + rnd(6))
	if (kind == 5)
		return sprintf("%.4fe-%d", 1 + 9 * unit(), 150 + rnd(150))
	if (kind == 6)
		return sprintf("%s%.9g", pick("|+|-"), exp(40 * normal()))
	if (kind == 7)
		return base ""
	if (kind == 8)
		return pick("nan|inf|-inf|NaN|INFINITY|nan(7)|1e400|-1e999|3|4|5.5|-7")
	if (kind == 9)
		return pick("0x10|0x1p3|.5|5.|+3|-0|0|1E2|1e+2|1e-2|00012|0x.8|12345678901234567890" \
			    "|0.1000000000000000055511151231257827|4.9e-324|2.2250738585072011e-308" \
			    "|9007199254740993|123456789012345678e-10|0.000000000000000000000001")
	if (kind == 10)
		return sprintf("%.3f", 100000000 + 10 * normal())
	if (kind == 11)
		return sprintf("%.6f", base * (1 + 0.001 * normal()))
	return sprintf("%.17g", base * normal())
}

function blanks()
{
	return pick("||||| |  |\t| \t ")
}

# One line with the value in column col.
function line(value, col, delim,    i, s, sep)
{
	sep = delim == "" ? pick(" |\t|  ") : substr(delim, 1 + rnd(length(delim)), 1)
	s = delim == "" ? blanks() : ""
	for (i = 1; i < col; i++)
		s = s pick("a|7|x9|-") sep
	s = s value
	if (rnd(6) == 0)
		s = s sep pick("rest|8 9|# comment|#|")
	return s
}

function odd_line(delim)
{
	return pick("||   |# a comment|  # indented|#|\t|\f|\v|1|# 1 2 3|" \
		    "-|abc|1.5.2|5#c|12a|\f#| ,|5\v|0x|1e|infinit|nan(|. 5|5 , 6|\"5\"")
}

function write_file(name, kind, n, col, delim, base, odd, eol,    i)
{
	for (i = 0; i < n; i++) {
		if (odd && rnd(8) == 0)
			printf "%s%s", (odd > 1 ? odd_line(delim) : pick("|# c| |")), eol > name
		printf "%s", line(number(kind, base), col, delim) > name
		if (i < n - 1 || rnd(4))
			printf "%s", eol > name
	}
	printf "" > name
	close(name)
}

function size()
{
	if (rnd(40) == 0)
		return rnd(4)
	if (rnd(1000) == 0)
		return 20000 + rnd(80001)
	if (rnd(25) == 0)
		return 100 + rnd(900)
	return 3 + rnd(30)
}

function options(kind, col, delim,    s)
{
	s = ""
	if (rnd(5) == 0 || (kind == 8 && rnd(3)))
		s = s " " pick("-n|-A|-An|-nA|-sA")
	if (rnd(4) == 0)
		s = s " -s"
	if (rnd(4) == 0)
		s = s " -c" pick(" 80| 90| 95| 98| 99| 99.5|95.0| 9.5e1| 0x5f| +99")
	if (rnd(60) == 0)
		s = s " -c " pick("50|95x|''|nan|-95|1e999|99.50001|%")
	if (rnd(3) == 0)
		s = s " -w" pick(" 2| 3| 5| 10|20| 40| 60| 75| 100| 131| 200| +7| ' 9'| 0| ''")
	if (rnd(60) == 0)
		s = s " -w " pick("-1|x|5x|1e2|0x10|99999999999999999999")
	if (col > 1 || rnd(10) == 0)
		s = s " -C" pick(" |") col
	if (rnd(60) == 0)
		s = s " -C " pick("0|-1|x|1x|''|2|99|99999999999999999999|4294967297|0x1")
	if (delim != "")
		s = s " -d '" delim "'"
	if (rnd(80) == 0)
		s = s " -d ''"
	if (rnd(60) == 0)
		s = s " " pick("-z|-q|-P|-?|-:|-A-|-w|-C|-c|-d|--|-h|-As|-sn|-Az")
	return s
}

BEGIN {
	state = seed % 2147483646 + 1
	for (run = 1; run <= cases; run++) {
		sets = rnd(3) ? 1 + rnd(3) : 1 + rnd(7)
		if (rnd(80) == 0)
			sets = 8
		kind = rnd(13)
		col = rnd(4) ? 1 : 1 + rnd(4)
		delim = rnd(5) ? "" : pick(",|;|:|;,|/| ,|a|.|=")
		odd = rnd(3) ? 0 : (rnd(6) ? 1 : 2)
		eol = rnd(6) ? "\n" : "\r\n"
		base = pick("1|7|100|512.5|3000|0.001|1e6")
		files = ""
		for (set = 1; set <= sets; set++) {
			name = run "." set
			each = rnd(6) ? kind : rnd(13)
			if (each == 8 && kind != 8)
				each = 1
			write_file(dir "/" name, each, size(), col, delim,
				   base * (rnd(2) ? 1 : 1 + rnd(5) / 10), odd, eol)
			files = files " " name
		}
		if (rnd(50) == 0)
			files = files " " pick("missing|directory|empty|locked|''|-|1.1/x")
		if (sets == 1 && rnd(4) == 0)
			files = pick(" <| - <| -- - <") files
		opts = options(kind, col, delim)
		print rnd(12) ? opts files : files opts
	}
}
