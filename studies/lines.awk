# Lines as SVG. Input: series,x,y lines, a series' points in order. -v title=... -v x_name=... -v y_name=...; -v log_x=1, -v log_y=1:
# logarithmic axes (base 2); -v from=0: where the y axis starts, else at the least y.
BEGIN {
	FS = ","
	left = 64; top = 58; width = 520; height = 320; bottom = 52
	colours = split("3182bd de2d26 238b45 f0b428 756bb1 636363 e6550d 31a354 9e9ac8 08519c a50f15 bcbd22 17becf 8c564b", colour, " ")
}
function scaled(v, log_it) { return log_it ? log(v) / log(2) : v }
{
	if (!($1 in points)) { points[$1] = 0; name[series++] = $1 }
	i = points[$1]++
	x[$1, i] = scaled($2, log_x); y[$1, i] = scaled($3, log_y)
	if (!seen++) { low_x = high_x = x[$1, i]; low_y = high_y = y[$1, i] }
	if (x[$1, i] < low_x) low_x = x[$1, i]
	if (x[$1, i] > high_x) high_x = x[$1, i]
	if (y[$1, i] < low_y) low_y = y[$1, i]
	if (y[$1, i] > high_y) high_y = y[$1, i]
}
function px(v) { return left + width * (v - low_x) / (high_x - low_x) }
function py(v) { return top + height * (high_y - v) / (high_y - low_y) }
function text(at_x, at_y, anchor, words) {
	gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words)
	printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", at_x, at_y, anchor, words
}
function floor(v) { return v < int(v) ? int(v) - 1 : int(v) }
# a step of 1, 2 or 5 times a power of ten that gives about six marks
function step_of(range,    s) {
	s = 10 ^ floor(log(range / 6) / log(10))
	return range / s > 30 ? 5 * s : range / s > 12 ? 2 * s : s
}
# from the seventh line on the colours come close to earlier ones
function dash(s) { return s < 6 ? "" : s < 12 ? " stroke-dasharray=\"6 3\"" : " stroke-dasharray=\"2 2\"" }
function mark(v, log_it) { return sprintf("%.6g", log_it ? 2 ^ v : v) }
END {
	if (from != "") low_y = scaled(from, log_y)
	if (high_x == low_x) high_x++
	if (high_y == low_y) high_y++
	if (!log_y) high_y += (high_y - low_y) * 0.05
	legend = 0
	for (s = 0; s < series; s++) if (length(name[s]) > legend) legend = length(name[s])
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n", \
		left + width + 50 + 7 * legend, top + height + bottom
	print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
	printf "<g font-size=\"14\">"
	text(left, 18, "start", title)
	print "</g>"
	step = log_x ? 1 : step_of(high_x - low_x)
	for (v = -floor(-low_x / step) * step; v <= high_x + step / 1000; v += step) {
		printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>\n", px(v), px(v), top, top + height
		text(px(v), top + height + 18, "middle", mark(v, log_x))
	}
	step = log_y ? 1 : step_of(high_y - low_y)
	for (v = -floor(-low_y / step) * step; v <= high_y + step / 1000; v += step) {
		printf "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", left, left + width, py(v), py(v)
		text(left - 8, py(v) + 4, "end", mark(v, log_y))
	}
	text(left + width / 2, top + height + 40, "middle", x_name)
	text(left - 40, top - 14, "start", y_name)
	for (s = 0; s < series; s++) {
		n = name[s]; c = colour[s % colours + 1]
		printf "<polyline fill=\"none\" stroke=\"#%s\" stroke-width=\"1.8\"%s points=\"", c, dash(s)
		for (i = 0; i < points[n]; i++) printf "%.1f,%.1f ", px(x[n, i]), py(y[n, i])
		print "\"/>"
		printf "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#%s\" stroke-width=\"2.5\"%s/>\n", left + width + 12, left + width + 30, \
			top + 10 + 18 * s, top + 10 + 18 * s, c, dash(s)
		text(left + width + 36, top + 14 + 18 * s, "start", n)
	}
	print "</svg>"
}
