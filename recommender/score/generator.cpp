#include "recommender/score/generator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/duration_text.hpp"
#include "base/random.hpp"

namespace bellows::recommender::score {

namespace {

using namespace std::chrono_literals;

constexpr double kMiB = 1024. * 1024;
constexpr Duration kMinute = 1min;
constexpr Duration kShort = 10s;
constexpr double kCalm = 0.03;  ///< relative deviation of a steady usage

/// The random numbers of one workload.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}

  double fraction() { return random_.fraction(); }
  /// Returns a number with mean 0 and deviation 1, within 6 (Irwin and Hall: twelve uniform
  /// numbers). It uses only sums, so that the result is the same on every machine.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random_.fraction();
    return sum;
  }
  /// Returns a random factor around 1.
  double around_one(double deviation) { return std::max(0., 1 + deviation * normal()); }
  /// Returns a number of at least 1, with P(x > a) = a^-alpha.
  double pareto(double alpha) { return std::pow(1 - random_.fraction(), -1 / alpha); }

 private:
  SeededRandom random_;
};

std::size_t steps(Duration length, Duration step) {
  return static_cast<std::size_t>(length / step);
}

Request request(std::int64_t millicores, std::int64_t mebi) {
  return {Millicores{millicores}, mebibytes(mebi)};
}

/// Returns one lifetime over the whole length, with the demand that `shape` returns for each time.
template <class Shape>
Workload one_lifetime(const std::string& about, Duration step, Duration length, Request first,
                      Shape shape) {
  Workload workload{.name = {}, .about = about, .step = step, .first = first};
  const std::size_t count = steps(length, step);
  workload.by_time.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    workload.by_time.push_back(shape(static_cast<Duration::rep>(i) * step));
  }
  workload.lifetimes = {{0, count}};
  return workload;
}

/// Adds lifetimes of `length`, one every `period`.
void restart_every(Workload& workload, Duration period, Duration length) {
  workload.lifetimes.clear();
  const std::size_t count = workload.by_time.size();
  for (std::size_t at = 0; at < count; at += steps(period, workload.step)) {
    workload.lifetimes.push_back({at, std::min(count, at + steps(length, workload.step))});
  }
}

Demand wavering(Noise& noise, double deviation, double cores, double mebi) {
  return {cores * noise.around_one(deviation), mebi * kMiB * noise.around_one(deviation / 3)};
}

/// Returns 0 at `begin`, 1 at `end`, linear in between.
double ramp_share(Duration at, Duration begin, Duration end) {
  return std::clamp(to_seconds(at - begin) / to_seconds(end - begin), 0., 1.);
}

/// Returns 0 at 4:00, 1 at 16:00 of every day.
double daylight(Duration at) {
  const double day = to_seconds(at - 4h) / to_seconds(kDay);
  return (1 - std::cos(2 * std::numbers::pi * day)) / 2;
}

Workload step(Noise& noise) {
  const auto shape = [&](Duration at) {
    const bool is_high = at >= kDay && at < 2 * kDay;
    return wavering(noise, kCalm, is_high ? 2 : 0.1, is_high ? 1600 : 400);
  };
  Workload workload = one_lifetime(
      "Steady at 0.1 cores and 400 MiB; from day 1 to day 2 at 2 cores and 1.6 GiB; then as "
      "before.",
      kMinute, 8 * kDay, request(250, 512), shape);
  workload.demand_changes = {{steps(kDay, kMinute), true}, {steps(2 * kDay, kMinute), false}};
  return workload;
}

Workload ramp(Noise& noise) {
  return one_lifetime(
      "From 0.2 cores and 400 MiB to 4 cores and 6 GiB within 6 h, 6 h there, 2 h down again.",
      kMinute, 2 * kDay, request(500, 768), [&](Duration at) {
        const double share = ramp_share(at, 3h, 9h) - ramp_share(at, 15h, 17h);
        return wavering(noise, kCalm, 0.2 + 3.8 * share, 400 + 5744 * share);
      });
}

Workload exponential(Noise& noise) {
  return one_lifetime(
      "Doubles every 5 min, from 0.05 cores and 100 MiB to 6.4 cores and 12.5 GiB; 2 h there.",
      kShort, kDay, request(200, 512), [&](Duration at) {
        const bool is_over = at >= 1h + 35min + 2h;
        const double doublings = is_over ? 0 : 7 * ramp_share(at, 1h, 1h + 35min);
        return wavering(noise, kCalm, 0.05 * std::exp2(doublings), 100 * std::exp2(doublings));
      });
}

