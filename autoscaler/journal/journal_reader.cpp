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
      contents_.decisions.push_back(std::move(decided->decision));
      contents_.idle_times.push_back(replay_.idle_times());
    }
    if (line.has("service")) {
      BELLOWS_TRY(contents_.service, line.text("service"));
    }
    return take_calendar(line);
  }

  JournalContents contents() && { return std::move(contents_); }

 private:
  Result<void> take_calendar(const json::Object& line) {
    if (!line.has("unix-seconds")) return {};
    const json::Range seconds{0, json::kMaxSeconds};
    BELLOWS_TRY(const double wall, line.number("unix-seconds", seconds));
    BELLOWS_TRY(const double at, line.number("at", seconds));
    contents_.wall_ahead = json::exact_seconds(wall) - json::exact_seconds(at);
    contents_.has_calendar = true;
    return {};
  }

  DecisionReplay replay_{"bellows"};
  JournalContents contents_;
};

}  // namespace

Result<JournalContents> read_journal(std::istream& lines) {
  Reader reader;
  std::ostream nowhere(nullptr);
  BELLOWS_CHECKED(replay::feed(reader, lines, nowhere));
  return std::move(reader).contents();
}

}  // namespace bellows::autoscaler::journal
