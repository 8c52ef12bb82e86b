// Runs the stories in tests/diary. Their language:
//
//   story  TITLE                        a new world, empty at 0s
//   with   KEY VALUE [KEY VALUE ...]    settings as in docs/settings.md, before the first `at`;
//                                       without initial-scale the story begins at zero
//   at TIME [EVENT ...] [-> want N [stable|panic] [by RULE]]
//
// Time goes on to TIME (whole seconds), then the events happen, then the last decision is compared.
// Events: `load X` requests in flight from now on, `pods N` ready replicas, `starts TIME` how long
// replicas take to become ready, `silent N` replicas that do not report, `crash N` replicas that
// begin anew, `leave N TIME` replicas that drain for so long, each with its share of the load,
// while others are started in their place, `retire`, `restart` of the autoscaler with its snapshot,
// `restart-without-snapshot`.
// '#' begins a comment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include "autoscaler/explain/catalogue.hpp"
#include "base/duration_text.hpp"
#include "config/revision_schema.hpp"
#include "tests/unit/autoscaler/core/diary_world.hpp"

namespace bellows::autoscaler::test {
namespace {

struct Line {
  int number = 0;
  std::vector<std::string> words;
};

struct Story {
  std::string file;
  std::string title;
  std::vector<Line> lines;
};

std::ostream& operator<<(std::ostream& out, const Story& story) {
  return out << story.file << ": " << story.title;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text.substr(0, text.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void read_stories(const std::filesystem::path& path, std::vector<Story>& stories) {
  std::ifstream file(path);
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    Line line{number, words_of(text)};
    if (line.words.empty()) continue;
    if (line.words[0] == "story") {
      const std::size_t title = text.find_first_not_of(' ', 5);
      stories.push_back({path.filename().string(), text.substr(title), {}});
    } else if (!stories.empty()) {
      stories.back().lines.push_back(line);
    }
  }
}

std::vector<Story> all_stories() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(BELLOWS_DIARY_DIR)) {
    if (entry.path().extension() == ".diary") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Story> stories;
  for (const auto& path : paths) read_stories(path, stories);
  return stories;
}

std::string test_name(const testing::TestParamInfo<Story>& story) {
  std::string name;
  bool starts_word = true;
  for (const char c : story.param.title) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      starts_word = true;
      continue;
    }
    name += starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    starts_word = false;
  }
  return name;
}

/// Reads a story's lines and lives them.
class Reader {
 public:
  explicit Reader(const Story& story) : story_(story) {}

  void live() {
    for (const Line& line : story_.lines) {
      SCOPED_TRACE(story_.file + ":" + std::to_string(line.number));
      line_ = &line;
      next_ = 0;
      const std::string first = word();
      if (first == "with") {
        read_settings();
      } else if (first == "at") {
        live_instant();
      } else {
        FAIL() << "want story, with or at, not \"" << first << "\"";
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  bool has_word() const { return next_ < line_->words.size(); }
  std::string word() { return has_word() ? line_->words[next_++] : ""; }
  double number() { return std::stod(word()); }
  Duration duration() { return parse_duration(word()).value(); }

  void read_settings() {
    const config::Layer at_zero = {config::flag("initial-scale", "0")};
    config::Layer layer;
    while (has_word()) {
      const std::string key = word();
      layer.push_back(config::flag(key, word()));
    }
    auto checked = config::revision_schema().apply({at_zero, layer});
    ASSERT_TRUE(checked) << to_string(checked.error().front());
    settings_ = *checked;
  }

  void live_instant() {
    if (!world_) world_ = std::make_unique<DiaryWorld>(settings_);
    const Duration at = duration();
    ASSERT_EQ(at % std::chrono::seconds(1), Duration::zero()) << "want whole seconds";
    world_->advance_to(at / std::chrono::seconds(1));
    while (has_word()) {
      const std::string event = word();
      if (event == "->") return expect();
      happen(event);
    }
  }

  void happen(const std::string& event) {
    if (event == "load") {
      world_->load(number());
    } else if (event == "pods") {
      world_->pods(static_cast<PodCount>(number()));
    } else if (event == "starts") {
      world_->start_takes(duration());
    } else if (event == "silent") {
      world_->silent(static_cast<std::size_t>(number()));
    } else if (event == "crash") {
      world_->crash(static_cast<std::size_t>(number()));
    } else if (event == "leave") {
      const auto replicas = static_cast<std::size_t>(number());
      world_->leave(replicas, duration());
    } else if (event == "retire") {
      world_->set_state(cluster::RevisionState::kRetired);
    } else if (event == "pause") {
      world_->set_state(cluster::RevisionState::kPaused);
    } else if (event == "resume") {
      world_->set_state(cluster::RevisionState::kActive);
    } else if (event == "restart") {
      world_->restart(true);
    } else if (event == "restart-without-snapshot") {
      world_->restart(false);
    } else {
      FAIL() << "no such event: " << event;
    }
  }

  void expect() {
    const Decision& decision = world_->last();
    SCOPED_TRACE(explain::reason_text(decision));
    while (has_word()) {
      const std::string what = word();
      if (what == "want") {
        EXPECT_EQ(decision.replicas, static_cast<PodCount>(number()));
      } else if (what == "stable" || what == "panic") {
        EXPECT_EQ(to_string(decision.mode), what);
      } else if (what == "by") {
        EXPECT_EQ(to_string(decision.rule), word());
      } else {
        FAIL() << "no such expectation: " << what;
      }
    }
  }

  const Story& story_;
  config::RevisionSettings settings_;
  std::unique_ptr<DiaryWorld> world_;
  const Line* line_ = nullptr;
  std::size_t next_ = 0;
};

class Diary : public testing::TestWithParam<Story> {};

TEST_P(Diary, HoldsTrue) {
  Reader(GetParam()).live();
}

INSTANTIATE_TEST_SUITE_P(Stories, Diary, testing::ValuesIn(all_stories()), test_name);

}  // namespace
}  // namespace bellows::autoscaler::test
