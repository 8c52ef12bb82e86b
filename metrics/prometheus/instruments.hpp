// Counters, gauges and histograms of one program, and their text for /metrics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::metrics::prometheus {

/// {"revision", "web"}. Only labels with few known values: never paths, hosts, or pods on counters.
using Labels = std::map<std::string, std::string>;

struct CounterCell {
  std::uint64_t value = 0;
};
struct GaugeCell {
  double value = 0;
};
struct HistogramCell {
  std::vector<double> bounds;          ///< upper bounds, ascending; there is one bucket more
  std::vector<std::uint64_t> buckets;  ///< observations since the last expose()
  double sum = 0;
};

/// Handles are plain memory on the hot path without lock or atomic, because everything runs on the
/// io thread. A series exists as long as a handle to it does: when the handles of a removed
/// revision are destroyed, its series leave the text. A copy is another handle to the same series.

/// A number that only increases.
class Counter {
 public:
  void add(std::uint64_t amount = 1) { cell_->value += amount; }
  std::uint64_t value() const { return cell_->value; }

 private:
  friend class Registry;
  explicit Counter(std::shared_ptr<CounterCell> cell) : cell_(std::move(cell)) {}
  std::shared_ptr<CounterCell>
      cell_;  // shared with the registry, which removes it once it is the only owner
};

/// A number that increases and decreases.
class Gauge {
 public:
  void set(double value) { cell_->value = value; }
  void add(double amount) { cell_->value += amount; }
  double value() const { return cell_->value; }

 private:
  friend class Registry;
  explicit Gauge(std::shared_ptr<GaugeCell> cell) : cell_(std::move(cell)) {}
  std::shared_ptr<GaugeCell> cell_;  // as in Counter
};

/// Counts observations by size.
class Histogram {
 public:
  void observe(double value);

 private:
  friend class Registry;
  explicit Histogram(std::shared_ptr<HistogramCell> cell) : cell_(std::move(cell)) {}
  std::shared_ptr<HistogramCell> cell_;  // as in Counter
};

/// Adds one series with its value. Label names are fixed in code, as in Labels. A label without a
/// value is omitted.
using AddSeries = std::function<void(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels, double value)>;
/// Adds every series of one name.
using ListSeries = std::function<void(const AddSeries& add)>;
/// Keeps listed series in the text; they leave with the last copy.
using Listing = std::shared_ptr<const ListSeries>;

/// Returns bounds from 1 ms to 60 s, for requests, waits and cold starts.
std::vector<double> latency_bounds();

/// All series of one program. A prometheus-cpp registry holds counters, gauges and histograms; one
/// TextWriter writes them and the listed series (docs/dependencies.md).
/// Owner: the program. Thread: the io thread. Names are fixed in code: `bellows_<what>_<unit>`,
/// counters end in `_total`. An invalid name, or one name with two kinds, is a defect of this code
/// (CHECK). The same name and labels give a handle to the same series.
class Registry {
 public:
  /// Also exposes bellows_build_info{version="..."} 1 and the usual process_* series: resident
  /// memory, CPU seconds, open descriptors, start time.
  explicit Registry(std::string_view version);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  Counter counter(std::string_view name, std::string_view help, const Labels& labels = {});
  Gauge gauge(std::string_view name, std::string_view help, const Labels& labels = {});
  /// Makes a histogram. `bounds` are in ascending order and the same for every series of one name.
  Histogram histogram(std::string_view name, std::string_view help, std::vector<double> bounds,
                      const Labels& labels = {});

  /// Lists series without memory of their own, for names with very many. `list` is called in each
  /// expose(), on the io thread, and reads what its owner stores anyway. Each name has one list.
  [[nodiscard]] Listing list_counters(std::string_view name, std::string_view help,
                                      ListSeries list);
  [[nodiscard]] Listing list_gauges(std::string_view name, std::string_view help, ListSeries list);

  /// Returns all series as Prometheus text 0.0.4, HELP and TYPE included. Serve it as
  /// kTextContentType.
  std::string expose();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

inline constexpr std::string_view kTextContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace bellows::metrics::prometheus
