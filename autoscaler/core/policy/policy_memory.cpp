#include "autoscaler/core/policy/policy_memory.hpp"

#include <algorithm>
#include <limits>

#include "autoscaler/core/policy/parameters.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler {
namespace {

/// Points are in millionths.
std::string points_key(std::size_t type) {
  return std::string(to_string(static_cast<triggers::TriggerType>(type))) + "-ppm";
}

void write_age(json::Writer& out, std::string_view key, const std::optional<TimePoint>& instant,
               TimePoint at) {
  if (instant) out.number(key, json::seconds_number(at - *instant));
}

void write_numbers(json::Writer& out, const PolicyMemory& memory, TimePoint at) {
  out.integer("wanted", memory.wanted);
  write_age(out, "down-age", memory.scaled_down, at);
  if (!memory.last_point) return;
  out.text("reason", memory.reason).text("state", to_string(memory.engine.state));
  out.integer("occupied", memory.engine.occupied);
  write_age(out, "point-age", memory.last_point, at);
  write_age(out, "scale-age", memory.engine.last_scale, at);
}

/// Writes the newest `count` points of each type.
void write_points(json::Writer& out, const PolicyMemory& memory, const std::string& before,
                  std::int32_t count) {
  for (std::size_t type = 0; type < triggers::kMeasures; ++type) {
    const triggers::UsageHistory& points = memory.engine.points.at(type);
    if (points.size() == 0) continue;
    out.open_list(before + points_key(type));
    for (std::int32_t age = std::min(count, points.size()) - 1; age >= 0; --age) {
      out.number(points.at(age));
    }
    out.close();
  }
}

Result<void> read_points(const json::Object& object, const std::string& key,
                         triggers::UsageHistory& points) {
  if (!object.has(key)) return {};
  BELLOWS_TRY(const json::List list, object.list(key));
  const std::size_t most = std::min<std::size_t>(list.size(), 100'001);
  points.resize(points.size() + static_cast<std::int32_t>(most));
  for (std::size_t i = 0; i < list.size(); ++i) {
    BELLOWS_TRY(const double point, list.number(i, {triggers::kUnknownPoint,
                                                    std::numeric_limits<triggers::Point>::max()}));
    points.push(static_cast<triggers::Point>(point));
  }
  return {};
}

Result<void> read_links(const json::Object& object, TimePoint at,
                        std::vector<PolicyMemory>& links) {
  if (!object.has("links")) return {};
  BELLOWS_TRY(const std::vector<json::Object> list, object.objects("links"));
  links.assign(list.size(), {});
  for (std::size_t i = 0; i < list.size(); ++i) BELLOWS_CHECKED(links[i].read(list[i], at));
  return {};
}

Result<void> read_instant(const json::Object& object, std::string_view key, TimePoint at,
                          std::optional<TimePoint>& instant) {
  if (!object.has(key)) return {};
  BELLOWS_TRY(const double age, object.number(key, {-json::kMaxSeconds, json::kMaxSeconds}));
  instant = at - json::exact_seconds(age);
  return {};
}

}  // namespace

void PolicyMemory::write(json::Writer& out, TimePoint at) const {
  if (empty()) return;
  if (links.empty()) {
    write_numbers(out, *this, at);
    return write_points(out, *this, "", std::numeric_limits<std::int32_t>::max());
  }
  out.open_list("links");
  for (const PolicyMemory& link : links) {
    out.open();
    link.write(out, at);
    out.close();
  }
  out.close();
}

void PolicyMemory::write_change(json::Writer& out, TimePoint at) const {
  if (!links.empty()) return write(out, at);
  write_numbers(out, *this, at);
  if (is_point) write_points(out, *this, "+", 1);
}

Result<void> PolicyMemory::read(const json::Object& object, TimePoint at) {
  if (object.has("wanted")) {
    BELLOWS_TRY(wanted, count_of(object, "wanted"));
  }
  if (object.has("occupied")) {
    BELLOWS_TRY(engine.occupied, count_of(object, "occupied"));
  }
  if (object.has("reason")) {
    BELLOWS_TRY(reason, object.text("reason"));
  }
  if (object.has("state")) {
    BELLOWS_TRY(const std::string state, object.text("state"));
    engine.state = triggers::state_named(state).value_or(engine.state);
  }
  BELLOWS_CHECKED(read_instant(object, "down-age", at, scaled_down));
  BELLOWS_CHECKED(read_instant(object, "point-age", at, last_point));
  BELLOWS_CHECKED(read_instant(object, "scale-age", at, engine.last_scale));
  for (std::size_t type = 0; type < triggers::kMeasures; ++type) {
    triggers::UsageHistory& points = engine.points.at(type);
    if (object.has(points_key(type))) points = {};
    BELLOWS_CHECKED(read_points(object, points_key(type), points));
    BELLOWS_CHECKED(read_points(object, "+" + points_key(type), points));
  }
  return read_links(object, at, links);
}

void PolicyMemory::move(Duration by) {
  for (auto* const instant : {&scaled_down, &last_point, &engine.last_scale, &changed}) {
    if (*instant) **instant += by;
  }
  for (PolicyMemory& link : links) link.move(by);
}

}  // namespace bellows::autoscaler
