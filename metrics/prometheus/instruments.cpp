#include "metrics/prometheus/instruments.hpp"

#include <prometheus/client_metric.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/metric_type.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <set>

#include "base/check.hpp"
#include "metrics/prometheus/process_metrics.hpp"
#include "metrics/prometheus/text_writer.hpp"

namespace bellows::metrics::prometheus {

namespace {

constexpr std::string_view kCounter = "counter";
constexpr std::string_view kGauge = "gauge";
constexpr std::string_view kHistogram = "histogram";

void publish(CounterCell& cell, ::prometheus::Counter& counter) {
  counter.Increment(static_cast<double>(cell.value) - counter.Value());
}

void publish(GaugeCell& cell, ::prometheus::Gauge& gauge) {
  gauge.Set(cell.value);
}

void publish(HistogramCell& cell, ::prometheus::Histogram& histogram) {
  histogram.ObserveMultiple({cell.buckets.begin(), cell.buckets.end()}, cell.sum);
  std::fill(cell.buckets.begin(), cell.buckets.end(), 0);
  cell.sum = 0;
}

/// All series of one name. `Metric` is prometheus-cpp's, `Cell` is ours.
template <class Metric, class Cell>
class FamilyOf {
 public:
  explicit FamilyOf(::prometheus::Family<Metric>& family) : family_(family) {}

  template <class... Args>
  std::shared_ptr<Cell> series(const Labels& labels, const Cell& initial, const Args&... args) {
    const auto known = series_.find(labels);
    if (known != series_.end()) return known->second.cell;
    auto cell = std::make_shared<Cell>(initial);
    series_.emplace(labels, Series{cell, &family_.Add(labels, args...)});
    return cell;
  }

  void hand_on_or_drop() {
    for (auto series = series_.begin(); series != series_.end();) {
      if (series->second.cell.use_count() == 1) {
        family_.Remove(series->second.metric);
        series = series_.erase(series);
      } else {
        publish(*series->second.cell, *series->second.metric);
        ++series;
      }
    }
  }

 private:
  struct Series {
    std::shared_ptr<Cell> cell;  // shared with the handles
    Metric* metric;
  };

  ::prometheus::Family<Metric>& family_;
  std::map<Labels, Series> series_;
};

/// Returns true for letters, digits and underscores without a digit first, as names of metrics and
/// labels require.
bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

/// Series that their owner lists; `list` expires with the owner's handle.
struct ListedFamily {
  std::string help;
  std::string_view type;
  std::weak_ptr<const ListSeries> list;
};

std::vector<TextWriter::Label> labels_of(const ::prometheus::ClientMetric& metric) {
  std::vector<TextWriter::Label> labels;
  for (const auto& label : metric.label) labels.emplace_back(label.name, label.value);
  return labels;
}

void write_histogram(const ::prometheus::ClientMetric& metric, TextWriter& writer) {
  std::vector<TextWriter::Label> labels = labels_of(metric);
  writer.add("_count", labels, static_cast<double>(metric.histogram.sample_count));
  writer.add("_sum", labels, metric.histogram.sample_sum);
  for (const auto& bucket : metric.histogram.bucket) {
    std::string bound;
    append_value(bucket.upper_bound, bound);
    labels.emplace_back("le", bound);
    writer.add("_bucket", labels, static_cast<double>(bucket.cumulative_count));
    labels.pop_back();
  }
}

void write_family(const ::prometheus::MetricFamily& family, TextWriter& writer) {
  switch (family.type) {
    case ::prometheus::MetricType::Counter:
      writer.start_family(family.name, family.help, kCounter);
      for (const auto& metric : family.metric) {
        writer.add("", labels_of(metric), metric.counter.value);
      }
      break;
    case ::prometheus::MetricType::Histogram:
      writer.start_family(family.name, family.help, kHistogram);
      for (const auto& metric : family.metric) write_histogram(metric, writer);
      break;
    default:  // this registry makes no other kind
      writer.start_family(family.name, family.help, kGauge);
      for (const auto& metric : family.metric) {
        writer.add("", labels_of(metric), metric.gauge.value);
      }
  }
}

void check_labels(const Labels& labels) {
  for (const auto& label : labels) {
    CHECK(is_plain_name(label.first), "label names are fixed in code");
  }
}

}  // namespace

void Histogram::observe(double value) {
  // A bucket counts observations up to and including its bound; the text names it "le".
  const auto bound = std::lower_bound(cell_->bounds.begin(), cell_->bounds.end(), value);
  ++cell_->buckets[static_cast<std::size_t>(bound - cell_->bounds.begin())];
  cell_->sum += value;
}

std::vector<double> latency_bounds() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
}

class Registry::Impl {
 public:
  explicit Impl(std::string_view version) {
    ::prometheus::BuildGauge()
        .Name("bellows_build_info")
        .Help("1; the version is in the label.")
        .Register(registry_)
        .Add({{"version", std::string(version)}})
        .Set(1);
    show_process(read_process_usage());
  }

  std::shared_ptr<CounterCell> counter(std::string name, std::string_view help,
                                       const Labels& labels) {
    CHECK(name.ends_with("_total"), "a counter's name ends in _total");
    check_labels(labels);
    return family(counters_, ::prometheus::BuildCounter(), std::move(name), help)
        .series(labels, {});
  }

