// Arrival times for a course of load.
#pragma once

#include <functional>
#include <vector>

#include "base/random.hpp"
#include "simulator/traffic.hpp"

namespace bellows::proving {

using Events = std::vector<simulator::Traffic::Event>;

/// Arrivals a second, at seconds since the begin.
using Rate = std::function<double(double)>;

/// Uniform between two numbers; log-uniform, so that each power of ten is equally likely.
double uniform(Random& random, double min, double max);
double log_uniform(Random& random, double min, double max);
/// With mean 1.
double exponential(Random& random);
/// Standard normal.
double normal(Random& random);

/// A Poisson process of clusters. Clusters of geometric size m on average, spread over a second,
/// have the variance-to-mean ratio 2m - 1 over longer times; 1 is a Poisson process. `max_rate` is
/// never exceeded by `rate`.
Events clustered_arrivals(Random& random, const Rate& rate, double max_rate, double seconds,
                          double dispersion);

/// `size` requests at once, each `gap()` seconds.
Events batch_arrivals(const std::function<double()>& gap, std::int64_t size, double seconds);

/// A Hawkes process: each request causes `branching` more on average, after exponential times with
/// mean `delay` seconds.
Events hawkes_arrivals(Random& random, double rate, double branching, double delay, double seconds);

/// Sorts by time, drops what lies outside [0, seconds).
void put_in_order(Events& events, double seconds);

}  // namespace bellows::proving
