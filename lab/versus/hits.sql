-- Questions about the rows of gen.Hits, a line each: a name, and a statement that thresh and DuckDB both answer.
rows: SELECT count(*) FROM {t}
rows with a campaign: SELECT count(*) FROM {t} WHERE campaign <> 0
three aggregates: SELECT sum(campaign), count(*), avg(width) FROM {t}
mean of 19 digits: SELECT avg(user_id) FROM {t}
distinct users: SELECT count(DISTINCT user_id) FROM {t}
distinct searches: SELECT count(DISTINCT search) FROM {t}
first and last day: SELECT min(event_date)::VARCHAR, max(event_date)::VARCHAR FROM {t}
rows by campaign: SELECT campaign, count(*) FROM {t} WHERE campaign <> 0 GROUP BY campaign ORDER BY count(*) DESC, campaign
distinct users by region: SELECT region, count(DISTINCT user_id) AS users FROM {t} GROUP BY region ORDER BY users DESC, region LIMIT 10
aggregates by region: SELECT region, sum(campaign), count(*) AS n, avg(width), count(DISTINCT user_id) FROM {t} GROUP BY region ORDER BY n DESC, region LIMIT 10
distinct users by phone: SELECT phone, count(DISTINCT user_id) AS users FROM {t} WHERE phone <> '' GROUP BY phone ORDER BY users DESC, phone LIMIT 10
distinct users by two keys: SELECT engine, phone, count(DISTINCT user_id) AS users FROM {t} WHERE phone <> '' GROUP BY engine, phone ORDER BY users DESC, engine, phone LIMIT 10
searches: SELECT search, count(*) AS n FROM {t} WHERE search <> '' GROUP BY search ORDER BY n DESC, search LIMIT 10
distinct users by search: SELECT search, count(DISTINCT user_id) AS users FROM {t} WHERE search <> '' GROUP BY search ORDER BY users DESC, search LIMIT 10
searches by engine: SELECT engine, search, count(*) AS n FROM {t} WHERE search <> '' GROUP BY engine, search ORDER BY n DESC, engine, search LIMIT 10
rows by user: SELECT user_id, count(*) AS n FROM {t} GROUP BY user_id ORDER BY n DESC, user_id LIMIT 10
by user and search: SELECT user_id, search, count(*) AS n FROM {t} GROUP BY user_id, search ORDER BY n DESC, user_id, search LIMIT 10
by user and search, any ten: SELECT count(*) FROM (SELECT user_id, search, count(*) AS n FROM {t} GROUP BY user_id, search)
by user, minute and search: SELECT user_id, extract(minute FROM event_time) AS m, search, count(*) AS n FROM {t} GROUP BY user_id, m, search ORDER BY n DESC, user_id, m, search LIMIT 10
one user: SELECT user_id FROM {t} WHERE user_id = 1004031596901000322
rows with google: SELECT count(*) FROM {t} WHERE url LIKE '%google%'
least address with google: SELECT search, min(url), count(*) AS n FROM {t} WHERE referrer LIKE '%google%' AND search <> '' GROUP BY search ORDER BY n DESC, search LIMIT 10
titles with Google: SELECT search, min(url), min(title), count(*) AS n, count(DISTINCT user_id) FROM {t} WHERE title LIKE '%Google%' AND referrer NOT LIKE '%google.%' AND search <> '' GROUP BY search ORDER BY n DESC, search LIMIT 10
columns of ten: SELECT hit_id, title, url, event_time::VARCHAR, search FROM {t} WHERE url LIKE '%google%' ORDER BY event_time, hit_id LIMIT 10
searches by time: SELECT search FROM {t} WHERE search <> '' ORDER BY event_time, search LIMIT 10
searches by name: SELECT search FROM {t} WHERE search <> '' ORDER BY search LIMIT 10
searches by time and name: SELECT search FROM {t} WHERE search <> '' ORDER BY event_time, search, hit_id LIMIT 10
length of addresses: SELECT site, avg(length(url)) AS l, count(*) AS n FROM {t} WHERE url <> '' GROUP BY site HAVING count(*) > 1000 ORDER BY l DESC LIMIT 25
hosts: SELECT regexp_replace(referrer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS host, avg(length(referrer)) AS l, count(*) AS n, min(referrer) FROM {t} WHERE referrer <> '' GROUP BY host HAVING count(*) > 1000 ORDER BY l DESC LIMIT 25
90 sums: SELECT {sums} FROM {t}
by engine and address: SELECT engine, address, count(*) AS n, sum(refresh), avg(width) FROM {t} WHERE search <> '' GROUP BY engine, address ORDER BY n DESC, engine, address LIMIT 10
by hit and address, filtered: SELECT hit_id, address, count(*) AS n, sum(refresh), avg(width) FROM {t} WHERE search <> '' GROUP BY hit_id, address ORDER BY n DESC, hit_id, address LIMIT 10
by hit and address: SELECT hit_id, address, count(*) AS n, sum(refresh), avg(width) FROM {t} GROUP BY hit_id, address ORDER BY n DESC, hit_id, address LIMIT 10
addresses: SELECT url, count(*) AS n FROM {t} GROUP BY url ORDER BY n DESC, url LIMIT 10
addresses and a constant: SELECT 1, url, count(*) AS n FROM {t} GROUP BY 1, url ORDER BY n DESC, url LIMIT 10
four keys of one: SELECT address, address - 1, address - 2, address - 3, count(*) AS n FROM {t} GROUP BY address, address - 1, address - 2, address - 3 ORDER BY n DESC, address LIMIT 10
addresses of a site: SELECT url, count(*) AS n FROM {t} WHERE site = 62 AND event_date >= '2013-07-01' AND event_date <= '2013-07-31' AND counted = 0 AND refresh = 0 AND url <> '' GROUP BY url ORDER BY n DESC, url LIMIT 10
titles of a site: SELECT title, count(*) AS n FROM {t} WHERE site = 62 AND event_date >= '2013-07-01' AND event_date <= '2013-07-31' AND counted = 0 AND refresh = 0 AND title <> '' GROUP BY title ORDER BY n DESC, title LIMIT 10
an offset: SELECT url, count(*) AS n FROM {t} WHERE site = 2 AND event_date >= '2013-07-01' AND event_date <= '2013-07-31' AND refresh = 0 AND linked <> 0 AND downloaded = 0 GROUP BY url ORDER BY n DESC, url LIMIT 10 OFFSET 20
five keys, one chosen: SELECT source, engine, campaign, CASE WHEN engine = 0 AND campaign = 0 THEN referrer ELSE '' END AS src, url AS dst, count(*) AS n FROM {t} WHERE site = 2 AND event_date >= '2013-07-01' AND event_date <= '2013-07-31' AND refresh = 0 GROUP BY source, engine, campaign, src, dst ORDER BY n DESC, source, engine, campaign, src, dst LIMIT 10 OFFSET 100
a key chosen in all rows: SELECT CASE WHEN engine = 0 AND campaign = 0 THEN referrer ELSE '' END AS src, count(*) AS n FROM {t} GROUP BY src ORDER BY n DESC, src LIMIT 10
by hash and day: SELECT url_hash, event_date::VARCHAR AS d, count(*) AS n FROM {t} WHERE site = 2 AND refresh = 0 AND source IN (-1, 6) GROUP BY url_hash, d ORDER BY n DESC, url_hash LIMIT 10 OFFSET 10
sizes of windows: SELECT window_width, window_height, count(*) AS n FROM {t} WHERE site = 2 AND refresh = 0 AND counted = 0 GROUP BY window_width, window_height ORDER BY n DESC, window_width, window_height LIMIT 10 OFFSET 100
minutes: SELECT date_trunc('minute', event_time)::VARCHAR AS m, count(*) AS n FROM {t} WHERE site = 2 AND event_date >= '2013-07-14' AND event_date <= '2013-07-15' AND refresh = 0 AND counted = 0 GROUP BY m ORDER BY m LIMIT 10 OFFSET 100
minutes of all rows: SELECT date_trunc('minute', event_time)::VARCHAR AS m, count(*) AS n FROM {t} GROUP BY m ORDER BY m LIMIT 10 OFFSET 1000
