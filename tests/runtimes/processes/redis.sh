#!/bin/bash
# redis-server redis-cli redis-benchmark
redis-server --port 7777 --save '' --appendonly no >/tmp/redis.log &
until redis-cli -p 7777 ping 2>/dev/null; do sleep 0.1; done
redis-benchmark -p 7777 -n 500 -c 4 -t set,get -q | grep -c 'requests per second'
redis-cli -p 7777 set key value
redis-cli -p 7777 get key
redis-cli -p 7777 shutdown nosave
wait
grep -c 'bye bye' /tmp/redis.log
