-- A short life of two tables, for quick checks.
CREATE TABLE item(id INTEGER PRIMARY KEY, kind INTEGER, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO item SELECT i, i * 7919 % 13, printf('item %05d', i * 104729 % 99991) FROM n;
CREATE INDEX item_kind ON item(kind, name);
SELECT kind, count(*), min(name), max(name) FROM item GROUP BY kind ORDER BY kind;
UPDATE item SET kind = kind + 1 WHERE name LIKE '%3';
DELETE FROM item WHERE kind = 4;
SELECT count(*), sum(kind), avg(length(name)), round(sum(id) / 7.0, 3) FROM item;
