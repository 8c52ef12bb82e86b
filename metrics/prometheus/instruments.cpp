#include "metrics/prometheus/instruments.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include "base/check.hpp"
#include "metrics/prometheus/process_metrics.hpp"

namespace bellows::metrics::prometheus {

namespace {

void hand_on(CounterCell& cell, ::prometheus::Counter& counter) {
  counter.Increment(static_cast<double>(cell.value) - counter.Value());
}

void hand_on(GaugeCell& cell, ::prometheus::Gauge& gauge) {
  gauge.Set(cell.value);
}

void hand_on(HistogramCell& cell, ::prometheus::Histogram& histogram) {
  histogram.ObserveMultiple({cell.buckets.begin(), cell.buckets.end()}, cell.sum);
  std::fill(cell.buckets.begin(), cell.buckets.end(), 0);
  cell.sum = 0;
}

/// All series of one name. `Metric` is prometheus-cpp's, `Cell` ours.
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
        hand_on(*series->second.cell, *series->second.metric);
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

/// Letters, digits and underscores, no digit first: what names of metrics and labels may have.
bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

/// Series that their owner lists; `list` is gone with him.
struct ListedFamily {
  std::string help;
  ::prometheus::MetricType type;
  std::weak_ptr<const ListSeries> list;
};

void append_label_value(std::string_view value, std::string& text) {
  for (const char letter : value) {
    if (letter == '\\' || letter == '"') text += '\\';
    if (letter == '\n') {
      text += "\\n";
    } else {
      text += letter;
    }
  }
}

/// The shortest digits that are read back as the same number; NaN, +Inf and -Inf as Go spells them.
void append_value(double value, std::string& text) {
  if (!std::isfinite(value)) {
    text += std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    return;
  }
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end.ptr);
}

/// A family as text without a copy of it: the library takes three times as long for the million
/// series of 100,000 revisions.
void append_family(const std::string& name, const ListedFamily& listed, const ListSeries& list,
                   std::string& text) {
  const std::size_t before = text.size();
  const bool is_counter = listed.type == ::prometheus::MetricType::Counter;
  text += "# HELP " + name + " " + listed.help + "\n# TYPE " + name +
          (is_counter ? " counter\n" : " gauge\n");
  const std::size_t head = text.size();
  list([&](const auto& labels, double value) {
    text += name;
    char open = '{';
    for (const auto& [label, said] : labels) {
      text += open;
      text += label;
      text += "=\"";
      append_label_value(said, text);
      text += '"';
      open = ',';
    }
    if (open == ',') text += '}';
    text += ' ';
    append_value(value, text);
    text += '\n';
  });
  if (text.size() == head) text.resize(before);
}

void check_labels(const Labels& labels) {
  for (const auto& label : labels) {
    CHECK(is_plain_name(label.first), "label names are fixed in code");
  }
}

}  // namespace

void Histogram::observe(double value) {
  // A bucket takes what is at most its bound; the text calls it "le".
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

  Listing list(std::string name, std::string_view help, ::prometheus::MetricType type,
               ListSeries list) {
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
    std::ostringstream kept;
    ::prometheus::TextSerializer().Serialize(kept, registry_.Collect());
    std::string text = std::move(kept).str();
    for (const auto& [name, listed] : listed_) {
      if (const Listing list = listed.list.lock()) append_family(name, listed, *list, text);
    }
    return text;
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
  return impl_->list(std::string(name), help, ::prometheus::MetricType::Counter, std::move(list));
}

Listing Registry::list_gauges(std::string_view name, std::string_view help, ListSeries list) {
  return impl_->list(std::string(name), help, ::prometheus::MetricType::Gauge, std::move(list));
}

std::string Registry::expose() {
  return impl_->expose();
}

}  // namespace bellows::metrics::prometheus