Workload diurnal(Noise& noise) {
  return one_lifetime("Day and night: 0.2 to 2 cores, 600 to 1500 MiB.", kMinute, 7 * kDay,
                      request(1000, 1024), [&](Duration at) {
                        return wavering(noise, 0.1, 0.2 + 1.8 * daylight(at),
                                        600 + 900 * daylight(at));
                      });
}

Workload weekly(Noise& noise) {
  return one_lifetime("Day and night for five days of the week, a tenth of it on the other two.",
                      kMinute, 21 * kDay, request(1000, 1024), [&](Duration at) {
                        const bool is_weekend = at / kDay % 7 >= 5;
                        const double share = daylight(at) * (is_weekend ? 0.1 : 1);
                        return wavering(noise, 0.1, 0.2 + 1.8 * share, 600 + 900 * share);
                      });
}

Workload nightly(Noise& noise) {
  return one_lifetime(
      "A batch from 1:00 to 2:00 every night: 3 cores and 3 GiB instead of 0.2 and 500 MiB.",
      kMinute, 8 * kDay, request(500, 1024), [&](Duration at) {
        const bool is_batch = at % kDay >= 1h && at % kDay < 2h;
        return wavering(noise, kCalm, is_batch ? 3 : 0.2, is_batch ? 3072 : 500);
      });
}

Workload leak(Noise& noise) {
  Workload workload = one_lifetime(
      "Leaks 100 MiB an hour above 400 MiB; its owner restarts it every 24 h.", kMinute, 5 * kDay,
      request(500, 1024), [&](Duration) { return wavering(noise, kCalm, 0.3, 400); });
  for (std::size_t age = 0; age < steps(kDay, kMinute); ++age) {
    workload.by_age.push_back({0, 100 * kMiB * static_cast<double>(age) / 60});
  }
  restart_every(workload, kDay, kDay);
  return workload;
}

Workload start_up(Noise& noise) {
  Workload workload = one_lifetime(
      "Every life (12 h) begins with 2 min at 2 cores and 900 MiB, then needs 0.15 and 400 MiB.",
      kShort, 3 * kDay, request(500, 1024),
      [&](Duration) { return wavering(noise, kCalm, 0.15, 400); });
  workload.by_age.assign(steps(2min, kShort), {1.85, 500 * kMiB});
  workload.by_age.push_back({0, 0});
  restart_every(workload, 12h, 12h);
  return workload;
}

Workload cron(Noise& noise) {
  Workload workload =
      one_lifetime("A job of 10 s every 5 min: 0.8 cores, 700 MiB.", kShort, 2 * kDay,
                   request(250, 512), [&](Duration) { return wavering(noise, 0.15, 0.8, 700); });
  restart_every(workload, 5min, 10s);
  return workload;
}

Workload one_spike(Noise& noise) {
  const auto shape = [&](Duration at) {
    const bool is_spike = at >= 2 * kDay && at < 2 * kDay + 10min;
    return wavering(noise, kCalm, is_spike ? 3 : 0.3, is_spike ? 3072 : 500);
  };
  return one_lifetime("Steady at 0.3 cores and 500 MiB but for 10 min on day 2: 3 cores, 3 GiB.",
                      kMinute, 8 * kDay, request(500, 1024), shape);
}

/// Makes bursts of Pareto height that fade within minutes.
Workload noisy(Noise& noise) {
  double cpu_burst = 0;
  double memory_burst = 0;
  const auto shape = [&](Duration) {
    if (noise.fraction() < 0.05) {
      const double height = std::min(noise.pareto(1.5), 30.);
      cpu_burst += 0.15 * height;
      memory_burst += 40 * height;
    }
    const Demand demand = wavering(noise, 0.2, 0.3 + cpu_burst, 600 + memory_burst);
    cpu_burst *= 0.6;
    memory_burst *= 0.9;
    return demand;
  };
  return one_lifetime("Heavy-tailed bursts, one in 20 min, on 0.3 cores and 600 MiB.", kMinute,
                      7 * kDay, request(500, 1024), shape);
}

