#include "recommender/score/score_scatter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "report/plot.hpp"

namespace bellows::recommender::score {

namespace {

constexpr double kWidth = 600;
constexpr double kHeight = 440;
constexpr double kLeft = 58;
constexpr double kRight = 12;
constexpr double kTop = 12;
constexpr double kBottom = 40;

/// Returns the cost of OOM kills and throttling: the part of the cost that users notice.
double failures(const Score& score) {
  const Prices prices;
  return prices.oom_per_day * score.ooms_per_day() + prices.throttled * score.throttled_share();
}

class Scatter {
 public:
  explicit Scatter(const Comparison& comparison) : comparison_(comparison) {
    for (const WorkloadResult& outcome : comparison.results) {
      for (const PolicyResult& entry : outcome.entries)
        max_ = std::max(max_, failures(entry.score));
    }
  }

  std::string svg() const {
    std::string out = "<svg viewBox=\"0 0 " + report::three_digits_text(kWidth) + " " +
                      report::three_digits_text(kHeight) + "\" role=\"img\">" + axes();
    for (const WorkloadResult& outcome : comparison_.results) {
      for (std::size_t i = 0; i < outcome.entries.size(); ++i) {
        out += point(outcome.workload, outcome.entries[i], report::colour(i));
      }
    }
    return out + names() + "</svg>\n";
  }

 private:
  double x(double slack) const { return kLeft + slack * (kWidth - kLeft - kRight); }
  /// Uses a square root scale, because most values are small and some very large.
  double y(double failures) const {
    return kHeight - kBottom - std::sqrt(failures / max_) * (kHeight - kTop - kBottom);
  }

  std::string line(double x1, double y1, double x2, double y2) const {
    return "<line class=\"grid\" x1=\"" + report::three_digits_text(x1) + "\" y1=\"" +
           report::three_digits_text(y1) + "\" x2=\"" + report::three_digits_text(x2) + "\" y2=\"" +
           report::three_digits_text(y2) + "\"/>";
  }
  std::string text(double at_x, double at_y, std::string_view anchor,
                   std::string_view words) const {
    return "<text x=\"" + report::three_digits_text(at_x) + "\" y=\"" +
           report::three_digits_text(at_y) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
           std::string(words) + "</text>";
  }

  std::string axes() const {
    std::string out;
    for (int percent = 0; percent <= 100; percent += 20) {
      const double at = x(percent / 100.);
      out += line(at, kTop, at, kHeight - kBottom);
      out += text(at, kHeight - kBottom + 16, "middle", std::to_string(percent) + "%");
    }
    static constexpr std::array kTicks = {0., 0.02, 0.1, 0.3, 0.6, 1., 2., 3., 5., 8., 12., 20.};
    for (const double tick : kTicks) {
      if (tick > max_) break;
      out += line(kLeft, y(tick), kWidth - kRight, y(tick));
      out += text(kLeft - 6, y(tick) + 4, "end", report::three_digits_text(tick));
    }
    const double middle = (kTop + kHeight - kBottom) / 2;
    return out +
           text((kLeft + kWidth - kRight) / 2, kHeight - 6, "middle",
                "slack: requested and not used (lower is better)") +
           "<text transform=\"translate(14 " + report::three_digits_text(middle) +
           ") rotate(-90)\" text-anchor=\"middle\">OOM kills and throttling, as in J (lower is "
           "better)</text>";
  }

  /// Returns the workload beside each point, as far as names cover neither points nor each other.
  std::string names() const {
    std::string out;
    std::vector<Box> taken = points();
    for (const WorkloadResult& outcome : comparison_.results) {
      for (const PolicyResult& entry : outcome.entries) {
        for (const Box& box : boxes_of(outcome.workload, entry.score)) {
          const bool is_free =
              box.left > kLeft && box.right < kWidth && box.bottom <= kHeight - kBottom + 8 &&
              std::ranges::none_of(taken, [&](const Box& other) { return box.covers(other); });
          if (!is_free) continue;
          taken.push_back(box);
          out += text(box.left, box.bottom - 4, "start", report::html_escaped(outcome.workload));
          break;
        }
      }
    }
    return out;
  }

  struct Box {
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
    bool covers(const Box& other) const {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  };

  std::vector<Box> points() const {
    constexpr double kRadius = 5;
    std::vector<Box> boxes;
    for (const WorkloadResult& outcome : comparison_.results) {
      for (const PolicyResult& entry : outcome.entries) {
        const double at_x = x(entry.score.slack_share());
        const double at_y = y(failures(entry.score));
        boxes.push_back({.left = at_x - kRadius,
                         .right = at_x + kRadius,
                         .top = at_y - kRadius,
                         .bottom = at_y + kRadius});
      }
    }
    return boxes;
  }

  /// Returns the possible places of a name: to the right of its point, to the left, above, below.
  std::array<Box, 4> boxes_of(const std::string& name, const Score& score) const {
    constexpr double kLetter = 6;  // about, at 11 px
    constexpr double kLine = 13;
    constexpr double kGap = 8;
    const double at_x = x(score.slack_share());
    const double at_y = y(failures(score));
    const double width = kLetter * static_cast<double>(name.size());
    const auto box = [&](double left, double bottom) {
      return Box{.left = left, .right = left + width, .top = bottom - kLine, .bottom = bottom};
    };
    return {box(at_x + kGap, at_y + kGap), box(at_x - kGap - width, at_y + kGap),
            box(at_x - width / 2, at_y - kGap + 2), box(at_x - width / 2, at_y + kGap + kLine)};
  }

  std::string point(const std::string& workload, const PolicyResult& entry,
                    const std::string& colour) const {
    const std::string paint = entry.is_on_front
                                  ? "\" class=\"point whole\" fill=\"var(--"
                                  : "\" class=\"point\" fill=\"none\" stroke=\"var(--";
    return "<circle cx=\"" + report::three_digits_text(x(entry.score.slack_share())) + "\" cy=\"" +
           report::three_digits_text(y(failures(entry.score))) + "\" r=\"5" + paint + colour +
           ")\"><title>" + report::html_escaped(workload + ": " + entry.policy) +
           "</title></circle>";
  }

  const Comparison& comparison_;
  double max_ = 0.1;
};

}  // namespace

std::string scatter_html(const Comparison& comparison) {
  return "<h3>Each workload under each policy: the lower and the more to the left, the "
         "better</h3>\n" +
         Scatter(comparison).svg() +
         "<p>Whole points are on the Pareto front of their workload; hollow ones are dominated. "
         "Point at one for its policy."
         "</p>"
         "\n";
}

}  // namespace bellows::recommender::score
