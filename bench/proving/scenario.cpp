#include "bench/proving/scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bench/proving/arrivals.hpp"
#include "report/plot.hpp"

namespace bellows::proving {
namespace {

using simulator::Distribution;

/// A request looks at every replica, so many of both take long: looks for each allowed request.
constexpr double kLooks = 1600;
constexpr double kWarmUp = 300;

template <class T, std::size_t n>
T one_of(Random& random, const std::array<T, n>& list) {
  return list[static_cast<std::size_t>(random.fraction() * n)];
}

/// A distribution with this mean, in seconds, and its name.
Distribution draw_service(Random& random, double mean, std::string& about) {
  const double kind = random.fraction();
  if (kind < 0.4) {
    about = "exponential";
    return Distribution::exponential(from_seconds(mean));
  }
  if (kind < 0.6) {
    about = "fixed";
    return Distribution::fixed(from_seconds(mean));
  }
  if (kind < 0.8) {
    constexpr double kSigma = 1.2;
    about = "heavy-tailed";
    return Distribution::lognormal(from_seconds(mean * std::exp(-kSigma * kSigma / 2)), kSigma);
  }
  about = "bimodal";
  const Duration brief = from_seconds(mean * 0.5);
  const Duration tenfold = from_seconds(mean * 5.5);
  return Distribution::percentiles({{0, brief}, {0.9, brief}, {0.9001, tenfold}, {1, tenfold}});
}

Distribution draw_start(Random& random, double mean, std::string& about) {
  const double kind = random.fraction();
  about = "start " + report::three_digits_text(mean) + " s";
  if (kind < 0.5) return Distribution::fixed(from_seconds(mean));
  about += kind < 0.75 ? " +-50%" : " lognormal";
  if (kind < 0.75) return Distribution::uniform(from_seconds(mean / 2), from_seconds(mean * 1.5));
  constexpr double kSigma = 0.5;
  return Distribution::lognormal(from_seconds(mean * std::exp(-kSigma * kSigma / 2)), kSigma);
}

/// The load over time as a share of its maximum.
struct Course {
  Rate share;
  double min = 1;
  std::string about;
};

Course ramp(Random& random, double seconds, double low) {
  const double begin = kWarmUp + uniform(random, 0, 0.3) * seconds;
  const double length = log_uniform(random, 60, 1200);
  const double end = begin + length + uniform(random, 60, 600);
  const auto share = [=](double at) {
    const double up = std::clamp((at - begin) / length, 0.0, 1.0);
    const double down = std::clamp((at - end) / length, 0.0, 1.0);
    return low + (1 - low) * (up - down);
  };
  return {
      share, low,
      "up in " + report::three_digits_text(length) + " s from " + report::three_digits_text(low)};
}

Course step(Random& random, double seconds, double low) {
  const double begin = kWarmUp + uniform(random, 0.1, 0.4) * seconds;
  const double end = begin + uniform(random, 60, seconds / 2);
  const auto share = [=](double at) { return at >= begin && at < end ? 1 : low; };
  return {share, low,
          "for " + report::three_digits_text(end - begin) + " s from " +
              report::three_digits_text(low)};
}

Course saw_tooth(Random& random, double low) {
  const double period = log_uniform(random, 60, 1200);
  const auto share = [=](double at) { return low + (1 - low) * std::fmod(at, period) / period; };
  return {
      share, low,
      "every " + report::three_digits_text(period) + " s from " + report::three_digits_text(low)};
}

Course on_off(Random& random, double seconds, double low) {
  const double on = log_uniform(random, 10, 600);
  const double off = log_uniform(random, 10, 600);
  std::vector<double> changes;
  for (double at = 0; at < seconds;) {
    for (const double mean : {on, off}) changes.push_back(at += mean * exponential(random));
  }
  const auto share = [=](double at) {
    const auto passed = std::ranges::upper_bound(changes, at) - changes.begin();
    return passed % 2 == 0 ? 1 : low;
  };
  return {share, low,
          report::three_digits_text(on) + " s on, " + report::three_digits_text(off) + " s at " +
              report::three_digits_text(low)};
}

Course daily(double seconds, double low) {
  const auto share = [=](double at) {
    return low + (1 - low) * (1 - std::cos(2 * M_PI * at / seconds)) / 2;
  };
  return {share, low,
          "in " + report::three_digits_text(seconds) + " s from " + report::three_digits_text(low)};
}

Course flash_crowd(Random& random, double seconds) {
  const double low = 1 / log_uniform(random, 5, 50);
  const double begin = kWarmUp + uniform(random, 0.1, 0.5) * seconds;
  const double decay = log_uniform(random, 30, 600);
  const auto share = [=](double at) {
    return at < begin ? low : low + (1 - low) * std::exp((begin - at) / decay);
  };
  return {share, low,
          report::three_digits_text(1 / low) + " times, gone in " +
              report::three_digits_text(decay) + " s"};
}

Course course_of(Kind kind, Random& random, double seconds) {
  const double low = random.fraction() < 0.2 ? 0 : 1 / log_uniform(random, 1.5, 15);
  switch (kind) {
    case Kind::kRamp:
      return ramp(random, seconds, low);
    case Kind::kStep:
      return step(random, seconds, low);
    case Kind::kSawTooth:
      return saw_tooth(random, low);
    case Kind::kOnOff:
      return on_off(random, seconds, low);
    case Kind::kDaily:
      return daily(seconds, low);
    case Kind::kFlashCrowd:
      return flash_crowd(random, seconds);
    default:
      return {[](double) { return 1; }, 1, ""};
  }
}

void set_events(Scenario& made, Events events, double seconds) {
  simulator::Traffic& traffic = made.workload.traffic;
  traffic.length = std::chrono::ceil<std::chrono::minutes>(from_seconds(seconds));
  // A trace without a request has no meaning for a comparison.
  if (events.empty()) events.push_back({.at = traffic.length / 2, .service = std::nullopt});
  traffic.events = std::move(events);
}

/// Load and service time, such that the requests of the scenario stay few enough to be simulated.
struct Size {
  double load = 1;
  double service = 1;  ///< seconds
  double seconds = 1800;
};

Size draw_size(Random& random, double seconds, std::int32_t limit, const Effort& effort) {
  Size size{.load = log_uniform(random, 0.5, 2000), .seconds = seconds};
  const double replicas = std::max(1.0, size.load / (limit == 0 ? 70 : limit * 0.7));
  const double requests = effort.requests * std::min(1.0, kLooks / replicas);
  const double shortest = std::max(0.005, size.load * seconds / requests);
  constexpr double kLongest = 120;
  size.service = log_uniform(random, shortest, std::max(shortest, kLongest));
  if (size.service > kLongest) {
    size.load *= kLongest / size.service;
    size.service = kLongest;
  }
  return size;
}

void make_dense(Scenario& made, Random& random, const Effort& effort) {
  const bool is_long = made.kind == Kind::kDaily;
  const double seconds = is_long ? uniform(random, 7200, 21600) : uniform(random, 1500, 3600);
  const Size size = draw_size(random, seconds, made.limit, effort);
  const Course course = course_of(made.kind, random, seconds);
  made.dispersion = one_of(random, std::array{1.0, 4.0, 16.0});
  const double max_rate = size.load / size.service;
  const Rate rate = [&](double at) { return max_rate * course.share(at); };
  set_events(made, clustered_arrivals(random, rate, max_rate, seconds, made.dispersion), seconds);
  made.min_load = size.load * course.min;
  std::string shape;
  made.workload.app.service = draw_service(random, size.service, shape);
  made.about = "load " + report::three_digits_text(size.load) + " " + course.about + ", service " +
               report::three_digits_text(size.service) + " s " + shape + ", dispersion " +
               report::three_digits_text(made.dispersion);
}

void make_batches(Scenario& made, Random& random) {
  const double seconds = uniform(random, 1800, 5400);
  const double gap = log_uniform(random, 5, 600);
  const bool is_regular = random.fraction() < 0.5;
  const double size = std::round(log_uniform(random, 2, 500));
  const double service = log_uniform(random, 0.05, 60);
  const auto draw_gap = [&] { return is_regular ? gap : gap * exponential(random); };
  set_events(made, batch_arrivals(draw_gap, static_cast<std::int64_t>(size), seconds), seconds);
  std::string shape;
  made.workload.app.service = draw_service(random, service, shape);
  made.about = report::three_digits_text(size) + " requests " +
               (is_regular ? "every " : "about every ") + report::three_digits_text(gap) +
               " s, service " + report::three_digits_text(service) + " s " + shape;
}

Events sparse_events(Random& random, double gap, double seconds, std::string& about) {
  const double kind = random.fraction();
  const Rate rate = [&](double) { return 1 / gap; };
  if (kind < 0.35) {
    about = "Poisson";
    return clustered_arrivals(random, rate, 1 / gap, seconds, 1);
  }
  if (kind < 0.6) {
    const double sigma = uniform(random, 0.7, 2);
    about = "lognormal " + report::three_digits_text(sigma);
    return batch_arrivals(
        [&] { return gap * std::exp(sigma * normal(random) - sigma * sigma / 2); }, 1, seconds);
  }
  if (kind < 0.8) {
    about = "sessions";
    Events events;
    const double pause = log_uniform(random, 3, 60);
    for (double at = gap * exponential(random); at < seconds; at += gap * exponential(random)) {
      double next = at;
      do {
        events.push_back({.at = from_seconds(next), .service = std::nullopt});
        next += pause * exponential(random);
      } while (random.fraction() < 0.75);
    }
    put_in_order(events, seconds);
    return events;
  }
  about = "Hawkes";
  return hawkes_arrivals(random, 0.4 / gap, 0.6, log_uniform(random, 10, 300), seconds);
}

void make_sparse(Scenario& made, Random& random, const Effort& effort) {
  const double gap =
      one_of(random, std::array{120.0, 300.0, 900.0, 3600.0}) * uniform(random, 0.7, 1.4);
  const double seconds = std::clamp(150 * gap, 7200.0, effort.seconds);
  std::string kind;
  set_events(made, sparse_events(random, gap, seconds, kind), seconds);
  const double service = log_uniform(random, 0.02, 20);
  std::string shape;
  made.workload.app.service = draw_service(random, service, shape);
  made.about = kind + ", a call in " + report::three_digits_text(gap) + " s, service " +
               report::three_digits_text(service) + " s " + shape;
}

/// One or two timers; jitter as a share of the period.
void make_rhythm(Scenario& made, Random& random, const Effort& effort) {
  const double period = log_uniform(random, 90, 3600);
  const double jitter = one_of(random, std::array{0.0, 0.002, 0.01});
  const bool has_second = random.fraction() < 0.25;
  const double seconds = std::clamp(150 * period, 7200.0, effort.seconds);
  Events events;
  const auto add_timer = [&](double every) {
    for (double at = every * random.fraction(); at < seconds; at += every) {
      const double late = jitter * every * normal(random);
      events.push_back({.at = from_seconds(std::max(0.0, at + late)), .service = std::nullopt});
    }
  };
  add_timer(period);
  if (has_second) add_timer(period * one_of(random, std::array{2.0, 3.0, 4.0}));
  put_in_order(events, seconds);
  set_events(made, std::move(events), seconds);
  const double service = log_uniform(random, 0.02, period / 10);
  made.workload.app.service = Distribution::fixed(from_seconds(service));
  made.about = std::string(has_second ? "two timers" : "a timer") + ", the first every " +
               report::three_digits_text(period) + " s, jitter " +
               report::three_digits_text(100 * jitter) + "%, service " +
               report::three_digits_text(service) + " s";
}

}  // namespace

std::string_view to_string(Kind kind) {
  static constexpr std::array<std::string_view, kKinds> kNames = {
      "steady", "ramp",        "step",    "saw-tooth", "on-off",
      "daily",  "flash crowd", "batches", "sparse",    "rhythm"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Scenario make_scenario(std::uint64_t seed, std::size_t number, const Effort& effort) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  SeededRandom random(SeededRandom(seed ^ (kOdd * (number + 1))).next());
  Scenario made;
  made.number = number;
  made.kind = static_cast<Kind>(number % kKinds);
  made.limit = one_of(random, std::array{1, 2, 10, 100, 0});
  made.workload.seed = random.next();
  made.workload.warm_up = from_seconds(kWarmUp);
  std::string start;
  const double start_mean = log_uniform(random, 0.1, 60);
  made.workload.app.start = draw_start(random, start_mean, start);
  if (random.fraction() < 0.2) {
    made.workload.app.crash_at_start = 0.05;
    start += ", 1 in 20 fails";
  }
  switch (made.kind) {
    case Kind::kBatches:
      make_batches(made, random);
      break;
    case Kind::kSparse:
      make_sparse(made, random, effort);
      break;
    case Kind::kRhythm:
      make_rhythm(made, random, effort);
      break;
    default:
      make_dense(made, random, effort);
  }
  const std::string limit = made.limit == 0 ? "no limit" : "limit " + std::to_string(made.limit);
  made.about = limit + ", " + start + ", " + made.about;
  return made;
}

}  // namespace bellows::proving
