#include "queue-proxy/service/occupancy_pages.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "base/duration_text.hpp"
#include "base/read_number.hpp"

namespace bellows::queue_proxy {
namespace {

constexpr Duration kLongestLease = std::chrono::hours(24);
constexpr double kMaxCount = 1e9;

http::Response text(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.body = std::move(body) + "\n";
  return response;
}

http::Response state_of(const Occupancy& occupancy, TimePoint now) {
  return text(200, occupancy.is_occupied(now) ? "occupied" : "ready");
}

std::optional<double> amount(const std::string& written) {
  const auto value = read_number<double>(written);
  const bool is_valid = value && std::isfinite(*value) && *value >= 0 && *value <= kMaxCount;
  return is_valid ? value : std::nullopt;
}

http::Response lease(Occupancy& occupancy, const http::Request& request, TimePoint now) {
  const std::string written = request.parameter("for");
  const auto length = parse_duration(written);
  if (!length || *length <= Duration::zero() || *length > kLongestLease) {
    return text(400, "for: \"" + written + "\": want a time with a unit, up to 24h: for=30s");
  }
  occupancy.lease(*length, now);
  return state_of(occupancy, now);
}

http::Response count(Occupancy& occupancy, const http::Request& request, TimePoint now) {
  const std::string written = request.parameter("capacity");
  const auto counted = amount(request.parameter("count"));
  const auto capacity = amount(written.empty() ? "0" : written);
  if (!counted || !capacity) {
    return text(400, "count, capacity: \"" + request.parameter("count") + "\", \"" + written +
                         "\": want numbers from 0 to 1e9: count=3&capacity=10");
  }
  occupancy.count({*counted, *capacity});
  return state_of(occupancy, now);
}

}  // namespace

void add_occupancy_pages(http::ServiceServer& server, Occupancy& occupancy,
                         const sys::Clock& clock) {
  using Page = std::function<http::Response(const http::Request&, TimePoint)>;
  const auto add = [&](const std::string& path, Page page) {
    server.route(
        "POST", path,
        [page = std::move(page), &clock](http::Request request) -> http::Awaitable<http::Response> {
          co_return page(request, clock.now());
        });
  };
  add("/occupied", [&occupancy](const http::Request&, TimePoint now) {
    occupancy.say(true);
    return state_of(occupancy, now);
  });
  add("/ready", [&occupancy](const http::Request&, TimePoint now) {
    occupancy.say(false);
    return state_of(occupancy, now);
  });
  add("/busy", [&occupancy](const http::Request& request, TimePoint now) {
    return lease(occupancy, request, now);
  });
  add("/counter", [&occupancy](const http::Request& request, TimePoint now) {
    return count(occupancy, request, now);
  });
}

}  // namespace bellows::queue_proxy
