<?php
$a = ['b' => 2, 'a' => 1];
ksort($a);
echo json_encode($a), PHP_EOL, md5('x'), PHP_EOL, preg_replace('/(\w)(\w)/', '$2$1', 'abcd'), PHP_EOL;
function g() { for ($i = 0; $i < 3; $i++) yield $i * $i; }
foreach (g() as $v) echo $v, ' ';
fwrite(STDERR, "an error\n");
exit(3);
