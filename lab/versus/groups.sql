-- Questions about the rows of gen.Groups.
one short text: SELECT id1, sum(v1) FROM {t} GROUP BY id1
two short texts: SELECT id1, id2, sum(v1) FROM {t} GROUP BY id1, id2 ORDER BY id1, id2 LIMIT 1000
a long text: SELECT id3, sum(v1), avg(v3) FROM {t} GROUP BY id3 ORDER BY id3 LIMIT 100
means by a small number: SELECT id4, avg(v1), avg(v2), avg(v3) FROM {t} GROUP BY id4
sums by a large number: SELECT id6, sum(v1), sum(v2), sum(v3) FROM {t} GROUP BY id6 ORDER BY id6 LIMIT 100
median and deviation: SELECT id4, id5, median(v3), stddev(v3) FROM {t} GROUP BY id4, id5 ORDER BY id4, id5 LIMIT 1000
a range: SELECT id3, max(v1) - min(v2) AS range FROM {t} GROUP BY id3 ORDER BY range DESC, id3 LIMIT 100
the row of the largest: SELECT id6, max(v3), arg_max(id3, v3) FROM {t} GROUP BY id6 ORDER BY id6 LIMIT 100
correlation: SELECT id2, id4, corr(v1, v2) * corr(v1, v2) FROM {t} GROUP BY id2, id4 ORDER BY id2, id4 LIMIT 1000
six keys: SELECT id1, id2, id3, id4, id5, id6, sum(v3) AS s, count(*) AS n FROM {t} GROUP BY ALL ORDER BY n DESC, s DESC, id3, id6 LIMIT 100
