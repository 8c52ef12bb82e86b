#include "autoscaler/journal/journal_reader.hpp"

#include <ostream>
#include <utility>

#include "autoscaler/journal/decision_replay.hpp"
#include "json/seconds.hpp"
#include "replay/filter.hpp"

namespace bellows::autoscaler::journal {
namespace {

class Reader final : public replay::Filter {
 public:
  Result<void> take(const json::Object& line, std::string&) override {
    BELLOWS_TRY(auto decided, replay_.take(line));
    if (decided) {
      told_.decisions.push_back(std::move(decided->decision));
      told_.calls.push_back(replay_.calls());
    }
    if (line.has("service")) {
      BELLOWS_TRY(told_.service, line.text("service"));
    }
    return take_calendar(line);
  }

  Told told() && { return std::move(told_); }

 private:
  Result<void> take_calendar(const json::Object& line) {
    if (!line.has("unix-seconds")) return {};
    const json::Range seconds{0, json::kMaxSeconds};
    BELLOWS_TRY(const double wall, line.number("unix-seconds", seconds));
    BELLOWS_TRY(const double at, line.number("at", seconds));
    told_.wall_ahead = json::exact_seconds(wall) - json::exact_seconds(at);
    told_.has_calendar = true;
    return {};
  }

  DecisionReplay replay_{"bellows"};
  Told told_;
};

}  // namespace

Result<Told> read_journal(std::istream& lines) {
  Reader reader;
  std::ostream nowhere(nullptr);
  BELLOWS_CHECKED(replay::feed(reader, lines, nowhere));
  return std::move(reader).told();
}

}  // namespace bellows::autoscaler::journal