Workload consumer(Noise& noise) {
  return one_lifetime(
      "A hundred times 50m more each 5 s, up to 5 cores, with 20 MiB each; 1 h there, then idle.",
      kShort, kDay, request(100, 256), [&](Duration at) {
        const bool is_busy = at >= 1h && at < 2h + 500s;
        const auto pulls = is_busy ? std::min<Duration::rep>(100, (at - 1h) / 5s + 1) : 0;
        const auto many = static_cast<double>(pulls);
        return wavering(noise, kCalm, 0.05 + 0.05 * many, 100 + 20 * many);
      });
}

Workload crash_loop(Noise& noise) {
  return one_lifetime("Needs 2 GiB from its first moment on and was given 256 MiB.", kShort, kDay,
                      request(200, 256),
                      [&](Duration) { return wavering(noise, kCalm, 0.5, 2048); });
}

Workload bad_release(Noise& noise) {
  Workload workload = one_lifetime(
      "On day 1 ends right after each start for 30 min, whatever its size; else 0.3 and 500 MiB.",
      kMinute, 4 * kDay, request(500, 1024),
      [&](Duration) { return wavering(noise, kCalm, 0.3, 500); });
  workload.crashing = {{steps(kDay, kMinute), steps(kDay + 30min, kMinute)}};
  return workload;
}

/// Doubles every 5 min each day, as `exponential` does once.
Workload daily_doubling(Noise& noise) {
  const auto shape = [&](Duration at) {
    const Duration since = at % kDay;
    const bool is_over = since >= 1h + 35min + 1h;
    const double doublings = is_over ? 0 : 7 * ramp_share(since, 1h, 1h + 35min);
    return wavering(noise, kCalm, 0.05 * std::exp2(doublings), 100 * std::exp2(doublings));
  };
  return one_lifetime(
      "Doubles every 5 min each day, from 0.05 cores and 100 MiB to 6.4 cores and 12.5 GiB; 1 h "
      "there.",
      kMinute, 6 * kDay, request(200, 512), shape);
}

/// Makes memory that grows until it is collected, and the CPU of the collection.
Workload garbage(Noise& noise) {
  const auto shape = [&](Duration at) {
    const double share = to_seconds(at % 20min) / to_seconds(20min);
    return wavering(noise, kCalm, at % 20min < 1min ? 1.5 : 0.3, 400 + 800 * share);
  };
  return one_lifetime(
      "Garbage collection: 400 to 1200 MiB in 20 min, then a minute of 1.5 cores; 0.3 otherwise.",
      kMinute, 5 * kDay, request(500, 1536), shape);
}

/// Makes a job of an hour in every `period`.
Workload job(Noise& noise, Duration period) {
  const auto shape = [&](Duration at) {
    const bool is_batch = (at + period / 2) % period < 1h;
    return wavering(noise, kCalm, is_batch ? 3 : 0.2, is_batch ? 3072 : 500);
  };
  return one_lifetime("A batch of an hour every " + duration_text(period) +
                          ": 3 cores and 3 GiB instead of 0.2 and 500 MiB.",
                      kMinute, 20 * kDay, request(500, 1024), shape);
}

/// Returns a number between both; each factor is as probable as another.
double drawn(Noise& noise, double low, double high) {
  return low * std::pow(high / low, noise.fraction());
}

/// Draws what `mixed` adds by age: growth to a plateau, a start, and lives of some hours.
void draw_lives(Workload& workload, Noise& noise, double mebi) {
  const auto draw = [&](double low, double high) { return drawn(noise, low, high); };
  const bool grows = noise.fraction() < 0.4;
  const double growth = grows ? draw(0.1, 3) * mebi * kMiB : 0;
  const double hours = draw(0.2, 48);
  const bool starts = noise.fraction() < 0.5;
  const auto start = starts ? static_cast<std::size_t>(draw(1, 6)) : 0;
  Demand burst{.cpu_cores = draw(0.2, 4)};
  if (noise.fraction() < 0.5) burst.memory_bytes = draw(0.1, 1) * mebi * kMiB;
  for (std::size_t age = 0; age < steps(4 * kDay, kMinute); ++age) {
    const double share = 1 - std::exp(-static_cast<double>(age) / 60 / hours);
    Demand more{0, growth * share};
    if (age < start) more = {burst.cpu_cores, more.memory_bytes + burst.memory_bytes};
    workload.by_age.push_back(more);
  }
  if (noise.fraction() >= 0.6) return;
  const Duration life = from_seconds(std::floor(draw(120, 4000)) * 60);
  restart_every(workload, life, life);
}

