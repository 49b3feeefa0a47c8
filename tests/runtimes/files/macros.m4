define(`twice', `$1$1')twice(ab) eval(2 ** 10) len(`text') translit(`abc', `a-c', `A-C')
