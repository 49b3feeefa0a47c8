#!/bin/bash
# no host has it: a server of its own, its client, and its benchmark
export PATH=/usr/lib/postgresql/17/bin:$PATH PGDATA=/tmp/data PGHOST=/tmp
initdb -A trust -U guest --no-sync >/tmp/init 2>&1 || { echo "initdb: $?" && cat /tmp/init; }
pg_ctl -w -s -l /tmp/log -o "-k /tmp -h '' -F" start || cat /tmp/log
createdb -U guest test
psql -U guest -At test -c 'create table t as select i, i * i as s from generate_series(1, 1000) i; select sum(s), count(*) from t where i % 7 = 0'
pgbench -U guest -i -q -s 1 test 2>&1 | grep -c 'done in'
pgbench -U guest -n -t 5 -c 2 test 2>/dev/null | grep 'actually processed'
pg_ctl -s -m fast stop
