#include "recommender/service/file_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <utility>

#include "json/object.hpp"

namespace bellows::recommender {

namespace {

constexpr json::Range kTimes{0, 4e9};
constexpr json::Range kAmounts{0, 1e14};
constexpr std::size_t kMaxAtOnce = std::size_t{4} * 1024 * 1024;

Result<std::string> text_or(const json::Object& line, std::string_view key, std::string instead) {
  if (!line.has(key)) return instead;
  return line.text(key);
}

Bytes whole_bytes(double bytes) {
  return {static_cast<std::int64_t>(bytes)};
}

Result<Event> event_of(const json::Object& line, WallTime at) {
  BELLOWS_TRY(const std::string event, line.text("event"));
  if (event == "crash") return Event{at, Crashed{}};
  if (event == "start") return Event{at, Started{}};
  if (event == "oom") {
    BELLOWS_TRY(const double memory, line.number("memory-bytes", kAmounts));
    return Event{at, OomKilled{whole_bytes(memory)}};
  }
  if (event == "crash-loop") {
    BELLOWS_TRY(const bool is_active, line.flag("active"));
    return Event{at, CrashLoop{is_active}};
  }
  return fail(line.invalid("event", "oom, crash, crash-loop or start"));
}

Result<Request> request_of(const json::Object& line) {
  BELLOWS_TRY(const json::Object request, line.object("request"));
  BELLOWS_TRY(const double cores, request.number("cpu-cores", {0, 1e6}));
  BELLOWS_TRY(const double memory, request.number("memory-bytes", kAmounts));
  return Request{Millicores{std::llround(cores * 1000)}, whole_bytes(memory)};
}

Result<void> add_usage(const json::Object& line, std::string_view key, Resource resource,
                       Observation observation, std::vector<Observation>& all) {
  if (!line.has(key)) return {};
  BELLOWS_TRY(const double amount, line.number(key, kAmounts));
  observation.what = Usage{observation.at, resource, amount};
  all.push_back(std::move(observation));
  return {};
}

}  // namespace

Result<std::vector<Observation>> parse_usage_line(std::string_view text, std::size_t number) {
  BELLOWS_TRY(const json::Object line, json::parse_line(text, number));
  std::vector<Observation> all;
  if (!line.has("container")) return all;
  BELLOWS_TRY(const double at, line.number("at", kTimes));
  Observation observation;
  BELLOWS_TRY(const std::string container, line.text("container"));
  BELLOWS_TRY(const std::string workload, text_or(line, "workload", "file"));
  BELLOWS_TRY(const std::string pod, text_or(line, "pod", workload + "-1"));
  observation = {RevisionId(workload), PodName(pod), ContainerName(container), replay_time(at),
                 Gone{}};
  if (line.has("event")) {
    BELLOWS_TRY(observation.what, event_of(line, observation.at));
    all.push_back(std::move(observation));
    return all;
  }
  if (line.has("request")) {
    BELLOWS_TRY(observation.what, request_of(line));
    all.push_back(observation);
  }
  BELLOWS_CHECKED(add_usage(line, "cpu-cores", Resource::kCpu, observation, all));
  BELLOWS_CHECKED(add_usage(line, "memory-bytes", Resource::kMemory, observation, all));
  if (all.empty()) {
    return fail(line.invalid("cpu-cores", "cpu-cores, memory-bytes, request or event"));
  }
  return all;
}

FileSource::FileSource(std::string path) : path_(std::move(path)) {}

http::Awaitable<Result<std::vector<Observation>>> FileSource::read(WallTime) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) co_return fail(system_error(name(), "cannot be read", errno));
  BELLOWS_CO_CHECKED(check_size(file));
  file.seekg(static_cast<std::streamoff>(offset_));
  std::string text(kMaxAtOnce, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  auto taken = take_lines(text);
  if (!taken) {
    co_return fail(taken.error().kind(), name() + ": " + taken.error().culprit(),
                   taken.error().message());
  }
  co_return std::exchange(pending_, {});
}

Result<void> FileSource::check_size(std::ifstream& file) {
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::size_t>(file.tellg());
  if (size >= offset_) return {};
  const std::size_t was = std::exchange(offset_, 0);
  line_ = 0;
  return fail(ErrorKind::kMalformed, name(),
              "it has " + std::to_string(size) + " bytes, want no less than the " +
                  std::to_string(was) +
                  " that were read: it was cut off, and is read from its start from now on");
}

/// Takes complete lines. A last line without a newline is still being written, so the next read
/// takes it.
Result<void> FileSource::take_lines(std::string_view text) {
  for (;;) {
    const std::size_t length = text.find('\n');
    if (length == std::string_view::npos) return {};
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(length + 1);
    offset_ += length + 1;
    ++line_;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    BELLOWS_TRY(const std::vector<Observation> found, parse_usage_line(line, line_));
    pending_.insert(pending_.end(), found.begin(), found.end());
  }
}

}  // namespace bellows::recommender
