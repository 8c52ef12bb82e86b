#include "cli/check/activators.hpp"

#include <charconv>
#include <system_error>

#include "base/text_parts.hpp"

namespace bellows::cli {

namespace {

/// Returns the value of one label within `{...}`; empty: it has none. Values here hold no quotes.
std::string label(std::string_view labels, const std::string& name) {
  const std::string begin = name + "=\"";
  const std::size_t at = labels.find(begin);
  if (at == std::string_view::npos) return {};
  const std::size_t end = labels.find('"', at + begin.size());
  return std::string(labels.substr(at + begin.size(), end - at - begin.size()));
}

struct Sample {
  std::string_view labels;
  double value = 0;
};

/// Returns the samples of one series.
std::vector<Sample> samples(std::string_view metrics, std::string_view series) {
  std::vector<Sample> found;
  while (!metrics.empty()) {
    const std::string_view line = next_part(metrics, '\n');
    const std::size_t value = line.rfind(' ');
    if (!line.starts_with(series) || value == std::string_view::npos) continue;
    const std::string_view labels = line.substr(series.size(), value - series.size());
    const char* end_of_line = line.data() + line.size();
    double number = 0;
    const auto read = std::from_chars(line.data() + value + 1, end_of_line, number);
    if (labels.starts_with('{') && read.ec == std::errc()) found.push_back({labels, number});
  }
  return found;
}

}  // namespace

std::vector<CheckItem> activator_items(const std::string& name, std::string_view metrics) {
  std::vector<CheckItem> items;
  for (const Sample& sample : samples(metrics, "bellows_activator_unreachable_replicas")) {
    if (sample.value == 0) continue;
    items.push_back(failed(
        name,
        "it reaches no ready pod of revision " + label(sample.labels, "namespace") + "/" +
            label(sample.labels, "revision"),
        "a mesh or a NetworkPolicy blocks it: exclude the port of activators, 8013, of the pods"));
  }
  for (const Sample& sample : samples(metrics, "bellows_activator_revision_ports")) {
    if (sample.value == 0 || label(sample.labels, "state") != "failed") continue;
    items.push_back(
        failed(name, "it cannot open ports of revisions", "its log names them and what uses them"));
  }
  for (const Sample& sample : samples(metrics, "bellows_activator_missing_pages")) {
    if (sample.value == 0) continue;
    items.push_back(failed(
        name,
        "it cannot read the file of the waiting-page of revision " +
            label(sample.labels, "namespace") + "/" + label(sample.labels, "revision"),
        "browsers get the built-in page: mount the file into the activators, or set built-in"));
  }
  if (items.empty()) items.push_back(passed(name, "reaches the pods to which it sends requests"));
  return items;
}

}  // namespace bellows::cli
