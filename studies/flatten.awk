# JSON as Culprit writes it (one key or item to a line) as lines "path value": stacks.cycles.fmt.base 123
{
	line = $0
	sub(/^ */, "", line); sub(/,$/, "", line)
	key = ""
	if (match(line, /^"[^"]*": /)) { key = substr(line, 2, RLENGTH - 4); line = substr(line, RLENGTH + 1) }
	else if (depth && list[depth]) key = count[depth]++
	if (line == "}" || line == "]") { depth--; next }
	path = depth > 1 ? at[depth] "." key : key
	if (line == "{" || line == "[") { depth++; at[depth] = path; list[depth] = line == "["; count[depth] = 0; next }
	gsub(/^"|"$/, "", line)
	print path, line
}