  std::shared_ptr<GaugeCell> gauge(std::string name, std::string_view help, const Labels& labels) {
    check_labels(labels);
    return family(gauges_, ::prometheus::BuildGauge(), std::move(name), help).series(labels, {});
  }

  std::shared_ptr<HistogramCell> histogram(std::string name, std::string_view help,
                                           std::vector<double> bounds, const Labels& labels) {
    CHECK(std::is_sorted(bounds.begin(), bounds.end()), "bounds of buckets rise");
    check_labels(labels);
    HistogramCell empty{bounds, std::vector<std::uint64_t>(bounds.size() + 1), 0};
    return family(histograms_, ::prometheus::BuildHistogram(), std::move(name), help)
        .series(labels, empty, bounds);
  }

  Listing list(std::string name, std::string_view help, std::string_view type, ListSeries list) {
    CHECK(is_plain_name(name), "metric names are fixed in code");
    const auto [known, is_new] = listed_.try_emplace(name);
    CHECK(is_new ? kinds_.insert(name).second : known->second.list.expired(),
          "one name has one list");
    auto shared = std::make_shared<const ListSeries>(std::move(list));
    known->second = {std::string(help), type, shared};
    return shared;
  }

  std::string expose() {
    show_process(read_process_usage());
    for (auto& entry : counters_) entry.second.hand_on_or_drop();
    for (auto& entry : gauges_) entry.second.hand_on_or_drop();
    for (auto& entry : histograms_) entry.second.hand_on_or_drop();
    TextWriter writer;
    for (const auto& family : registry_.Collect()) write_family(family, writer);
    for (const auto& [name, listed] : listed_) {
      const Listing list = listed.list.lock();
      if (!list) continue;
      writer.start_family(name, listed.help, listed.type);
      (*list)([&](const auto& labels, double value) { writer.add("", labels, value); });
    }
    return writer.take();
  }

 private:
  template <class Family>
  using Families = std::map<std::string, Family, std::less<>>;

  template <class Family, class Builder>
  Family& family(Families<Family>& families, Builder builder, std::string name,
                 std::string_view help) {
    const auto known = families.find(name);
    if (known != families.end()) return known->second;
    CHECK(is_plain_name(name), "metric names are fixed in code");
    CHECK(kinds_.insert(name).second, "one name has one kind");
    auto& made = builder.Name(name).Help(std::string(help)).Register(registry_);
    return families.emplace(std::move(name), Family(made)).first->second;
  }

  ::prometheus::Gauge& process_gauge(const std::string& name, const std::string& help) {
    CHECK(kinds_.insert(name).second, "one name has one kind");
    return ::prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add({});
  }

  void show_process(const ProcessUsage& usage) {
    process_memory_.Set(usage.resident_memory_bytes);
    process_fds_.Set(usage.open_fds);
    process_start_.Set(usage.start_time_seconds);
    process_cpu_.Increment(usage.cpu_seconds - process_cpu_.Value());
  }

  ::prometheus::Registry registry_;
  std::set<std::string> kinds_;  // names in use, of any kind
  ::prometheus::Gauge& process_memory_ =
      process_gauge("process_resident_memory_bytes", "Resident memory size in bytes.");
  ::prometheus::Gauge& process_fds_ =
      process_gauge("process_open_fds", "Number of open file descriptors.");
  ::prometheus::Gauge& process_start_ = process_gauge(
      "process_start_time_seconds", "Start time of the process since unix epoch in seconds.");
  ::prometheus::Counter& process_cpu_ =
      ::prometheus::BuildCounter()
          .Name("process_cpu_seconds_total")
          .Help("Total user and system CPU time spent in seconds.")
          .Register(registry_)
          .Add({});
  Families<FamilyOf<::prometheus::Counter, CounterCell>> counters_;
  Families<FamilyOf<::prometheus::Gauge, GaugeCell>> gauges_;
  Families<FamilyOf<::prometheus::Histogram, HistogramCell>> histograms_;
  std::map<std::string, ListedFamily> listed_;  // by name
};

Registry::Registry(std::string_view version) : impl_(std::make_unique<Impl>(version)) {}
Registry::~Registry() = default;

Counter Registry::counter(std::string_view name, std::string_view help, const Labels& labels) {
  return Counter(impl_->counter(std::string(name), help, labels));
}

Gauge Registry::gauge(std::string_view name, std::string_view help, const Labels& labels) {
  return Gauge(impl_->gauge(std::string(name), help, labels));
}

Histogram Registry::histogram(std::string_view name, std::string_view help,
                              std::vector<double> bounds, const Labels& labels) {
  return Histogram(impl_->histogram(std::string(name), help, std::move(bounds), labels));
}

Listing Registry::list_counters(std::string_view name, std::string_view help, ListSeries list) {
  CHECK(name.ends_with("_total"), "a counter's name ends in _total");
  return impl_->list(std::string(name), help, kCounter, std::move(list));
}

Listing Registry::list_gauges(std::string_view name, std::string_view help, ListSeries list) {
  return impl_->list(std::string(name), help, kGauge, std::move(list));
}

std::string Registry::expose() {
  return impl_->expose();
}

}  // namespace bellows::metrics::prometheus
