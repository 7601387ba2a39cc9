-- What wrk asks, in turn: reads by id, a search, a list, a made thing. Credentials, since both want to see some.
local headers = {["authorization"] = "Bearer x", ["api_key"] = "x", ["content-type"] = "application/json"}
local pet = '{"name":"Rex","photoUrls":["u"],"status":"available","category":{"id":1,"name":"Dogs"}}'
local asks, at = {}, 0
for i = 1, 50 do
    asks[#asks + 1] = wrk.format("GET", "/pet/" .. i, headers)
    asks[#asks + 1] = wrk.format("GET", "/pet/findByStatus?status=available", headers)
    asks[#asks + 1] = wrk.format("GET", "/store/order/" .. i, headers)
    asks[#asks + 1] = wrk.format("POST", "/pet", headers, pet)
end
request = function()
    at = at % #asks + 1
    return asks[at]
end
done = function(summary, latency)
    local errors = summary.errors
    io.write(string.format('{"requests": %d, "microseconds": %d, "not_2xx": %d, "broken": %d, "p50_us": %d, "p99_us": %d}\n',
        summary.requests, summary.duration, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50), latency:percentile(99)))
end
