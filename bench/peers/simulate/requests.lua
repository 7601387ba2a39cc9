-- What wrk asks, in turn: a pet by id, pets by status, an order by id, a pet
-- as it is to be: fifty pets, so that what is measured is no ever longer list. With credentials, since both want to see some.
local asks, at = {}, 0
init = function()
    wrk.headers["authorization"] = "Bearer x"
    wrk.headers["api_key"] = "x"
    wrk.headers["content-type"] = "application/json"
    local pet = '{"id":%d,"name":"Rex","photoUrls":["u"],"status":"available","category":{"id":1,"name":"Dogs"}}'
    for i = 1, 50 do
        asks[#asks + 1] = wrk.format("GET", "/pet/" .. i)
        asks[#asks + 1] = wrk.format("GET", "/pet/findByStatus?status=available")
        asks[#asks + 1] = wrk.format("GET", "/store/order/" .. i)
        asks[#asks + 1] = wrk.format("PUT", "/pet", nil, pet:format(i))
    end
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
