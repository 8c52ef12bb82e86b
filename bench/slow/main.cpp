// slow_table: replica-seconds and missed goals of the slow brain on app models x loads, beside
// fixed targets and peers (bench/slow/README.md).
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "autoscaler/slow/sentence.hpp"
#include "base/sys/file.hpp"
#include "bench/slow/bars.hpp"
#include "bench/slow/cases.hpp"
#include "bench/slow/run.hpp"
#include "cli/slow/curve.hpp"

namespace bellows::slow_table {
namespace {

using namespace std::chrono_literals;

constexpr Course kCourse{.length = 150min, .warm_up = 30min};
constexpr Duration kSettled = 30min;
constexpr Duration kChanged = 60min;
constexpr Duration kFollowed = kChanged + 10min;
constexpr double kMissed = 0.01;

struct Asked {
  bool is_tuning = false;
  bool has_peers = true;
  bool is_day = false;
  bool is_traced = false;
  std::string models;
  std::string load;
  std::string svg;  // where to draw the first case that is asked for
  std::uint64_t seed = 1;
};

Asked read(int argc, char** argv) {
  Asked asked;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--tuning") {
      asked.is_tuning = true;
    } else if (word == "--no-peers") {
      asked.has_peers = false;
    } else if (word == "--day") {
      asked.is_day = true;
    } else if (word == "--trace") {
      asked.is_traced = true;
    } else if (word == "--models" && has_value) {
      asked.models = argv[++i];
    } else if (word == "--load" && has_value) {
      asked.load = argv[++i];
    } else if (word == "--svg" && has_value) {
      asked.svg = argv[++i];
    } else if (word == "--seed" && has_value) {
      asked.seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      std::fprintf(stderr,
                   "%s: want [--tuning] [--no-peers] [--day] [--trace] [--models LETTERS] [--load "
                   "NAME] [--svg FILE] [--seed N]\n",
                   word.c_str());
      std::exit(2);
    }
  }
  return asked;
}

/// The app as it is before or after its change, all the time.
Model part_of(Model model, bool is_after) {
  model.app += is_after ? ",change-at=1s" : ",change-at=100h";
  return model;
}

/// What the target would cost if it were fixed, beside the best one.
double beside_best(Runs& runs, double target) {
  return runs.fixed(target).replica_seconds / runs.best(kMissed).result.replica_seconds;
}

/// Where the target is beside the best one of its time.
void judge_settling(Row& row, const Model& model, const Load& load, const Asked& asked,
                    Runs& runs) {
  if (!model.changes) {
    row.settled = beside_best(runs, row.ours.target_at(kSettled));
    return;
  }
  Runs before(part_of(model, false), load, kCourse, asked.seed);
  Runs after(part_of(model, true), load, kCourse, asked.seed);
  row.settled = beside_best(before, row.ours.target_at(kSettled));
  row.followed = beside_best(after, row.ours.target_at(kFollowed));
}

Row play(const Model& model, const Load& load, const Asked& asked) {
  Runs runs(model, load, kCourse, asked.seed);
  Row row{.name = model.name + ", " + load.name};
  row.ours = runs.slow_brain();
  row.oracle = runs.best(kMissed);
  row.equal = runs.best(std::max(kMissed, row.ours.missed));
  row.fixed_10 = runs.fixed(10);
  row.fixed_100 = runs.fixed(100);
  judge_settling(row, model, load, asked, runs);
  if (asked.has_peers) {
    row.without_goal = runs.slow_brain(false);
    row.fixed_1 = runs.fixed(1);
    row.knative = runs.knative();
    row.hpa = runs.hpa();
    row.envoy = runs.envoy();
    row.gradient2 = runs.gradient2();
  }
  if (asked.is_traced) {
    std::fprintf(stderr, "%s\n%s", row.name.c_str(), row.ours.evaluations.c_str());
  }
  return row;
}

bool is_asked(const Asked& asked, const Model& model, const Load& load) {
  if (!asked.models.empty() && asked.models.find(model.name.front()) == std::string::npos) {
    return false;
  }
  return asked.load.empty() ? load.is_for_tuning == asked.is_tuning : load.name == asked.load;
}

/// The curve that the slow brain learned, as `bellows slow NAME --svg` draws it.
int draw(const Asked& asked) {
  for (const Model& model : models()) {
    for (const Load& load : loads()) {
      if (!is_asked(asked, model, load)) continue;
      const Runs runs(model, load, kCourse, asked.seed);
      const Result ours = runs.slow_brain();
      cli::LearnedPage page{.service = model.name.substr(2),
                            .sentence = {},
                            .in_use = ours.advice.target,
                            .spec = runs.slow_spec(),
                            .state = ours.learned};
      page.sentence = autoscaler::slow::sentence(page.spec, page.state, ours.advice,
                                                 config::SlowBrain::kAuto, page.in_use, 0);
      std::fputs(cli::learned_text(page).c_str(), stdout);
      const auto written = sys::replace_file(asked.svg, cli::learned_svg(page), "the picture");
      return written ? 0 : 1;
    }
  }
  return 2;
}

/// Changes of the target within a day, after two hours of the same traffic.
int play_days(const Asked& asked) {
  constexpr Course kDay{.length = 26h, .warm_up = 2h};
  for (const Model& model : models()) {
    const Load steady{"steady", false,
                      [](double at) { return 0.25 + 0.15 * std::sin(2 * 3.14159265 * 26 * at); }};
    if (!asked.models.empty() && asked.models.find(model.name.front()) == std::string::npos) {
      continue;
    }
    const Runs runs(model, steady, kDay, asked.seed);
    const Result ours = runs.slow_brain();
    std::printf("%s: %d changes in 24 h, missed %.2f %%\n", model.name.c_str(),
                ours.changes_since(kDay.warm_up), 100 * ours.missed);
    if (asked.is_traced) {
      std::fprintf(stderr, "%s", ours.evaluations.c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}

int play_table(const Asked& asked) {
  std::vector<Row> rows;
  for (const Model& model : models()) {
    for (const Load& load : loads()) {
      if (!is_asked(asked, model, load)) continue;
      rows.push_back(play(model, load, asked));
      std::fprintf(stderr, "%s\n", table_of({rows.back()}).c_str());
    }
  }
  if (rows.empty()) return 2;
  std::printf("%s\n%s", table_of(rows).c_str(), summary_of(rows).c_str());
  return 0;
}

}  // namespace
}  // namespace bellows::slow_table

int main(int argc, char** argv) {
  const auto asked = bellows::slow_table::read(argc, argv);
  if (!asked.svg.empty()) return bellows::slow_table::draw(asked);
  return asked.is_day ? bellows::slow_table::play_days(asked)
                      : bellows::slow_table::play_table(asked);
}
