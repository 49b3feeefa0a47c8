local t = {}
for w in ("one two three"):gmatch("%a+") do t[#t + 1] = w:upper() end
table.sort(t)
print(table.concat(t, " "), #t, 7 // 2, string.format("%.3f", math.pi))
local c = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
print(c(), c(), c())
io.stderr:write("an error\n")
os.exit(4)
