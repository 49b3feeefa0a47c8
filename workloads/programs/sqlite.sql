-- An object store's life: insert, look up by key and by index, join, update, delete, with everything in memory (vortex).
-- Numbers come from a recursive linear congruence, so every run sees the same data.
PRAGMA page_size = 4096;
CREATE TABLE part(id INTEGER PRIMARY KEY, kind INTEGER, x INTEGER, y INTEGER, name TEXT);
CREATE TABLE link(source INTEGER, target INTEGER, weight INTEGER);
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, town TEXT, part INTEGER);

BEGIN;
WITH RECURSIVE n(i, r) AS (SELECT 1, 12345 UNION ALL SELECT i + 1, (r * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 15000)
INSERT INTO part SELECT i, r / 65536 % 50, r % 10000, r / 7 % 10000, printf('part-%05d-%x', i, r) FROM n;
WITH RECURSIVE n(i, r) AS (SELECT 1, 777 UNION ALL SELECT i + 1, (r * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 45000)
INSERT INTO link SELECT i % 15000 + 1, r / 1024 % 15000 + 1, r / 65536 % 100 FROM n;
WITH RECURSIVE n(i, r) AS (SELECT 1, 4242 UNION ALL SELECT i + 1, (r * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 8000)
INSERT INTO person SELECT i, char(65 + r / 65536 % 26, 97 + r / 4096 % 26, 97 + r / 512 % 26) || ' ' || i,
	printf('town %d', r / 131072 % 200), r / 1024 % 15000 + 1 FROM n;
COMMIT;
CREATE INDEX part_kind ON part(kind, x);
CREATE INDEX link_source ON link(source);
CREATE INDEX link_target ON link(target);
CREATE INDEX person_town ON person(town);

SELECT count(*), sum(weight) FROM link;
SELECT kind, count(*), min(x), max(y), avg(x + y) FROM part GROUP BY kind ORDER BY kind LIMIT 8;
SELECT p.kind, q.kind, count(*), sum(l.weight) FROM part p JOIN link l ON l.source = p.id JOIN part q ON q.id = l.target
	WHERE p.kind < 5 GROUP BY p.kind, q.kind ORDER BY 4 DESC, 1, 2 LIMIT 10;
SELECT town, count(*), group_concat(substr(name, 1, 3), '') FROM person WHERE town LIKE 'town 1_' GROUP BY town ORDER BY town LIMIT 5;

BEGIN;
UPDATE part SET x = x + 1, name = name || '*' WHERE kind BETWEEN 10 AND 20;
UPDATE person SET part = (SELECT target FROM link WHERE source = person.part ORDER BY weight DESC, target LIMIT 1) WHERE id % 3 = 0;
DELETE FROM link WHERE weight < 10;
INSERT INTO link SELECT target, source, 100 - weight FROM link WHERE weight > 80;
COMMIT;

-- walk the links breadth first from a few parts
WITH RECURSIVE reach(id, depth) AS (SELECT 17, 0 UNION SELECT l.target, depth + 1 FROM reach JOIN link l ON l.source = reach.id WHERE depth < 7)
SELECT depth, count(*), sum(id) FROM reach GROUP BY depth ORDER BY depth;
SELECT t.town, count(DISTINCT q.kind) FROM person t JOIN link l ON l.source = t.part JOIN part q ON q.id = l.target
	GROUP BY t.town ORDER BY 2 DESC, 1 LIMIT 10;
SELECT p.name FROM part p WHERE NOT EXISTS (SELECT 1 FROM link l WHERE l.target = p.id) ORDER BY p.name LIMIT 10;
SELECT count(*) FROM part a JOIN part b ON a.kind = b.kind AND b.x BETWEEN a.x AND a.x + 20 WHERE a.id % 8 = 0;
SELECT count(*), sum(length(name)) FROM part;
