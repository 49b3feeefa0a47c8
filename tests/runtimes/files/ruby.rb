words = File.readlines("words", chomp: true)
puts words.map(&:reverse).sort
puts words.group_by(&:size).transform_values(&:count).inspect
r, w = IO.pipe
w.puts "through a pipe"
w.close
puts r.read
