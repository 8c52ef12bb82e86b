// Metrics as Prometheus text, format 0.0.4.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace bellows::metrics::prometheus {

/// Appends the shortest digits that read back to the same number, whole numbers without exponent;
/// NaN, +Inf and -Inf in Prometheus' spelling.
void append_value(double value, std::string& text);

/// Escapes quotes, backslashes and line breaks.
void append_label_value(std::string_view value, std::string& text);

/// Appends family after family. It writes every series of /metrics: those of the prometheus-cpp
/// registry and those that their owners list. Pure.
class TextWriter {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  /// Starts a family; `help` is one line without backslashes, `type` is "counter", "gauge" or
  /// "histogram". A family without series leaves no text.
  void start_family(std::string_view name, std::string_view help, std::string_view type);

  /// Adds one line of the family: its name with `suffix` ("_sum", "_count", ...), labels, value.
  /// `labels` is a range of pairs of name and value. A label without a value is omitted, because
  /// Prometheus treats it as absent.
  template <class Labels>
  void add(std::string_view suffix, const Labels& labels, double value) {
    text_ += family_;
    text_ += suffix;
    char separator = '{';
    for (const auto& [label, label_value] : labels) {
      if (label_value.empty()) continue;
      text_ += separator;
      text_ += label;
      text_ += "=\"";
      append_label_value(label_value, text_);
      text_ += '"';
      separator = ',';
    }
    text_ += separator == ',' ? "} " : " ";
    append_value(value, text_);
    text_ += '\n';
  }

  /// Returns the text and leaves the writer empty.
  std::string take();

 private:
  void drop_empty_family();

  std::string text_;
  std::string family_;            // name of the current family
  std::size_t family_begin_ = 0;  // offset in text_
  std::size_t series_begin_ = 0;  // offset in text_ after HELP and TYPE
};

}  // namespace bellows::metrics::prometheus
