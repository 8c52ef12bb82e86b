#include "config/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace bellows::config {

namespace {

/// Returns the canonical spelling: minScale, MIN_SCALE and "min scale" become min-scale.
std::string plain(std::string_view word) {
  std::string text;
  bool after_small = false;
  for (const char letter : word) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    if (is_capital && after_small) text += '-';
    after_small = letter >= 'a' && letter <= 'z';
    if (letter == '_' || letter == ' ') {
      text += '-';
    } else {
      text += is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
  }
  return text;
}

/// Returns the number of letters to replace, insert or delete, or of neighbours to swap, between
/// two words ("optimal string alignment").
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kShort = 5;
  const std::string plain_word = plain(word);
  std::size_t fewest = plain_word.size() <= kShort ? 1 : 2;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t count = edit_distance(plain_word, plain(candidate));
    if (count > fewest || (count == fewest && !best.empty())) continue;
    fewest = count;
    best = candidate;
  }
  return best;
}

namespace {

struct Instead {
  std::string_view name;  // its canonical spelling
  std::string_view want;
};

constexpr std::string_view kNoPort =
    "Bellows chooses a port for each replica; want $PORT in the command, or the app reads it from "
    "its environment";
constexpr std::string_view kNoExpose =
    "`listen` at the top of the file is the address of all services; want host or path-prefix, and "
    "port for an app that cannot take $PORT";
constexpr std::string_view kNoImage =
    "Bellows runs commands, no images; want a command, as in [podman, run, ...]";
constexpr std::string_view kNoNumber =
    "Bellows decides the number of replicas; want min-scale and max-scale";

constexpr Instead kInstead[] = {
    {"env", "want environment, a map of NAME: value"},
    {"environment-variables", "want environment, a map of NAME: value"},
    {"env-file", "want environment-file"},
    {"port", kNoPort},
    {"ports", kNoPort},
    {"image", kNoImage},
    {"build", kNoImage},
    {"volumes", kNoImage},
    {"replicas", kNoNumber},
    {"instances", kNoNumber},
    {"workers", kNoNumber},
    {"scale", kNoNumber},
    {"min", "want min-scale"},
    {"max", "want max-scale"},
    {"min-replicas", "want min-scale"},
    {"min-instances", "want min-scale"},
    {"max-replicas", "want max-scale"},
    {"max-instances", "want max-scale"},
    {"concurrency", "want target, by which it scales, or container-concurrency, a hard limit"},
    {"idle", "want idle-time (scale-to-zero-pod-retention-period)"},
    {"idle-timeout", "want idle-time (scale-to-zero-pod-retention-period)"},
    {"scale-down-after", "want idle-time (scale-to-zero-pod-retention-period)"},
    {"sleep-after", "want idle-time (scale-to-zero-pod-retention-period)"},
    {"timeout", "want revision-timeout"},
    {"start-timeout", "want progress-deadline, and queue-age for the requests that wait"},
    {"cmd", "want command, a list"},
    {"args", "want command, a list of the program and its arguments"},
    {"entrypoint", "want command, a list of the program and its arguments"},
    {"cwd", "want working-directory"},
    {"workdir", "want working-directory"},
    {"working-dir", "want working-directory"},
    {"user", "want run-as-user"},
    {"group", "want run-as-user: USER:GROUP"},
    {"dir", "want working-directory"},
    {"directory", "want working-directory"},
    {"folder", "want working-directory"},
    {"domain", "want host"},
    {"hostname", "want host, a name without a port"},
    {"url", "want host, and path-prefix for a part of it"},
    {"expose", kNoExpose},
    {"hosts", "want host, or routes for several"},
    {"path", "want path-prefix"},
    {"health-path", "want readiness-path, and liveness-path to restart an app that hangs"},
    {"healthcheck", "want readiness-path, and liveness-path to restart an app that hangs"},
    {"health-check", "want readiness-path, and liveness-path to restart an app that hangs"},
    {"restart", "an app that ends is started again; want it left out"},
    {"depends-on", "a service starts with its first request; want it left out"},
    {"cpu-request", "want cpu"},
    {"memory-request", "want memory"},
};

}  // namespace

std::string_view instead_of(std::string_view word) {
  const std::string name = plain(word);
  const auto* const row = std::ranges::find(kInstead, name, &Instead::name);
  return row == std::end(kInstead) ? std::string_view() : row->want;
}

std::string continuation(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string beginning = plain(word) + "-";
  for (const std::string& candidate : candidates) {
    if (candidate.starts_with(beginning)) return candidate;
  }
  return {};
}

}  // namespace bellows::config