/// Makes a load of which each part is drawn: level, day and night, noise, bursts, a batch a day,
/// levels that change for good, and lives.
Workload mixed(Noise& noise) {
  noise.fraction();
  const auto draw = [&](double low, double high) { return drawn(noise, low, high); };
  const auto chance = [&](double probability) { return noise.fraction() < probability; };
  const double cores = draw(0.03, 1);
  const double mebi = draw(60, 2000);
  const double by_day = chance(0.6) ? draw(0.2, 5) : 0;
  const double deviation = draw(0.02, 0.25);
  const double bursts = chance(0.5) ? draw(0.0005, 0.05) : 0;
  const double height = draw(0.2, 2);
  const double cpu_fade = draw(0.3, 0.9);
  const double memory_fade = draw(0.3, 0.98);
  const double batch = chance(0.3) ? draw(1, 8) : 0;
  const Duration batch_at = from_seconds(std::floor(noise.fraction() * 1440) * 60);
  const Duration batch_length = from_seconds(std::floor(draw(5, 240)) * 60);
  const double shift = chance(0.5) ? draw(0.0002, 0.002) : 0;
  double level = 1;
  double cpu_burst = 0;
  double memory_burst = 0;
  const auto shape = [&](Duration at) {
    const double burst = chance(bursts) ? height * std::min(noise.pareto(2), 10.) : 0;
    cpu_burst = cpu_burst * cpu_fade + burst;
    memory_burst = memory_burst * memory_fade + burst / 2;
    if (chance(shift)) level = std::clamp(level * draw(0.5, 2), 0.2, 5.);
    const bool is_batch = (at + 10 * kDay - batch_at) % kDay < batch_length;
    const double busy = level * (1 + by_day * daylight(at)) + (is_batch ? batch : 0);
    return wavering(noise, deviation, cores * (busy + cpu_burst),
                    mebi * (0.6 + 0.4 * busy + memory_burst));
  };
  Workload workload = one_lifetime(
      "Each part is drawn: level, day and night, noise, bursts, a daily batch, growth, lives.",
      kMinute, 8 * kDay, request(500, 512), shape);
  draw_lives(workload, noise, mebi);
  return workload;
}

/// Returns the period in "job-30h".
std::optional<Duration> period_of(std::string_view name) {
  constexpr std::string_view kJob = "job-";
  if (!name.starts_with(kJob)) return std::nullopt;
  const auto period = parse_duration(name.substr(kJob.size()));
  return period && *period >= 2h && *period <= 20 * kDay ? std::optional(*period) : std::nullopt;
}

struct Kind {
  std::string_view name;
  Workload (*make)(Noise&);
};
constexpr std::array kKinds = {Kind{"step", step},
                               Kind{"ramp", ramp},
                               Kind{"exponential", exponential},
                               Kind{"diurnal", diurnal},
                               Kind{"weekly", weekly},
                               Kind{"nightly", nightly},
                               Kind{"leak", leak},
                               Kind{"start-up", start_up},
                               Kind{"cron", cron},
                               Kind{"one-spike", one_spike},
                               Kind{"noisy", noisy},
                               Kind{"consumer", consumer},
                               Kind{"crash-loop", crash_loop},
                               Kind{"bad-release", bad_release},
                               Kind{"daily-doubling", daily_doubling},
                               Kind{"garbage", garbage}};

/// Returns FNV-1a, so that each workload has its own random numbers.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

const std::vector<std::string>& workload_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Kind& kind : kKinds) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

Result<Workload> generate(std::string_view name, std::uint64_t seed) {
  if (const auto period = period_of(name)) {
    Noise noise(seed ^ hash_of(name));
    Workload workload = job(noise, *period);
    workload.name = name;
    return workload;
  }
  if (name.starts_with("mixed-")) {
    Noise noise(seed ^ hash_of(name));
    Workload workload = mixed(noise);
    workload.name = name;
    return workload;
  }
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    Noise noise(seed ^ hash_of(name));
    Workload workload = kind.make(noise);
    workload.name = name;
    return workload;
  }
  std::string names;
  for (const std::string& known : workload_names()) names += ", " + known;
  return fail(ErrorKind::kNotFound, "trace " + std::string(name),
              "no workload of that name: want all, a file (*.csv), job-DURATION from 2h to 480h, "
              "mixed-NAME or one of " +
                  names.substr(2));
}

}  // namespace bellows::recommender::score
