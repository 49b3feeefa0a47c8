#!/bin/bash
# java
cd "$(dirname "$0")/../files" || exit
java=/usr/lib/jvm/java-21-openjdk-riscv64/bin/java
command -v $java >/dev/null || java=java
$java -XX:TieredStopAtLevel=1 Primes.java 2>/tmp/errors
echo "status $?"
cat /tmp/errors
