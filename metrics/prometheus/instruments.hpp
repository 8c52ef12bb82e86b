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

/// {"revision", "web"}. Only labels whose values are few and known: never paths, hosts or pods on
/// counters.
using Labels = std::map<std::string, std::string>;

struct CounterCell {
  std::uint64_t value = 0;
};
struct GaugeCell {
  double value = 0;
};
struct HistogramCell {
  std::vector<double> bounds;          ///< upper, rising; one bucket more than bounds
  std::vector<std::uint64_t> buckets;  ///< not handed on yet
  double sum = 0;
};

/// Handles: plain memory on the hot path, no lock and no atomic, since everything runs on the io
/// thread. The series lives as long as a handle of it does: drop the handles of a revision that
/// went away and its series leave the text. A copy is another handle of the same series.

/// Only rises.
class Counter {
 public:
  void add(std::uint64_t amount = 1) { cell_->value += amount; }
  std::uint64_t value() const { return cell_->value; }

 private:
  friend class Registry;
  explicit Counter(std::shared_ptr<CounterCell> cell) : cell_(std::move(cell)) {}
  std::shared_ptr<CounterCell> cell_;  // shared with the registry, which drops it when it is alone
};

/// Rises and falls.
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

/// Takes one series with its value. Label names are fixed in code, as in Labels.
using AddSeries = std::function<void(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels, double value)>;
/// Adds every series of one name.
using ListSeries = std::function<void(const AddSeries& add)>;
/// Keeps a list of series in the text; without it they leave.
using Listing = std::shared_ptr<const ListSeries>;

/// Seconds from 1 ms to 60 s, for requests, waits and cold starts.
std::vector<double> latency_bounds();

/// All series of one program, on a prometheus-cpp registry. Owner: the program. Thread: the io
/// thread. Names are fixed in code: `bellows_<what>_<unit>`, counters end in `_total`; a name that
/// Prometheus does not take, or one name with two kinds, is our defect (CHECK). Asking again for
/// the same name and labels gives a handle of the same series.
class Registry {
 public:
  /// Also serves bellows_build_info{version="..."} 1 and the process_* series every operator
  /// expects: resident memory, CPU seconds, open descriptors, start time.
  explicit Registry(std::string_view version);
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  Counter counter(std::string_view name, std::string_view help, const Labels& labels = {});
  Gauge gauge(std::string_view name, std::string_view help, const Labels& labels = {});
  /// `bounds` rise; every series of one name has the same.
  Histogram histogram(std::string_view name, std::string_view help, std::vector<double> bounds,
                      const Labels& labels = {});

  /// For what there are very many of: series without memory of their own. `list` is called for
  /// each expose(), on the io thread, and reads what its owner keeps anyway. One list a name.
  [[nodiscard]] Listing list_counters(std::string_view name, std::string_view help,
                                      ListSeries list);
  [[nodiscard]] Listing list_gauges(std::string_view name, std::string_view help, ListSeries list);

  /// Everything as Prometheus text 0.0.4, HELP and TYPE included. Serve it as kTextContentType.
  std::string expose();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

inline constexpr std::string_view kTextContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace bellows::metrics::prometheus
