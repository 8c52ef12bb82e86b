#include "recommender/service/prometheus_query.hpp"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <optional>

#include "base/query.hpp"
#include "base/read_number.hpp"

namespace bellows::recommender {

namespace {

constexpr Duration kMinRateWindow = std::chrono::minutes(1);

std::string whole_seconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count()) + "s";
}

/// The labels with the names of a pod and of a container.
struct Labels {
  const char* pod;
  const char* container;
};
/// The kubelet's, and those that it had before Kubernetes 1.16, which VPA asks for.
constexpr std::array<Labels, 2> kLabels{{{"pod", "container"}, {"pod_name", "name"}}};

/// Returns {job="kubernetes-cadvisor", pod=~".+", container!="POD", container!=""}
std::string selector(const config::PrometheusSettings& settings, const Labels& labels) {
  const std::string container = labels.container;
  std::string text = "{";
  if (!settings.job.empty()) text += "job=\"" + settings.job + "\", ";
  return text + labels.pod + "=~\".+\", " + container + "!=\"POD\", " + container + "!=\"\"}";
}

std::string expression(const config::PrometheusSettings& settings, Resource resource,
                       Duration step) {
  std::string text;
  for (const Labels& labels : kLabels) {
    if (!text.empty()) text += " or ";
    if (resource == Resource::kMemory) {
      text += "container_memory_working_set_bytes" + selector(settings, labels);
    } else {
      text += "rate(container_cpu_usage_seconds_total" + selector(settings, labels) + "[" +
              whole_seconds(std::max(step, kMinRateWindow)) + "])";
    }
  }
  return text;
}

std::string unix_time(WallTime at) {
  const auto milliseconds = to_milliseconds(at.time_since_epoch());
  std::string fraction = std::to_string(milliseconds % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(milliseconds / 1000) + "." + fraction;
}

tl::unexpected<Error> malformed(const std::string& where, std::string_view want) {
  return fail(ErrorKind::kMalformed, where, "missing or wrong, want " + std::string(want));
}

std::string text_of(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// Returns the second of a pair [1700000000.123, "0.25"]; nullopt if it is not a number.
std::optional<double> number_text(const boost::json::value& value) {
  if (!value.is_string()) return std::nullopt;
  std::string_view text = value.get_string();
  if (text.starts_with('+')) text.remove_prefix(1);  // "+Inf"
  return read_number<double>(text);
}

struct Reader {
  const config::PrometheusSettings& settings;
  Resource resource;
  std::vector<Observation> found;

  Result<void> series(const boost::json::object& object, const std::string& where) {
    const boost::json::value* metric = object.if_contains("metric");
    const boost::json::value* values = object.if_contains("values");
    if (metric == nullptr || !metric->is_object()) return malformed(where + ".metric", "an object");
    if (values == nullptr || !values->is_array()) return malformed(where + ".values", "a list");
    const boost::json::object& labels = metric->get_object();
    const Labels& names = labels.contains(kLabels[0].pod) ? kLabels[0] : kLabels[1];
    const std::string pod = text_of(labels, names.pod);
    const std::string container = text_of(labels, names.container);
    if (pod.empty() || container.empty()) return {};
    const Observation pattern{.workload = workload(labels, pod),
                              .replica = PodName(pod),
                              .container = ContainerName(container),
                              .at = {},
                              .what = Usage{{}, resource, 0}};
    for (const boost::json::value& value : values->get_array()) {
      BELLOWS_CHECKED(sample(value, pattern, where + ".values"));
    }
    return {};
  }

  RevisionId workload(const boost::json::object& labels, const std::string& pod) const {
    const std::string own = text_of(labels, settings.workload_label);
    const std::string name_space = text_of(labels, "namespace");
    if (own.empty()) return workload_of(name_space, pod);
    return RevisionId(name_space.empty() ? own : name_space + "/" + own);
  }

  Result<void> sample(const boost::json::value& value, const Observation& pattern,
                      const std::string& where) {
    const boost::json::array* pair = value.if_array();
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_number()) {
      return malformed(where, "pairs of time and \"number\"");
    }
    const auto amount = number_text((*pair)[1]);
    if (!amount) return malformed(where, "pairs of time and \"number\"");
    const double seconds = (*pair)[0].to_number<double>();
    constexpr double kMax = 9e9;  // the year 2255; beyond, nanoseconds do not fit
    if (!std::isfinite(seconds) || std::abs(seconds) > kMax) return malformed(where, "a time");
    if (!std::isfinite(*amount)) return {};
    Observation observation = pattern;
    observation.at = WallTime(std::chrono::milliseconds(std::llround(seconds * 1000)));
    observation.what = Usage{observation.at, resource, *amount};
    found.push_back(std::move(observation));
    return {};
  }
};

bool is_all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// Returns the part before the last '-', if the part after it has a valid length and only allowed
/// characters.
std::optional<std::string_view> without_last(std::string_view text, std::string_view allowed,
                                             std::size_t min, std::size_t max) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const std::string_view part = text.substr(dash + 1);
  if (part.size() < min || part.size() > max || !is_all_of(part, allowed)) return std::nullopt;
  return text.substr(0, dash);
}

}  // namespace

std::string range_query(const config::PrometheusSettings& settings, Resource resource,
                        const QueryRange& range) {
  return Query("/api/v1/query_range")
      .add("query", expression(settings, resource, range.step))
      .add("start", unix_time(range.from))
      .add("end", unix_time(range.to))
      .add("step", whole_seconds(range.step))
      .target();
}

Result<std::vector<Observation>> parse_range_response(const config::PrometheusSettings& settings,
                                                      Resource resource, std::string_view text) {
  boost::system::error_code code;
  const boost::json::value root = boost::json::parse({text.data(), text.size()}, code);
  if (code || !root.is_object()) return malformed("the response", "a JSON object");
  const boost::json::object& object = root.get_object();
  if (text_of(object, "status") != "success") {
    return fail(ErrorKind::kUnavailable, text_of(object, "errorType"), text_of(object, "error"));
  }
  const boost::json::value* data = object.if_contains("data");
  const boost::json::value* result =
      data != nullptr && data->is_object() ? data->get_object().if_contains("result") : nullptr;
  if (result == nullptr || !result->is_array()) return malformed("data.result", "a list");
  if (text_of(data->get_object(), "resultType") != "matrix") {
    return malformed("data.resultType", "matrix");
  }
  Reader reader{settings, resource, {}};
  std::size_t index = 0;
  for (const boost::json::value& series : result->get_array()) {
    const std::string where = "data.result[" + std::to_string(index++) + "]";
    if (!series.is_object()) return malformed(where, "an object");
    BELLOWS_CHECKED(reader.series(series.get_object(), where));
  }
  return std::move(reader.found);
}

RevisionId workload_of(std::string_view name_space, std::string_view pod) {
  // Kubernetes makes hashes of these characters, so that they form no words.
  constexpr std::string_view kSafe = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::string_view kDigits = "0123456789";
  std::string_view owner = pod;
  if (const auto replica_set = without_last(pod, kSafe, 5, 5)) {
    owner = without_last(*replica_set, kSafe, 8, 10).value_or(*replica_set);
  } else if (const auto stateful = without_last(pod, kDigits, 1, 6)) {
    owner = *stateful;
  }
  return RevisionId(name_space.empty() ? std::string(owner)
                                       : std::string(name_space) + "/" + std::string(owner));
}

}  // namespace bellows::recommender
