// Metrics as Prometheus text, format 0.0.4.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace bellows::metrics::prometheus {

/// The shortest digits that are read back as the same number, whole numbers without exponent; NaN,
/// +Inf and -Inf as Prometheus spells them.
void append_value(double value, std::string& text);

/// Escapes quotes, backslashes and line breaks.
void append_label_value(std::string_view value, std::string& text);

/// Appends family after family. Every series of /metrics passes here: those that the prometheus-cpp
/// registry holds and those that their owner lists. Pure.
class TextWriter {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  /// Starts a family; `help` is one line without backslashes, `type` is "counter", "gauge" or
  /// "histogram". A family without series leaves no text.
  void start_family(std::string_view name, std::string_view help, std::string_view type);

  /// One line of the family: its name with `suffix` ("_sum", "_count", ...), labels, value.
  /// `labels` is a range of pairs of name and value. One without a value is left out: Prometheus
  /// reads it as a label that is not there.
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

  /// The text. The writer is empty after it.
  std::string take();

 private:
  void drop_empty_family();

  std::string text_;
  std::string family_;            // its name
  std::size_t family_begin_ = 0;  // in text_
  std::size_t series_begin_ = 0;  // in text_: after HELP and TYPE
};

}  // namespace bellows::metrics::prometheus
