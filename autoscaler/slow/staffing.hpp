// Headroom for a goal on waiting, from queueing theory. Pure.
#pragma once

namespace bellows::autoscaler::slow {

/// The probability that a request finds every slot taken when the slots exceed the mean load by
/// `deviations` square roots of it (Halfin and Whitt, "Heavy-traffic limits for queues with many
/// exponential servers", 1981): 1 / (1 + b P(b) / p(b)) with the standard normal distribution.
double waiting_probability(double deviations);

/// The deviations at which that probability is `share`, 0 to 6. Burstiness and the start time of a
/// replica widen a deviation in the decider (core/load/burstiness.hpp).
double deviations_for(double share);

/// The headroom-factor for a latency goal of that quantile: a fifth of the requests that the goal
/// lets pass may find the replicas full, so that full replicas alone never break it.
double headroom_factor_for(double quantile);

}  // namespace bellows::autoscaler::slow
