local s = 0
for i = 1, 200000 do s = s + i % 7 end
print(s, jit.version_num, bit.bxor(5, 3))
local ffi = require("ffi")
ffi.cdef("int abs(int);")
print(ffi.C.abs(-5))
