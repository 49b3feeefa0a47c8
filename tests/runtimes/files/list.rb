require 'json'
require 'set'
require 'digest'
puts JSON.parse(File.read('data.json'))['numbers'].sort.inspect
puts Digest::SHA256.hexdigest('x'), Set.new([1, 2, 2]).size, 2**100, 10.digits.inspect
f = Fiber.new { Fiber.yield 1; 2 }
puts f.resume + f.resume
words = File.readlines('words', chomp: true).group_by(&:size)
p words.transform_values(&:first)
warn 'an error'
exit 6
