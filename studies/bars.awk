# Stacked bars in groups as SVG. Input: group,bar,part,value lines, the parts of a bar from the bottom up; what is negative
# hangs below the axis. Parts that the table below names are stacked in its order, so that bars can be compared. -v title=...
# -v y_name=... -v unit=... (of the axis), -v most=N cuts off what is higher and writes its value.
BEGIN {
	FS = ","
	bar_width = 11; bar_gap = 2; group_gap = 16; left = 64; top = 52; height = 300; labels = 84
	rows = split("base l1i l2i itlb l1d l2d dtlb bmisp unit resolution refill penalty error isolated any term simulated plain refined", name, " ")
	split("c8c8c8 74c476 238b45 005a32 9ecae1 3182bd 084594 de2d26 f0b428 de2d26 fcae91 74c476 636363 3182bd 9ecae1 9ecae1 636363 9ecae1 3182bd",
		colour, " ")
	for (i = 1; i <= rows; i++) { fill[name[i]] = "#" colour[i]; place[name[i]] = i }
}
{
	if (!($1 in bars)) { bars[$1] = 0; group[groups++] = $1 }
	if (!(($1, $2) in parts)) { parts[$1, $2] = 0; bar[$1, bars[$1]++] = $2; if (bars[$1] > most_bars) most_bars = bars[$1] }
	i = parts[$1, $2]++
	part[$1, $2, i] = $3
	value[$1, $2, i] = $4
	if ($4 < 0) down[$1, $2] += $4; else up[$1, $2] += $4
	if (!($3 in used)) { used[$3] = 1; legend[legends++] = $3 }
	if (up[$1, $2] > high) high = up[$1, $2]
	if (down[$1, $2] < low) low = down[$1, $2]
}
# insertion sort of a bar's parts by their place in the table
function arrange(g, b,    i, j, p, v) {
	for (i = 1; i < parts[g, b]; i++) {
		p = part[g, b, i]; v = value[g, b, i]
		for (j = i; j > 0 && place[part[g, b, j - 1]] > place[p]; j--) {
			part[g, b, j] = part[g, b, j - 1]; value[g, b, j] = value[g, b, j - 1]
		}
		part[g, b, j] = p; value[g, b, j] = v
	}
}
function level(v) { return top + height * (high - v) / (high - low) }
function text(x, y, anchor, size, words) {
	gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words)
	printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s</text>\n", x, y, anchor, size, words
}
function rotated(x, y, anchor, words) {
	printf "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", x, y
	text(0, 0, anchor, 9, words)
	print "</g>"
}
# a mark every 1, 2 or 5 times a power of ten, six or so of them
function step_of(range,    s) {
	s = 10 ^ int(log(range / 6) / log(10) - (range < 6))
	while (range / s > 12) s *= range / s > 30 ? 5 : 2
	return s
}
function draw_axis(    s, v) {
	s = step_of(high - low)
	for (v = s * int(low / s); v <= high; v += s) {
		printf "<line x1=\"%d\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", left - 4, width, level(v), level(v),
			v == 0 ? "#444" : "#ddd"
		text(left - 8, level(v) + 4, "end", 11, sprintf("%.10g", v) unit)
	}
}
function draw_bar(x, g, b,    i, from, to, a, v) {
	above = below = 0
	arrange(g, b)
	for (i = 0; i < parts[g, b]; i++) {
		v = value[g, b, i]
		from = v < 0 ? below : above
		to = from + v
		if (v < 0) below = to; else above = to
		if (from > high) continue
		if (to > high) to = high
		a = level(from > to ? from : to)
		printf "<rect x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"%s\"><title>%s %s %s %.4g%s</title></rect>\n",
			x, a, bar_width, level(from < to ? from : to) - a, fill[part[g, b, i]], g, b, part[g, b, i], v, unit
	}
	if (up[g, b] > high) rotated(x + bar_width - 2, top - 3, "start", sprintf("%.0f", up[g, b]))
	if (most_bars > 1) rotated(x + bar_width - 2, top + height + 8, "end", b)
}
END {
	if (most && high > most) high = most
	if (high == low) high = low + 1
	group_width = most_bars * (bar_width + bar_gap) + group_gap
	if (group_width < 76) group_width = 76
	if (most_bars == 1) labels = 34
	width = left + groups * group_width
	page = width + 110 > 8 * length(title) + left ? width + 110 : 8 * length(title) + left
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n", page,
		top + height + labels
	print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
	text(left, 18, "start", 14, title)
	text(left - 40, top - 14, "start", 11, y_name)
	draw_axis()
	for (g = 0; g < groups; g++) {
		middle = left + group_width * (g + 0.5)
		x = middle - bars[group[g]] * (bar_width + bar_gap) / 2
		for (b = 0; b < bars[group[g]]; b++) draw_bar(x + b * (bar_width + bar_gap), group[g], bar[group[g], b])
		text(middle, top + height + (most_bars > 1 ? labels - 8 : 20), "middle", 11, group[g])
	}
	for (i = 1; i < legends; i++) # as the bars are stacked
		for (j = i; j > 0 && place[legend[j - 1]] > place[legend[j]]; j--) { t = legend[j]; legend[j] = legend[j - 1]; legend[j - 1] = t }
	for (i = 0; i < legends; i++) {
		printf "<rect x=\"%d\" y=\"%d\" width=\"11\" height=\"11\" fill=\"%s\"/>\n", width + 14,
			top + 17 * (legends - 1 - i), fill[legend[i]]
		text(width + 30, top + 17 * (legends - 1 - i) + 10, "start", 11, legend[i])
	}
	print "</svg>"
}
