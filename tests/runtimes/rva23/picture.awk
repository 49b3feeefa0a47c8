# A picture of 227 x 149 points (neither a multiple of a block): a slope in each colour, a circle with a hard edge, noise.
BEGIN {
	width = 227
	height = 149
	print "P3"
	print width, height
	print 255
	random = 1
	for (y = 0; y < height; y++) {
		for (x = 0; x < width; x++) {
			random = (random * 16807) % 2147483647
			inside = (x - 90) * (x - 90) + (y - 70) * (y - 70) < 2500
			noise = x > 150 ? random % 64 : 0
			print int(x * 190 / width) + noise, inside ? 250 : int(y * 190 / height) + noise, inside ? 20 : (x + y) % 256
		}
	}
}
