#include "autoscaler/journal/journal_lines.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "autoscaler/journal/decision_json.hpp"
#include "autoscaler/journal/decision_replay.hpp"
#include "autoscaler/journal/state_json.hpp"
#include "tests/unit/autoscaler/journal/any.hpp"

namespace bellows::autoscaler::journal::test {
namespace {

/// A decider that sees anything; now and then its settings change.
struct Life {
  Journal journal;
  DeciderState state;
  TimePoint now = begin_of_story();

  void live(int decisions) {
    if (journal.size() == 0) {
      state = any_state(now);
      journal.start_from(state);
    }
    SettingsPtr settings = any_settings();
    for (int i = 0; i < decisions; ++i) {
      if (*rc::gen::inRange(0, 8) == 0) settings = any_settings();
      const ScalingSpec spec = scaling_spec(*settings);
      now += any_duration(std::chrono::seconds(5));
      const Decision decision = decide(spec, any_observation(now, spec), state, now);
      remember(state, decision);
      journal.add(decision, settings);
    }
  }
};

struct Replayed {
  std::string decided;   // what the journal says was decided
  std::string answered;  // what its replay answers
};

/// By whichever profile the command was started with.
Replayed replay(const std::string& lines) {
  DecisionReplay replay(*rc::gen::element<std::string>("bellows", "knative", "seed"));
  std::istringstream in(lines);
  Replayed replayed;
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    const auto line = json::parse_line(text, ++number).value();
    const auto decided = replay.take(line);
    if (!decided) ADD_FAILURE() << to_string(decided.error());
    if (!decided || !*decided) continue;
    replayed.answered += answer_line((*decided)->decision, (*decided)->at);
    const std::size_t begin = text.find("\"decided\":") + std::string("\"decided\":").size();
    replayed.decided += text.substr(begin, text.size() - begin - 1) + "\n";
  }
  return replayed;
}

RC_GTEST_PROP(JournalLinesAlways, AreReplayedToTheSameDecisionsByteForByte, ()) {
  Life life;
  // More than the journal keeps: then it begins in the middle.
  life.live(*rc::gen::inRange(1, 50));
  const Replayed replayed = replay(journal_lines(life.journal, {RevisionId("web"), Duration(0)}));
  RC_ASSERT(replayed.answered == replayed.decided);
  RC_ASSERT(!replayed.answered.empty());
}

RC_GTEST_PROP(JournalLinesAlways, TellRestartsInTheirPlacesAndAreReplayedAlike, ()) {
  Life life;
  life.live(*rc::gen::inRange(1, 50));
  const std::vector<JournalEntry> entries = life.journal.entries();
  const TimePoint first = entries.front().decision.at;
  const TimePoint last = entries.back().decision.at;
  std::vector<AppRestart> restarts;
  std::size_t told = 0;
  for (TimePoint at = first - std::chrono::seconds(7); at < last + std::chrono::seconds(9);
       at += any_duration(std::chrono::seconds(20)) + std::chrono::seconds(1)) {
    restarts.push_back({at, PodName("web-1"), 1, "the app hung and was killed: \"no answer\""});
    if (at >= first) ++told;
  }
  JournalWriter writer(RevisionId("web"), Duration(0));
  writer.add_restarts(restarts);
  const std::string lines = journal_lines(life.journal, std::move(writer));
  const Replayed replayed = replay(lines);  // times never go back, or it fails
  RC_ASSERT(replayed.answered == replayed.decided);
  std::size_t found = 0;
  for (std::size_t at = lines.find("\"restarted\":\"web-1\""); at != std::string::npos;
       at = lines.find("\"restarted\":\"web-1\"", at + 1)) {
    ++found;
  }
  RC_ASSERT(found == told);
}

RC_GTEST_PROP(JournalLinesAlways, ShowEveryInputOfEveryDecision, ()) {
  Life life;
  life.live(*rc::gen::inRange(1, 40));
  std::istringstream lines(journal_lines(life.journal, {RevisionId("web"), Duration(0)}));
  const JournalContents contents = read_journal(lines).value();
  RC_ASSERT(contents.decisions.size() == life.journal.size());
  const std::vector<JournalEntry> entries = life.journal.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Decision& kept = entries[i].decision;
    RC_ASSERT(contents.decisions[i].seen == kept.seen);
    RC_ASSERT(contents.decisions[i].spec == kept.spec);
  }
}

RC_GTEST_PROP(StateJsonAlways, GivesEveryFieldBack, ()) {
  const TimePoint at = begin_of_story();
  const DeciderState state = any_state(at);
  json::Writer line;
  write_state(line, "state", state, at);
  const auto read = json::parse_line(line.end_line(), 1).value().object("state").value();
  RC_ASSERT(read_state(read, at).value() == state);
  // Elsewhere on the time line, an even number of seconds away, everything has the same age.
  const Duration away = std::chrono::hours(-9);
  const DeciderState moved = read_state(read, at + away).value();
  RC_ASSERT(moved.last_load == state.last_load + away);
  RC_ASSERT(moved.delay.max(at + away, std::chrono::hours(1)) ==
            state.delay.max(at, std::chrono::hours(1)));
}

TEST(JournalLines, AreNothingBeforeTheFirstDecision) {
  EXPECT_EQ(journal_lines(Journal(), {RevisionId("web"), Duration(0)}), "");
}

TEST(JournalLines, OpenWithASnapshotAndTheSettingsThatApplied) {
  config::RevisionSettings asked;
  asked.target = 10;
  asked.max_scale = 8;
  const auto settings = std::make_shared<const config::RevisionSettings>(asked);
  const ScalingSpec spec = scaling_spec(asked);
  const TimePoint at = TimePoint(std::chrono::seconds(86'401) + std::chrono::milliseconds(500));
  Observation seen;
  seen.ready = seen.observed = seen.in_window = seen.requested = 1;
  seen.stable = {.total = 3, .per_pod = 3, .covered_seconds = 60};
  seen.panic = {.total = 4, .per_pod = 4, .covered_seconds = 6};
  DeciderState state;
  state.last_load = at - std::chrono::seconds(1);
  state.activity = {Serving::kActive, at - std::chrono::minutes(5)};
  state.replicas = 1;
  Journal journal;
  journal.start_from(state);
  journal.add(decide(spec, seen, state, at), settings);

  const Duration wall_ahead = std::chrono::seconds(1'790'000'000);
  std::istringstream lines(journal_lines(journal, {RevisionId("web"), wall_ahead}));
  std::vector<std::string> text(4);
  for (std::string& line : text) std::getline(lines, line);
  EXPECT_TRUE(text[0].starts_with(R"({"at":1.5,"service":"web","unix-seconds":1790086401.5,)"
                                  R"("snapshot":{"want":1,"panic-max":0,"activity":{"state":)"
                                  R"("active","since-age":300})"))
      << text[0];
  EXPECT_EQ(text[1], R"({"at":1.5,"spec":{"max-scale":8,"profile":"bellows","target":10}})");
  EXPECT_TRUE(text[2].starts_with(R"({"at":1.5,"stable":3,"stable-per-pod":3,"stable-queued":0,)"))
      << text[2];
  EXPECT_NE(text[2].find(R"("decided":{"at":1.5,"valid":true,"desired":1,"bounded":1,)"),
            std::string::npos)
      << text[2];
  EXPECT_EQ(text[3], "");
}

}  // namespace
}  // namespace bellows::autoscaler::journal::test
