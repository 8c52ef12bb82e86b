// What services and queue-proxies declare alike: requests in line and their time limits. Both have
// the members of the same names.
#pragma once

#include "config/schema.hpp"

namespace bellows::config {

template <class Settings>
void declare_line(Schema<Settings>& schema) {
  using namespace std::chrono_literals;
  schema.add(&Settings::queue_bytes,
             {.name = "queue-bytes",
              .bounds = between(kibibytes(64), mebibytes(65536)),
              .help = "Memory of waiting requests, 4Ki or more for each; beyond it the answer "
                      "is 503."});
  schema.add(&Settings::queue_age,
             {.name = "queue-age",
              .bounds = between(1ms, 24h),
              .help = "The longest a request waits; then the answer is 503."});
}

/// No part of a request may last longer than the whole.
template <class Settings>
void add_time_limit_rules(Schema<Settings>& schema) {
  schema.add_rule({{"revision-response-start-timeout", "revision-timeout"},
                   [](const Settings& s) {
                     return s.request_timeout == Duration::zero() ||
                            s.response_start_timeout <= s.request_timeout;
                   },
                   "revision-response-start-timeout at most revision-timeout"});
  schema.add_rule({{"revision-idle-timeout", "revision-timeout"},
                   [](const Settings& s) {
                     return s.request_timeout == Duration::zero() ||
                            s.idle_timeout <= s.request_timeout;
                   },
                   "revision-idle-timeout at most revision-timeout"});
}

}  // namespace bellows::config
