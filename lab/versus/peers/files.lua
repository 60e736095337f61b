-- Requests files in turn: wrk -s files.lua URL -- PATH...
-- and prints a summary as JSON, which the bench parses.

local requests = {}
local at = 0

function init(args)
   for _, path in ipairs(args) do
      requests[#requests + 1] = wrk.format("GET", path)
   end
end

function request()
   at = at % #requests + 1
   return requests[at]
end

function done(summary)
   local e = summary.errors
   io.write(string.format(
      'wrk did {"requests":%d,"bytes":%d,"microseconds":%d,"errors":%d}\n',
      summary.requests, summary.bytes, summary.duration,
      e.connect + e.read + e.write + e.status + e.timeout))
end
