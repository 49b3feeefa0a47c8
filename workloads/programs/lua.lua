-- Tables, closures, strings and floating point in an interpreter: a life grid, a sieve, matrices, string building.
local function sieve(limit)
	local composite, primes = {}, {}
	for i = 2, limit do
		if not composite[i] then
			primes[#primes + 1] = i
			for j = i * i, limit, i do
				composite[j] = true
			end
		end
	end
	return primes
end

local function life(size, generations)
	local grid, seed = {}, 12345
	for i = 0, size * size - 1 do
		seed = (seed * 1103515245 + 12345) % 2147483648
		grid[i] = seed // 65536 % 3 == 0 and 1 or 0
	end
	for _ = 1, generations do
		local next = {}
		for y = 0, size - 1 do
			local up, here, down = (y - 1) % size * size, y * size, (y + 1) % size * size
			for x = 0, size - 1 do
				local l, r = (x - 1) % size, (x + 1) % size
				local n = grid[up + l] + grid[up + x] + grid[up + r] + grid[here + l] + grid[here + r]
					+ grid[down + l] + grid[down + x] + grid[down + r]
				next[here + x] = (n == 3 or n == 2 and grid[here + x] == 1) and 1 or 0
			end
		end
		grid = next
	end
	local alive = 0
	for i = 0, size * size - 1 do
		alive = alive + grid[i]
	end
	return alive
end

local function multiply(n)
	local a, b, trace = {}, {}, 0.0
	for i = 1, n do
		a[i], b[i] = {}, {}
		for j = 1, n do
			a[i][j], b[i][j] = (i * j) % 7 / 3, (i + j) % 11 / 5
		end
	end
	for i = 1, n do
		for j = 1, n do
			local sum, row = 0.0, a[i]
			for k = 1, n do
				sum = sum + row[k] * b[k][j]
			end
			if i == j then
				trace = trace + sum
			end
		end
	end
	return trace
end

local function words(count)
	local parts, seen = {}, {}
	for i = 1, count do
		local word = string.format("%x-%s", i * 2654435761 % 4294967296, ("ab"):rep(i % 5))
		parts[#parts + 1] = word:upper():gsub("A", "z")
		seen[word:sub(1, 3)] = (seen[word:sub(1, 3)] or 0) + 1
	end
	local kinds = 0
	for _ in pairs(seen) do
		kinds = kinds + 1
	end
	return #table.concat(parts, " "), kinds
end

local scale = tonumber(arg[1] or 100) -- percent of the usual sizes
local primes = sieve(2000 * scale)
print("primes", #primes, primes[#primes])
print("life", life(80, 30 * scale // 100))
print("trace", string.format("%.6f", multiply(9 * scale // 10)))
print("words", words(400 * scale))
